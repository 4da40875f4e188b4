/* read_pool.c - threads for requests that read much or decide long.
 *
 * The threads of HTTP must be free for short requests, so these are suspended, and answered here.
 * Each gets a turn of some milliseconds at a time, those that are new and those that go on one
 * after the other: a short request waits for one turn, not for a long list.  Reads and long asks
 * have places of their own, and a read begins before an ask, so that asks of many decisions hold up
 * no read.  Few are begun at once, because what is begun takes memory; beyond a number that waits,
 * requests are refused.  The threads have a lower priority than all others: on a busy machine it
 * is they who wait.
 *
 * `lock` guards the lists.  An operation in a list is nobody's; one in hand is its thread's.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "segue/internal.h"
#include "service/engine/commit_queue.h"
#include "service/engine/decide.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/reads.h"

#define WAITING_MOST 256 /* requests of a class, those begun included */
#define BEGUN_MOST   16  /* of a class */
#define END_SECONDS  2   /* that the end waits for what was taken */
#define LOWER        10  /* of the threads' priority: `nice` */
#define MANY_CORES   4   /* from which on there are two threads */

void segue_read_pool_init(read_pool *pool)
{
    *pool = (read_pool){.begun = NULL};
    for (size_t i = 0; i < POOL_CLASSES; i++)
        pool->of[i].fresh_end = &pool->of[i].fresh;
    pool->begun_end = &pool->begun;
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->filled, NULL);
}

void segue_read_pool_fini(read_pool *pool)
{
    (void)pthread_mutex_destroy(&pool->lock);
    (void)pthread_cond_destroy(&pool->filled);
}

size_t segue_read_pool_length(read_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    const size_t count = pool->of[POOL_READS].n_open + pool->of[POOL_ASKS].n_open;
    (void)pthread_mutex_unlock(&pool->lock);
    return count;
}

/* ---- the lists --------------------------------------------------------------------------- */

static void append(operation ***end, operation *op)
{
    op->next = NULL;
    **end = op;
    *end = &op->next;
}

static operation *remove_first(operation **first, operation ***end)
{
    operation *op = *first;
    *first = op->next;
    if (!*first)
        *end = first;
    return op;
}

static read_class *class_of(read_pool *pool, const operation *op)
{
    return &pool->of[op->request.route == ROUTE_ASK ? POOL_ASKS : POOL_READS];
}

/* Of which class the next request may begin; NULL: of none. */
static read_class *next_class(read_pool *pool)
{
    for (size_t i = 0; i < POOL_CLASSES; i++)
        if (pool->of[i].fresh && pool->of[i].n_begun < BEGUN_MOST)
            return &pool->of[i];
    return NULL;
}

/* The next to work on; NULL: there is none. */
static operation *next_of(read_pool *pool)
{
    read_class *next = next_class(pool);
    if (pool->begun && (pool->prefers_begun || !next)) {
        pool->prefers_begun = false;
        return remove_first(&pool->begun, &pool->begun_end);
    }
    if (!next)
        return NULL;
    pool->prefers_begun = true;
    next->n_begun++;
    return remove_first(&next->fresh, &next->fresh_end);
}

static operation *take(read_pool *pool)
{
    operation *op = NULL;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->closed && !(op = next_of(pool)))
        (void)pthread_cond_wait(&pool->filled, &pool->lock);
    (void)pthread_mutex_unlock(&pool->lock);
    return op;
}

static void put_back(read_pool *pool, operation *op)
{
    (void)pthread_mutex_lock(&pool->lock);
    append(&pool->begun_end, op);
    (void)pthread_cond_signal(&pool->filled);
    (void)pthread_mutex_unlock(&pool->lock);
}

static void let_go(read_pool *pool, const operation *op)
{
    (void)pthread_mutex_lock(&pool->lock);
    class_of(pool, op)->n_begun--;
    class_of(pool, op)->n_open--;
    (void)pthread_cond_signal(&pool->filled); /* another one may begin */
    (void)pthread_mutex_unlock(&pool->lock);
}

/* ---- the end of a request ---------------------------------------------------------------- */

/* The body is counted until it was sent. */
static void hold_body(segue_service *service, segue_response *reply)
{
    reply->memory = &service->memory;
    reply->held = reply->body.capacity;
    segue_memory_add_response(&service->memory, reply->held);
}

static void complete(segue_service *service, operation *op)
{
    if (op->response->body.failed)
        segue_response_fail(op->response, 503, "out of memory for the response; retry later");
    if (op->response->status >= 400 && op->reward_result.size > 0)
        segue_response_add_reward(op->response, &op->reward_result);
    hold_body(service, op->response);
    const segue_completion done = op->done;
    void *context = op->context;
    segue_operation_destroy(op);
    done(context);
}

static void refuse_at_end(segue_service *service, operation *op)
{
    segue_response_fail(op->response, 503, "the service is shutting down; retry later");
    complete(service, op);
}

