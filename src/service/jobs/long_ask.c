/* long_ask.c - asks that take long: of many arms, or for many decisions at once.
 *
 * They are decided on a copy of the task, without the learner's lock, in pieces: the explanation,
 * the distribution that gives probabilities, each decision.  All decisions of an ask use the task
 * as it was when it was copied; rewards that arrive meanwhile count for the next ask.  Then, under
 * the lock again, the choices become decisions of the task and get their numbers.  If the task
 * closed meanwhile, the response is as if the ask had come after that.  Choices of an event id go
 * to the commit queue, to be stored.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/decide.h"
#include "service/jobs/reads.h"

static read_result reject(operation *op, const segue_error *why)
{
    segue_ask_limits_respond_none(why, op->response);
    return READ_DONE;
}

/* ---- copying ----------------------------------------------------------------------------- */

static task_state *find_open(operation *op)
{
    task_state *task = segue_learner_state_task_by_key(op->state, op->request.task);
    const bool is_served = !op->state->is_gone && !op->state->is_leaving;
    return task && !task->staged_closed && is_served ? task : NULL;
}

/* Without memory for a copy: decide on the task itself.  Holds the learner's lock all the time. */
static bool choose_on_task(segue_service *service, operation *op, task_state *task)
{
    decided *d = &op->ask.decided;
    const bool fine =
        segue_decide_reserve_deadlines(service, op->state, task, &op->request, op->response) &&
        segue_decide_choose(service, op->state, task, &op->request, d, op->response);
    if (fine)
        segue_decide_push_deadlines(op->state, d, false);
    return fine;
}

/* Copy the task; false: out of memory.  Holds the learner's lock. */
static bool copy_task(segue_service *service, operation *op, task_state *task)
{
    read_state *r = op->read;
    if (segue_decide_task_copy(op->state, task, &r->copy, NULL) != SEGUE_OK) {
        segue_decide_task_copy_fini(&r->copy);
        return false;
    }
    segue_task_fork_stream(task->play, r->copy.task.play);
    const size_t before = segue_ask_log_bytes(&task->asks);
    r->copy_number = segue_ask_log_add_copy(&task->asks, task->rewards);
    segue_decide_count_asks(service, op->state, task, before);
    r->copied = true;
    return true;
}

static read_result begin_on(segue_service *service, operation *op, task_state *task)
{
    read_state *r = op->read;
    task->active = segue_service_time(service);
    if (segue_decide_is_paused(op->state, op->response) ||
        !segue_ask_limits_collect(op->state, task, &op->request, &r->limits, op->response) ||
        (op->ask.decided.n == 0 &&
         !segue_decide_take_chosen(op->state, &task->terms, task->n_arms, &op->request,
                                   r->limits.allowed, r->decided.choice, op->response)))
        return READ_DONE;
    if (copy_task(service, op, task))
        return READ_MORE;
    if (!op->request.event_id[0] && choose_on_task(service, op, task))
        return READ_MORE;
    if (op->response->status == 200)
        segue_response_fail(op->response, 503, "out of memory to decide; retry later");
    return READ_DONE;
}

static read_result begin(segue_service *service, operation *op)
{
    read_state *r = op->read;
    r->begun = true;
    r->decided.choice = calloc(segue_decide_count(&op->request), sizeof *r->decided.choice);
    if (!r->decided.choice) {
        segue_response_fail(op->response, 503, "out of memory for decisions; retry later");
        return READ_DONE;
    }
    (void)pthread_mutex_lock(&op->state->lock);
    task_state *task = find_open(op);
    const read_result result = task ? begin_on(service, op, task) : READ_STORE;
    (void)pthread_mutex_unlock(&op->state->lock);
    r->decided.control = r->copy.task.control;
    r->decided.version = r->copy.task.version;
    return result;
}

/* ---- deciding ---------------------------------------------------------------------------- */

static read_result explain(operation *op)
{
    read_state *r = op->read;
    r->explained = true;
    segue_response_explain_copy(op->state, &r->copy, segue_ask_limits_explained(&r->limits),
                                &r->decided.why);
    return READ_MORE;
}

static read_result find_distribution(operation *op)
{
    read_state *r = op->read;
    segue_error err;
    r->has_distribution = true;
    return segue_decide_task_distribution(&r->copy.task, &r->limits, &r->distribution, &err) ==
                   SEGUE_OK
               ? READ_MORE
               : reject(op, &err);
}

