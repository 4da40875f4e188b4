/* long_ask.c - asks that take long: of many arms, or for many decisions at once.
 *
 * They are decided on a copy of the task, without the learner's lock, a piece at a time: the
 * explanation, the law that probabilities come from, each decision.  All decisions of an ask go by
 * what the task knew when it was copied: rewards that come meanwhile count for the next ask.  Then,
 * under the lock again, they are made decisions of the task and get their numbers; a task that was
 * closed meanwhile is answered as if the ask had come after that.  Decisions of an event go to the
 * queue with what was chosen.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/jobs/reads.h"

static size_t wanted(const segue_parsed_request *call)
{
    return call->count ? (size_t)call->count : 1;
}

static read_result refuse(op *o, const segue_error *why)
{
    segue_decide_respond_none(why, o->reply);
    return READ_DONE;
}

/* ---- copying ----------------------------------------------------------------------------- */

static task_state *find_open(op *o)
{
    task_state *task = segue_learner_state_task_by_key(o->live, o->call.task);
    return task && !task->staged_closed && !o->live->is_gone ? task : NULL;
}

/* Without memory for a copy: decide on the task itself, however long that takes.  Under the lock.
 */
static bool choose_in_place(segue_service *service, op *o, task_state *task)
{
    asked *a = &o->asked;
    const bool fine = segue_decide_reserve_deadlines(service, o->live, &o->call, o->reply) &&
                      segue_decide_choose(service, o->live, task, &o->call, a, o->reply);
    if (fine)
        segue_decide_push_deadlines(o->live, a, false);
    return fine;
}

/* Under the lock; false: there is no memory for it. */
static bool copy_task(op *o, task_state *task)
{
    read_state *r = o->read;
    if (segue_learner_state_copy_task(o->live, task, &r->copy, NULL) != SEGUE_OK) {
        segue_learner_state_copy_fini(&r->copy);
        return false;
    }
    segue_task_fork_stream(task->play, r->copy.task.play);
    r->copied = true;
    return true;
}

static read_result begin_on(segue_service *service, op *o, task_state *task)
{
    read_state *r = o->read;
    task->active = segue_service_time(service);
    if (!segue_decide_allowed_arms(o->live, task->n_arms, &o->call, &r->allowed, o->reply))
        return READ_DONE;
    if (copy_task(o, task))
        return READ_MORE;
    if (!o->call.event[0] && choose_in_place(service, o, task))
        return READ_MORE;
    if (o->reply->status == 200)
        segue_response_fail(o->reply, 503, "out of memory to decide; ask again later");
    return READ_DONE;
}

static read_result begin(segue_service *service, op *o)
{
    read_state *r = o->read;
    r->begun = true;
    r->asked.choice = calloc(wanted(&o->call), sizeof *r->asked.choice);
    if (!r->asked.choice) {
        segue_response_fail(o->reply, 503, "out of memory for decisions");
        return READ_DONE;
    }
    (void)pthread_mutex_lock(&o->live->lock);
    task_state *task = find_open(o);
    const read_result result = task ? begin_on(service, o, task) : READ_STORE;
    (void)pthread_mutex_unlock(&o->live->lock);
    r->asked.control = r->copy.task.control;
    r->asked.version = r->copy.task.version;
    return result;
}

/* ---- deciding ---------------------------------------------------------------------------- */

static read_result explain(op *o)
{
    read_state *r = o->read;
    r->explained = true;
    segue_response_explain_copy(o->live, &r->copy, r->allowed, &r->asked.why);
    return READ_MORE;
}

static read_result find_distribution(op *o)
{
    read_state *r = o->read;
    segue_error err;
    r->has_law = true;
    return segue_learner_state_distribution(&r->copy.task, r->allowed, &r->law, &err) == SEGUE_OK
               ? READ_MORE
               : refuse(o, &err);
}

static read_result pick_one(op *o)
{
    read_state *r = o->read;
    segue_error err;
    if (segue_learner_state_choose(&r->copy.task, r->allowed, &r->law, &r->asked.choice[r->asked.n],
                                   &err) != SEGUE_OK)
        return refuse(o, &err);
    r->asked.n++;
    return READ_MORE;
}

/* ---- answering --------------------------------------------------------------------------- */

/* Give what was chosen the numbers of an open task. */
static void issue(segue_service *service, op *o, task_state *task)
{
    asked *a = &o->read->asked;
    const double now = segue_service_time(service);
    for (size_t i = 0; i < a->n; i++)
        segue_learner_state_issue_copied(o->live, task, &a->choice[i], now);
    a->version = task->version;
}

/* Whether the task is still the one that was copied. */
static read_result answer(segue_service *service, op *o)
{
    read_state *r = o->read;
    (void)pthread_mutex_lock(&o->live->lock);
    task_state *task = find_open(o);
    const bool same = task && task->id == r->copy.task.id;
    const bool fine = same && segue_decide_reserve_deadlines(service, o->live, &o->call, o->reply);
    if (fine) {
        issue(service, o, task);
        segue_decide_push_deadlines(o->live, &r->asked, false);
    }
    (void)pthread_mutex_unlock(&o->live->lock);
    if (fine)
        segue_decide_respond(service, &o->call, &r->asked, &o->told, o->reply);
    return same ? READ_DONE : READ_STORE;
}

/* Decisions are in o->asked already: an event that was answered before, and lacked its explanation;
 * or what was chosen in place. */
static read_result answer_again(segue_service *service, op *o)
{
    if (o->read->explained) {
        o->asked.why = o->read->asked.why;
        o->read->asked.why = (segue_bytes){.data = NULL};
    }
    segue_decide_respond(service, &o->call, &o->asked, &o->told, o->reply);
    return READ_DONE;
}

read_result segue_long_ask_turn(segue_service *service, op *o)
{
    read_state *r = o->read;
    if (!r->begun)
        return begin(service, o);
    if (r->copied && o->call.explain && !r->explained)
        return explain(o);
    if (o->asked.n > 0)
        return answer_again(service, o);
    if (o->call.probability && !r->has_law)
        return find_distribution(o);
    if (r->asked.n < wanted(&o->call))
        return pick_one(o);
    if (!o->call.event[0])
        return answer(service, o);
    r->chosen = true;
    r->learner_id = o->live->id;
    r->task_id = r->copy.task.id;
    return READ_STORE;
}

bool segue_long_ask_take_chosen(segue_service *service, op *o, task_state *task)
{
    const read_state *r = o->read;
    if (!r || !r->chosen || r->learner_id != o->live->id || r->task_id != task->id)
        return false;
    issue(service, o, task);
    segue_decide_fini(&o->asked);
    o->asked = o->read->asked;
    o->read->asked = (asked){.choice = NULL};
    o->read->chosen = false;
    return true;
}

void segue_long_ask_drop(op *o)
{
    if (o->read->copied)
        segue_response_free_copy(o->live, &o->read->copy);
    o->read->copied = false;
}

void segue_long_ask_fini(op *o)
{
    read_state *r = o->read;
    segue_long_ask_drop(o);
    free(r->allowed);
    free(r->law.drawn);
    segue_decide_fini(&r->asked);
}
