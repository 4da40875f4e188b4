/* decide.c - choose arms for an ask, and write the response.
 *
 * An ask of an open task, without an event id, changes nothing on the disk: any thread decides it
 * under the learner's lock.  A decision with a deadline goes to the deadline queue at once and to
 * the store a moment later (op_persist_pending.c); UNSTORED limits how many may be lost by a kill.
 * Asks that cost more than MAX_SHORT_COST are left to the read pool (long_ask.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"

#define MAX_UNSTORED   50000   /* decisions with a deadline: stored in a quarter of a second */
#define MAX_SHORT_COST 20000.0 /* of segue_decide_task_cost: about 2 ms, in any thread */

void segue_decide_fini(decided *d)
{
    free(d->choice);
    segue_bytes_fini(&d->why);
    *d = (decided){.choice = NULL};
}

size_t segue_decide_count(const segue_parsed_request *request)
{
    return request->count ? (size_t)request->count : 1;
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* A request has the caller's choice in shadow mode, and in no other. */
static bool fits_mode(const learner_state *state, bool shadow, const segue_parsed_request *request,
                      segue_response *response)
{
    const bool has_chosen = request->chosen[0] != '\0';
    if (has_chosen && !shadow)
        segue_response_fail(response, 409,
                            "'chosen' is for tasks of shadow mode, and in this task '%.80s' "
                            "chooses; ask without it",
                            state->settings.name);
    else if (!has_chosen && shadow)
        segue_response_fail(response, 409,
                            "the task is in shadow mode, in which the caller chooses; send the arm "
                            "as 'chosen', or PATCH the learner with {\"mode\": \"active\"} for "
                            "tasks opened afterwards");
    return has_chosen == shadow;
}

bool segue_decide_take_chosen(const learner_state *state, const task_terms *terms, size_t n_arms,
                              const segue_parsed_request *request, const bool *allowed,
                              arm_choice *out, segue_response *response)
{
    size_t arm = 0;
    if (!fits_mode(state, terms->shadow, request, response))
        return false;
    if (!terms->shadow)
        return true;
    if (!segue_learner_state_find_arm(state, request->chosen, &arm)) {
        segue_response_fail(response, 400,
                            "the learner has no arm '%.80s', which 'chosen' names; GET the learner "
                            "for its arms",
                            request->chosen);
        return false;
    }
    if (arm >= n_arms || (allowed && !allowed[arm])) {
        segue_response_fail(
            response, 409,
            "'chosen' is '%.80s', which is excluded, not eligible, retired, or newer than the "
            "task; choose another arm",
            request->chosen);
        return false;
    }
    *out = (arm_choice){.decision = {.arm = arm}, .probability = request->chosen_probability};
    return true;
}

bool segue_decide_needs_distribution(const task_state *task, const segue_parsed_request *request)
{
    return request->probability || task->terms.shadow;
}

bool segue_decide_can_choose(const learner_state *state, const segue_parsed_request *request,
                             segue_response *response)
{
    bool *allowed = NULL;
    arm_choice chosen;
    bool fine = segue_ask_limits_allowed(state, state->n_arms, request, &allowed, response) &&
                segue_decide_take_chosen(state, segue_learner_settings_terms(&state->settings),
                                         state->n_arms, request, allowed, &chosen, response);
    if (fine && allowed && !memchr(allowed, 1, state->n_arms)) {
        segue_response_fail(response, 409,
                            "no arm can be chosen: all are excluded, not eligible or retired; "
                            "exclude fewer, or name more as eligible");
        fine = false;
    }
    free(allowed);
    return fine;
}

void segue_decide_count_asks(segue_service *service, learner_state *state, const task_state *task,
                             size_t before)
{
    if (segue_ask_log_bytes(&task->asks) == before)
        return;
    segue_learner_state_count_asks(state, task, before);
    segue_service_count_memory(service, state);
}

/* The distribution is drawn once for all decisions of the ask.  In shadow mode the first choice has
 * the caller's arm. */
static segue_status choose_each(segue_service *service, learner_state *state, task_state *task,
                                const segue_parsed_request *request, const ask_limits *limits,
                                decided *out, segue_error *err)
{
    const size_t n = segue_decide_count(request);
    const double now = segue_service_time(service);
    arm_distribution distribution = {.drawn = NULL};
    segue_status status = SEGUE_OK;
    if (segue_decide_needs_distribution(task, request))
        status = segue_decide_task_distribution(task, limits, &distribution, err);
    while (out->n < n && status == SEGUE_OK) {
        status = segue_decide_task_ask(state, task, limits, &distribution, now,
                                       &out->choice[out->n], err);
        out->n += status == SEGUE_OK;
    }
    const size_t before = segue_ask_log_bytes(&task->asks);
    segue_ask_log_add(&task->asks,
                      &(ask_terms){.rewards = task->rewards,
                                   .allowed = limits->allowed,
                                   .n_arms = task->n_arms,
                                   .probability = request->probability},
                      out->n);
    segue_decide_count_asks(service, state, task, before);
    free(distribution.drawn);
    return status;
}

bool segue_decide_is_paused(const learner_state *state, segue_response *response)
{
    if (state->settings.paused)
        segue_response_fail(
            response, 409,
            "learner '%.80s' is paused: it takes rewards and closes tasks, and makes "
            "no decisions; PATCH it with {\"paused\": false} to resume",
            state->settings.name);
    return state->settings.paused;
}

static bool choose_all(segue_service *service, learner_state *state, task_state *task,
                       const segue_parsed_request *request, const ask_limits *limits, decided *out,
                       segue_response *response)
{
    segue_error err;
    const segue_status status = choose_each(service, state, task, request, limits, out, &err);
    if (status != SEGUE_OK)
        segue_ask_limits_respond_none(&err, response);
    return status == SEGUE_OK;
}

bool segue_decide_choose(segue_service *service, learner_state *state, task_state *task,
                         const segue_parsed_request *request, decided *out,
                         segue_response *response)
{
    ask_limits limits;
    bool fine = segue_ask_limits_collect(state, task, request, &limits, response);
    if (fine && request->explain)
        segue_response_explanation(state, task, segue_ask_limits_explained(&limits), &out->why);
    out->control = task->control;
    out->version = task->version;
    out->choice = fine ? calloc(segue_decide_count(request), sizeof *out->choice) : NULL;
    if (fine && !out->choice)
        segue_response_fail(response, 503, "out of memory for decisions");
    fine = out->choice &&
           segue_decide_take_chosen(state, &task->terms, task->n_arms, request, limits.allowed,
                                    out->choice, response) &&
           choose_all(service, state, task, request, &limits, out, response);
    segue_ask_limits_fini(&limits);
    return fine;
}

/* Limit decisions with a deadline that are not stored.  Without a limit asks outrun the disk, and a
 * kill would lose the deadlines of more than the last second. */
static bool has_unstored_capacity(segue_service *service, segue_response *response)
{
    const unsigned long long unstored = atomic_load(&service->unstored);
    if (unstored < MAX_UNSTORED)
        return true;
    segue_response_fail(response, 503,
                        "%llu decisions with a default reward are not stored yet; retry in 1 s",
                        unstored);
    response->retry = 1;
    return false;
}

/* Allocates before the arm is chosen: pushing must not fail afterwards. */
bool segue_decide_reserve_deadlines(segue_service *service, learner_state *state,
                                    const task_state *task, const segue_parsed_request *request,
                                    segue_response *response)
{
    const size_t more = segue_decide_count(request);
    if (!task->terms.has_default_reward)
        return true;
    if (!request->event_id[0] &&
        !has_unstored_capacity(service,
                               response)) /* with an event id: stored before the response */
        return false;
    if (state->deadlines.count + more <= state->deadlines.capacity)
        return true;
    if (!segue_memory_has_reserve(&service->memory)) {
        (void)segue_service_has_memory(service, response); /* it says why */
        return false;
    }
    const bool fine = segue_deadline_queue_reserve(&state->deadlines, more, &state->by_id);
    segue_service_count_memory(service, state);
    if (!fine)
        segue_response_fail(response, 503,
                            "out of memory for decisions with a default reward; retry later");
    return fine;
}

void segue_decide_push_deadlines(learner_state *state, const decided *d, bool persisted)
{
    const task_state *task =
        d->n > 0 ? segue_learner_state_task_by_id(state, d->choice[0].decision.task) : NULL;
    if (!task || !task->terms.has_default_reward)
        return;
    for (size_t i = 0; i < d->n; i++) {
        const segue_status status = segue_deadline_queue_push(
            &state->deadlines, &d->choice[i].decision, persisted, &state->by_id, NULL);
        (void)status; /* segue_decide_reserve_deadlines has allocated */
    }
}

bool segue_decide_is_long(const task_state *task, const segue_parsed_request *request)
{
    const uint64_t count = request->count ? request->count : 1;
    return segue_decide_task_cost(task, count, segue_decide_needs_distribution(task, request),
                                  request->explain) > MAX_SHORT_COST;
}

ask_outcome segue_decide_ask(segue_service *service, learner_state *state,
                             const segue_parsed_request *request, const segue_bytes *reward_result,
                             segue_response *response)
{
    decided d = {.choice = NULL};
    (void)pthread_mutex_lock(&state->lock);
    task_state *task = segue_learner_state_task_by_key(state, request->task);
    /* else a transaction finds out what to respond */
    const bool is_open = task && !task->staged_closed && !state->is_gone && !state->is_leaving;
    if (is_open && !state->settings.paused && segue_decide_is_long(task, request)) {
        task->active = segue_service_time(service); /* not idle while the ask waits */
        (void)pthread_mutex_unlock(&state->lock);
        return ASK_IS_LONG;
    }
    const bool fine = is_open && !segue_decide_is_paused(state, response) &&
                      segue_decide_reserve_deadlines(service, state, task, request, response) &&
                      segue_decide_choose(service, state, task, request, &d, response);
    if (fine)
        segue_decide_push_deadlines(state, &d, false);
    (void)pthread_mutex_unlock(&state->lock);
    if (fine)
        segue_decide_respond(service, request, &d, reward_result, response);
    segue_decide_fini(&d);
    return is_open ? ASK_RESPONDED : ASK_NOT_OPEN;
}

/* ---- responding -------------------------------------------------------------------------- */

/* Shadow mode: what Segue would have chosen, and the probability that it gave to the caller's arm. */
static void write_would_choose(const segue_parsed_request *request, const arm_choice *choice,
                               segue_bytes *b)
{
    segue_json_write_text(b, "would_choose", choice->would_choose);
    if (!request->probability)
        return;
    if (choice->would_choose_probability > 0.0)
        segue_json_write_double(b, "would_choose_probability", choice->would_choose_probability);
    segue_json_write_double(b, "segue_probability", choice->decision.shadow.probability);
}

static void write_choice(const segue_service *service, const segue_parsed_request *request,
                         const arm_choice *choice, segue_bytes *b)
{
    char id[SEGUE_MAX_DECISION_ID_LENGTH + 1];
    segue_decision_id_encode(&choice->decision, service->key, id);
    segue_json_write_text(b, "decision", id);
    segue_json_write_text(b, "arm", choice->arm);
    if (choice->would_choose)
        write_would_choose(request, choice, b);
    else if (request->probability)
        segue_json_write_double(b, "probability", choice->probability);
}

static void write_choices(const segue_service *service, const segue_parsed_request *request,
                          const decided *d, segue_bytes *b)
{
    segue_json_write_key(b, "decisions");
    segue_json_write_raw(b, "[");
    for (size_t i = 0; i < d->n; i++) {
        segue_json_write_raw(b, i > 0 ? ",{" : "{");
        write_choice(service, request, &d->choice[i], b);
        segue_json_write_raw(b, "}");
    }
    segue_json_write_raw(b, "]");
}

/* The tell of the ask has closed the task: there is no decision. */
void segue_decide_respond_closed(const operation *op)
{
    segue_bytes *b = &op->response->body;
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "task", op->request.task);
    segue_json_write_bool(b, "control", op->row.control);
    segue_json_write_integer(b, "version", op->row.version);
    segue_json_write_bool(b, "closed", true);
    segue_json_write_key(b, "tell");
    segue_bytes_append(b, op->reward_result.data, op->reward_result.size);
    segue_json_write_raw(b, "}");
}

