/* stage.c - operations, as far as the store goes.
 *
 * What is staged is seen by nobody before the transaction is through.  What the next operation of
 * the same transaction must know of a task stands in the task's staged fields.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/inside.h"
#include "serve/out.h"
#include "serve/siphash.h"
#include "transfer/play.h"

/* ---- refusals ---------------------------------------------------------------------------- */

#define REFUSE(o, status, ...)                                                                     \
    do {                                                                                           \
        (o)->answered = true;                                                                      \
        if ((o)->reply)                                                                            \
            segue_reply_fail((o)->reply, status, __VA_ARGS__);                                     \
    } while (0)

static bool find_learner(segue_service *service, op *o)
{
    o->live = segue_service_find(service, o->call.learner);
    if (!o->live)
        REFUSE(o, 404, "there is no learner '%.80s'; POST /v1/learners creates one",
               o->call.learner);
    return o->live != NULL;
}

static bool cannot_change_arms(op *o)
{
    if (strcmp(o->live->method, "tucb") != 0)
        return false;
    REFUSE(o, 409,
           "the arms of tucb cannot change: it learns only from tasks that pulled every arm");
    return true;
}

/* ---- learners ---------------------------------------------------------------------------- */

static segue_status add_arms(segue_service *service, op *o, double now, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < o->call.words.n_arms && status == SEGUE_OK; i++)
        status =
            segue_store_add_arm(service->store, o->row.learner, i, o->call.words.arm[i], now, err);
    return status;
}

static segue_status stage_create(segue_service *service, op *o, segue_error *err)
{
    bytes config = {.data = NULL};
    segue_words_write(&o->call.words, &config);
    segue_bytes_put(&config, "", 1);
    if (config.failed) {
        segue_bytes_fini(&config);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner");
    }
    o->live = segue_service_find(service, o->call.words.name);
    segue_status status = SEGUE_OK;
    if (o->live && strcmp((char *)config.data, (char *)o->live->config.data) != 0) {
        REFUSE(o, 409, "there is a learner '%.80s' already, made with other words",
               o->call.words.name);
    } else if (!o->live) {
        segue_stored_learner row = {.name = o->call.words.name,
                                    .config = (char *)config.data,
                                    .created = segue_service_now(service)};
        status = segue_store_add_learner(service->store, &row, err);
        o->is_new = true;
        o->row.learner = row.id;
        o->row.opened = row.created;
        if (status == SEGUE_OK)
            status = add_arms(service, o, row.created, err);
    }
    segue_bytes_fini(&config);
    return status;
}

static segue_status stage_delete(segue_service *service, op *o, segue_error *err)
{
    return find_learner(service, o) ? segue_store_delete_learner(service->store, o->live->id, err)
                                    : SEGUE_OK;
}

static segue_status add_event(segue_service *service, op *o, segue_event_kind kind, int64_t subject,
                              segue_error *err)
{
    segue_stored_event event = {.learner = o->live->id,
                                .kind = kind,
                                .subject = subject,
                                .when = segue_service_now(service)};
    const segue_status status = segue_store_add_event(service->store, &event, err);
    o->seq = event.seq;
    return status;
}

static segue_status stage_add_arm(segue_service *service, op *o, segue_error *err)
{
    size_t place;
    if (!find_learner(service, o) || cannot_change_arms(o))
        return SEGUE_OK;
    if (segue_live_find_arm(o->live, o->call.arm, &place)) {
        REFUSE(o, 409,
               o->live->arm[place]->retired
                   ? "the arm '%.80s' is retired, and does not come back; add it by another name"
                   : "there is an arm '%.80s' already",
               o->call.arm);
        return SEGUE_OK;
    }
    if (o->live->n_arms >= ARMS_MOST) {
        REFUSE(o, 409, "a learner has at most %d arms", ARMS_MOST);
        return SEGUE_OK;
    }
    const segue_status status = segue_store_add_arm(service->store, o->live->id, o->live->n_arms,
                                                    o->call.arm, segue_service_now(service), err);
    return status == SEGUE_OK
               ? add_event(service, o, SEGUE_EVENT_ADD_ARM, (int64_t)o->live->n_arms, err)
               : status;
}

