/* recovery_all.h - recover all learners of a store.
 *
 * A start of the service and the check of a store use the same functions: a learner that a start
 * quarantines, a check calls damaged.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_ALL_H
#define SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_ALL_H

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

typedef segue_status (*segue_recovery_callback)(void *context, const segue_recovery_result *found,
                                                segue_error *err);

/**
 * Recover every learner of a store, the damaged ones too.
 *
 * @retval SEGUE_EFILE  the table of learners cannot be read
 * @retval SEGUE_EIO, SEGUE_ENOMEM  also of one learner: this is no damage
 */
SEGUE_MUST_CHECK segue_status segue_recovery_all(const segue_recovery_source *recovery,
                                                 segue_recovery_callback seen, void *context,
                                                 segue_error *err);

#endif
