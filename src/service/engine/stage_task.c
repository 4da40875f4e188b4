/* stage_task.c - tasks and rewards, as far as the store goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/api/response.h"
#include "service/engine/damage.h"
#include "service/engine/stage.h"
#include "service/jobs/timer.h"
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
static bool is_control(const segue_service *service, const learner_state *state, const char *key)
{
    char text[8 + SEGUE_MAX_NAME_SIZE + 1];
    const size_t size = strlen(key);
    memcpy(text, &state->id, 8);
    memcpy(text + 8, key, size + 1);
    const uint64_t sum = segue_keyed_hash(service->key, text, 8 + size);
    return (double)(int64_t)(sum >> 11) * 0x1p-53 < state->settings.control;
}

/* Take the memory that it needs, before it is stored; false: there is none, and it is refused. */
static bool make_task(segue_service *service, operation *op)
{
    learner_state *state = op->state;
    segue_error why;
    (void)pthread_mutex_lock(&state->lock);
    op->row = (segue_stored_task){.learner = state->id,
                                  .key = op->request.task,
                                  .control = is_control(service, state, op->request.task),
                                  .open = true,
                                  .version = segue_learner_version(state->learner),
                                  .n_arms = state->n_arms,
                                  .tag = draw_tag(service),
                                  .opened = segue_service_now(service)};
    const segue_status status =
        segue_learner_state_prepare_task(state, &op->row, op->request.task, &op->opened, &why);
    segue_service_count_memory(service, state);
    (void)pthread_mutex_unlock(&state->lock);
    service->memory.is_tight = status != SEGUE_OK;
    if (status != SEGUE_OK)
        REFUSE(op, 503, "%s; close tasks, or allow the process more", why.message);
    else if (segue_service_has_memory(service, op->response))
        return true;
    segue_stage_undo_open(service, op);
    return false;
}

void segue_stage_undo_open(segue_service *service, operation *op)
{
    if (!op->opened)
        return;
    (void)pthread_mutex_lock(&op->state->lock);
    segue_learner_state_discard_task(op->state, op->opened);
    segue_service_count_memory(service, op->state);
    (void)pthread_mutex_unlock(&op->state->lock);
    op->opened = NULL;
}

segue_status segue_stage_task(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    bool found = false;
    if (op->request.task[0] == '\0')
        make_up_key(service, op->request.task);
    segue_status status =
        segue_store_find_task(service->store, state->id, op->request.task, &op->row, &found, err);
    if (status != SEGUE_OK || found)
        return status;
    const unsigned long long open = atomic_load(&service->open_tasks) + service->staged_open;
    if (open >= service->config.open_most) {
        REFUSE(op, 429, "%llu tasks are open, and %" PRIu64 " are allowed; close some", open,
               service->config.open_most);
        return SEGUE_OK;
    }
    segue_error why;
    if (segue_name_check("task", op->request.task, &why) != SEGUE_OK) {
        REFUSE(op, 400, "%s", why.message);
        return SEGUE_OK;
    }
    if (service->memory.is_tight)
        (void)segue_memory_restore_spare(&service->memory); /* it is not for new tasks */
    if (!segue_service_has_memory(service, op->response) || !make_task(service, op)) {
        op->answered = true;
        return SEGUE_OK;
    }
    op->is_new = true;
    service->staged_open++;
    return segue_store_add_task(service->store, &op->row, err);
}

segue_status segue_stage_open(segue_service *service, operation *op, segue_error *err)
{
    return segue_stage_find(service, op) ? segue_stage_task(service, op, err) : SEGUE_OK;
}

void segue_stage_closed(learner_state *state, task_state *task, bool closed)
{
    (void)pthread_mutex_lock(&state->lock);
    task->staged_closed = closed;
    (void)pthread_mutex_unlock(&state->lock);
}

