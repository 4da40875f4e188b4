/* decide.c - decisions, and the answers that carry them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/response.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"

#define UNSTORED_MOST 50000 /* waiting decisions: stored in a quarter of a second */
#define SHORT_WORK                                                                                 \
    20000.0 /* units of segue_learner_state_ask_cost, some 2 ms: what a thread of HTTP may do */

void segue_decide_fini(decided *d)
{
    free(d->choice);
    segue_bytes_fini(&d->why);
    *d = (decided){.choice = NULL};
}

size_t segue_decide_count(const segue_parsed_request *call)
{
    return call->count ? (size_t)call->count : 1;
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* Take the arms off that are excluded now; false: one of them is not an arm. */
static bool exclude(const learner_state *state, size_t n_arms, const json_t *list, bool *allowed,
                    segue_response *reply)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        size_t place = 0;
        if (!segue_learner_state_find_arm(state, name, &place)) {
            segue_response_fail(
                reply, 400,
                "the learner has no arm '%.80s' to exclude; GET the learner for its arms", name);
            return false;
        }
        if (place < n_arms)
            allowed[place] = false;
    }
    return true;
}

bool segue_decide_allowed_arms(const learner_state *state, size_t n_arms,
                               const segue_parsed_request *call, bool **allowed,
                               segue_response *reply)
{
    *allowed = NULL;
    if (state->n_retired == 0 && !call->exclude)
        return true;
    bool *flags = calloc(state->n_arms, sizeof *flags);
    if (!flags) {
        segue_response_fail(reply, 503, "out of memory for the arms of a task; retry later");
        return false;
    }
    memcpy(flags, state->allowed, n_arms * sizeof *flags);
    *allowed = flags;
    return exclude(state, n_arms, call->exclude, flags, reply);
}

bool segue_decide_can_choose(const learner_state *state, const segue_parsed_request *call,
                             segue_response *reply)
{
    bool *allowed = NULL;
    bool fine = segue_decide_allowed_arms(state, state->n_arms, call, &allowed, reply);
    if (fine && allowed && !memchr(allowed, 1, state->n_arms)) {
        segue_response_fail(reply, 409,
                            "no arm can be chosen: all are excluded or retired; exclude fewer");
        fine = false;
    }
    free(allowed);
    return fine;
}

static segue_status choose_each(segue_service *service, learner_state *state, task_state *task,
                                const segue_parsed_request *call, const bool *allowed, decided *out,
                                segue_error *err)
{
    const size_t n = segue_decide_count(call);
    const double now = segue_service_time(service);
    arm_distribution law = {.drawn = NULL};
    segue_status status = SEGUE_OK;
    out->choice = calloc(n, sizeof *out->choice);
    if (!out->choice)
        return segue_fail_no_memory(err, "decisions");
    if (call->probability)
        status = segue_learner_state_distribution(task, allowed, &law, err);
    while (out->n < n && status == SEGUE_OK) {
        status =
            segue_learner_state_ask(state, task, allowed, &law, now, &out->choice[out->n], err);
        out->n += status == SEGUE_OK;
    }
    free(law.drawn);
    return status;
}

void segue_decide_respond_none(const segue_error *why, segue_response *reply)
{
    if (why->status == SEGUE_EDOMAIN)
        segue_response_fail(reply, 409,
                            "no arm of the task can be chosen: all that it was opened with are "
                            "excluded or retired; exclude fewer, or close the task");
    else
        segue_response_fail(reply, 503, "%s", why->message);
}

static bool choose_all(segue_service *service, learner_state *state, task_state *task,
                       const segue_parsed_request *call, const bool *allowed, decided *out,
                       segue_response *reply)
{
    segue_error err;
    const segue_status status = choose_each(service, state, task, call, allowed, out, &err);
    if (status != SEGUE_OK)
        segue_decide_respond_none(&err, reply);
    return status == SEGUE_OK;
}

bool segue_decide_choose(segue_service *service, learner_state *state, task_state *task,
                         const segue_parsed_request *call, decided *out, segue_response *reply)
{
    bool *allowed = NULL;
    if (!segue_decide_allowed_arms(state, task->n_arms, call, &allowed, reply)) {
        free(allowed);
        return false;
    }
    if (call->explain)
        segue_response_explanation(state, task, allowed, &out->why);
    out->control = task->control;
    out->version = task->version;
    const bool fine = choose_all(service, state, task, call, allowed, out, reply);
    free(allowed);
    return fine;
}

/* Whether decisions may wait for a default although they are not stored yet.  Without this bound
 * asks outrun the disk, and a kill would lose the defaults of more than the last second. */
