/* service.c - the decision service without its sockets: create, start, stop, destroy.
 *
 * A service opens its store, recovers all learners from it and enqueues the jobs that are due. With
 * segue_service_start it has these threads: the writer (writer.c), the refit worker, the timer and
 * the read pool (jobs/).  Without threads segue_service_run_pending does their work; tests use
 * that. Stopping drains the queue, then stores pending decisions, snapshots and the service time,
 * so that the next start has few events to apply.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/service.h"

#include <errno.h>
#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/json_write.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "service/cluster/cluster.h"
#include "service/cluster/forward.h"
#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/operations/ownership/op_resign.h"
#include "service/engine/service_internal.h"
#include "service/engine/writer.h"
#include "service/jobs/maintenance.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/refit_worker.h"
#include "service/jobs/timer.h"
#include "service/state/keyed_hash.h"
#include "service/state/recovery/recovery.h"
#include "service/state/recovery/recovery_all.h"

segue_service_config segue_service_defaults(void)
{
    return (segue_service_config){.store = "sqlite:segue.db",
                                  .max_open_tasks = 100000,
                                  .max_group = 512,
                                  .max_wal = UINT64_C(1) << 30,
                                  .max_metrics_learners = 100,
                                  .lease = 5.0,
                                  .now = segue_clock_wall,
                                  .steady = segue_clock_steady};
}

double segue_service_wall_time(const segue_service *service)
{
    return service->config.now();
}

double segue_service_time(const segue_service *service)
{
    return segue_clock_now(&service->clock);
}

void segue_service_report(const segue_service *service, const char *format, ...)
{
    char message[SEGUE_ERROR_SIZE];
    va_list args;
    if (!service->config.report)
        return;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    segue_utf8_make_printable(message); /* names and the disk's bytes are in it */
    service->config.report(service->config.report_context, message);
}

metrics *segue_service_metrics(segue_service *service)
{
    return &service->metrics;
}

/* The first reason stays: later failures follow from it. */
void segue_service_fail(segue_service *service, const segue_error *why)
{
    if (!atomic_load(&service->needs_restart))
        (void)snprintf(service->why, sizeof service->why, "%s", why->message);
    atomic_store(&service->needs_restart, true);
}

bool segue_service_needs_restart(const segue_service *service)
{
    return atomic_load(&service->needs_restart);
}

const char *segue_service_failure(const segue_service *service)
{
    return service->why;
}

/* Unpredictable without the random key of this start, and free of locks. */
uint64_t segue_service_random_bits(segue_service *service)
{
    const uint64_t draw = atomic_fetch_add(&service->draws, 1);
    return segue_keyed_hash(service->start, &draw, sizeof draw);
}

bool segue_service_ping_writer(segue_service *service)
{
    return segue_commit_queue_ping(&service->queue);
}

uint64_t segue_service_open_tasks(const segue_service *service)
{
    return atomic_load(&service->open_tasks);
}

/* ---- recovery ---------------------------------------------------------------------------- */

static segue_status on_learner(void *context, const segue_recovery_result *found, segue_error *err)
{
    segue_service *service = context;
    if (!found->state)
        return segue_damage_add(service, found->row, found->why, err);
    if (found->snapshot_damaged)
        segue_service_report(service,
                             "learner '%s': its snapshot is damaged; it was recovered from its "
                             "event log",
                             found->row->name);
    if (segue_service_admit(service, found->state))
        return SEGUE_OK;
    segue_learner_state_release(found->state);
    return segue_fail_no_memory(err, "a learner");
}

static uint64_t draw_bits(void *context)
{
    return segue_service_random_bits(context);
}

static segue_status recover_learners(segue_service *service, segue_error *err)
{
    const segue_recovery_source recovery = {.store = service->store,
                                            .key = service->key,
                                            .draw = draw_bits,
                                            .context = service,
                                            .now = segue_service_time(service)};
    const segue_status status = segue_recovery_all(&recovery, on_learner, service, err);
    segue_damage_resolve_names(service);
    return status;
}

/* One transaction reads the key and the service time and counts the start. */
static segue_status start_store(segue_service *service, segue_error *err)
{
    uint64_t starts = 0;
    if (sodium_init() < 0)
        return segue_fail(err, SEGUE_EIO, "the system gives no random bytes; check /dev/urandom");
    randombytes_buf(service->start, sizeof service->start);
    SEGUE_TRY(segue_store_begin(service->store, err));
    SEGUE_TRY(segue_store_start(service->store, service->key, &starts, err));
    SEGUE_TRY(segue_clock_start(&service->clock, service->store, segue_service_wall_time(service),
                                service->config.steady, err));
    return segue_store_commit(service->store, err);
}

/* One of several servers holds the lock with the others. */
static segue_status lock_store(segue_service *service, segue_error *err)
{
    const bool shares = service->config.advertise && segue_store_has_sessions(service->store);
    return shares ? segue_store_lock_shared(service->store, err)
                  : segue_store_lock(service->store, err);
}