static read_result pick_one(operation *op)
{
    read_state *r = op->read;
    segue_error err;
    arm_choice *choice = &r->decided.choice[r->decided.n];
    const segue_status status =
        r->copy.task.terms.shadow
            ? segue_decide_task_observe(&r->copy.task, &r->limits, &r->distribution, choice, &err)
            : segue_decide_task_choose(&r->copy.task, &r->limits, &r->distribution, choice, &err);
    if (status != SEGUE_OK)
        return reject(op, &err);
    r->decided.n++;
    return READ_MORE;
}

/* ---- responding -------------------------------------------------------------------------- */

/* Make the choices decisions of an open task. */
static void issue(segue_service *service, operation *op, task_state *task)
{
    decided *d = &op->read->decided;
    const double now = segue_service_time(service);
    for (size_t i = 0; i < d->n; i++)
        segue_decide_task_issue_copied(op->state, task, &d->choice[i], now);
    const size_t before = segue_ask_log_bytes(&task->asks);
    segue_ask_log_add_of_copy(&task->asks,
                              &(ask_terms){.rewards = task->rewards,
                                           .allowed = op->read->limits.allowed,
                                           .n_arms = task->n_arms,
                                           .probability = op->request.probability},
                              d->n, op->read->copy_number);
    segue_decide_count_asks(service, op->state, task, before);
    d->version = task->version;
}

/* Respond, if the task is still the one that was copied. */
static read_result respond(segue_service *service, operation *op)
{
    read_state *r = op->read;
    (void)pthread_mutex_lock(&op->state->lock);
    task_state *task = find_open(op);
    const bool same = task && task->id == r->copy.task.id;
    const bool fine =
        same && !segue_decide_is_paused(op->state, op->response) &&
        segue_decide_reserve_deadlines(service, op->state, task, &op->request, op->response);
    if (fine) {
        issue(service, op, task);
        segue_decide_push_deadlines(op->state, &r->decided, false);
    }
    (void)pthread_mutex_unlock(&op->state->lock);
    if (fine)
        segue_decide_respond(service, &op->request, &r->decided, &op->reward_result, op->response);
    return same ? READ_DONE : READ_STORE;
}

/* Respond with the decisions in op->ask.decided: of an event id that has them already and lacked an
 * explanation, or chosen in place. */
static read_result respond_decided(segue_service *service, operation *op)
{
    if (op->read->explained) {
        op->ask.decided.why = op->read->decided.why;
        op->read->decided.why = (segue_bytes){.data = NULL};
    }
    segue_decide_respond(service, &op->request, &op->ask.decided, &op->reward_result, op->response);
    return READ_DONE;
}

read_result segue_long_ask_turn(segue_service *service, operation *op)
{
    read_state *r = op->read;
    if (!r->begun)
        return begin(service, op);
    if (r->copied && op->request.explain && !r->explained)
        return explain(op);
    if (op->ask.decided.n > 0)
        return respond_decided(service, op);
    if (segue_decide_needs_distribution(&r->copy.task, &op->request) && !r->has_distribution)
        return find_distribution(op);
    if (r->decided.n < segue_decide_count(&op->request))
        return pick_one(op);
    if (!op->request.event_id[0])
        return respond(service, op);
    r->chosen = true;
    r->learner_id = op->state->id;
    r->task_id = r->copy.task.id;
    return READ_STORE;
}

bool segue_long_ask_take_chosen(segue_service *service, operation *op, task_state *task)
{
    const read_state *r = op->read;
    if (!r || !r->chosen || r->learner_id != op->state->id || r->task_id != task->id)
        return false;
    issue(service, op, task);
    segue_decide_fini(&op->ask.decided);
    op->ask.decided = op->read->decided;
    op->read->decided = (decided){.choice = NULL};
    op->read->chosen = false;
    return true;
}

void segue_long_ask_drop(operation *op)
{
    if (op->read->copied)
        segue_response_free_copy(op->state, &op->read->copy);
    op->read->copied = false;
}

void segue_long_ask_fini(operation *op)
{
    read_state *r = op->read;
    segue_long_ask_drop(op);
    segue_ask_limits_fini(&r->limits);
    free(r->distribution.drawn);
    segue_decide_fini(&r->decided);
}
