/* asking.c - decisions, and the answers that carry them.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "serve/inside.h"
#include "serve/out.h"

#define UNSTORED_MOST 50000   /* waiting decisions: stored in a quarter of a second */
#define SHORT_WORK    20000.0 /* units of segue_live_work, some 2 ms: what a thread of HTTP may do */

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

bool segue_find_allowed(const live_learner *live, size_t n_arms, const segue_call *call,
                        bool **allowed, segue_reply *reply)
{
    *allowed = NULL;
    if (live->n_retired == 0 && !call->exclude)
        return true;
    bool *flags = calloc(live->n_arms, sizeof *flags);
    if (!flags) {
        segue_reply_fail(reply, 503, "out of memory for the arms of a task");
        return false;
    }
    memcpy(flags, live->allowed, n_arms * sizeof *flags);
    *allowed = flags;
    return exclude(live, n_arms, call->exclude, flags, reply);
}

bool segue_may_choose(const live_learner *live, const segue_call *call, segue_reply *reply)
{
    bool *allowed = NULL;
    bool fine = segue_find_allowed(live, live->n_arms, call, &allowed, reply);
    if (fine && allowed && !memchr(allowed, 1, live->n_arms)) {
        segue_reply_fail(reply, 409, "no arm is left to choose: all are excluded or retired");
        fine = false;
    }
    free(allowed);
    return fine;
}

static segue_status choose_each(segue_service *service, live_learner *live, live_task *task,
                                const segue_call *call, const bool *allowed, asked *out,
                                segue_error *err)
{
    const size_t n = call->count ? (size_t)call->count : 1;
    const double now = segue_service_time(service);
    live_law law = {.drawn = NULL};
    segue_status status = SEGUE_OK;
    out->choice = calloc(n, sizeof *out->choice);
    if (!out->choice)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for decisions");
    if (call->probability)
        status = segue_live_find_law(task, allowed, &law, err);
    while (out->n < n && status == SEGUE_OK) {
        status = segue_live_ask(live, task, allowed, &law, now, &out->choice[out->n], err);
        out->n += status == SEGUE_OK;
    }
    free(law.drawn);
    return status;
}

void segue_answer_no_choice(const segue_error *why, segue_reply *reply)
{
    if (why->status == SEGUE_EDOMAIN)
        segue_reply_fail(reply, 409,
                         "no arm of the task is left to choose: all that it was opened with are "
                         "excluded or retired");
    else
        segue_reply_fail(reply, 503, "%s", why->message);
}

static bool choose_all(segue_service *service, live_learner *live, live_task *task,
                       const segue_call *call, const bool *allowed, asked *out, segue_reply *reply)
{
    segue_error err;
    const segue_status status = choose_each(service, live, task, call, allowed, out, &err);
    if (status != SEGUE_OK)
        segue_answer_no_choice(&err, reply);
    return status == SEGUE_OK;
}

bool segue_choose(segue_service *service, live_learner *live, live_task *task,
                  const segue_call *call, asked *out, segue_reply *reply)
{
    bool *allowed = NULL;
    if (!segue_find_allowed(live, task->n_arms, call, &allowed, reply)) {
        free(allowed);
        return false;
    }
    if (call->explain)
        segue_answer_explanation(live, task, allowed, &out->why);
    out->control = task->control;
    out->version = task->version;
    const bool fine = choose_all(service, live, task, call, allowed, out, reply);
    free(allowed);
    return fine;
}

/* Whether decisions may wait for a default although they are not stored yet.  Without this bound
 * asks outrun the disk, and a kill would lose the defaults of more than the last second. */
static bool may_wait(segue_service *service, segue_reply *reply)
{
    const unsigned long long unstored = atomic_load(&service->unstored);
    if (unstored < UNSTORED_MOST)
        return true;
    segue_reply_fail(reply, 503,
                     "%llu decisions that wait for a default are not stored yet; try again in 1 s",
                     unstored);
    reply->retry = 1;
    return false;
}

bool segue_let_many_wait(segue_service *service, live_learner *live, const segue_call *call,
                         segue_reply *reply)
{
    const size_t more = call->count ? (size_t)call->count : 1;
    if (!live->words.has_default)
        return true;
    if (!call->event[0] && !may_wait(service, reply)) /* events are stored with their answer */
        return false;
    if (live->line.count + more <= live->line.capacity)
        return true;
    if (!segue_memory_has_reserve(&service->memory)) {
        (void)segue_has_memory(service, reply); /* which says why */
        return false;
    }
    const bool fine = segue_line_reserve(&live->line, more, &live->by_id);
    segue_count_memory(service, live);
    if (!fine)
        segue_reply_fail(reply, 503, "out of memory for decisions that wait for a default");
    return fine;
}

void segue_let_wait(live_learner *live, const asked *a, bool kept)
{
    if (!live->words.has_default)
        return;
    for (size_t i = 0; i < a->n; i++) {
        const segue_status status =
            segue_line_join(&live->line, &a->choice[i].decision, kept, &live->by_id, NULL);
        (void)status; /* there is room: segue_let_many_wait */
    }
}

bool segue_is_long(const live_task *task, const segue_call *call)
{
    const uint64_t count = call->count ? call->count : 1;
    return segue_live_work(task, count, call->probability, call->explain) > SHORT_WORK;
}

ask_outcome segue_ask_now(segue_service *service, live_learner *live, const segue_call *call,
                          const bytes *told, segue_reply *reply)
{
    asked a = {.choice = NULL};
    (void)pthread_mutex_lock(&live->lock);
    live_task *task = segue_live_by_key(live, call->task);
    /* else the store tells what becomes of it */
    const bool is_open = task && !task->staged_closed && !live->is_gone;
    if (is_open && segue_is_long(task, call)) {
        task->active = segue_service_time(service); /* it is not idle while it waits */
        (void)pthread_mutex_unlock(&live->lock);
        return ASK_IS_LONG;
    }
    const bool fine = is_open && segue_let_many_wait(service, live, call, reply) &&
                      segue_choose(service, live, task, call, &a, reply);
    if (fine)
        segue_let_wait(live, &a, false);
    (void)pthread_mutex_unlock(&live->lock);
    if (fine)
        segue_answer_asked(service, call, &a, told, reply);
    segue_asked_fini(&a);
    return is_open ? ASK_ANSWERED : ASK_NOT_OPEN;
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

void segue_answer_ended(const op *o)
{
    bytes *b = &o->reply->body;
    segue_out(b, "{");
    segue_out_text(b, "task", o->call.task);
    segue_out_bool(b, "control", o->row.control);
    segue_out_whole(b, "version", o->row.version);
    segue_out_bool(b, "closed", true);
    segue_out_name(b, "told");
    segue_bytes_put(b, o->told.data, o->told.size);
    segue_out(b, "}");
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
