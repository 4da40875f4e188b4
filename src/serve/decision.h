/* decision.h - the id of a decision: all that a reward needs to be counted, signed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_DECISION_H
#define SEGUE_SERVE_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define DECISION_TEXT 64 /* characters of an id */

typedef struct decision {
    int64_t learner, task; /* ids in the store; learner < 2^32 */
    uint64_t tag;          /* of the task, which has it from its opening on; 0: it has none */
    uint64_t number;       /* within the task, over all starts of the service */
    size_t arm;            /* < 2^16 */
    uint64_t version;      /* of the model set; not in the id of a task with a tag */
    double asked;          /* service time (clock.h), to the millisecond */
} decision;

/** Write the id: DECISION_TEXT characters of base64url, and an end. */
void segue_decision_write(const decision *d, const unsigned char key[16],
                          char text[DECISION_TEXT + 1]);

/** Read an id; false: it was not signed with this key.  Takes the same time for all wrong ones. */
bool segue_decision_read(decision *d, const unsigned char key[16], const char *text);

/** As the store keeps it, and back. */
segue_stored_decision segue_decision_row(const decision *d);
decision segue_decision_of_row(int64_t learner, uint64_t tag, const segue_stored_decision *row);

/** Whether so many bytes are the same, without telling through time where they differ. */
bool segue_same_bytes(const void *a, const void *b, size_t size);

#endif
