/* parallel.c - numbered work items over POSIX threads.
 *
 * A worker takes the next item, works on it without the lock, then waits for its turn to commit.
 * Items are handed out in order, so that a worker waits at most for the items in progress. One
 * lock guards the pool; commit runs under it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct thread_pool {
    pthread_mutex_t lock; /* guards the fields up to `error`, and commit */
    pthread_cond_t turn;
    uint64_t next;      /* the next item to hand out */
    uint64_t committed; /* items committed so far */
    bool stop;
    segue_status status; /* the first failure, and its sentence */
    segue_error error;
    uint64_t n_items;
    work_function work;
    commit_function commit;
    void *context;
} thread_pool;

typedef struct worker {
    thread_pool *pool;
    size_t number;
    pthread_t thread;
} worker;

static void *worker_main(void *argument)
{
    const worker *self = argument;
    thread_pool *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop && pool->next < pool->n_items) {
        const uint64_t item = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        segue_error err = {.status = SEGUE_OK};
        const segue_status status = pool->work(pool->context, self->number, item, &err);
        pthread_mutex_lock(&pool->lock);
        while (pool->commit && pool->committed != item)
            pthread_cond_wait(&pool->turn, &pool->lock);
        if (status != SEGUE_OK && pool->status == SEGUE_OK) {
            pool->status = status;
            pool->error = err;
            pool->stop = true;
        }
        if (pool->status == SEGUE_OK && pool->commit)
            pool->commit(pool->context, self->number, item);
        pool->committed++;
        pthread_cond_broadcast(&pool->turn);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void stop(thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_mutex_unlock(&pool->lock);
}

segue_status segue_parallel_run(size_t n_threads, uint64_t n_items, work_function work,
                                commit_function commit, void *context, segue_error *err)
{
    thread_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .turn = PTHREAD_COND_INITIALIZER,
                        .n_items = n_items,
                        .work = work,
                        .commit = commit,
                        .context = context};
    worker *workers = calloc(n_threads, sizeof *workers);
    if (!workers)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu threads", n_threads);

    segue_status status = SEGUE_OK;
    size_t started = 1;
    for (; started < n_threads; started++) {
        workers[started] = (worker){.pool = &pool, .number = started};
        const int code =
            pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]);
        if (code != 0) {
            status = segue_fail(err, SEGUE_ETHREAD, "thread %zu of %zu could not be started: %s",
                                started + 1, n_threads, strerror(code));
            stop(&pool);
            break;
        }
    }
    workers[0] = (worker){.pool = &pool, .number = 0};
    (void)worker_main(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    if (status == SEGUE_OK && pool.status != SEGUE_OK)
        status = segue_fail(err, pool.status, "%s", pool.error.message);
    pthread_mutex_destroy(&pool.lock);
    pthread_cond_destroy(&pool.turn);
    return status;
}
