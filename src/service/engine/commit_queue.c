/* commit_queue.c - operations that wait to be stored, in the order in which they arrived.
 *
 * A group is as many operations as one transaction may have.  Operations that are alone (is_alone:
 * they change learners or arms, or are large) are a group of their own.
 *
 * Any thread pushes, the writer pops.  The queue is a linked list through the operations, so that
 * pushing allocates nothing and cannot fail.  It closes when the service stops: requests get 503
 * then, but an operation that the writer runs again still goes back to the queue (`must`).
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/commit_queue.h"

#include "service/engine/service_internal.h"

void segue_commit_queue_init(commit_queue *q, uint64_t max_group)
{
    *q = (commit_queue){.first = NULL, .max_group = max_group};
    q->last = &q->first;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->filled, NULL);
}

void segue_commit_queue_fini(commit_queue *q)
{
    (void)pthread_mutex_destroy(&q->lock);
    (void)pthread_cond_destroy(&q->filled);
}

bool segue_commit_queue_push(commit_queue *q, operation *op, bool must)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool accepted = must || !q->closed;
    if (accepted) {
        op->next = NULL;
        *q->last = op;
        q->last = &op->next;
        q->count++;
        (void)pthread_cond_signal(&q->filled);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return accepted;
}

void segue_commit_queue_close(commit_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    q->closed = true;
    (void)pthread_cond_broadcast(&q->filled);
    (void)pthread_mutex_unlock(&q->lock);
}

size_t segue_commit_queue_length(commit_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const size_t count = q->count;
    (void)pthread_mutex_unlock(&q->lock);
    return count;
}

/* Remove the operations of the next transaction from a queue that is not empty. */
static operation *remove_group(commit_queue *q)
{
    operation *group = q->first, **end = &q->first;
    for (size_t count = 0; *end && count < q->max_group; count++) {
        const bool alone = (*end)->kind->is_alone;
        if (alone && count > 0)
            break;
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

bool segue_commit_queue_ping(commit_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool is_answered = q->answered == q->pings;
    if (is_answered) {
        q->pings++;
        (void)pthread_cond_signal(&q->filled);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return is_answered;
}

operation *segue_commit_queue_pop_group(commit_queue *q, bool wait)
{
    (void)pthread_mutex_lock(&q->lock);
    q->answered = q->pings;
    while (wait && !q->first && !q->closed) {
        (void)pthread_cond_wait(&q->filled, &q->lock);
        q->answered = q->pings;
    }
    operation *group = q->first ? remove_group(q) : NULL;
    (void)pthread_mutex_unlock(&q->lock);
    return group;
}

bool segue_commit_queue_add_job(segue_service *service, const operation_kind *kind, int64_t learner,
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
                                     const operation_kind *kind)
{
    if (!atomic_exchange(&state->job_pending[kind->job], true) &&
        !segue_commit_queue_add_job(service, kind, state->id, 0))
        atomic_store(&state->job_pending[kind->job], false);
}
