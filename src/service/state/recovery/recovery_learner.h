/* recovery_learner.h - recover one learner of a store.
 *
 * A start of the service, a server that takes a learner over and the check of a store use the same
 * function: a learner that one of them quarantines, the others call damaged.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_LEARNER_H
#define SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_LEARNER_H

#include "service/state/learner_state.h"

typedef struct segue_recovery_source {
    segue_store *store;
    const unsigned char *key; /* 16 bytes, of hash tables */
    uint64_t (*draw)(
        void *context); /* random bits, which never repeat: see segue_learner_state_open_task */
    void *context;
    double now; /* service time */
} segue_recovery_source;

/** The result for one learner. */
typedef struct segue_recovery_result {
    const segue_stored_learner *row;
    learner_state *state;  /* the callback's to release; NULL: it is damaged ... */
    const char *why;       /* ... for this reason */
    bool snapshot_damaged; /* it was rebuilt from its first event */
} segue_recovery_result;

/**
 * Recover the learner of a row: out->state, which is the caller's to release.
 *
 * @retval SEGUE_EFILE, SEGUE_EDOMAIN, SEGUE_EPARSE  it is damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_recovery_learner(const segue_recovery_source *from,
                                                     const segue_stored_learner *row,
                                                     segue_recovery_result *out, segue_error *err);

#endif