/* Close a task, and remember that until it is applied. */
static segue_status close_task(segue_service *service, operation *op, task_state *task,
                               segue_error *err)
{
    op->row = (segue_stored_task){.id = task->id,
                                  .learner = op->state->id,
                                  .closed = segue_service_now(service),
                                  .rewards = task->staged_rewards,
                                  .total = task->staged_total};
    const segue_status status = segue_stage_event(service, op, SEGUE_EVENT_CLOSE, task->id, err);
    op->task = task;
    op->closes = true;
    segue_stage_closed(op->state, task, true);
    return status == SEGUE_OK ? segue_store_close_task(service->store, &op->row, op->seq, err)
                              : status;
}

segue_status segue_stage_find_open(segue_service *service, operation *op, task_state **task,
                                   bool *found, segue_error *err)
{
    *task = segue_learner_state_task_by_key(op->state, op->request.task);
    *found = true;
    if (*task && !(*task)->staged_closed)
        return SEGUE_OK;
    *task = NULL;
    const segue_status status = segue_store_find_task(service->store, op->state->id,
                                                      op->request.task, &op->row, found, err);
    op->again = status == SEGUE_OK && *found && op->row.open; /* opened by this transaction */
    if (op->again && ++op->tries > TRIES_MOST)
        return segue_store_fail_damaged(err,
                                        "table task, id %" PRId64 ": it is open, and the start did "
                                        "not find it",
                                        op->row.id);
    return status;
}

/* A task that was idle when that was wished; by now it may have been asked.  Defaults that are due
 * are counted first. */
static segue_status close_idle(segue_service *service, operation *op, segue_error *err)
{
    op->state = segue_service_find_id(service, op->learner_id);
    task_state *task = op->state ? segue_learner_state_task_by_id(op->state, op->task_id) : NULL;
    bool idle = false;
    if (task) {
        (void)pthread_mutex_lock(&op->state->lock);
        const double now = segue_service_time(service);
        idle = !task->staged_closed && now - task->active > op->state->settings.idle &&
               !segue_timer_defaults_due(op->state, now);
        task->staged_closed = task->staged_closed || idle; /* no ask is answered from now on */
        (void)pthread_mutex_unlock(&op->state->lock);
    }
    op->answered = !idle;
    return op->answered ? SEGUE_OK : close_task(service, op, task, err);
}

segue_status segue_stage_close(segue_service *service, operation *op, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (op->task_id)
        return close_idle(service, op, err);
    if (!segue_stage_find(service, op))
        return SEGUE_OK;
    const segue_status status = segue_stage_find_open(service, op, &task, &found, err);
    if (status != SEGUE_OK || task)
        return status == SEGUE_OK ? close_task(service, op, task, err) : status;
    op->answered = true;
    if (!found)
        REFUSE(op, 404, "the learner has no task '%.80s'", op->request.task);
    else if (!op->again)
        segue_response_stored_task(op->state, &op->row, op->request.task, 200, op->response);
    return SEGUE_OK;
}

/* ---- rewards ----------------------------------------------------------------------------- */

/* It can no longer count; or it was told before. */
static segue_status tell_uncounted(segue_service *service, operation *op, bool closed,
                                   segue_error *err)
{
    segue_stored_reward there;
    bool found = false;
    const segue_status status = segue_store_find_reward(service->store, op->decision.task,
                                                        op->decision.number, &there, &found, err);
    if (status != SEGUE_OK || op->kind == OP_DEFAULT_REWARD) {
        op->answered = true;
        return status;
    }
    const double x = op->request.reward;
    if (found && !there.by_default && !(there.value < x || there.value > x)) /* a duplicate */
        return closed ? segue_store_task_key(service->store, op->decision.task, op->key, err)
                      : SEGUE_OK;
    if (found && !there.by_default)
        REFUSE(op, 409, "the decision has the reward %.17g already, and %.17g was told",
               there.value, x);
    else if (closed && !found)
        REFUSE(op, 410, "the task is closed, and the reward does not count any more");
    else
        REFUSE(op, 410, "the wait of %g s is over, and %s", op->state->settings.reward_deadline,
               found ? "the default was counted" : "the reward does not count any more");
    return SEGUE_OK;
}

/* The learner of a decision is set apart, was deleted, or was created after the backup that the
 * store was restored from: then this history of the store never gave its id. */
