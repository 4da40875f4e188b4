/* stage_ask.c - asks that must be stored: they open a task, or have an event.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "segue/internal.h"
#include "service/engine/stage.h"

/* The task whose decisions are read, and for which operation. */
typedef struct event_task {
    op *o;
    int64_t id;
    uint64_t tag;
    bool control;
} event_task;

/* A decision of the event that was given before. */
static segue_status on_decision(void *context, const segue_stored_decision *row, segue_error *err)
{
    const event_task *task = context;
    op *o = task->o;
    asked *a = &o->asked;
    if (row->arm >= o->live->n_arms)
        return segue_fail(err, SEGUE_EFILE, "the store is damaged: a decision is of no arm");
    arm_choice *more = realloc(a->choice, (a->n + 1) * sizeof *more);
    if (!more)
        return segue_fail_no_memory(err, "decisions");
    a->choice = more;
    a->choice[a->n++] =
        (arm_choice){.decision = segue_decision_id_from_row(o->live->id, task->tag, row),
                     .arm = o->live->arm[row->arm]->name,
                     .probability = row->probability > 0.0 ? row->probability : NAN,
                     .exact = row->exact};
    a->version = row->version;
    return SEGUE_OK;
}

/* What the event was answered with before, if it was. */
static segue_status find_event(segue_service *service, event_task task, segue_error *err)
{
    op *o = task.o;
    const segue_status status =
        segue_store_each_decision(service->store, task.id, o->call.event, on_decision, &task, err);
    const size_t wanted = o->call.count ? (size_t)o->call.count : 1;
    o->asked.control = task.control;
    if (status == SEGUE_OK && o->asked.n > 0 && o->asked.n != wanted)
        REFUSE(o, 409, "the event was given %zu decisions before, and now asks for %zu", o->asked.n,
               wanted);
    return status;
}

static segue_status store_choices(segue_service *service, op *o, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < o->asked.n && status == SEGUE_OK; i++) {
        const arm_choice *choice = &o->asked.choice[i];
        segue_stored_decision row = segue_decision_id_to_row(&choice->decision);
        row.event = o->call.event;
        row.probability = choice->probability;
        row.exact = choice->exact;
        status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

/* The thread that writes has no time for it. */
static void leave_to_pool(op *o)
{
    o->to_pool = true;
}

/* The event was answered before: explain it with the posterior of now. */
static void explain_again(op *o, const task_state *task)
{
    if (o->call.explain && segue_decide_is_long(task, &o->call))
        leave_to_pool(o);
    else if (o->call.explain)
        segue_response_explanation(o->live, task, segue_learner_state_allowed_arms(o->live),
                                   &o->asked.why);
}

static segue_status choose_for_event(segue_service *service, op *o, task_state *task,
                                     segue_error *err)
{
    const event_task about = {o, task->id, task->tag, task->control};
    segue_status status = find_event(service, about, err);
    if (status != SEGUE_OK || o->answered)
        return status;
    const bool given = o->asked.n > 0;
    (void)pthread_mutex_lock(&o->live->lock);
    if (given)
        explain_again(o, task);
    else if (!segue_decide_reserve_deadlines(service, o->live, &o->call, o->reply))
        o->is_new = false; /* refused */
    else if (segue_long_ask_take_chosen(service, o, task))
        o->is_new = true;
    else if (segue_decide_is_long(task, &o->call))
        leave_to_pool(o);
    else
        o->is_new = segue_decide_choose(service, o->live, task, &o->call, &o->asked, o->reply);
    o->answered = o->to_pool || !(o->is_new || given);
    (void)pthread_mutex_unlock(&o->live->lock);
    return o->is_new ? store_choices(service, o, err) : SEGUE_OK;
}

static segue_status ask_closed(segue_service *service, op *o, segue_error *err)
{
    const event_task about = {o, o->row.id, o->row.tag, o->row.control};
    segue_status status = SEGUE_OK;
    if (o->call.event[0])
        status = find_event(service, about, err);
    if (status != SEGUE_OK || o->answered || o->asked.n > 0)
        return status;
    if (o->told.size > 0 && o->decision.task == o->row.id) { /* by that reward, or before */
        o->answered = true;
        segue_decide_respond_closed(o);
    } else {
        REFUSE(o, 409, "the task '%.80s' is closed", o->call.task);
    }
    return SEGUE_OK;
}

segue_status segue_stage_ask(segue_service *service, op *o, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (!segue_stage_find(service, o))
        return SEGUE_OK;
    segue_status status = segue_stage_find_open(service, o, &task, &found, err);
    if (status != SEGUE_OK)
        return status;
    if (task)
        return o->call.event[0] ? choose_for_event(service, o, task, err) : SEGUE_OK;
    if (o->again) {
        o->answered = true;
        return SEGUE_OK;
    }
    if (found)
        return ask_closed(service, o, err);
    o->answered = !segue_decide_can_choose(o->live, &o->call, o->reply);
    if (o->answered)
        return SEGUE_OK;
    status = segue_stage_task(service, o, err);
    o->again = o->is_new;
    return status;
}
