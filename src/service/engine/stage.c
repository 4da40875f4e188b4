/* stage.c - operations, as far as the store goes: those of the service itself, and which is which.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/stage.h"

#include "segue/internal.h"
#include "service/engine/damage.h"
#include "service/state/recovery.h"

/* ---- what others need -------------------------------------------------------------------- */

bool segue_stage_find(segue_service *service, operation *op)
{
    op->state = segue_service_find(service, op->request.learner);
    op->answered = !op->state;
    if (!op->state && op->response)
        segue_damage_respond_missing(service, op->request.learner, op->response);
    return op->state != NULL;
}

segue_status segue_stage_event(segue_service *service, operation *op, segue_event_kind kind,
                               int64_t subject, segue_error *err)
{
    segue_stored_event event = {.learner = op->state->id,
                                .kind = kind,
                                .subject = subject,
                                .when = segue_service_now(service)};
    const segue_status status = segue_store_add_event(service->store, &event, err);
    op->seq = event.seq;
    return status;
}

/* ---- of the service's own ---------------------------------------------------------------- */

static bool find_own(segue_service *service, operation *op)
{
    op->state = segue_service_find_id(service, op->learner_id);
    op->answered = !op->state;
    return op->state != NULL;
}

/* A transaction stores decisions that wait for a default until none is left, or this many, or for
 * so long: others wait meanwhile.  The learner's lock is held for a chunk at a time. */
#define KEEP_CHUNK   256
#define KEEP_MOST    20000
#define KEEP_SECONDS 0.025

/* Copy a chunk of decisions that are not stored, from a place on; returns the place after the last.
 */
static uint64_t copy_chunk(learner_state *state, uint64_t from, decision *out, size_t *count)
{
    *count = 0;
    (void)pthread_mutex_lock(&state->lock);
    const deadline_queue *line = &state->deadlines;
    uint64_t place = line->next;
    const uint64_t first = from > line->kept ? from : line->kept;
    for (size_t i = segue_deadline_queue_find(line, first); i < line->count; i++) {
        const waiting *w = segue_deadline_queue_at(line, i);
        if (*count == KEEP_CHUNK) {
            place = w->place;
            break;
        }
        out[(*count)++] = w->decision;
    }
    (void)pthread_mutex_unlock(&state->lock);
    return place;
}

static segue_status store_chunk(segue_service *service, const learner_state *state,
                                const decision *from, size_t count, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < count && status == SEGUE_OK; i++) {
        const segue_stored_decision row = segue_decision_id_to_row(&from[i]);
        const task_state *task = segue_learner_state_task_by_id(state, row.task);
        if (task && !task->staged_closed) /* else nothing is due any more */
            status = segue_store_add_decision(service->store, &row, err);
    }
    return status;
}

static segue_status stage_keep(segue_service *service, operation *op, segue_error *err)
{
    decision chunk[KEEP_CHUNK];
    size_t count = 0, stored = 0;
    segue_status status = SEGUE_OK;
    if (!find_own(service, op))
        return SEGUE_OK;
    const double until = segue_service_time(service) + KEEP_SECONDS;
    op->place = 0;
    do {
        op->place = copy_chunk(op->state, op->place, chunk, &count);
        status = store_chunk(service, op->state, chunk, count, err);
        stored += count;
    } while (status == SEGUE_OK && count == KEEP_CHUNK && stored < KEEP_MOST &&
             segue_service_time(service) < until);
    return status;
}

/* What it stands for follows it. */
static segue_status stage_expire(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)err;
    op->answered = true;
    return SEGUE_OK;
}

static segue_status stage_refit(segue_service *service, operation *op, segue_event_kind kind,
                                segue_error *err)
{
    op->state->refit_staged = true;
    return segue_stage_event(service, op, kind, 0, err);
}

static segue_status stage_begin(segue_service *service, operation *op, segue_error *err)
{
    if (!find_own(service, op))
        return SEGUE_OK;
    op->answered =
        op->state->refit_staged || op->state->refit || !segue_learner_refit_due(op->state->learner);
    if (op->answered)
        return SEGUE_OK;
    /* before it is stored: it takes memory */
    (void)pthread_mutex_lock(&op->state->lock);
    op->answered =
        segue_learner_refit_begin(op->state->learner, &op->state->refit, NULL) != SEGUE_OK;
    (void)pthread_mutex_unlock(&op->state->lock);
    return op->answered ? SEGUE_OK : stage_refit(service, op, SEGUE_EVENT_REFIT_BEGIN, err);
}

