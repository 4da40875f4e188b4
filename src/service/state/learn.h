/* learn.h - learning from a closed task, in the service and in recovery.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_LEARN_H
#define SEGUE_SERVICE_STATE_LEARN_H

#include <pthread.h>

#include "segue/learner.h"
#include "service/api/settings/task_terms.h"
#include "service/state/shadow/shadow_state.h"
#include "store/store.h"

/**
 * Let a learner learn from the stored rewards of a closed task.
 *
 * @param terms  of the task
 * @param shadow  counts it if it is a task of shadow mode; else it stays as it is
 * @param lock  guards the learner's tasks, which other threads copy; NULL: no other thread has it
 * @retval SEGUE_EFILE  the rewards are damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learn_task(segue_store *store, segue_learner *learner,
                                               int64_t task, const task_terms *terms,
                                               shadow_state *shadow, pthread_mutex_t *lock,
                                               segue_error *err);

/** Recovery cost of an event: the work, in rewards, that recovery without a newer snapshot repeats.
 * `rewards`: of the task that it closed. */
uint64_t segue_learn_recovery_cost(segue_event_kind kind, uint64_t rewards);

#endif