/* The lock comes before the first write: a second service must not change the store. */
static segue_status open_stores(segue_service *service, segue_error *err)
{
    SEGUE_TRY(segue_store_open(&service->store, service->config.store, SEGUE_STORE_CREATE, err));
    SEGUE_TRY(lock_store(service, err));
    /* After a sync that failed the WAL may be in memory alone; this syncs the main file again. */
    SEGUE_TRY(segue_store_checkpoint(service->store, true, err));
    if (!service->config.allow_loss)
        SEGUE_TRY(segue_store_require_durable(service->store, err));
    SEGUE_TRY(start_store(service, err));
    SEGUE_TRY(segue_store_watch(service->store, err));
    if (segue_store_durability_text(service->store))
        segue_service_report(service, "%s", segue_store_durability_text(service->store));
    service->reader = service->store;
    if (*segue_store_path(service->store) == '\0')
        return SEGUE_OK; /* in memory: one connection */
    service->reader = NULL;
    return segue_store_open(&service->reader, service->config.store, SEGUE_STORE_READ, err);
}

/* Say how far the start came and what it needs. */
static void fail_memory(const segue_service *service, segue_error *err)
{
    (void)segue_fail(
        err, SEGUE_ENOMEM,
        "out of memory after %llu open tasks, which take %.1f MiB with their learners; "
        "all open tasks must fit: allow the process more (ulimit -v, control group)",
        atomic_load(&service->open_tasks),
        (double)atomic_load(&service->memory.of_learners) / 1048576.0);
}

/* One of several servers recovers a learner when it has taken it. */
static segue_status join_cluster(segue_service *service, segue_error *err)
{
    segue_transport transport;
    if (service->config.transport)
        transport = *service->config.transport;
    else
        SEGUE_TRY(segue_forward_open(&transport, err));
    return segue_cluster_create(&service->cluster, service, &transport, err);
}

/* Needs no locks: no other thread exists yet. */
static segue_status recover(segue_service *service, segue_error *err)
{
    SEGUE_TRY(open_stores(service, err));
    segue_hash_map_init(&service->by_name, service->key);
    segue_hash_map_init(&service->by_id, service->key);
    SEGUE_TRY(segue_auth_init(&service->auth, service->config.token_file, service->key,
                              service->config.rate, err));
    (void)segue_memory_restore_spare(&service->memory); /* first: closing tasks needs it */
    if (service->config.advertise)
        return join_cluster(service, err);
    const segue_status status = recover_learners(service, err);
    if (status == SEGUE_ENOMEM)
        fail_memory(service, err);
    SEGUE_TRY(status);
    (void)segue_memory_restore_spare(&service->memory); /* a learner may need a larger one */
    segue_maintenance_enqueue_all(service);             /* jobs that were due at the last stop */
    return SEGUE_OK;
}

/* Setting the system clock must not delay a tick. */
static void init_tick(segue_service *service)
{
    pthread_condattr_t steady;
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&service->tick, &steady);
    (void)pthread_condattr_destroy(&steady);
}

segue_status segue_service_create(segue_service **out, const segue_service_config *config,
                                  segue_error *err)
{
    segue_service *service = calloc(1, sizeof *service);
    *out = NULL;
    if (!service)
        return segue_fail_no_memory(err, "a service");
    service->config = *config;
    if (!service->config.now)
        service->config.now = segue_clock_wall;
    if (!service->config.steady)
        service->config.steady = segue_clock_steady;
    service->started_at = segue_service_wall_time(service);
    segue_commit_queue_init(&service->queue, service->config.max_group);
    segue_read_pool_init(&service->pool);
    segue_memory_init(&service->memory,
                      config->max_memory ? config->max_memory : segue_memory_default());
    (void)pthread_rwlock_init(&service->learners_lock, NULL);
    (void)pthread_mutex_init(&service->reader_lock, NULL);
    (void)pthread_mutex_init(&service->worker_lock, NULL);
    (void)pthread_cond_init(&service->refit_filled, NULL);
    init_tick(service);
    const segue_status status = recover(service, err);
    if (status != SEGUE_OK) {
        segue_service_destroy(service);
        return status;
    }
    *out = service;
    return SEGUE_OK;
}

/* ---- threads ----------------------------------------------------------------------------- */

/* After a failure all threads that were started have stopped again. */
segue_status segue_service_start(segue_service *service, segue_error *err)
{
    if (service->reader == service->store)
        return segue_fail(err, SEGUE_EUSAGE, "a service needs a store in a file: sqlite:PATH");
    if (pthread_create(&service->writer, NULL, segue_writer_main, service) != 0)
        return segue_fail(
            err, SEGUE_ETHREAD,
            "the writer thread could not be started; check the limits of the process (ulimit -u)");
    service->started = true;
    service->has_refit_worker =
        pthread_create(&service->refit_worker, NULL, segue_refit_worker_main, service) == 0;
    service->has_timer = pthread_create(&service->timer, NULL, segue_timer_main, service) == 0;
    segue_status status = segue_read_pool_start(service, err);
    if (status == SEGUE_OK && service->cluster)
        status = segue_cluster_start(service->cluster, err);
    if (status == SEGUE_OK && !(service->has_refit_worker && service->has_timer))
        status = segue_fail(
            err, SEGUE_ETHREAD,
            "a thread could not be started; check the limits of the process (ulimit -u)");
    if (status != SEGUE_OK)
        segue_service_stop(service);
    return status;
}

