/* task_change_close.c - close a task, and learn from it.
 *
 *   store   append the close event to the event log; the task's row gets its totals
 *   apply   learn from the stored rewards (learn.c), count the task, remove it, enqueue jobs
 *
 * From `store` on the task is staged_closed: no thread decides on it any more, so its decisions and
 * its stored rewards do not change.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/jobs/maintenance.h"
#include "service/state/learn.h"

static void set_staged_closed(learner_state *state, task_state *task, bool closed)
{
    (void)pthread_mutex_lock(&state->lock);
    task->staged_closed = closed;
    (void)pthread_mutex_unlock(&state->lock);
}

/* Sums that were corrected are rounded: add up the stored rewards again, as recovery does. */
static segue_status sum_rewards(segue_service *service, task_state *task, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    double total = 0.0;
    segue_rows_open(&rows, service->store,
                    &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task->id}, err);
    while (segue_rows_next_reward(&rows, &reward))
        total += reward.value;
    task->staged_total = total;
    return segue_rows_close(&rows, SEGUE_OK);
}

segue_status segue_task_change_store_close(segue_service *service, operation *op, task_state *task,
                                           segue_error *err)
{
    op->task = task;
    if (op->state->settings.aggregate != SEGUE_AGGREGATE_FIRST)
        SEGUE_TRY(sum_rewards(service, task, err));
    op->row = (segue_stored_task){.id = task->id,
                                  .learner = op->state->id,
                                  .closed = segue_service_wall_time(service),
                                  .rewards = task->staged_rewards,
                                  .total = task->staged_total};
    set_staged_closed(op->state, task, true);
    SEGUE_TRY(segue_operation_add_event(service, op, SEGUE_EVENT_CLOSE, task->id, err));
    return segue_store_close_task(service->store, &op->row, op->seq, err);
}

void segue_task_change_rollback(operation *op)
{
    op->task->staged_rewards = op->task->rewards;
    op->task->staged_total = op->task->total;
    (void)pthread_mutex_lock(&op->state->lock);
    segue_ask_log_rollback(&op->task->asks);
    (void)pthread_mutex_unlock(&op->state->lock);
    set_staged_closed(op->state, op->task, false);
}

/* Add the task to the totals of its arms and, if Segue chose, to the statistics of closed tasks. */
static void count_task(learner_state *state, const task_state *task, double closed)
{
    const double lowest = state->settings.lowest, width = state->settings.highest - lowest;
    const segue_task_summary info = segue_task_info(task->play);
    for (size_t i = 0; i < task->n_arms; i++) {
        state->arm[i]->pulls += info.pulls[i];
        state->arm[i]->total += lowest * (double)info.pulls[i] + width * info.sum[i];
    }
    if (task->terms.shadow)
        return;
    segue_task_stats_add(&state->stats, task->control, task->rewards, task->total);
    segue_effect_state_add(&state->effect,
                           &(segue_stored_task){.id = task->id,
                                                .control = task->control,
                                                .control_share = task->control_share,
                                                .rewards = task->rewards,
                                                .total = task->total,
                                                .closed = closed});
}

segue_status segue_task_change_apply_close(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    task_state *task = op->task;
    shadow_state shadow = state->shadow;
    SEGUE_TRY(segue_learn_task(service->store, state->learner, task->id, &task->terms, &shadow,
                               &state->lock, err));
    segue_operation_event_applied(op, task->rewards);
    op->task = NULL;
    (void)pthread_mutex_lock(&state->lock);
    state->shadow = shadow;
    count_task(state, task, op->row.closed);
    segue_learner_state_close_task(state, task);
    const segue_status status = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    (void)atomic_fetch_sub(&service->open_tasks, 1);
    (void)atomic_fetch_add(&service->metrics.closed, 1);
    segue_maintenance_enqueue(service, state);
    return status;
}
