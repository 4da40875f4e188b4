/* op_persist_pending.c - store decisions that have a deadline, so that a restart knows them.
 *
 * An ask without an event id gets its response before its decisions are stored; this job stores
 * them, at most a second later.
 *
 *   store    insert pending decisions of open tasks, until
 *            all are stored, or a number or a time is reached  writer, learner's lock per chunk
 *   apply    mark them as persisted; enqueue the job again
 *            for the rest                                      writer, after COMMIT, learner's lock
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"

#define CHUNK       256   /* decisions copied under one hold of the learner's lock */
#define MAX_STORED  20000 /* decisions of one transaction ... */
#define MAX_SECONDS 0.025 /* ... and its duration: other operations wait meanwhile */

/* Copy a chunk of unstored decisions, from a sequence number on; returns that of the next chunk. */
static uint64_t copy_chunk(learner_state *state, uint64_t from, decision *out, size_t *count)
{
    *count = 0;
    (void)pthread_mutex_lock(&state->lock);
    const deadline_queue *queue = &state->deadlines;
    uint64_t end = queue->next;
    const uint64_t first = from > queue->persisted ? from : queue->persisted;
    for (size_t i = segue_deadline_queue_find(queue, first); i < queue->count; i++) {
        const pending_decision *p = segue_deadline_queue_at(queue, i);
        if (*count == CHUNK) {
            end = p->sequence;
            break;
        }
        out[(*count)++] = p->decision;
    }
    (void)pthread_mutex_unlock(&state->lock);
    return end;
}

static segue_status store_chunk(segue_service *service, const learner_state *state,
                                const decision *chunk, size_t count, segue_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const segue_stored_decision row = segue_decision_id_to_row(&chunk[i]);
        const task_state *task = segue_learner_state_task_by_id(state, row.task);
        if (task && !task->staged_closed) /* rewards of a closed task do not count any more */
            SEGUE_TRY(segue_store_add_decision(service->store, &row, err));
    }
    return SEGUE_OK;
}

segue_status segue_op_persist_pending_all(segue_service *service, learner_state *state,
                                          segue_error *err)
{
    decision chunk[CHUNK];
    uint64_t end = 0;
    size_t count = 0;
    do {
        end = copy_chunk(state, end, chunk, &count);
        SEGUE_TRY(store_chunk(service, state, chunk, count, err));
    } while (count == CHUNK);
    return SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    decision chunk[CHUNK];
    size_t count = 0, stored = 0;
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    const double until = segue_service_time(service) + MAX_SECONDS;
    do {
        op->persisted_end = copy_chunk(op->state, op->persisted_end, chunk, &count);
        SEGUE_TRY(store_chunk(service, op->state, chunk, count, err));
        stored += count;
    } while (count == CHUNK && stored < MAX_STORED && segue_service_time(service) < until);
    return SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)err;
    (void)pthread_mutex_lock(&state->lock);
    segue_deadline_queue_mark_persisted(&state->deadlines, op->persisted_end);
    const bool more = state->deadlines.persisted < state->deadlines.next;
    (void)pthread_mutex_unlock(&state->lock);
    if (more)
        segue_commit_queue_add_job_once(service, state, &op_persist_pending);
    return SEGUE_OK;
}

const operation_kind op_persist_pending = {
    .name = "persist pending", .store = store, .apply = apply, .job = JOB_PERSIST_PENDING};
