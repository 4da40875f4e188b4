/* stage_task.c - tasks and rewards, as far as the store goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/engine/damage.h"
#include "service/engine/stage.h"
#include "service/state/keyed_hash.h"

#define TRIES_MOST 8 /* groups that an operation waits for a task to be opened; one is enough */

/* ---- tasks ------------------------------------------------------------------------------- */

/* A key for a task that was given none. */
static void make_up_key(segue_service *service, char out[SEGUE_MAX_NAME_SIZE + 1])
{
    (void)snprintf(out, SEGUE_MAX_NAME_SIZE + 1, "t-%016" PRIx64,
                   segue_service_random_bits(service));
}

/* A tag for a new task: 1 to 2^63 - 1. */
static uint64_t draw_tag(segue_service *service)
{
    const uint64_t draw = segue_service_random_bits(service) >> 1;
    return draw ? draw : 1;
}

/* Whether a new task is one that ts plays: chance, but the same each time for the same key. */
static bool is_control(const segue_service *service, const learner_state *live, const char *key)
{
    char text[8 + SEGUE_MAX_NAME_SIZE + 1];
    const size_t size = strlen(key);
    memcpy(text, &live->id, 8);
    memcpy(text + 8, key, size + 1);
    const uint64_t sum = segue_keyed_hash(service->key, text, 8 + size);
    return (double)(int64_t)(sum >> 11) * 0x1p-53 < live->words.control;
}

/* Take the memory that it needs, before it is stored; false: there is none, and it is refused. */
static bool make_task(segue_service *service, op *o)
{
    learner_state *live = o->live;
    segue_error why;
    (void)pthread_mutex_lock(&live->lock);
    o->row = (segue_stored_task){.learner = live->id,
                                 .key = o->call.task,
                                 .control = is_control(service, live, o->call.task),
                                 .open = true,
                                 .version = segue_learner_version(live->learner),
                                 .n_arms = live->n_arms,
                                 .tag = draw_tag(service),
                                 .opened = segue_service_now(service)};
    const segue_status status =
        segue_learner_state_prepare_task(live, &o->row, o->call.task, &o->opened, &why);
    segue_service_count_memory(service, live);
    (void)pthread_mutex_unlock(&live->lock);
    service->memory.is_tight = status != SEGUE_OK;
    if (status != SEGUE_OK)
        REFUSE(o, 503, "%s; close tasks, or allow the process more", why.message);
    else if (segue_service_has_memory(service, o->reply))
        return true;
    segue_stage_undo_open(service, o);
    return false;
}

void segue_stage_undo_open(segue_service *service, op *o)
{
    if (!o->opened)
        return;
    (void)pthread_mutex_lock(&o->live->lock);
    segue_learner_state_discard_task(o->live, o->opened);
    segue_service_count_memory(service, o->live);
    (void)pthread_mutex_unlock(&o->live->lock);
    o->opened = NULL;
}

segue_status segue_stage_task(segue_service *service, op *o, segue_error *err)
{
    learner_state *live = o->live;
    bool found = false;
    if (o->call.task[0] == '\0')
        make_up_key(service, o->call.task);
    segue_status status =
        segue_store_find_task(service->store, live->id, o->call.task, &o->row, &found, err);
    if (status != SEGUE_OK || found)
        return status;
    const unsigned long long open = atomic_load(&service->open_tasks) + service->staged_open;
    if (open >= service->config.open_most) {
        REFUSE(o, 429, "%llu tasks are open, and %" PRIu64 " are allowed; close some", open,
               service->config.open_most);
        return SEGUE_OK;
    }
    segue_error why;
    if (segue_learner_settings_check_name("task", o->call.task, &why) != SEGUE_OK) {
        REFUSE(o, 400, "%s", why.message);
        return SEGUE_OK;
    }
    if (service->memory.is_tight)
        (void)segue_memory_restore_spare(&service->memory); /* it is not for new tasks */
    if (!segue_service_has_memory(service, o->reply) || !make_task(service, o)) {
        o->answered = true;
        return SEGUE_OK;
    }
    o->is_new = true;
    service->staged_open++;
    return segue_store_add_task(service->store, &o->row, err);
}

