/* store_check.h - the check of a store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_STORE_CHECK_H
#define SEGUE_SERVICE_STATE_STORE_CHECK_H

#include "store/store.h"

/** What a check of a store found. */
typedef struct segue_store_check_result {
    uint64_t learners, events;
    uint64_t damaged; /* of the learners */
    bool file;        /* the file itself is damaged */
} segue_store_check_result;

/** What is called for each damaged learner, and with NULL for the file. */
typedef void (*segue_store_check_callback)(void *context, const char *learner, const char *why);

/**
 * Check a store: its file; every row; that the service could start and would serve every learner;
 * and that every learner, rebuilt from its first event, is what its snapshot says and what a start
 * makes of it.  All damaged learners are found, not only the first; `seen` may be NULL.
 *
 * @retval SEGUE_EFILE  the store is damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_check_each(segue_store *store,
                                                     segue_store_check_callback seen, void *context,
                                                     segue_store_check_result *out,
                                                     segue_error *err);

/** The same without `seen`; the error tells what was found first. */
SEGUE_MUST_CHECK segue_status segue_store_check_run(segue_store *store,
                                                    segue_store_check_result *out,
                                                    segue_error *err);

#endif
