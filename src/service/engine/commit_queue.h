/* commit_queue.h - operations that wait to be stored, in the order in which they arrived.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_COMMIT_QUEUE_H
#define SEGUE_SERVICE_ENGINE_COMMIT_QUEUE_H

#include "service/engine/operation.h"
#include <pthread.h>

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    operation *first, **last;
    size_t count;
    uint64_t group_most; /* operations of one transaction */
    bool closed;         /* takes nothing more */
} queue;

void segue_commit_queue_init(queue *q, uint64_t group_most);
void segue_commit_queue_fini(queue *q);
/* Put it into the queue; false: it takes nothing more, unless it must. */
bool segue_commit_queue_push(queue *q, operation *op, bool must);
void segue_commit_queue_close(queue *q);
size_t segue_commit_queue_length(queue *q);
/* Wait for a group, if that is wanted; NULL: there is none, or the queue is closed and empty. */
operation *segue_commit_queue_pop_group(queue *q, bool wait);
/* Something of the service's own; false: it cannot be put into the queue. */
bool segue_commit_queue_add_job(segue_service *service, operation_kind kind, int64_t learner,
                                int64_t task);
/* The same, about a learner, unless it is wished already and was not taken up yet. */
void segue_commit_queue_add_job_once(segue_service *service, learner_state *state,
                                     operation_kind kind);

#endif