static bool may_wait(segue_service *service, segue_response *reply)
{
    const unsigned long long unstored = atomic_load(&service->unstored);
    if (unstored < UNSTORED_MOST)
        return true;
    segue_response_fail(reply, 503,
                        "%llu decisions with a default reward are not stored yet; retry in 1 s",
                        unstored);
    reply->retry = 1;
    return false;
}

bool segue_decide_reserve_deadlines(segue_service *service, learner_state *state,
                                    const segue_parsed_request *call, segue_response *reply)
{
    const size_t more = segue_decide_count(call);
    if (!state->settings.has_default_reward)
        return true;
    if (!call->event[0] && !may_wait(service, reply)) /* events are stored with their answer */
        return false;
    if (state->deadlines.count + more <= state->deadlines.capacity)
        return true;
    if (!segue_memory_has_reserve(&service->memory)) {
        (void)segue_service_has_memory(service, reply); /* which says why */
        return false;
    }
    const bool fine = segue_deadline_queue_reserve(&state->deadlines, more, &state->by_id);
    segue_service_count_memory(service, state);
    if (!fine)
        segue_response_fail(reply, 503,
                            "out of memory for decisions with a default reward; retry later");
    return fine;
}

void segue_decide_push_deadlines(learner_state *state, const decided *d, bool kept)
{
    if (!state->settings.has_default_reward)
        return;
    for (size_t i = 0; i < d->n; i++) {
        const segue_status status = segue_deadline_queue_push(
            &state->deadlines, &d->choice[i].decision, kept, &state->by_id, NULL);
        (void)status; /* there is room: segue_decide_reserve_deadlines */
    }
}

bool segue_decide_is_long(const task_state *task, const segue_parsed_request *call)
{
    const uint64_t count = call->count ? call->count : 1;
    return segue_learner_state_ask_cost(task, count, call->probability, call->explain) > SHORT_WORK;
}

ask_outcome segue_decide_ask(segue_service *service, learner_state *state,
                             const segue_parsed_request *call, const segue_bytes *reward_result,
                             segue_response *reply)
{
    decided d = {.choice = NULL};
    (void)pthread_mutex_lock(&state->lock);
    task_state *task = segue_learner_state_task_by_key(state, call->task);
    /* else the store tells what becomes of it */
    const bool is_open = task && !task->staged_closed && !state->is_gone;
    if (is_open && segue_decide_is_long(task, call)) {
        task->active = segue_service_time(service); /* it is not idle while it waits */
        (void)pthread_mutex_unlock(&state->lock);
        return ASK_IS_LONG;
    }
    const bool fine = is_open && segue_decide_reserve_deadlines(service, state, call, reply) &&
                      segue_decide_choose(service, state, task, call, &d, reply);
    if (fine)
        segue_decide_push_deadlines(state, &d, false);
    (void)pthread_mutex_unlock(&state->lock);
    if (fine)
        segue_decide_respond(service, call, &d, reward_result, reply);
    segue_decide_fini(&d);
    return is_open ? ASK_ANSWERED : ASK_NOT_OPEN;
}

/* ---- answering --------------------------------------------------------------------------- */

static void write_choice(const segue_service *service, const segue_parsed_request *call,
                         const arm_choice *choice, segue_bytes *b)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    segue_decision_id_encode(&choice->decision, service->key, id);
    segue_json_write_text(b, "decision", id);
    segue_json_write_text(b, "arm", choice->arm);
    if (call->probability)
        segue_json_write_double(b, "probability", choice->probability);
}

static void write_choices(const segue_service *service, const segue_parsed_request *call,
                          const decided *d, segue_bytes *b)
{
    segue_json_write_key(b, "decisions");
    segue_json_write_raw(b, "[");
    for (size_t i = 0; i < d->n; i++) {
        segue_json_write_raw(b, i > 0 ? ",{" : "{");
        write_choice(service, call, &d->choice[i], b);
        segue_json_write_raw(b, "}");
    }
    segue_json_write_raw(b, "]");
}

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

static bool all_exact(const decided *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (!d->choice[i].exact)
            return false;
    return true;
}

void segue_decide_respond(segue_service *service, const segue_parsed_request *call,
                          const decided *d, const segue_bytes *reward_result, segue_response *reply)
{
    segue_bytes *b = &reply->body;
    (void)atomic_fetch_add_explicit(&service->metrics.decisions, d->n, memory_order_relaxed);
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "task", call->task);
    segue_json_write_bool(b, "control", d->control);
    segue_json_write_integer(b, "version", d->version);
    if (call->count > 0)
        write_choices(service, call, d, b);
    else
        write_choice(service, call, &d->choice[0], b);
    if (call->probability && d->choice[0].probability > 0.0) /* not: nobody wanted it before */
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
