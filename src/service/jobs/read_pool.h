/* read_pool.h - threads for requests that read much or decide long.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_READ_POOL_H
#define SEGUE_SERVICE_JOBS_READ_POOL_H

#include "service/engine/operation.h"
#include <pthread.h>

/* Requests that wait to be begun, of one class: those that read, or asks that take long. */
typedef struct read_class {
    struct operation *fresh, **fresh_end; /* not begun, in the order in which they came */
    size_t n_begun, n_open;               /* n_begun counts those that a thread has in hand, too */
} read_class;

enum { POOL_READS, POOL_ASKS, POOL_CLASSES };

/* Requests that only read, or that take long, each a piece at a time: read_pool.c. */
typedef struct read_pool {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    read_class of[POOL_CLASSES];
    struct operation *begun, **begun_end; /* waiting for their next turn */
    bool prefers_begun;                   /* whose turn it is */
    bool started, full, closed;           /* it has threads; takes nothing more; works no more */
    pthread_t thread[2];                  /* of the thread that starts and stops it */
    size_t n_threads;
} read_pool;

void segue_read_pool_init(read_pool *pool);
SEGUE_MUST_CHECK segue_status segue_read_pool_start(segue_service *service, segue_error *err);
/* Answer what is under way with 503, and end the threads. */
void segue_read_pool_stop(segue_service *service);
void segue_read_pool_fini(read_pool *pool);
/* Let the pool answer it, and call `done`; without threads that is done at once.  False: the pool
 * is full or closed, and the operation is still the caller's. */
bool segue_read_pool_push(segue_service *service, operation *op);
size_t segue_read_pool_length(read_pool *pool);

#endif