/* One estimated probability makes the response an estimate. */
static bool all_exact(const decided *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (!d->choice[i].exact)
            return false;
    return true;
}

/* A decision that was stored with an event id may lack it. */
static bool has_probability(const arm_choice *choice)
{
    return (choice->would_choose ? choice->would_choose_probability : choice->probability) > 0.0;
}

void segue_decide_respond(segue_service *service, const segue_parsed_request *request,
                          const decided *d, const segue_bytes *reward_result,
                          segue_response *response)
{
    segue_bytes *b = &response->body;
    (void)atomic_fetch_add_explicit(&service->metrics.decisions, d->n, memory_order_relaxed);
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "task", request->task);
    segue_json_write_bool(b, "control", d->control);
    segue_json_write_integer(b, "version", d->version);
    if (request->count > 0)
        write_choices(service, request, d, b);
    else
        write_choice(service, request, &d->choice[0], b);
    if (request->probability && has_probability(&d->choice[0]))
        segue_json_write_text(b, "probability_by", all_exact(d) ? "exact" : "monte-carlo");
    if (d->why.size > 0) {
        segue_json_write_key(b, "explanation");
        segue_bytes_append(b, d->why.data, d->why.size);
    }
    if (reward_result && reward_result->size > 0) {
        segue_json_write_key(b, "tell");
        segue_bytes_append(b, reward_result->data, reward_result->size);
    }
    segue_json_write_raw(b, "}");
}
