/* decision_id.h - the id of a decision: all that is needed to count its reward, and a signature.
 *
 * The service stores nothing when it responds to an ask: the id carries learner, task, arm and time
 * to the client and back.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_DECISION_ID_H
#define SEGUE_SERVICE_API_DECISION_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define SEGUE_DECISION_ID_LENGTH      64 /* characters of an id */
#define SEGUE_LONG_DECISION_ID_LENGTH 75 /* of one that carries a probability */
#define SEGUE_MAX_DECISION_ID_LENGTH  88 /* of one in shadow mode */

typedef struct decision {
    int64_t learner, task; /* ids in the store; learner < 2^32 */
    uint64_t tag;          /* random bits of the task, from its row */
    uint64_t number;       /* within the task, over all starts of the service */
    size_t arm;            /* < 2^16 */
    uint64_t version;      /* of the model set; not in the id */
    double asked_at;       /* service time (clock.h), to the millisecond */
    double probability;    /* of the arm; 0: it was not requested, and the id is short */
    segue_stored_shadow
        shadow; /* if the caller chose the arm; `probability` is then the caller's */
} decision;

/** Write the id, base64url and a NUL: SEGUE_DECISION_ID_LENGTH characters, with a probability
 * SEGUE_LONG_DECISION_ID_LENGTH, in shadow mode SEGUE_MAX_DECISION_ID_LENGTH. */
void segue_decision_id_encode(const decision *d, const unsigned char key[16], char *text);

/** Return whether ids of this length exist. */
bool segue_decision_id_has_length(size_t length);

/** Read an id; false: it was not signed with this key.  Signatures are compared in constant time.
 */
bool segue_decision_id_decode(decision *d, const unsigned char key[16], const char *text);

/** Convert to a row of the store, and back. */
segue_stored_decision segue_decision_id_to_row(const decision *d);
decision segue_decision_id_from_row(int64_t learner, uint64_t tag,
                                    const segue_stored_decision *row);

#endif
