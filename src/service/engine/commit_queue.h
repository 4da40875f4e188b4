/* commit_queue.h - operations that wait to be stored, in the order in which they arrived.
 *
 * Any thread pushes; the writer pops groups.  A group goes into one transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_COMMIT_QUEUE_H
#define SEGUE_SERVICE_ENGINE_COMMIT_QUEUE_H

#include <pthread.h>

#include "service/engine/operation.h"

typedef struct commit_queue {
    pthread_mutex_t lock; /* guards all of it; no other lock is taken while it is held */
    pthread_cond_t filled;
    operation *first, **last;
    size_t count;
    uint64_t max_group; /* operations of one transaction */
    bool closed;        /* it accepts nothing more */
    uint64_t pings;     /* sent to the writer ... */
    uint64_t answered;  /* ... and the last one that it answered */
} commit_queue;

void segue_commit_queue_init(commit_queue *q, uint64_t max_group);
void segue_commit_queue_fini(commit_queue *q);

/* Append an operation; false: the queue is closed.  `must`: also to a closed queue. */
bool segue_commit_queue_push(commit_queue *q, operation *op, bool must);
void segue_commit_queue_close(commit_queue *q);
size_t segue_commit_queue_length(commit_queue *q);

/* Ask the writer for a sign of life: it answers when it comes to the queue.  False: it has not
 * answered the ping before, and no new one is sent. */
bool segue_commit_queue_ping(commit_queue *q);

/* Remove the next group.  With `wait`, wait for one; NULL: the queue is empty (and closed). */
operation *segue_commit_queue_pop_group(commit_queue *q, bool wait);

/* Enqueue a job; ids are 0 where it is about no learner or task.  False: it is not queued. */
bool segue_commit_queue_add_job(segue_service *service, const operation_kind *kind, int64_t learner,
                                int64_t task);
/* Enqueue a job of a learner, unless it is pending. */
void segue_commit_queue_add_job_once(segue_service *service, learner_state *state,
                                     const operation_kind *kind);

#endif
