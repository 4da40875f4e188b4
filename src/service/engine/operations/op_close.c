/* op_close.c - close a task: as a request, or as the job of a task that was idle for too long.
 *
 *   dequeue   the job of this task may be enqueued again      writer, learner's lock
 *   store     a close event and the task's totals; 404 if
 *             there is no such task, 200 if it was closed
 *             before; a job checks that it is still idle      writer, in the transaction
 *   apply     learn from the task and free it
 *             (task_change_close.c)                           writer, after COMMIT, learner's lock
 *   respond   the closed task                                 writer, no lock
 *   rollback  the task stays open (task_change_close.c)       writer, after ROLLBACK
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/responses/response.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/jobs/timer.h"

static void dequeue(segue_service *service, operation *op)
{
    if (!op->task_id)
        return;
    learner_state *state = segue_service_find_id(service, op->learner_id);
    if (state)
        segue_timer_clear_close_pending(state, op->task_id);
    segue_learner_state_release(state);
}

/* Stage the end of a task that is still idle: from then on no thread decides on it.  Rewards whose
 * deadline has passed get their default first. */
static bool stage_if_idle(segue_service *service, learner_state *state, task_state *task)
{
    (void)pthread_mutex_lock(&state->lock);
    const double now = segue_service_time(service);
    const bool idle = !task->staged_closed && segue_timer_is_idle(state, task, now) &&
                      !segue_timer_defaults_due(state, now);
    task->staged_closed = task->staged_closed || idle;
    (void)pthread_mutex_unlock(&state->lock);
    return idle;
}

static segue_status store_idle(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    task_state *task = segue_learner_state_task_by_id(op->state, op->task_id);
    if (task && stage_if_idle(service, op->state, task))
        return segue_task_change_store_close(service, op, task, err);
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (op->task_id)
        return store_idle(service, op, err);
    if (!segue_operation_find_learner(service, op))
        return SEGUE_OK;
    SEGUE_TRY(segue_task_change_find_open(service, op, &task, &found, err));
    if (task)
        return segue_task_change_store_close(service, op, task, err);
    if (op->result == OP_REQUEUE)
        return SEGUE_OK;
    op->result = OP_RESPONDED;
    if (found)
        segue_response_stored_task(op->state, &op->row, op->request.task, 200, op->response);
    else
        segue_operation_reject(op, 404,
                               "the learner has no task '%.80s'; an ask with this key opens it",
                               op->request.task);
    return SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    const double closed = op->row.closed;
    op->row = segue_response_task_row(op->state, op->task);
    op->row.open = false;
    op->row.closed = closed;
    return segue_task_change_apply_close(service, op, err);
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    segue_response_stored_task(op->state, &op->row, op->request.task, 200, op->response);
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_close = {.name = "close task",
                                 .dequeue = dequeue,
                                 .store = store,
                                 .apply = apply,
                                 .respond = respond,
                                 .changes_memory_size = changes_memory_size};
