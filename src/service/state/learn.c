/* learn.c - learning from a closed task.
 *
 * The service plays an open task on an object of its own and never learns from that.  When the task
 * closes, its stored rewards go, in their stored order, to a fresh task of the learner, and that
 * one is closed.  Recovery does the same.  So the learner is a function of its event log, and the
 * service and a restart compute the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/learn.h"

#include <inttypes.h>

#include "segue/internal.h"

#define TASK_COST 64 /* of opening and closing a task, in rewards */

static segue_status on_reward(void *context, const segue_stored_reward *reward, segue_error *err)
{
    segue_error why;
    if (segue_task_tell(context, reward->arm, reward->value, &why) == SEGUE_OK)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE, "the store is damaged: task %" PRId64 ": %s", reward->task,
                      why.message);
}

static void acquire(pthread_mutex_t *lock)
{
    if (lock)
        (void)pthread_mutex_lock(lock);
}

static void release(pthread_mutex_t *lock)
{
    if (lock)
        (void)pthread_mutex_unlock(lock);
}

segue_status segue_learn_task(segue_store *store, segue_learner *learner, int64_t task,
                              pthread_mutex_t *lock, segue_error *err)
{
    segue_task *fresh = NULL;
    acquire(lock);
    segue_status status = segue_learner_open_task(learner, &fresh, err);
    release(lock);
    if (status != SEGUE_OK)
        return status;
    /* Without the lock: no other thread has the fresh task. */
    status = segue_store_each_reward(store, task, on_reward, fresh, err);
    acquire(lock);
    if (status == SEGUE_OK)
        status = segue_learner_close_task(learner, &fresh, err);
    else
        segue_learner_discard_task(learner, &fresh);
    release(lock);
    return status;
}

uint64_t segue_learn_replay_cost(segue_event_kind kind, uint64_t rewards)
{
    return kind == SEGUE_EVENT_CLOSE ? rewards + TASK_COST : 1;
}
