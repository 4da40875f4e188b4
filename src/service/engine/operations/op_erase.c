/* op_erase.c - erase a task: its key, its rewards and its decisions.
 *
 *   store     a closed task: counts and digests instead of its rewards, a random key; the learner
 *             is stored as its base, so that recovery does not need the rewards
 *             an open task: all its rows go, and nothing is learned from it
 *             an event; 404 without the task, 503 during a refit    writer, in the transaction
 *   apply     remove an open task from memory, and the key from the
 *             recent rewards                             writer, after COMMIT, learner's lock
 *   respond   a receipt                                  writer, no lock
 *   rollback  an open task stays (task_change_close.c)   writer, after ROLLBACK
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/encode.h"
#include "io/json_write.h"
#include "service/api/responses/response.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"

/* ---- store ------------------------------------------------------------------------------- */

/* The learner must be rebuilt without the rewards: from a base that knows the task. */
static segue_status cover(segue_service *service, operation *op, segue_error *err)
{
    segue_trim_limits limits;
    SEGUE_TRY(segue_store_trim_limits(service->store, op->state->id, &limits, err));
    if (limits.base >= op->row.closed_seq)
        return SEGUE_OK;
    if (op->state->refit) {
        segue_operation_reject(op, 503, "a refit of the learner runs; retry in 1 s");
        op->response->retry = 1;
        return SEGUE_OK;
    }
    op->erase.snapshot = true;
    SEGUE_TRY(segue_op_snapshot_add(service, op->state, err));
    return segue_store_set_base(service->store, op->state->id, err);
}

static segue_status store_closed(segue_service *service, operation *op, segue_error *err)
{
    char key[SEGUE_MAX_NAME_SIZE + 1];
    SEGUE_TRY(cover(service, op, err));
    if (op->result == OP_RESPONDED)
        return SEGUE_OK;
    (void)snprintf(key, sizeof key, "erased-%016" PRIx64 "%016" PRIx64,
                   segue_service_random_bits(service), segue_service_random_bits(service));
    const uint64_t tag = segue_service_random_bits(service) >> 1 | 1;
    op->erase.rewards = op->row.rewards;
    return segue_store_erase_task(service->store, op->row.id, key, tag, err);
}

static segue_status store_open(segue_service *service, operation *op, task_state *task,
                               segue_error *err)
{
    op->task = task;
    op->erase.was_open = true;
    op->erase.rewards = task->rewards;
    op->row.id = task->id;
    (void)pthread_mutex_lock(&op->state->lock);
    task->staged_closed = true;
    (void)pthread_mutex_unlock(&op->state->lock);
    return segue_store_discard_task(service->store, task->id, err);
}

static segue_status add_event(segue_service *service, operation *op, segue_error *err)
{
    segue_stored_link link;
    op->erase.time = segue_service_wall_time(service);
    SEGUE_TRY(segue_operation_add_event(service, op, SEGUE_EVENT_ERASE, op->row.id, err));
    SEGUE_TRY(segue_store_chain_head(service->store, op->state->id, &link, err));
    memcpy(op->erase.hash, link.hash, sizeof link.hash);
    return SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    task_state *task = NULL;
    bool found = false;
    if (!segue_operation_find_learner(service, op))
        return SEGUE_OK;
    SEGUE_TRY(segue_task_change_find_open(service, op, &task, &found, err));
    if (op->result == OP_REQUEUE)
        return SEGUE_OK;
    if (!task && !found) {
        segue_operation_reject(op, 404, "the learner has no task '%.80s', or it was erased before",
                               op->request.task);
        return SEGUE_OK;
    }
    SEGUE_TRY(task ? store_open(service, op, task, err) : store_closed(service, op, err));
    return op->result == OP_RESPONDED ? SEGUE_OK : add_event(service, op, err);
}

/* ---- apply, respond ---------------------------------------------------------------------- */

static void forget_key(learner_state *state, const char *key)
{
    recent_rewards *recent = &state->recent;
    for (size_t i = 0; i < sizeof recent->entry / sizeof *recent->entry; i++)
        if (strcmp(recent->entry[i].task, key) == 0)
            (void)snprintf(recent->entry[i].task, sizeof recent->entry[i].task, "erased");
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)err;
    (void)pthread_mutex_lock(&state->lock);
    forget_key(state, op->request.task);
    if (op->task) {
        state->rewards -= op->task->rewards;
        state->reward_sum -= op->task->total;
        segue_learner_state_close_task(state, op->task);
        (void)atomic_fetch_sub(&service->open_tasks, 1);
        op->task = NULL;
    }
    (void)pthread_mutex_unlock(&state->lock);
    if (op->erase.snapshot)
        state->recovery_cost = state->recovery_cost_refused = 0;
    segue_operation_event_applied(op, 0);
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    char hash[2 * SEGUE_DIGEST_SIZE + 1];
    segue_bytes *b = &op->response->body;
    segue_encode_hex(hash, op->erase.hash, SEGUE_DIGEST_SIZE);
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "erased", op->request.task);
    segue_json_write_text(b, "learner", op->request.learner);
    segue_json_write_integer(b, "task_id", (uint64_t)op->row.id);
    segue_json_write_double(b, "time", op->erase.time);
    segue_json_write_integer(b, "event", op->seq);
    segue_json_write_text(b, "hash", hash);
    segue_json_write_bool(b, "was_open", op->erase.was_open);
    segue_json_write_integer(b, "rewards", op->erase.rewards);
    segue_json_write_text(b, "remains",
                          op->erase.was_open
                              ? "the number of the task; nothing was learned from it"
                              : "times, totals, counts per arm and digests; the types that were "
                                "learned from it, until it leaves the learner's window");
    segue_json_write_raw(b, "}");
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_erase = {.name = "erase task",
                                 .store = store,
                                 .apply = apply,
                                 .respond = respond,
                                 .changes_memory_size = changes_memory_size,
                                 .is_alone = true};
