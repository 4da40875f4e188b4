/* asking.c - decisions, and the answers that carry them.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "serve/inside.h"
#include "serve/out.h"

/* ---- choosing ---------------------------------------------------------------------------- */

/* Take the arms off that are excluded now; false: one of them is not an arm. */
static bool exclude(const live_learner *live, size_t n_arms, const json_t *list, bool *allowed,
                    segue_reply *reply)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        size_t place = 0;
        if (!segue_live_find_arm(live, name, &place)) {
            segue_reply_fail(reply, 400, "the learner has no arm '%.80s' to exclude", name);
            return false;
        }
        if (place < n_arms)
            allowed[place] = false;
    }
    return true;
}

/* The arms that may be chosen: *allowed, the caller's to free; NULL: all. */
static bool find_allowed(const live_learner *live, size_t n_arms, const segue_call *call,
                         bool **allowed, segue_reply *reply)
{
    *allowed = NULL;
    if (live->n_retired == 0 && !call->exclude)
        return true;
    bool *flags = malloc(n_arms * sizeof *flags);
    if (!flags) {
        segue_reply_fail(reply, 503, "out of memory for the arms of a task");
        return false;
    }
    for (size_t i = 0; i < n_arms; i++)
        flags[i] = !live->arm[i]->retired;
    *allowed = flags;
    return exclude(live, n_arms, call->exclude, flags, reply);
}

bool segue_may_choose(const live_learner *live, const segue_call *call, segue_reply *reply)
{
    bool *allowed = NULL;
    bool fine = find_allowed(live, live->n_arms, call, &allowed, reply);
    if (fine && allowed && !memchr(allowed, 1, live->n_arms)) {
        segue_reply_fail(reply, 409, "no arm is left to choose: all are excluded or retired");
        fine = false;
    }
    free(allowed);
    return fine;
}

static bool choose_all(segue_service *service, live_learner *live, live_task *task,
                       const segue_call *call, const bool *allowed, asked *out, segue_reply *reply)
{
    const size_t n = call->count ? (size_t)call->count : 1;
    const double now = segue_service_now(service);
    segue_error err;
    out->choice = calloc(n, sizeof *out->choice);
    if (!out->choice) {
        segue_reply_fail(reply, 503, "out of memory for decisions");
        return false;
    }
    for (; out->n < n; out->n++)
        if (segue_live_ask(live, task, allowed, call->probability, now, &out->choice[out->n],
                           &err) != SEGUE_OK) {
            segue_reply_fail(reply, err.status == SEGUE_EDOMAIN ? 409 : 503,
                             "no arm of the task is left to choose: %s", err.message);
            return false;
        }
    return true;
}

bool segue_choose(segue_service *service, live_learner *live, live_task *task,
                  const segue_call *call, asked *out, segue_reply *reply)
{
    bool *allowed = NULL;
    if (call->explain)
        segue_answer_explanation(live, task, &out->why);
    out->control = task->control;
    out->version = task->version;
    const bool fine = find_allowed(live, task->n_arms, call, &allowed, reply) &&
                      choose_all(service, live, task, call, allowed, out, reply);
    free(allowed);
    return fine;
}

void segue_wait_for(live_learner *live, const asked *a, bool saved)
{
    if (!live->words.has_default)
        return;
    for (size_t i = 0; i < a->n; i++) {
        const decision *d = &a->choice[i].decision;
        const waiting w = {d->task, d->number, d->version, d->arm, d->asked};
        const segue_status status = segue_live_wait(live, &w, saved, NULL);
        (void)status; /* without memory its default is not counted */
    }
}

bool segue_ask_now(segue_service *service, live_learner *live, const segue_call *call,
                   const bytes *told, segue_reply *reply)
{
    asked a = {.choice = NULL};
    (void)pthread_mutex_lock(&live->lock);
    live_task *task = segue_live_by_key(live, call->task);
    const bool fine = task && segue_choose(service, live, task, call, &a, reply);
    if (fine)
        segue_wait_for(live, &a, false);
    (void)pthread_mutex_unlock(&live->lock);
    if (fine)
        segue_answer_asked(service, call, &a, told, reply);
    segue_asked_fini(&a);
    return task != NULL;
}

/* ---- answering --------------------------------------------------------------------------- */

static void write_choice(const segue_service *service, const segue_call *call,
                         const live_choice *choice, bytes *b)
{
    char id[DECISION_TEXT + 1];
    segue_decision_write(&choice->decision, service->key, id);
    segue_out_text(b, "decision", id);
    segue_out_text(b, "arm", choice->arm);
    if (call->probability)
        segue_out_double(b, "probability", choice->probability);
}

static void write_choices(const segue_service *service, const segue_call *call, const asked *a,
                          bytes *b)
{
    segue_out_name(b, "decisions");
    segue_out(b, "[");
    for (size_t i = 0; i < a->n; i++) {
        segue_out(b, i > 0 ? ",{" : "{");
        write_choice(service, call, &a->choice[i], b);
        segue_out(b, "}");
    }
    segue_out(b, "]");
}

static bool all_exact(const asked *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (!a->choice[i].exact)
            return false;
    return true;
}

void segue_answer_asked(segue_service *service, const segue_call *call, const asked *a,
                        const bytes *told, segue_reply *reply)
{
    bytes *b = &reply->body;
    (void)atomic_fetch_add_explicit(&service->metrics.decisions, a->n, memory_order_relaxed);
    segue_out(b, "{");
    segue_out_text(b, "task", call->task);
    segue_out_bool(b, "control", a->control);
    segue_out_whole(b, "version", a->version);
    if (call->count > 0)
        write_choices(service, call, a, b);
    else
        write_choice(service, call, &a->choice[0], b);
    if (call->probability && a->choice[0].probability > 0.0) /* not: nobody wanted it before */
        segue_out_text(b, "probability_by", all_exact(a) ? "exact" : "monte-carlo");
    if (a->why.size > 0) {
        segue_out_name(b, "explanation");
        segue_bytes_put(b, a->why.data, a->why.size);
    }
    if (told && told->size > 0) {
        segue_out_name(b, "told");
        segue_bytes_put(b, told->data, told->size);
    }
    segue_out(b, "}");
}
