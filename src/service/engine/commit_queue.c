/* commit_queue.c - what waits to be stored, in the order in which it came.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "service/engine/commit_queue.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"
#include "service/jobs/reads.h"

void segue_commit_queue_init(queue *q, uint64_t group_most)
{
    *q = (queue){.first = NULL, .group_most = group_most};
    q->last = &q->first;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->filled, NULL);
}

void segue_commit_queue_fini(queue *q)
{
    (void)pthread_mutex_destroy(&q->lock);
    (void)pthread_cond_destroy(&q->filled);
}

bool segue_commit_queue_push(queue *q, operation *op, bool must)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool taken = must || !q->closed;
    if (taken) {
        op->next = NULL;
        *q->last = op;
        q->last = &op->next;
        q->count++;
        (void)pthread_cond_signal(&q->filled);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return taken;
}

void segue_commit_queue_close(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    q->closed = true;
    (void)pthread_cond_broadcast(&q->filled);
    (void)pthread_mutex_unlock(&q->lock);
}

size_t segue_commit_queue_length(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const size_t count = q->count;
    (void)pthread_mutex_unlock(&q->lock);
    return count;
}

/* What changes which learners and arms there are is stored alone; a snapshot, which may be large,
 * so that no request fails with it; and the beginning of a fit, which copies the learner as it is
 * before the transaction. */
static bool is_alone(const operation *op)
{
    return op->kind <= OP_RETIRE_ARM || op->kind == OP_SNAPSHOT || op->kind == OP_REFIT_BEGIN ||
           op->kind == OP_CHECKPOINT;
}

/* The operations that go into one transaction, off the queue. */
static operation *cut(queue *q)
{
    operation *group = q->first, **end = &q->first;
    for (size_t count = 0; *end && count < q->group_most; count++) {
        if (is_alone(*end) && count > 0)
            break;
        const bool alone = is_alone(*end);
        end = &(*end)->next;
        q->count--;
        if (alone)
            break;
    }
    q->first = *end;
    *end = NULL;
    if (!q->first)
        q->last = &q->first;
    return group;
}

operation *segue_commit_queue_pop_group(queue *q, bool wait)
{
    (void)pthread_mutex_lock(&q->lock);
    while (wait && !q->first && !q->closed)
        (void)pthread_cond_wait(&q->filled, &q->lock);
    operation *group = q->first ? cut(q) : NULL;
    (void)pthread_mutex_unlock(&q->lock);
    return group;
}

operation *segue_operation_create(operation_kind kind)
{
    operation *op = calloc(1, sizeof *op);
    if (op)
        op->kind = kind;
    return op;
}

void segue_operation_destroy(operation *op)
{
    if (!op)
        return;
    segue_reads_fini(op);
    if (op->opened)
        segue_learner_state_discard_task(op->state, op->opened);
    segue_decide_fini(&op->asked);
    segue_bytes_fini(&op->told);
    segue_learner_state_release(op->state);
    segue_learner_destroy(op->learner);
    segue_request_fini(&op->request);
    free(op);
}

bool segue_commit_queue_add_job(segue_service *service, operation_kind kind, int64_t learner,
                                int64_t task)
{
    operation *op = segue_operation_create(kind);
    if (!op)
        return false;
    op->learner_id = learner;
    op->task_id = task;
    if (segue_commit_queue_push(&service->queue, op, false))
        return true;
    segue_operation_destroy(op);
    return false;
}

void segue_commit_queue_add_job_once(segue_service *service, learner_state *state,
                                     operation_kind kind)
{
    if (!atomic_exchange(&state->job_pending[kind], true) &&
        !segue_commit_queue_add_job(service, kind, state->id, 0))
        atomic_store(&state->job_pending[kind], false);
}