static segue_status stage_publish(segue_service *service, operation *op, segue_error *err)
{
    if (!find_own(service, op))
        return SEGUE_OK;
    op->answered =
        op->state->refit_staged || !op->state->refit || !atomic_load(&op->state->refit_finished);
    return op->answered ? SEGUE_OK : stage_refit(service, op, SEGUE_EVENT_REFIT_PUBLISH, err);
}

static segue_status stage_snapshot(segue_service *service, operation *op, segue_error *err)
{
    if (!find_own(service, op))
        return SEGUE_OK;
    learner_state *state = op->state;
    op->answered = state->refit || state->seq == 0 || state->replay_cost == 0;
    if (op->answered)
        return SEGUE_OK;            /* while a fit is under way its beginning would be lost */
    segue_bytes b = {.data = NULL}; /* no lock: only this thread changes what is in it */
    segue_recovery_serialize(state->learner, &state->stats, &state->versions, &b);
    segue_recovery_seal(&b, state->id, state->seq);
    const segue_status status =
        b.failed
            ? segue_fail_no_memory(err, "a snapshot")
            : segue_store_add_snapshot(service->store, state->id, state->seq, b.data, b.size, err);
    segue_bytes_fini(&b);
    return status;
}

static segue_status stage_purge(segue_service *service, operation *op, segue_error *err)
{
    return segue_store_purge(service->store, &op->more, err);
}

/* The writer does it after the group. */
static segue_status stage_checkpoint(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)err;
    op->answered = true;
    return SEGUE_OK;
}

/* If the store's files are gone, the commit says so. */
static segue_status stage_probe(segue_service *service, operation *op, segue_error *err)
{
    (void)op;
    return segue_store_set_clock(service->store, segue_service_time(service), err);
}

segue_status segue_stage(segue_service *service, operation *op, segue_error *err)
{
    static stage_function *const stages[] = {[OP_CREATE] = segue_stage_create,
                                             [OP_DELETE] = segue_stage_delete,
                                             [OP_ADD_ARM] = segue_stage_add_arm,
                                             [OP_RETIRE_ARM] = segue_stage_retire_arm,
                                             [OP_OPEN] = segue_stage_open,
                                             [OP_CLOSE] = segue_stage_close,
                                             [OP_TELL] = segue_stage_tell,
                                             [OP_ASK] = segue_stage_ask,
                                             [OP_PERSIST_PENDING] = stage_keep,
                                             [OP_EXPIRE] = stage_expire,
                                             [OP_DEFAULT_REWARD] = segue_stage_tell,
                                             [OP_REFIT_BEGIN] = stage_begin,
                                             [OP_REFIT_PUBLISH] = stage_publish,
                                             [OP_SNAPSHOT] = stage_snapshot,
                                             [OP_PURGE] = stage_purge,
                                             [OP_PROBE] = stage_probe,
                                             [OP_CHECKPOINT] = stage_checkpoint};
    return stages[op->kind](service, op, err);
}

void segue_stage_undo(segue_service *service, operation *op)
{
    op->to_pool = false;
    segue_stage_undo_open(service, op);
    if (op->kind == OP_CREATE && op->is_new) { /* nobody has seen it */
        segue_learner_state_release(op->state);
        op->state = NULL;
    }
    if ((op->kind == OP_REFIT_BEGIN || op->kind == OP_REFIT_PUBLISH) && op->state)
        op->state->refit_staged = false;
    if (op->kind == OP_REFIT_BEGIN && op->state && !op->answered) {
        (void)pthread_mutex_lock(&op->state->lock);
        segue_refit_destroy(op->state->refit);
        op->state->refit = NULL;
        (void)pthread_mutex_unlock(&op->state->lock);
    }
    if (op->kind == OP_SNAPSHOT && op->state)
        op->state->replay_cost_refused = op->state->replay_cost;
    if (op->task) {
        op->task->staged_rewards = op->task->rewards;
        op->task->staged_total = op->task->total;
        segue_stage_closed(op->state, op->task, false);
    }
}
