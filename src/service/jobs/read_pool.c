/* read_pool.c - threads for requests that read much or decide long.
 *
 * HTTP threads must be free for short requests, so the pool responds to long ones.  A request gets
 * a turn of some milliseconds; new and begun requests alternate.  So a short request waits for one
 * turn, not for a long list.  Reads and long asks are separate classes with their own limits, and a
 * read begins before an ask: asks for many decisions delay no read.  Few requests are begun at
 * once, because a begun request uses memory; beyond a number of open ones, requests are rejected.
 * The threads have a lower priority than all others.
 *
 * `lock` guards the lists.  An operation that a thread has removed from a list belongs to that
 * thread.
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

#define MAX_OPEN      256 /* requests of a class, begun or not */
#define MAX_BEGUN     16  /* of a class */
#define DRAIN_SECONDS 2   /* that a stop waits for open requests */
#define NICENESS      10  /* of the threads */
#define MANY_CORES    4   /* with as many there are two threads */

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

/* The class whose next request may begin; NULL: none. */
static read_class *next_class(read_pool *pool)
{
    for (size_t i = 0; i < POOL_CLASSES; i++)
        if (pool->of[i].fresh && pool->of[i].n_begun < MAX_BEGUN)
            return &pool->of[i];
    return NULL;
}

/* Remove the request that gets the next turn; NULL: there is none. */
static operation *remove_next(read_pool *pool)
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

static operation *wait_for_next(read_pool *pool)
{
    operation *op = NULL;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->closed && !(op = remove_next(pool)))
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

static void remove_open(read_pool *pool, const operation *op)
{
    (void)pthread_mutex_lock(&pool->lock);
    class_of(pool, op)->n_begun--;
    class_of(pool, op)->n_open--;
    (void)pthread_cond_signal(&pool->filled); /* another one may begin */
    (void)pthread_mutex_unlock(&pool->lock);
}

/* ---- the end of a request ---------------------------------------------------------------- */

/* Count the body's memory until it is sent. */
static void count_body(segue_service *service, segue_response *response)
{
    response->memory = &service->memory;
    response->held = response->body.capacity;
    segue_memory_add_response(&service->memory, response->held);
}

static void complete(segue_service *service, operation *op)
{
    if (op->response->body.failed)
        segue_response_fail(op->response, 503, "out of memory for the response; retry later");
    if (op->response->status >= 400 && op->reward_result.size > 0)
        segue_response_add_reward(op->response, &op->reward_result);
    count_body(service, op->response);
    const segue_completion done = op->done;
    void *context = op->context;
    segue_operation_destroy(op);
    done(context);
}

static void reject_at_stop(segue_service *service, operation *op)
{
    segue_response_fail(op->response, 503, "the service is shutting down; retry later");
    complete(service, op);
}

/* Push it onto the commit queue, with the choices that were made for an event id. */
static void move_to_queue(segue_service *service, operation *op)
{
    if (op->read->chosen)
        segue_long_ask_drop(op);
    else
        segue_reads_fini(op);
    segue_decide_fini(&op->ask.decided);
    segue_learner_state_release(op->state);
    op->state = NULL;
    if (!segue_commit_queue_push(&service->queue, op, false))
        reject_at_stop(service, op);
}

static void end(segue_service *service, operation *op, read_result result)
{
    if (result == READ_STORE)
        move_to_queue(service, op);
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
    remove_open(&service->pool, op);
    end(service, op, result);
}

/* Each thread has a connection of its own: no thread waits for another one's query. */
typedef struct reader_thread {
    segue_service *service;
    segue_store *store;
} reader_thread;

static void *run(void *context)
{
    reader_thread *self = context;
    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* on Linux: of this thread alone */
    for (operation *op; (op = wait_for_next(&self->service->pool));)
        work(self->service, op, self->store);
    segue_store_close(self->store);
    free(self);
    return NULL;
}

static segue_status start_one(segue_service *service, segue_error *err)
{
    reader_thread *self = calloc(1, sizeof *self);
    if (!self)
        return segue_fail_no_memory(err, "a reader thread");
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

/* Accept nothing more, and wait a moment for open requests. */
static void drain(read_pool *pool)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    (void)pthread_mutex_lock(&pool->lock);
    pool->full = true;
    (void)pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < DRAIN_SECONDS * 200 && segue_read_pool_length(pool) > 0; i++)
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
        reject_at_stop(service, remove_first(&pool->begun, &pool->begun_end));
    for (size_t i = 0; i < POOL_CLASSES; i++)
        while (pool->of[i].fresh)
            reject_at_stop(service, remove_first(&pool->of[i].fresh, &pool->of[i].fresh_end));
}

/* ---- pushing ----------------------------------------------------------------------------- */

/* Without threads: finish it now. */
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
    const bool accepted = has_threads && !pool->full && class->n_open < MAX_OPEN &&
                          segue_memory_has_response_space(&service->memory);
    if (accepted) {
        append(&class->fresh_end, op);
        class->n_open++;
        (void)pthread_cond_signal(&pool->filled);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    if (has_threads)
        return accepted;
    run_now(service, op);
    return true;
}
