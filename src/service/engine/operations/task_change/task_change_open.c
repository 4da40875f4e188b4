/* task_change_open.c - open a task.
 *
 * All memory that the task needs is allocated before the task is stored: after COMMIT opening it
 * cannot fail.  Without memory the request is rejected, and nothing is stored.
 *
 * Between `store` and `apply` the task belongs to the operation (op->opened): no other thread sees
 * it, and another operation of the group that needs it is requeued.  After ROLLBACK it is
 * freed.  A keyed hash of the task's key selects the control group, so that repeating a lost
 * request gives the same group.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/state/keyed_hash.h"

#define MAX_TRIES 8 /* transactions that wait for a task to be in memory; one is enough */

static void draw_key(segue_service *service, char out[SEGUE_MAX_NAME_SIZE + 1])
{
    (void)snprintf(out, SEGUE_MAX_NAME_SIZE + 1, "t-%016" PRIx64,
                   segue_service_random_bits(service));
}

/* A random tag of a new task: 1 to 2^63 - 1. */
static uint64_t draw_tag(segue_service *service)
{
    const uint64_t draw = segue_service_random_bits(service) >> 1;
    return draw ? draw : 1;
}

/* Assign a new task to the control group, at random, but always the same for the same key. */
static bool is_control(const segue_service *service, const learner_state *state, const char *key,
                       double share)
{
    char text[8 + SEGUE_MAX_NAME_SIZE + 1];
    const size_t size = strlen(key);
    memcpy(text, &state->id, 8);
    memcpy(text + 8, key, size + 1);
    const uint64_t sum = segue_keyed_hash(service->key, text, 8 + size);
    return (double)(int64_t)(sum >> 11) * 0x1p-53 < share;
}

/* Allocate op->opened; false: out of memory, and the request is rejected. */
static bool allocate(segue_service *service, operation *op)
{
    learner_state *state = op->state;
    segue_error why;
    (void)pthread_mutex_lock(&state->lock);
    const task_terms *terms = segue_learner_settings_terms(&state->settings);
    const double share = /* in shadow mode the caller chooses: nothing is compared with ts */
        terms->shadow ? 0.0
                      : segue_effect_state_share(
                            &state->effect, segue_learner_settings_range(&state->settings), terms);
    op->row = (segue_stored_task){.learner = state->id,
                                  .key = op->request.task,
                                  .control = is_control(service, state, op->request.task, share),
                                  .control_share = share,
                                  .open = true,
                                  .version = segue_learner_version(state->learner),
                                  .n_arms = state->n_arms,
                                  .tag = draw_tag(service),
                                  .opened = segue_service_wall_time(service),
                                  .features = op->request.features};
    const segue_status status =
        segue_learner_state_prepare_task(state, &op->row, op->request.task, &op->opened, &why);
    segue_service_count_memory(service, state);
    (void)pthread_mutex_unlock(&state->lock);
    service->memory.is_tight = status != SEGUE_OK;
    if (status != SEGUE_OK)
        segue_operation_reject(op, 503, "%s; close tasks or raise --max-memory", why.message);
    else if (segue_service_has_memory(service, op->response))
        return true;
    segue_task_change_discard_opened(service, op);
    return false;
}

/* A new task must have a valid key, and the service must have capacity for it. */
static bool may_open(segue_service *service, operation *op)
{
    const unsigned long long open = atomic_load(&service->open_tasks) + service->staged_open;
    segue_error why;
    if (segue_decide_is_paused(op->state, op->response))
        return false;
    if (open >= service->config.max_open_tasks) {
        segue_operation_reject(op, 429,
                               "%llu tasks are open and %" PRIu64
                               " are allowed; close some, or raise --max-open",
                               open, service->config.max_open_tasks);
        return false;
    }
    if (segue_name_check("task", op->request.task, &why) != SEGUE_OK) {
        segue_operation_reject(op, 400, "%s", why.message);
        return false;
    }
    if (op->request.features && !segue_learner_has_features(op->state->learner)) {
        segue_operation_reject(op, 400,
                               "learner '%.80s' has the method %s, which uses no features; ask "
                               "without them, or create a learner with the method auto",
                               op->state->settings.name, op->state->method);
        return false;
    }
    if (service->memory.is_tight)
        (void)segue_memory_restore_spare(&service->memory); /* the spare is not for new tasks */
    return segue_service_has_memory(service, op->response);
}

segue_status segue_task_change_store_open(segue_service *service, operation *op, segue_error *err)
{
    bool found = false;
    if (op->request.task[0] == '\0')
        draw_key(service, op->request.task);
    SEGUE_TRY(segue_store_find_task(service->store, op->state->id, op->request.task, &op->row,
                                    &found, err));
    if (found)
        return SEGUE_OK;
    if (!may_open(service, op) || !allocate(service, op)) {
        op->result = OP_RESPONDED;
        return SEGUE_OK;
    }
    service->staged_open++;
    return segue_store_add_task(service->store, &op->row, err);
}

void segue_task_change_apply_open(segue_service *service, operation *op)
{
    (void)pthread_mutex_lock(&op->state->lock);
    segue_learner_state_insert_task(op->state, op->opened, op->row.id,
                                    segue_service_random_bits(service));
    op->opened->active = segue_service_time(service);
    (void)pthread_mutex_unlock(&op->state->lock);
    op->opened = NULL;
    (void)atomic_fetch_add(&service->open_tasks, 1);
}

void segue_task_change_discard_opened(segue_service *service, operation *op)
{
    if (!op->opened)
        return;
    (void)pthread_mutex_lock(&op->state->lock);
    segue_learner_state_discard_task(op->state, op->opened);
    segue_service_count_memory(service, op->state);
    (void)pthread_mutex_unlock(&op->state->lock);
    op->opened = NULL;
}

segue_status segue_task_change_find_open(segue_service *service, operation *op, task_state **task,
                                         bool *found, segue_error *err)
{
    *task = segue_learner_state_task_by_key(op->state, op->request.task);
    *found = true;
    if (*task && !(*task)->staged_closed)
        return SEGUE_OK;
    *task = NULL;
    SEGUE_TRY(segue_store_find_task(service->store, op->state->id, op->request.task, &op->row,
                                    found, err));
    if (!*found || !op->row.open)
        return SEGUE_OK;
    op->result = OP_REQUEUE;
    if (++op->tries <= MAX_TRIES)
        return SEGUE_OK;
    return segue_store_fail_damaged(
        err, "table task, id %" PRId64 ": it is open, and the start did not find it", op->row.id);
}