segue_status segue_stage_open(segue_service *service, op *o, segue_error *err)
{
    return segue_stage_find(service, o) ? segue_stage_task(service, o, err) : SEGUE_OK;
}

void segue_stage_closed(learner_state *live, task_state *task, bool closed)
{
    (void)pthread_mutex_lock(&live->lock);
    task->staged_closed = closed;
    (void)pthread_mutex_unlock(&live->lock);
}

/* Close a task, and remember that until it is applied. */
static segue_status close_task(segue_service *service, op *o, task_state *task, segue_error *err)
{
    o->row = (segue_stored_task){.id = task->id,
                                 .learner = o->live->id,
                                 .closed = segue_service_now(service),
                                 .rewards = task->staged_rewards,
                                 .total = task->staged_total};
    const segue_status status = segue_stage_event(service, o, SEGUE_EVENT_CLOSE, task->id, err);
    o->task = task;
    o->closes = true;
    segue_stage_closed(o->live, task, true);
    return status == SEGUE_OK ? segue_store_close_task(service->store, &o->row, o->seq, err)
                              : status;
}

segue_status segue_stage_find_open(segue_service *service, op *o, task_state **task, bool *found,
                                   segue_error *err)
{
    *task = segue_learner_state_task_by_key(o->live, o->call.task);
    *found = true;
    if (*task && !(*task)->staged_closed)
        return SEGUE_OK;
    *task = NULL;
    const segue_status status =
        segue_store_find_task(service->store, o->live->id, o->call.task, &o->row, found, err);
    o->again = status == SEGUE_OK && *found && o->row.open; /* opened by this transaction */
    if (o->again && ++o->tries > TRIES_MOST)
        return segue_store_fail_damaged(err,
                                        "table task, id %" PRId64 ": it is open, and the start did "
                                        "not find it",
                                        o->row.id);
    return status;
}

/* A task that was idle when that was wished; by now it may have been asked.  Defaults that are due
 * are counted first. */
static segue_status close_idle(segue_service *service, op *o, segue_error *err)
{
    o->live = segue_service_find_id(service, o->learner_id);
    task_state *task = o->live ? segue_learner_state_task_by_id(o->live, o->task_id) : NULL;
    bool idle = false;
    if (task) {
        (void)pthread_mutex_lock(&o->live->lock);
        const double now = segue_service_time(service);
        idle = !task->staged_closed && now - task->active > o->live->words.idle &&
               !segue_timer_defaults_due(o->live, now);
        task->staged_closed = task->staged_closed || idle; /* no ask is answered from now on */
        (void)pthread_mutex_unlock(&o->live->lock);
    }
    o->answered = !idle;
    return o->answered ? SEGUE_OK : close_task(service, o, task, err);
}

segue_status segue_stage_close(segue_service *service, op *o, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (o->task_id)
        return close_idle(service, o, err);
    if (!segue_stage_find(service, o))
        return SEGUE_OK;
    const segue_status status = segue_stage_find_open(service, o, &task, &found, err);
    if (status != SEGUE_OK || task)
        return status == SEGUE_OK ? close_task(service, o, task, err) : status;
    o->answered = true;
    if (!found)
        REFUSE(o, 404, "the learner has no task '%.80s'", o->call.task);
    else if (!o->again)
        segue_response_stored_task(o->live, &o->row, o->call.task, 200, o->reply);
    return SEGUE_OK;
}

/* ---- rewards ----------------------------------------------------------------------------- */