static segue_status refuse_unserved(segue_service *service, operation *op, segue_error *err)
{
    char why[SEGUE_ERROR_SIZE];
    int64_t id = op->decision.learner, last = 0;
    if (segue_damage_find(service, NULL, &id, why)) {
        REFUSE(op, 500, "the learner of the decision is damaged and is not served: %s", why);
        return SEGUE_OK;
    }
    const segue_status status = segue_store_last_learner(service->store, &last, err);
    if (status == SEGUE_OK && id > last)
        REFUSE(op, 410,
               "the decision's learner is not in the store, which was restored from a backup since "
               "then");
    else if (status == SEGUE_OK)
        REFUSE(op, 404, "the learner of the decision was deleted");
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
static segue_status check_identity(segue_service *service, operation *op, const task_state *task,
                                   segue_error *err)
{
    const decision *d = &op->decision;
    segue_stored_task row = {.tag = 0};
    bool found = true;
    segue_status status = SEGUE_OK;
    if (task)
        row =
            (segue_stored_task){.learner = op->state->id, .tag = task->tag, .opened = task->opened};
    else
        status = segue_store_read_task(service->store, d->task, &row, &found, err);
    if (status == SEGUE_OK &&
        (!found || row.learner != d->learner || row.tag != d->tag || is_too_old(d, row.opened)))
        REFUSE(op, 410,
               "the decision's task is not in the store, which was restored from a backup since "
               "then; ask again");
    return status;
}

/* Find the learner and the open task of a decision; NULL in *task: it is closed. */
static segue_status find_told(segue_service *service, operation *op, task_state **task,
                              segue_error *err)
{
    *task = NULL;
    op->state = segue_service_find_id(service, op->decision.learner);
    if (!op->state)
        return refuse_unserved(service, op, err);
    *task = segue_learner_state_task_by_id(op->state, op->decision.task);
    return op->kind == OP_DEFAULT_REWARD ? SEGUE_OK : check_identity(service, op, *task, err);
}

static bool is_in_range(operation *op)
{
    const double x = op->request.reward;
    const learner_settings *w = &op->state->settings;
    if (x >= w->lowest && x <= w->highest)
        return true;
    REFUSE(op, 400, "the reward is %g; need a number from %g to %g", x, w->lowest, w->highest);
    return false;
}

static segue_status add_reward(segue_service *service, operation *op, task_state *task,
                               segue_error *err)
{
    const segue_stored_reward reward = {.task = task->id,
                                        .number = op->decision.number,
                                        .place = task->staged_rewards,
                                        .arm = op->decision.arm,
                                        .value = op->request.reward,
                                        .told = segue_service_now(service),
                                        .by_default = op->kind == OP_DEFAULT_REWARD};
    op->task = task;
    segue_status status = segue_store_add_reward(service->store, &reward, &op->is_new, err);
    if (status != SEGUE_OK)
        return status;
    if (!op->is_new)
        return tell_uncounted(service, op, false, err);
    task->staged_rewards++;
    task->staged_total += reward.value;
    const uint64_t most = op->state->settings.close_after;
    return most > 0 && task->staged_rewards >= most ? close_task(service, op, task, err) : SEGUE_OK;
}

segue_status segue_stage_tell(segue_service *service, operation *op, segue_error *err)
{
    task_state *task = NULL;
    const segue_status status = find_told(service, op, &task, err);
    if (status != SEGUE_OK || op->answered || !is_in_range(op))
        return status;
    if (!task || task->staged_closed)
        return tell_uncounted(service, op, true, err);
    if (op->decision.arm >= task->n_arms) {
        REFUSE(op, 400, "the decision is of an arm that the task has not got");
        return SEGUE_OK;
    }
    const double wait = op->state->settings.reward_deadline;
    const double passed = segue_service_time(service) - op->decision.asked; /* < 0: as asked now */
    if (wait > 0.0 && passed > wait && op->kind != OP_DEFAULT_REWARD)
        return tell_uncounted(service, op, false, err);
    return add_reward(service, op, task, err);
}
