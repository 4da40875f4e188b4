/* store_check.h - the check of a store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_STORE_CHECK_H
#define SEGUE_SERVICE_STATE_RECOVERY_STORE_CHECK_H

#include "store/store.h"
#include "store/stored.h"

/** The result of a check. */
typedef struct segue_store_check_result {
    uint64_t learners, events;
    uint64_t damaged; /* of the learners */
    bool file;        /* the file itself is damaged */
} segue_store_check_result;

/** Functions that are called during a check; each may be NULL. */
typedef struct segue_store_check_listener {
    /** A learner is damaged; NULL: the file. */
    void (*damaged)(void *context, const char *learner, const char *why);
    /** A learner is sound.  Called in the read transaction of the check; a failure ends that. */
    segue_status (*sound)(void *context, segue_store *store, const segue_stored_learner *row,
                          segue_error *err);
    void *context;
} segue_store_check_listener;

/**
 * Check a store: its file; every row; that the service could start and serve every learner; and
 * that every learner, rebuilt from its first event, equals its snapshot and what a start recovers.
 * Finds all damaged learners, not only the first; `listener` may be NULL.
 *
 * @retval SEGUE_EFILE  the store is damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_check_each(segue_store *store,
                                                     const segue_store_check_listener *listener,
                                                     segue_store_check_result *out,
                                                     segue_error *err);

/** Check a store; the error is about the first damage. */
SEGUE_MUST_CHECK segue_status segue_store_check_run(segue_store *store,
                                                    segue_store_check_result *out,
                                                    segue_error *err);

#endif