/* It can no longer count; or it was told before. */
static segue_status tell_uncounted(segue_service *service, op *o, bool closed, segue_error *err)
{
    segue_stored_reward there;
    bool found = false;
    const segue_status status = segue_store_find_reward(service->store, o->decision.task,
                                                        o->decision.number, &there, &found, err);
    if (status != SEGUE_OK || o->kind == OP_DEFAULT_REWARD) {
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

/* The learner of a decision is set apart, was deleted, or was created after the backup that the
 * store was restored from: then this history of the store never gave its id. */
static segue_status refuse_unserved(segue_service *service, op *o, segue_error *err)
{
    char why[SEGUE_ERROR_SIZE];
    int64_t id = o->decision.learner, last = 0;
    if (segue_damage_find(service, NULL, &id, why)) {
        REFUSE(o, 500, "the learner of the decision is damaged and is not served: %s", why);
        return SEGUE_OK;
    }
    const segue_status status = segue_store_last_learner(service->store, &last, err);
    if (status == SEGUE_OK && id > last)
        REFUSE(o, 410,
               "the decision's learner is not in the store, which was restored from a backup since "
               "then");
    else if (status == SEGUE_OK)
        REFUSE(o, 404, "the learner of the decision was deleted");
    return status;
}

/* A decision that was asked before its task was opened is of another task.  Only where the task has
 * no tag: a clock may be set back. */
static bool is_too_old(const decision *d, double opened)
{
    return d->tag == 0 && d->asked + 0.001 <= opened; /* ids have milliseconds, rounded down */
}

/* Check that the decision is of the task that has its id: it may have been given in a history that
 * was lost when the store was restored.  `task`: if it is open. */
static segue_status check_identity(segue_service *service, op *o, const task_state *task,
                                   segue_error *err)
{
    const decision *d = &o->decision;
    segue_stored_task row = {.tag = 0};
    bool found = true;
    segue_status status = SEGUE_OK;
    if (task)
        row = (segue_stored_task){.learner = o->live->id, .tag = task->tag, .opened = task->opened};
    else
        status = segue_store_read_task(service->store, d->task, &row, &found, err);
    if (status == SEGUE_OK &&
        (!found || row.learner != d->learner || row.tag != d->tag || is_too_old(d, row.opened)))
        REFUSE(o, 410,
               "the decision's task is not in the store, which was restored from a backup since "
               "then; ask again");
    return status;
}

/* Find the learner and the open task of a decision; NULL in *task: it is closed. */
static segue_status find_told(segue_service *service, op *o, task_state **task, segue_error *err)
{
    *task = NULL;
    o->live = segue_service_find_id(service, o->decision.learner);
    if (!o->live)
        return refuse_unserved(service, o, err);
    *task = segue_learner_state_task_by_id(o->live, o->decision.task);
    return o->kind == OP_DEFAULT_REWARD ? SEGUE_OK : check_identity(service, o, *task, err);
}

static bool is_in_range(op *o)
{
    const double x = o->call.reward;
    const words *w = &o->live->words;
    if (x >= w->lowest && x <= w->highest)
        return true;
    REFUSE(o, 400, "the reward is %g; need a number from %g to %g", x, w->lowest, w->highest);
    return false;
}

static segue_status add_reward(segue_service *service, op *o, task_state *task, segue_error *err)
{
    const segue_stored_reward reward = {.task = task->id,
                                        .number = o->decision.number,
                                        .place = task->staged_rewards,
                                        .arm = o->decision.arm,
                                        .value = o->call.reward,
                                        .told = segue_service_now(service),
                                        .by_default = o->kind == OP_DEFAULT_REWARD};
    o->task = task;
    segue_status status = segue_store_add_reward(service->store, &reward, &o->is_new, err);
    if (status != SEGUE_OK)
        return status;
    if (!o->is_new)
        return tell_uncounted(service, o, false, err);
    task->staged_rewards++;
    task->staged_total += reward.value;
    const uint64_t most = o->live->words.close_after;
    return most > 0 && task->staged_rewards >= most ? close_task(service, o, task, err) : SEGUE_OK;
}

segue_status segue_stage_tell(segue_service *service, op *o, segue_error *err)
{
    task_state *task = NULL;
    const segue_status status = find_told(service, o, &task, err);
    if (status != SEGUE_OK || o->answered || !is_in_range(o))
        return status;
    if (!task || task->staged_closed)
        return tell_uncounted(service, o, true, err);
    if (o->decision.arm >= task->n_arms) {
        REFUSE(o, 400, "the decision is of an arm that the task has not got");
        return SEGUE_OK;
    }
    const double wait = o->live->words.wait;
    const double passed = segue_service_time(service) - o->decision.asked; /* < 0: as asked now */
    if (wait > 0.0 && passed > wait && o->kind != OP_DEFAULT_REWARD)
        return tell_uncounted(service, o, false, err);
    return add_reward(service, o, task, err);
}
