/* tally_internal.h - what the files of a tally share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TALLY_TALLY_INTERNAL_H
#define SEGUE_IO_TALLY_TALLY_INTERNAL_H

#include "io/tally/tally_sum.h"

#define TALLY_MAGIC      "SEGUETLY"
#define TALLY_MAGIC_SIZE 8
#define TALLY_VERSION    1
#define TALLY_HEAD       24 /* magic, version, length */
#define TALLY_TAIL       8  /* checksum */

/* Add rewards to a task and arm.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_tally_add_cell(segue_tally *tally, size_t task, size_t arm,
                                                   const tally_cell *more, segue_error *err);

#endif
