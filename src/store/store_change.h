/* store_change.h - changes of rows, inside a transaction.
 *
 * Each returns SEGUE_EIO, SEGUE_ENOMEM, or SEGUE_EFILE if the store is damaged; then roll back.  A
 * backend may collect changes: then a later call, at the latest the commit, reports a failure.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_CHANGE_H
#define SEGUE_STORE_STORE_CHANGE_H

#include "store/rows.h"

#define SEGUE_STORE_KEY_SIZE 16 /* bytes of the key that signs decision ids */

/** Read the key, and count this start; *boot: the number of starts, this one included. */
SEGUE_MUST_CHECK segue_status segue_store_start(segue_store *store,
                                                unsigned char key[SEGUE_STORE_KEY_SIZE],
                                                uint64_t *boot, segue_error *err);

/** Store the service time, in seconds. */
SEGUE_MUST_CHECK segue_status segue_store_set_clock(segue_store *store, double seconds,
                                                    segue_error *err);

/** Add a learner; fills in `id`. */
SEGUE_MUST_CHECK segue_status segue_store_add_learner(segue_store *store,
                                                      segue_stored_learner *learner,
                                                      segue_error *err);

/** Store the saved learner that a learner was created from, once. */
SEGUE_MUST_CHECK segue_status segue_store_add_initial(segue_store *store, int64_t learner,
                                                      const void *data, size_t size,
                                                      segue_error *err);

/** Store a saved learner that a learner is merged with. */
SEGUE_MUST_CHECK segue_status segue_store_add_merged(segue_store *store,
                                                     const segue_stored_merged *merged,
                                                     segue_error *err);

/** Replace the settings of a learner. */
SEGUE_MUST_CHECK segue_status segue_store_set_config(segue_store *store, int64_t learner,
                                                     const char *config, segue_error *err);

/** Remove its name and settings.  segue_store_purge deletes its other rows, some per call, while
 * *more. */
SEGUE_MUST_CHECK segue_status segue_store_delete_learner(segue_store *store, int64_t learner,
                                                         segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_purge(segue_store *store, bool *more, segue_error *err);

SEGUE_MUST_CHECK segue_status segue_store_add_arm(segue_store *store, int64_t learner,
                                                  size_t position, const char *name, double when,
                                                  segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_retire_arm(segue_store *store, int64_t learner,
                                                     size_t position, double when,
                                                     segue_error *err);

/** Add a task; fills in `id`. */
SEGUE_MUST_CHECK segue_status segue_store_add_task(segue_store *store, segue_stored_task *task,
                                                   segue_error *err);

/** Close a task, by event `seq`: store the number of its rewards and their total, add them to its
 * arms, and delete its decisions that no event needs. */
SEGUE_MUST_CHECK segue_status segue_store_close_task(segue_store *store,
                                                     const segue_stored_task *task, uint64_t seq,
                                                     segue_error *err);

/** Add a decision, unless it is stored. */
SEGUE_MUST_CHECK segue_status segue_store_add_decision(segue_store *store,
                                                       const segue_stored_decision *decision,
                                                       segue_error *err);

/** Announce that this transaction will add the reward of a decision or look for it: a store on another
 * machine then looks for all that are announced at once. */
void segue_store_expect_reward(segue_store *store, int64_t task, uint64_t number);

/** Add a reward, unless its decision has one: that stays, and *is_new is false. */
SEGUE_MUST_CHECK segue_status segue_store_add_reward(segue_store *store,
                                                     const segue_stored_reward *reward,
                                                     bool *is_new, segue_error *err);

/** Replace the value of the reward of a decision, which must have one; add a part of a reward. */
SEGUE_MUST_CHECK segue_status segue_store_set_reward(segue_store *store, int64_t task,
                                                     uint64_t number, double value,
                                                     segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_add_reward_part(segue_store *store,
                                                          const segue_stored_reward_part *part,
                                                          segue_error *err);

/** Append to the event log; fills in `seq`. */
SEGUE_MUST_CHECK segue_status segue_store_add_event(segue_store *store, segue_stored_event *event,
                                                    segue_error *err);

/** Store the state of a learner after event `seq`, and delete its older snapshots. */
SEGUE_MUST_CHECK segue_status segue_store_add_snapshot(segue_store *store, int64_t learner,
                                                       uint64_t seq, const void *data, size_t size,
                                                       segue_error *err);

#endif
