/* stage_ask.c - asks that must be stored: they open a task, or have an event.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "segue/internal.h"
#include "service/api/response.h"
#include "service/engine/decide.h"
#include "service/engine/stage.h"
#include "service/jobs/reads.h"

/* The task whose decisions are read, and for which operation. */
typedef struct event_task {
    operation *op;
    int64_t id;
    uint64_t tag;
    bool control;
} event_task;

/* A decision of the event that was given before. */
static segue_status on_decision(void *context, const segue_stored_decision *row, segue_error *err)
{
    const event_task *task = context;
    operation *op = task->op;
    asked *a = &op->asked;
    if (row->arm >= op->state->n_arms)
        return segue_fail(err, SEGUE_EFILE, "the store is damaged: a decision is of no arm");
    arm_choice *more = realloc(a->choice, (a->n + 1) * sizeof *more);
    if (!more)
        return segue_fail_no_memory(err, "decisions");
    a->choice = more;
    a->choice[a->n++] =
        (arm_choice){.decision = segue_decision_id_from_row(op->state->id, task->tag, row),
                     .arm = op->state->arm[row->arm]->name,
                     .probability = row->probability > 0.0 ? row->probability : NAN,
                     .exact = row->exact};
    a->version = row->version;
    return SEGUE_OK;
}

/* What the event was answered with before, if it was. */
static segue_status find_event(segue_service *service, event_task task, segue_error *err)
{
    operation *op = task.op;
    const segue_status status = segue_store_each_decision(
        service->store, task.id, op->request.event, on_decision, &task, err);
    const size_t wanted = op->request.count ? (size_t)op->request.count : 1;
    op->asked.control = task.control;
    if (status == SEGUE_OK && op->asked.n > 0 && op->asked.n != wanted)
        REFUSE(op, 409, "the event was given %zu decisions before, and now asks for %zu",
               op->asked.n, wanted);
    return status;
}

static segue_status store_choices(segue_service *service, operation *op, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < op->asked.n && status == SEGUE_OK; i++) {
        const arm_choice *choice = &op->asked.choice[i];
        segue_stored_decision row = segue_decision_id_to_row(&choice->decision);
        row.event = op->request.event;
        row.probability = choice->probability;
        row.exact = choice->exact;
        status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

/* The thread that writes has no time for it. */
static void leave_to_pool(operation *op)
{
    op->to_pool = true;
}

/* The event was answered before: explain it with the posterior of now. */
static void explain_again(operation *op, const task_state *task)
{
    if (op->request.explain && segue_decide_is_long(task, &op->request))
        leave_to_pool(op);
    else if (op->request.explain)
        segue_response_explanation(op->state, task, segue_learner_state_allowed_arms(op->state),
                                   &op->asked.why);
}

static segue_status choose_for_event(segue_service *service, operation *op, task_state *task,
                                     segue_error *err)
{
    const event_task about = {op, task->id, task->tag, task->control};
    segue_status status = find_event(service, about, err);
    if (status != SEGUE_OK || op->answered)
        return status;
    const bool given = op->asked.n > 0;
    (void)pthread_mutex_lock(&op->state->lock);
    if (given)
        explain_again(op, task);
    else if (!segue_decide_reserve_deadlines(service, op->state, &op->request, op->response))
        op->is_new = false; /* refused */
    else if (segue_long_ask_take_chosen(service, op, task))
        op->is_new = true;
    else if (segue_decide_is_long(task, &op->request))
        leave_to_pool(op);
    else
        op->is_new =
            segue_decide_choose(service, op->state, task, &op->request, &op->asked, op->response);
    op->answered = op->to_pool || !(op->is_new || given);
    (void)pthread_mutex_unlock(&op->state->lock);
    return op->is_new ? store_choices(service, op, err) : SEGUE_OK;
}

static segue_status ask_closed(segue_service *service, operation *op, segue_error *err)
{
    const event_task about = {op, op->row.id, op->row.tag, op->row.control};
    segue_status status = SEGUE_OK;
    if (op->request.event[0])
        status = find_event(service, about, err);
    if (status != SEGUE_OK || op->answered || op->asked.n > 0)
        return status;
    if (op->told.size > 0 && op->decision.task == op->row.id) { /* by that reward, or before */
        op->answered = true;
        segue_decide_respond_closed(op);
    } else {
        REFUSE(op, 409, "the task '%.80s' is closed", op->request.task);
    }
    return SEGUE_OK;
}

segue_status segue_stage_ask(segue_service *service, operation *op, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (!segue_stage_find(service, op))
        return SEGUE_OK;
    segue_status status = segue_stage_find_open(service, op, &task, &found, err);
    if (status != SEGUE_OK)
        return status;
    if (task)
        return op->request.event[0] ? choose_for_event(service, op, task, err) : SEGUE_OK;
    if (op->again) {
        op->answered = true;
        return SEGUE_OK;
    }
    if (found)
        return ask_closed(service, op, err);
    op->answered = !segue_decide_can_choose(op->state, &op->request, op->response);
    if (op->answered)
        return SEGUE_OK;
    status = segue_stage_task(service, op, err);
    op->again = op->is_new;
    return status;
}
