/* read_pool.h - threads for requests that read much or decide long.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_READ_POOL_H
#define SEGUE_SERVICE_JOBS_READ_POOL_H

#include <pthread.h>

#include "service/engine/operation.h"

/* Requests of one class, reads or long asks. */
typedef struct read_class {
    operation *fresh, **fresh_end; /* not begun, in the order of arrival */
    size_t n_begun, n_open;        /* begun; begun or fresh */
} read_class;

enum { POOL_READS, POOL_ASKS, POOL_CLASSES };

typedef struct read_pool {
    pthread_mutex_t lock; /* guards all but the threads; no other lock is taken while it is held */
    pthread_cond_t filled;
    read_class of[POOL_CLASSES];
    operation *begun, **begun_end; /* begun, waiting for the next turn */
    bool prefers_begun;            /* the next turn goes to a begun request */
    bool started;                  /* it has threads */
    bool full, closed;             /* it accepts nothing more; the threads end */
    pthread_t thread[2];           /* of the thread that starts and stops it, with n_threads */
    size_t n_threads;
} read_pool;

void segue_read_pool_init(read_pool *pool);
void segue_read_pool_fini(read_pool *pool);

/* Start the threads.  @retval SEGUE_ENOMEM, SEGUE_ETHREAD, SEGUE_EIO */
SEGUE_MUST_CHECK segue_status segue_read_pool_start(segue_service *service, segue_error *err);
/* Wait a moment for open requests, respond 503 to the others, and end the threads. */
void segue_read_pool_stop(segue_service *service);

/* Let the pool respond to an operation and complete it; without threads it does so at once.  False:
 * the pool is full or closed, and the operation still belongs to the caller. */
bool segue_read_pool_push(segue_service *service, operation *op);

/* The number of open requests. */
size_t segue_read_pool_length(read_pool *pool);

#endif
