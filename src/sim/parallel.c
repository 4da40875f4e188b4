/* parallel.c - numbered pieces of work over POSIX threads.
 *
 * A worker takes the next item, works on it alone, then waits for its turn to commit.  Items are
 * handed out in order, so the wait is never longer than the items under way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct thread_pool {
    pthread_mutex_t lock; /* guards what follows up to the error, and commit */
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
    thread_pool *thread_pool;
    size_t number;
    pthread_t thread;
} worker;

static void *worker_main(void *argument)
{
    const worker *self = argument;
    thread_pool *c = self->thread_pool;
    pthread_mutex_lock(&c->lock);
    while (!c->stop && c->next < c->n_items) {
        const uint64_t item = c->next++;
        pthread_mutex_unlock(&c->lock);
        segue_error err = {.status = SEGUE_OK};
        const segue_status status = c->work(c->context, self->number, item, &err);
        pthread_mutex_lock(&c->lock);
        while (c->commit && c->committed != item)
            pthread_cond_wait(&c->turn, &c->lock);
        if (status != SEGUE_OK && c->status == SEGUE_OK) {
            c->status = status;
            c->error = err;
            c->stop = true;
        }
        if (c->status == SEGUE_OK && c->commit)
            c->commit(c->context, self->number, item);
        c->committed++;
        pthread_cond_broadcast(&c->turn);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void stop(thread_pool *c)
{
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_mutex_unlock(&c->lock);
}

segue_status segue_parallel_run(size_t n_threads, uint64_t n_items, work_function work,
                                commit_function commit, void *context, segue_error *err)
{
    thread_pool c = {.lock = PTHREAD_MUTEX_INITIALIZER,
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
        workers[started] = (worker){.thread_pool = &c, .number = started};
        const int code =
            pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]);
        if (code != 0) {
            status = segue_fail(err, SEGUE_ETHREAD, "thread %zu of %zu could not be started: %s",
                                started + 1, n_threads, strerror(code));
            stop(&c);
            break;
        }
    }
    workers[0] = (worker){.thread_pool = &c, .number = 0};
    (void)worker_main(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    if (status == SEGUE_OK && c.status != SEGUE_OK)
        status = segue_fail(err, c.status, "%s", c.error.message);
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.turn);
    return status;
}