/* Let the queue go on with it: choices that were made for an event go with it. */
static void give_to_queue(segue_service *service, operation *op)
{
    if (op->read->chosen)
        segue_long_ask_drop(op);
    else
        segue_reads_fini(op);
    segue_decide_fini(&op->ask.decided);
    segue_learner_state_release(op->state);
    op->state = NULL;
    if (!segue_commit_queue_push(&service->queue, op, false))
        refuse_at_end(service, op);
}

static void end(segue_service *service, operation *op, read_result result)
{
    if (result == READ_STORE)
        give_to_queue(service, op);
    else
        complete(service, op);
}

/* ---- the threads ------------------------------------------------------------------------- */

static void work(segue_service *service, operation *op, segue_store *store)
{
    const read_result result = segue_reads_turn(service, op, store);
    if (result == READ_MORE) {
        put_back(&service->pool, op);
        return;
    }
    let_go(&service->pool, op);
    end(service, op, result);
}

/* Each has a connection of its own, so that nobody waits for a long query. */
typedef struct reader_thread {
    segue_service *service;
    segue_store *store;
} reader_thread;

static void *run(void *context)
{
    reader_thread *self = context;
    (void)setpriority(PRIO_PROCESS, 0, LOWER); /* on Linux this is about the thread alone */
    for (operation *op; (op = take(&self->service->pool));)
        work(self->service, op, self->store);
    segue_store_close(self->store);
    free(self);
    return NULL;
}

static segue_status start_one(segue_service *service, segue_error *err)
{
    reader_thread *self = calloc(1, sizeof *self);
    if (!self)
        return segue_fail_no_memory(err, "a thread that reads");
    self->service = service;
    segue_status status =
        segue_store_open(&self->store, service->config.store, SEGUE_STORE_READ, err);
    read_pool *pool = &service->pool;
    if (status == SEGUE_OK &&
        pthread_create(&pool->thread[pool->n_threads], NULL, run, self) == 0) {
        pool->n_threads++;
        return SEGUE_OK;
    }
    if (status == SEGUE_OK)
        status = segue_fail(
            err, SEGUE_ETHREAD,
            "a reader thread could not be started; check the limits of the process (ulimit -u)");
    segue_store_close(self->store);
    free(self);
    return status;
}

segue_status segue_read_pool_start(segue_service *service, segue_error *err)
{
    const size_t wanted = sysconf(_SC_NPROCESSORS_ONLN) >= MANY_CORES ? 2 : 1;
    segue_status status = SEGUE_OK;
    service->pool.started = true;
    for (size_t i = 0; i < wanted && status == SEGUE_OK; i++)
        status = start_one(service, err);
    return status;
}

/* Take nothing more, and wait a little for what was taken. */
static void drain(read_pool *pool)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    (void)pthread_mutex_lock(&pool->lock);
    pool->full = true;
    (void)pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < END_SECONDS * 200 && segue_read_pool_length(pool) > 0; i++)
        (void)nanosleep(&pause, NULL);
}

void segue_read_pool_stop(segue_service *service)
{
    read_pool *pool = &service->pool;
    if (pool->n_threads > 0)
        drain(pool);
    (void)pthread_mutex_lock(&pool->lock);
    pool->closed = true;
    (void)pthread_cond_broadcast(&pool->filled);
    (void)pthread_mutex_unlock(&pool->lock);
    for (; pool->n_threads > 0; pool->n_threads--)
        (void)pthread_join(pool->thread[pool->n_threads - 1], NULL);
    while (pool->begun)
        refuse_at_end(service, remove_first(&pool->begun, &pool->begun_end));
    for (size_t i = 0; i < POOL_CLASSES; i++)
        while (pool->of[i].fresh)
            refuse_at_end(service, remove_first(&pool->of[i].fresh, &pool->of[i].fresh_end));
}

/* ---- putting ----------------------------------------------------------------------------- */

/* Without threads: all of it now. */
static void run_now(segue_service *service, operation *op)
{
    read_result result = READ_MORE;
    (void)pthread_mutex_lock(&service->reader_lock);
    while (result == READ_MORE)
        result = segue_reads_turn(service, op, service->reader);
    (void)pthread_mutex_unlock(&service->reader_lock);
    end(service, op, result);
}

bool segue_read_pool_push(segue_service *service, operation *op)
{
    read_pool *pool = &service->pool;
    read_class *class = class_of(pool, op);
    (void)pthread_mutex_lock(&pool->lock);
    const bool has_threads = pool->started;
    const bool taken = has_threads && !pool->full && class->n_open < WAITING_MOST &&
                       segue_memory_has_response_space(&service->memory);
    if (taken) {
        append(&class->fresh_end, op);
        class->n_open++;
        (void)pthread_cond_signal(&pool->filled);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    if (has_threads)
        return taken;
    run_now(service, op);
    return true;
}