static segue_status stage_retire_arm(segue_service *service, op *o, segue_error *err)
{
    size_t place = 0;
    if (!find_learner(service, o) || cannot_change_arms(o))
        return SEGUE_OK;
    if (!segue_live_find_arm(o->live, o->call.arm, &place)) {
        REFUSE(o, 404, "the learner has no arm '%.80s'", o->call.arm);
        return SEGUE_OK;
    }
    o->n_kept = place;
    o->is_new = !o->live->arm[place]->retired;
    if (!o->is_new)
        return SEGUE_OK;
    if (o->live->n_retired + 1 == o->live->n_arms) {
        REFUSE(o, 409, "'%.80s' is the last arm that is left", o->call.arm);
        return SEGUE_OK;
    }
    const segue_status status =
        segue_store_retire_arm(service->store, o->live->id, place, segue_service_now(service), err);
    return status == SEGUE_OK ? add_event(service, o, SEGUE_EVENT_RETIRE_ARM, (int64_t)place, err)
                              : status;
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* A key for a task that was given none. */
static void make_up_key(segue_service *service, char out[NAME_MOST + 1])
{
    const uint64_t name[2] = {service->boot, atomic_fetch_add(&service->made_up, 1)};
    (void)snprintf(out, NAME_MOST + 1, "t-%016" PRIx64,
                   segue_siphash(service->key, name, sizeof name));
}

/* Whether a new task is one that ts plays: chance, but the same each time for the same key. */
static bool is_control(const segue_service *service, const live_learner *live, const char *key)
{
    char text[8 + NAME_MOST + 1];
    const size_t size = strlen(key);
    memcpy(text, &live->id, 8);
    memcpy(text + 8, key, size + 1);
    const uint64_t sum = segue_siphash(service->key, text, 8 + size);
    return (double)(int64_t)(sum >> 11) * 0x1p-53 < live->words.control;
}

/* Find or add the task of a key: o->row, and whether it is new. */
static segue_status stage_task(segue_service *service, op *o, segue_error *err)
{
    live_learner *live = o->live;
    bool found = false;
    if (o->call.task[0] == '\0')
        make_up_key(service, o->call.task);
    segue_status status =
        segue_store_find_task(service->store, live->id, o->call.task, &o->row, &found, err);
    if (status != SEGUE_OK || found)
        return status;
    if (atomic_load(&service->open_tasks) >= service->config.open_most) {
        REFUSE(o, 429, "%llu tasks are open, and %" PRIu64 " are allowed; close some",
               atomic_load(&service->open_tasks), service->config.open_most);
        return SEGUE_OK;
    }
    (void)pthread_mutex_lock(&live->lock);
    o->row = (segue_stored_task){.learner = live->id,
                                 .key = o->call.task,
                                 .control = is_control(service, live, o->call.task),
                                 .open = true,
                                 .version = segue_learner_version(live->learner),
                                 .n_arms = live->n_arms,
                                 .opened = segue_service_now(service)};
    (void)pthread_mutex_unlock(&live->lock);
    o->is_new = true;
    return segue_store_add_task(service->store, &o->row, err);
}

static segue_status stage_open(segue_service *service, op *o, segue_error *err)
{
    return find_learner(service, o) ? stage_task(service, o, err) : SEGUE_OK;
}

/* Close a task, and remember that until it is applied. */
static segue_status close_task(segue_service *service, op *o, live_task *task, segue_error *err)
{
    o->row = (segue_stored_task){.id = task->id,
                                 .learner = o->live->id,
                                 .closed = segue_service_now(service),
                                 .rewards = task->staged_rewards,
                                 .total = task->staged_total};
    const segue_status status = add_event(service, o, SEGUE_EVENT_CLOSE, task->id, err);
    o->task = task;
    o->closes = true;
    task->staged_closed = true;
    return status == SEGUE_OK ? segue_store_close_task(service->store, &o->row, o->seq, err)
                              : status;
}

/* The task that an operation is about, if it is open and stays so; `o->row`, found: it is not. */
static segue_status find_open(segue_service *service, op *o, live_task **task, bool *found,
                              segue_error *err)
{
    *task = segue_live_by_key(o->live, o->call.task);
    *found = true;
    if (*task && !(*task)->staged_closed)
        return SEGUE_OK;
    *task = NULL;
    const segue_status status =
        segue_store_find_task(service->store, o->live->id, o->call.task, &o->row, found, err);
    o->again = status == SEGUE_OK && *found && o->row.open; /* opened by this transaction */
    return status;
}

static segue_status stage_close(segue_service *service, op *o, segue_error *err)
{
    live_task *task = NULL;
    bool found = false;
    if (o->task_id) { /* it has been idle */
        o->live = segue_service_find_id(service, o->learner_id);
        task = o->live ? segue_live_by_id(o->live, o->task_id) : NULL;
        o->answered = !task || task->staged_closed;
        return o->answered ? SEGUE_OK : close_task(service, o, task, err);
    }
    if (!find_learner(service, o))
        return SEGUE_OK;
    const segue_status status = find_open(service, o, &task, &found, err);
    if (status != SEGUE_OK || task)
        return status == SEGUE_OK ? close_task(service, o, task, err) : status;
    o->answered = true;
    if (!found)
        REFUSE(o, 404, "the learner has no task '%.80s'", o->call.task);
    else if (!o->again)
        segue_answer_row(o->live, &o->row, o->call.task, 200, o->reply);
    return SEGUE_OK;
}

/* ---- rewards ----------------------------------------------------------------------------- */

/* It can no longer count; or it was told before. */
static segue_status tell_too_late(segue_service *service, op *o, bool closed, segue_error *err)
{
    segue_stored_reward there;
    bool found = false;
    const segue_status status = segue_store_find_reward(service->store, o->decision.task,
                                                        o->decision.number, &there, &found, err);
    if (status != SEGUE_OK || o->fallback) {
        o->answered = true;
        return status;
    }
    const double x = o->call.reward;
    if (found && !there.by_default && !(there.value < x || there.value > x)) /* a duplicate */
        return closed ? segue_store_task_key(service->store, o->decision.task, o->key, err)
                      : SEGUE_OK;
    if (found && !there.by_default)
        REFUSE(o, 409, "the decision has the reward %.17g already, and %.17g was told", there.value,
               x);
    else if (closed && !found)
        REFUSE(o, 410, "the task is closed, and the reward does not count any more");
    else
        REFUSE(o, 410, "the wait of %g s is over, and %s", o->live->words.wait,
               found ? "the default was counted" : "the reward does not count any more");
    return SEGUE_OK;
}

static bool find_told(segue_service *service, op *o)
{
    const double x = o->call.reward;
    o->live = segue_service_find_id(service, o->decision.learner);
    if (!o->live) {
        REFUSE(o, 404, "the learner of the decision was deleted");
        return false;
    }
    const words *w = &o->live->words;
    if (x >= w->lowest && x <= w->highest)
        return true;
    REFUSE(o, 400, "the reward is %g; need a number from %g to %g", x, w->lowest, w->highest);
    return false;
}

static segue_status add_reward(segue_service *service, op *o, live_task *task, double now,
                               segue_error *err)
{
    segue_reward_fate fate = SEGUE_REWARD_NEW;
    const segue_stored_reward reward = {.task = task->id,
                                        .number = o->decision.number,
                                        .place = task->staged_rewards,
                                        .arm = o->decision.arm,
                                        .value = o->call.reward,
                                        .told = now,
                                        .by_default = o->fallback};
    o->task = task;
    segue_status status = segue_store_add_reward(service->store, &reward, &fate, err);
    if (status != SEGUE_OK)
        return status;
    if (fate != SEGUE_REWARD_NEW)
        return tell_too_late(service, o, false, err);
    o->is_new = true;
    task->staged_rewards++;
    task->staged_total += reward.value;
    const uint64_t most = o->live->words.close_after;
    return most > 0 && task->staged_rewards >= most ? close_task(service, o, task, err) : SEGUE_OK;
}

static segue_status stage_tell(segue_service *service, op *o, segue_error *err)
{
    const double now = segue_service_now(service);
    if (!find_told(service, o))
        return SEGUE_OK;
    live_task *task = segue_live_by_id(o->live, o->decision.task);
    if (!task || task->staged_closed)
        return tell_too_late(service, o, true, err);
    const double wait = o->live->words.wait;
    if (wait > 0.0 && now - o->decision.asked > wait && !o->fallback)
        return tell_too_late(service, o, false, err);
    return add_reward(service, o, task, now, err);
}

/* ---- asks that must be stored ------------------------------------------------------------ */

/* A decision of the event that was given before. */
static segue_status on_decision(void *context, const segue_stored_decision *row, segue_error *err)
{
    op *o = context;
    asked *a = &o->asked;
    live_choice *more = realloc(a->choice, (a->n + 1) * sizeof *more);
    if (!more)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for decisions");
    a->choice = more;
    a->choice[a->n++] =
        (live_choice){.decision = {.learner = o->live->id,
                                   .task = row->task,
                                   .number = row->number,
                                   .arm = row->arm,
                                   .version = row->version,
                                   .asked = row->asked},
                      .arm = o->live->arm[row->arm]->name,
                      .probability = row->probability > 0.0 ? row->probability : NAN,
                      .exact = row->exact};
    a->version = row->version;
    return SEGUE_OK;
}

/* What the event was answered with before, if it was. */
static segue_status find_event(segue_service *service, op *o, int64_t task, bool control,
                               segue_error *err)
{
    const segue_status status =
        segue_store_decisions(service->store, task, o->call.event, on_decision, o, err);
    const size_t wanted = o->call.count ? (size_t)o->call.count : 1;
    o->asked.control = control;
    if (status == SEGUE_OK && o->asked.n > 0 && o->asked.n != wanted)
        REFUSE(o, 409, "the event was given %zu decisions before, and now asks for %zu", o->asked.n,
               wanted);
    return status;
}

static segue_status store_choices(segue_service *service, op *o, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < o->asked.n && status == SEGUE_OK; i++) {
        const decision *d = &o->asked.choice[i].decision;
        const segue_stored_decision row = {.task = d->task,
                                           .number = d->number,
                                           .version = d->version,
                                           .arm = d->arm,
                                           .event = o->call.event,
                                           .asked = d->asked,
                                           .probability = o->asked.choice[i].probability,
                                           .exact = o->asked.choice[i].exact};
        status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

static segue_status choose_for_event(segue_service *service, op *o, live_task *task,
                                     segue_error *err)
{
    segue_status status = find_event(service, o, task->id, task->control, err);
    if (status != SEGUE_OK || o->answered)
        return status;
    (void)pthread_mutex_lock(&o->live->lock);
    if (o->asked.n > 0) { /* what it is taken for by now */
        if (o->call.explain)
            segue_answer_explanation(o->live, task, segue_live_allowed(o->live), &o->asked.why);
        (void)pthread_mutex_unlock(&o->live->lock);
        return SEGUE_OK;
    }
    o->answered = !segue_choose(service, o->live, task, &o->call, &o->asked, o->reply);
    (void)pthread_mutex_unlock(&o->live->lock);
    o->is_new = !o->answered;
    return o->answered ? SEGUE_OK : store_choices(service, o, err);
}

static segue_status ask_closed(segue_service *service, op *o, segue_error *err)
{
    segue_status status = SEGUE_OK;
    if (o->call.event[0])
        status = find_event(service, o, o->row.id, o->row.control, err);
    if (status != SEGUE_OK || o->answered || o->asked.n > 0)
        return status;
    if (o->told.size > 0 && o->decision.task == o->row.id) { /* by that reward, or before */
        o->answered = true;
        segue_answer_ended(o);
    } else {
        REFUSE(o, 409, "the task '%.80s' is closed", o->call.task);
    }
    return SEGUE_OK;
}

static segue_status stage_ask(segue_service *service, op *o, segue_error *err)
{
    live_task *task = NULL;
    bool found = false;
    if (!find_learner(service, o))
        return SEGUE_OK;
    segue_status status = find_open(service, o, &task, &found, err);
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
    o->answered = !segue_may_choose(o->live, &o->call, o->reply);
    if (o->answered)
        return SEGUE_OK;
    status = stage_task(service, o, err);
    o->again = o->is_new;
    return status;
}

/* ---- of the service's own ---------------------------------------------------------------- */

static bool find_own(segue_service *service, op *o)
{
    o->live = segue_service_find_id(service, o->learner_id);
    o->answered = !o->live;
    return o->live != NULL;
}

/* Up to so many decisions that wait and are not on the disk; the lock is not held meanwhile. */
#define KEEP_MOST 128

static segue_status stage_keep(segue_service *service, op *o, segue_error *err)
{
    waiting kept[KEEP_MOST] = {{0}};
    segue_status status = SEGUE_OK;
    if (!find_own(service, o))
        return SEGUE_OK;
    (void)pthread_mutex_lock(&o->live->lock);
    const waiting_line *line = &o->live->line;
    for (; line->saved + o->n_kept < line->count && o->n_kept < KEEP_MOST; o->n_kept++)
        kept[o->n_kept] = *segue_live_waits(o->live, line->saved + o->n_kept);
    (void)pthread_mutex_unlock(&o->live->lock);
    for (size_t i = 0; i < o->n_kept && status == SEGUE_OK; i++) {
        const segue_stored_decision row = {.task = kept[i].task,
                                           .number = kept[i].number,
                                           .version = kept[i].version,
                                           .arm = kept[i].arm,
                                           .asked = kept[i].asked};
        if (segue_live_by_id(o->live, row.task))
            status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

static segue_status stage_refit(segue_service *service, op *o, segue_event_kind kind,
                                segue_error *err)
{
    o->live->refit_staged = true;
    return add_event(service, o, kind, 0, err);
}

static segue_status stage_begin(segue_service *service, op *o, segue_error *err)
{
    if (!find_own(service, o))
        return SEGUE_OK;
    o->live->refit_due = false;
    o->answered =
        o->live->refit_staged || o->live->refit || !segue_learner_refit_due(o->live->learner);
    return o->answered ? SEGUE_OK : stage_refit(service, o, SEGUE_EVENT_REFIT_BEGIN, err);
}

static segue_status stage_publish(segue_service *service, op *o, segue_error *err)
{
    if (!find_own(service, o))
        return SEGUE_OK;
    o->answered = o->live->refit_staged || !o->live->refit || !atomic_load(&o->live->refit_run);
    return o->answered ? SEGUE_OK : stage_refit(service, o, SEGUE_EVENT_REFIT_PUBLISH, err);
}

static segue_status stage_snapshot(segue_service *service, op *o, segue_error *err)
{
    if (!find_own(service, o))
        return SEGUE_OK;
    live_learner *live = o->live;
    live->snapshot_due = false;
    o->answered = live->refit || live->seq == 0 || live->debt == 0;
    if (o->answered)
        return SEGUE_OK; /* while a fit is under way its beginning would be lost */
    bytes b = {.data = NULL};
    (void)pthread_mutex_lock(&live->lock);
    segue_snapshot_put(live->learner, &live->record, &live->versions, &b);
    (void)pthread_mutex_unlock(&live->lock);
    const segue_status status =
        b.failed
            ? segue_fail(err, SEGUE_ENOMEM, "out of memory for a snapshot")
            : segue_store_add_snapshot(service->store, live->id, live->seq, b.data, b.size, err);
    segue_bytes_fini(&b);
    return status;
}

static segue_status stage_purge(segue_service *service, op *o, segue_error *err)
{
    return segue_store_purge(service->store, &o->is_new, err);
}

static segue_status stage_probe(segue_service *service, op *o, segue_error *err)
{
    (void)o;
    return segue_store_probe(service->store, segue_service_now(service), err);
}

segue_status segue_stage(segue_service *service, op *o, segue_error *err)
{
    static segue_status (*const stages[])(segue_service *, op *, segue_error *) = {
        [OP_CREATE] = stage_create,     [OP_DELETE] = stage_delete,
        [OP_ADD_ARM] = stage_add_arm,   [OP_RETIRE_ARM] = stage_retire_arm,
        [OP_OPEN] = stage_open,         [OP_CLOSE] = stage_close,
        [OP_TELL] = stage_tell,         [OP_ASK] = stage_ask,
        [OP_KEEP] = stage_keep,         [OP_FALL_BACK] = stage_tell,
        [OP_BEGIN] = stage_begin,       [OP_PUBLISH] = stage_publish,
        [OP_SNAPSHOT] = stage_snapshot, [OP_PURGE] = stage_purge,
        [OP_PROBE] = stage_probe};
    return stages[o->kind](service, o, err);
}

void segue_undo(op *o)
{
    if ((o->kind == OP_BEGIN || o->kind == OP_PUBLISH) && o->live)
        o->live->refit_staged = false;
    if (o->task) {
        o->task->staged_rewards = o->task->rewards;
        o->task->staged_total = o->task->total;
        o->task->staged_closed = false;
    }
    if (o->kind == OP_FALL_BACK && o->live) { /* it waits on */
        const waiting w = {.task = o->decision.task,
                           .number = o->decision.number,
                           .version = o->decision.version,
                           .arm = o->decision.arm,
                           .asked = o->decision.asked};
        (void)pthread_mutex_lock(&o->live->lock);
        const segue_status status = segue_live_wait(o->live, &w, false, NULL);
        (void)pthread_mutex_unlock(&o->live->lock);
        (void)status; /* without memory its default is not counted */
    }
}
