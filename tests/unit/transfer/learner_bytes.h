/* learner_bytes.h - the frame of a learner file, for tests that change its bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_LEARNER_BYTES_H
#define SEGUE_TEST_LEARNER_BYTES_H

#include "learner_fixture.h"

#define HEAD 24 /* magic, version, length */

#define TAIL 8 /* the checksum */

/* Set the checksum of changed bytes. */
static inline void set_checksum(segue_bytes *b)
{
    segue_bytes sum = {.data = NULL};
    segue_bytes_append_u64(&sum, segue_bytes_crc32(b->data, b->size - TAIL));
    memcpy(b->data + b->size - TAIL, sum.data, TAIL);
    segue_bytes_fini(&sum);
}

#endif
