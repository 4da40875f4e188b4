/* learn.c - learning from a closed task.
 *
 * The service plays an open task on an object of its own and never learns from that.  When the task
 * closes, its stored rewards go, in their stored order, to a fresh task of the learner, and that
 * one is closed.  Recovery does the same.  So the learner is a function of its event log, and the
 * service and a restart compute the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/learn.h"

#include <inttypes.h>
#include <stdlib.h>

#include "segue/internal.h"
#include "service/api/task_features.h"

#define TASK_COST  64   /* of opening and closing a task, in rewards */
#define MERGE_COST 5000 /* of reading a learner and a refit */

static segue_status tell(segue_task *task, const segue_stored_reward *reward, segue_error *err)
{
    segue_error why;
    if (segue_task_tell(task, reward->arm, reward->value, &why) == SEGUE_OK)
        return SEGUE_OK;
    return segue_store_fail_damaged(err, "task %" PRId64 ": %s", reward->task, why.message);
}

/* Count a reward in shadow mode; `shadow`: NULL if Segue chose. */
static segue_status count_shadow(shadow_state *shadow, const segue_stored_reward *reward,
                                 const segue_learner_config *config, segue_error *err)
{
    if (reward->shadow.is_set != (shadow != NULL))
        return segue_store_fail_damaged(err,
                                        "table reward, task %" PRId64 ", number %" PRId64
                                        ", column segue_arm: the task %s in shadow mode",
                                        reward->task, (int64_t)reward->number,
                                        shadow ? "is" : "is not");
    if (shadow)
        segue_shadow_state_add(shadow, reward, config->lowest, config->highest);
    return SEGUE_OK;
}

/* Tell a task the stored rewards of task `id`, in the order of arrival. */
static segue_status tell_all(segue_store *store, int64_t id, segue_task *task,
                             const segue_learner_config *config, shadow_state *shadow,
                             segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = id}, err);
    while (status == SEGUE_OK && segue_rows_next_reward(&rows, &reward))
        if ((status = tell(task, &reward, err)) == SEGUE_OK)
            status = count_shadow(shadow, &reward, config, err);
    if (shadow)
        segue_shadow_state_end_task(shadow);
    return segue_rows_close(&rows, status);
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

/* Open a fresh task with the stored features of task `id`. */
static segue_status open_fresh(segue_learner *learner, const char *text, int64_t id,
                               const task_terms *terms, pthread_mutex_t *lock, segue_task **out,
                               segue_error *err)
{
    task_features features;
    segue_error why;
    segue_status status = segue_task_features_parse(&features, text, &why);
    if (status == SEGUE_EDOMAIN)
        status = segue_store_fail_damaged(err, "table task, id %" PRId64 ", column features: %s",
                                          id, why.message);
    else if (status != SEGUE_OK)
        status = segue_fail(err, status, "%s", why.message);
    acquire(lock);
    segue_learner_set_task_steps(learner, segue_task_terms_horizon(terms));
    if (status == SEGUE_OK)
        status = segue_learner_open_task_with(learner, features.item, features.n, out, err);
    release(lock);
    segue_task_features_fini(&features);
    return status;
}

segue_status segue_learn_task(segue_store *store, segue_learner *learner, int64_t task,
                              const task_terms *terms, shadow_state *shadow, pthread_mutex_t *lock,
                              segue_error *err)
{
    segue_task *fresh = NULL;
    char *features = NULL;
    if (segue_learner_has_features(learner))
        SEGUE_TRY(segue_store_task_features(store, task, &features, err));
    segue_status status = open_fresh(learner, features, task, terms, lock, &fresh, err);
    free(features);
    if (status != SEGUE_OK)
        return status;
    /* Without the lock: no other thread has the fresh task. */
    status = tell_all(store, task, fresh, segue_learner_get_config(learner),
                      terms->shadow ? shadow : NULL, err);
    acquire(lock);
    if (status == SEGUE_OK)
        status = segue_learner_close_task(learner, &fresh, err);
    else
        segue_learner_discard_task(learner, &fresh);
    release(lock);
    return status;
}

uint64_t segue_learn_recovery_cost(segue_event_kind kind, uint64_t rewards)
{
    return kind == SEGUE_EVENT_CLOSE   ? rewards + TASK_COST
           : kind == SEGUE_EVENT_MERGE ? MERGE_COST
                                       : 1;
}
