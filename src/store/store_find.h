/* store_find.h - reads of one row.
 *
 * Each returns SEGUE_EFILE if the row is damaged, SEGUE_EIO or SEGUE_ENOMEM.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_FIND_H
#define SEGUE_STORE_STORE_FIND_H

#include "store/rows.h"
#include "store/store_change.h"

#define SEGUE_MAX_STORE_NAME     256  /* bytes of a name or of a task's key */
#define SEGUE_MAX_STORE_FEATURES 8192 /* bytes of a task's features */

/** Find a task by its key or by its id; *found is false if there is none.  Its key is NULL. */
SEGUE_MUST_CHECK segue_status segue_store_find_task(segue_store *store, int64_t learner,
                                                    const char *key, segue_stored_task *out,
                                                    bool *found, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_read_task(segue_store *store, int64_t id,
                                                    segue_stored_task *out, bool *found,
                                                    segue_error *err);

/** Read the key of a task that must exist.  @retval SEGUE_EFILE  it does not */
SEGUE_MUST_CHECK segue_status segue_store_task_key(segue_store *store, int64_t id,
                                                   char key[SEGUE_MAX_STORE_NAME + 1],
                                                   segue_error *err);

/** Read the features of a task: *out is the caller's to free, NULL without features or task. */
SEGUE_MUST_CHECK segue_status segue_store_task_features(segue_store *store, int64_t id, char **out,
                                                        segue_error *err);

/** Find the reward of a decision; *found is false if there is none. */
SEGUE_MUST_CHECK segue_status segue_store_find_reward(segue_store *store, int64_t task,
                                                      uint64_t number, segue_stored_reward *out,
                                                      bool *found, segue_error *err);

/** Read the newest snapshot of a learner; *bytes is the caller's to free, NULL without one. */
SEGUE_MUST_CHECK segue_status segue_store_read_snapshot(segue_store *store, int64_t learner,
                                                        uint64_t *seq, void **bytes, size_t *size,
                                                        segue_error *err);

/** Read the snapshot that replaces removed rewards, as segue_store_read_snapshot. */
SEGUE_MUST_CHECK segue_status segue_store_read_base(segue_store *store, int64_t learner,
                                                    uint64_t *seq, void **bytes, size_t *size,
                                                    segue_error *err);

/** Return whether the rewards of a task were removed; *erased: its key, too. */
SEGUE_MUST_CHECK segue_status segue_store_is_removed(segue_store *store, int64_t task,
                                                     bool *removed, bool *erased, segue_error *err);

/** Read the key that signs decision ids. */
SEGUE_MUST_CHECK segue_status segue_store_read_key(segue_store *store,
                                                   unsigned char key[SEGUE_STORE_KEY_SIZE],
                                                   segue_error *err);

/** Read the saved learner that a learner was created from; *bytes is the caller's to free, NULL
 * without one. */
SEGUE_MUST_CHECK segue_status segue_store_read_initial(segue_store *store, int64_t learner,
                                                       void **bytes, size_t *size,
                                                       segue_error *err);

/** Read a saved learner that a learner was merged with; *bytes is the caller's to free, NULL
 * without one. */
SEGUE_MUST_CHECK segue_status segue_store_read_merged(segue_store *store, int64_t learner,
                                                      uint64_t number, void **bytes, size_t *size,
                                                      segue_error *err);

/** Read the stored service time, in seconds; without one *seconds stays as it is. */
SEGUE_MUST_CHECK segue_status segue_store_read_clock(segue_store *store, double *seconds,
                                                     segue_error *err);

/** Read the largest id that a learner of this store ever had, deleted ones included; 0: none. */
SEGUE_MUST_CHECK segue_status segue_store_last_learner(segue_store *store, int64_t *id,
                                                       segue_error *err);

/** Read the largest id that a task of this store ever had; 0: none. */
SEGUE_MUST_CHECK segue_status segue_store_last_task(segue_store *store, int64_t *id,
                                                    segue_error *err);

#endif
