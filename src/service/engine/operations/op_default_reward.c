/* op_default_reward.c - deadlines of rewards: a decision without a reward gets the default.
 *
 * The timer enqueues one op_expire per learner with overdue decisions.  Its `dequeue` puts one
 * op_default_reward per overdue decision after it, into the same transaction.
 *
 *   store     insert the default reward, unless the decision
 *             has a reward or its task is closed; with the
 *             task's last reward its close event              writer, in the transaction
 *   apply     remove the decision from the deadline queue;
 *             update its task; learn from it if it closed     writer, after COMMIT, learner's lock
 *   rollback  the staged counts of the task
 *             (task_change_close.c); the timer tries again    writer, after ROLLBACK
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/jobs/timer.h"

/* ---- expire ------------------------------------------------------------------------------ */

static void dequeue_expire(segue_service *service, operation *op)
{
    operation *rest = op->next, **end = &op->next;
    for (*end = segue_timer_create_default_rewards(service, op->learner_id); *end;)
        end = &(*end)->next;
    *end = rest;
}

static segue_status store_expire(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)err;
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

const operation_kind op_expire = {
    .name = "expire", .dequeue = dequeue_expire, .store = store_expire, .job = JOB_EXPIRE};

/* ---- the default reward of one decision -------------------------------------------------- */

/* The task is open and the reward fits: settings and arms may be those of a damaged store. */
static bool can_count(const operation *op, const task_state *task)
{
    const double x = op->request.reward;
    const learner_settings *settings = &op->state->settings;
    return task && !task->staged_closed && op->decision.arm < task->n_arms &&
           x >= settings->lowest && x <= settings->highest;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    op->state = segue_service_find_id(service, op->decision.learner);
    if (!op->state) {
        op->result = OP_RESPONDED;
        return SEGUE_OK;
    }
    task_state *task = segue_learner_state_task_by_id(op->state, op->decision.task);
    return can_count(op, task) ? segue_task_change_store_reward(service, op, task, true, err)
                               : SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)pthread_mutex_lock(&op->state->lock);
    segue_deadline_queue_remove(&op->state->deadlines, op->reward.sequence);
    (void)pthread_mutex_unlock(&op->state->lock);
    if (!op->reward.is_new)
        return SEGUE_OK;
    (void)atomic_fetch_add(&service->metrics.defaults, 1);
    return segue_task_change_apply_reward(service, op, err);
}

static bool changes_memory_size(const operation *op)
{
    return op->reward.closes || op->reward.grows;
}

const operation_kind op_default_reward = {.name = "default reward",
                                          .expect = segue_operation_expect_reward,
                                          .store = store,
                                          .apply = apply,
                                          .changes_memory_size = changes_memory_size};