/* First of all: they enqueue jobs for the writer. */
static void stop_workers(segue_service *service)
{
    (void)pthread_mutex_lock(&service->worker_lock);
    service->stopping = true;
    (void)pthread_cond_broadcast(&service->refit_filled);
    (void)pthread_cond_broadcast(&service->tick);
    (void)pthread_mutex_unlock(&service->worker_lock);
    if (service->has_refit_worker)
        (void)pthread_join(service->refit_worker, NULL);
    if (service->has_timer)
        (void)pthread_join(service->timer, NULL);
    service->has_refit_worker = service->has_timer = false;
}

/* Run a job in this thread: the writer has ended. */
static void run_job(segue_service *service, const operation_kind *kind, int64_t learner)
{
    operation *op = segue_operation_create(kind);
    if (!op)
        return;
    op->learner_id = learner;
    segue_writer_commit(service, op);
}

/* One of several: others take the learners while clients here still read or send, who get 503. */
static void resign_all(segue_service *service)
{
    segue_op_resign_all(service);
    segue_cluster_end_session(service->cluster);
}

/* The writer commits all that is queued before it ends. */
void segue_service_stop(segue_service *service)
{
    if (!service->started)
        return;
    if (service->cluster)
        segue_cluster_stop(service->cluster); /* first: its threads hand learners to the writer */
    stop_workers(service);
    segue_read_pool_stop(service);
    segue_commit_queue_close(&service->queue);
    (void)pthread_join(service->writer, NULL);
    if (!atomic_load(&service->needs_restart))
        run_job(service, &op_checkpoint, 0); /* checks the files, too */
    if (service->cluster)
        resign_all(service);
    service->started = false;
    service->stopped = true;
}

void segue_service_run_pending(segue_service *service)
{
    bool more = true;
    while (more) { /* a cluster has segue_cluster_run_pending */
        operation *group = segue_commit_queue_pop_group(&service->queue, false);
        if (group)
            segue_writer_commit(service, group);
        more = group || segue_refit_worker_run_one(service, false);
    }
}

/* Release learners whose refit was not run. */
static void drop_refits(segue_service *service)
{
    while (service->refits) {
        learner_state *state = service->refits;
        service->refits = state->next_refit;
        segue_learner_state_release(state);
    }
}

/* Store a learner's pending decisions and a snapshot.  False: the store fails. */
static bool save_learner(segue_service *service, learner_state *state)
{
    uint64_t persisted = 0;
    do {
        persisted = state->deadlines.persisted;
        run_job(service, &op_persist_pending, state->id);
    } while (state->deadlines.persisted > persisted);
    if (atomic_load(&service->store_unwritable))
        return false;
    segue_refit_destroy(state->refit);
    state->refit = NULL;
    run_job(service, &op_snapshot, state->id);
    return true;
}

/* Store what memory has more than the disk, after the last ask; the service time last. */
static void save_all(segue_service *service)
{
    size_t index = 0;
    const hash_map_entry *within = NULL;
    learner_state *state = NULL;
    while ((state = segue_hash_map_next(&service->by_id, &index, &within)) &&
           save_learner(service, state))
        ;
    if (!state)
        run_job(service, &op_probe, 0);
}

void segue_service_destroy(segue_service *service)
{
    if (!service)
        return;
    segue_service_stop(service);
    if (service->stopped && !service->cluster)
        save_all(service);
    for (operation *op = service->queue.first, *next = NULL; op; op = next) {
        next = op->next;
        segue_operation_destroy(op);
    }
    drop_refits(service);
    size_t index = 0;
    const hash_map_entry *within = NULL;
    for (learner_state *state; (state = segue_hash_map_next(&service->by_id, &index, &within));)
        segue_learner_state_release(state);
    segue_hash_map_fini(&service->by_id);
    segue_hash_map_fini(&service->by_name);
    segue_damage_fini(service);
    segue_cluster_destroy(service->cluster);
    if (service->reader != service->store)
        segue_store_close(service->reader);
    segue_store_close(service->store);
    segue_auth_fini(&service->auth);
    segue_commit_queue_fini(&service->queue);
    segue_read_pool_fini(&service->pool);
    segue_memory_fini(&service->memory);
    (void)pthread_rwlock_destroy(&service->learners_lock);
    (void)pthread_mutex_destroy(&service->reader_lock);
    (void)pthread_mutex_destroy(&service->worker_lock);
    (void)pthread_cond_destroy(&service->refit_filled);
    (void)pthread_cond_destroy(&service->tick);
    free(service);
}
