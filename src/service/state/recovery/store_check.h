/* store_check.h - the check of a store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_STORE_CHECK_H
#define SEGUE_SERVICE_STATE_RECOVERY_STORE_CHECK_H

#include "store/store.h"

/** The result of a check. */
typedef struct segue_store_check_result {
    uint64_t learners, events;
    uint64_t damaged; /* of the learners */
    bool file;        /* the file itself is damaged */
} segue_store_check_result;

/** Called for each damaged learner, and with NULL for the file. */
typedef void (*segue_store_check_callback)(void *context, const char *learner, const char *why);

/**
 * Check a store: its file; every row; that the service could start and serve every learner; and
 * that every learner, rebuilt from its first event, equals its snapshot and what a start recovers.
 * Finds all damaged learners, not only the first; `seen` may be NULL.
 *
 * @retval SEGUE_EFILE  the store is damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_check_each(segue_store *store,
                                                     segue_store_check_callback seen, void *context,
                                                     segue_store_check_result *out,
                                                     segue_error *err);

/** Check a store; the error is about the first damage. */
SEGUE_MUST_CHECK segue_status segue_store_check_run(segue_store *store,
                                                    segue_store_check_result *out,
                                                    segue_error *err);

#endif
