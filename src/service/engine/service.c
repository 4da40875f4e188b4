/* service.c - the decision service without its sockets.
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
#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"
#include "service/engine/writer.h"
#include "service/jobs/maintenance.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/refit_worker.h"
#include "service/jobs/timer.h"
#include "service/state/keyed_hash.h"
#include "service/state/recovery/recovery.h"
#include "service/state/recovery/recovery_all.h"

#define FULL_REPORT_SECONDS 60

segue_service_config segue_service_defaults(void)
{
    return (segue_service_config){.store = "sqlite:segue.db",
                                  .open_most = 100000,
                                  .group_most = 512,
                                  .wal_most = UINT64_C(1) << 30,
                                  .now = segue_clock_wall,
                                  .steady = segue_clock_steady};
}

double segue_service_now(const segue_service *service)
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

/* ---- the table of learners --------------------------------------------------------------- */

static learner_state *find(segue_service *service, const map *m, const void *key, size_t size)
{
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    learner_state *state = segue_hash_map_find(m, key, size);
    if (state)
        segue_learner_state_acquire(state);
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return state;
}

learner_state *segue_service_find(segue_service *service, const char *name)
{
    return find(service, &service->by_name, name, strlen(name));
}

learner_state *segue_service_find_id(segue_service *service, int64_t id)
{
    return find(service, &service->by_id, &id, sizeof id);
}

bool segue_service_reserve_entry(segue_service *service, learner_state *state)
{
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    if (!state->name_entry)
        state->name_entry = segue_hash_map_prepare(&service->by_name, strlen(state->settings.name));
    if (!state->id_entry)
        state->id_entry = segue_hash_map_prepare(&service->by_id, sizeof state->id);
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return state->name_entry && state->id_entry;
}

bool segue_service_register(segue_service *service, learner_state *state)
{
    if (!segue_service_reserve_entry(service, state))
        return false;
    state->deadlines.unstored = &service->unstored; /* nobody else sees it yet */
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    segue_hash_map_insert(&service->by_name, state->name_entry, state->settings.name, state);
    segue_hash_map_insert(&service->by_id, state->id_entry, &state->id, state);
    (void)pthread_rwlock_unlock(&service->learners_lock);
    state->name_entry = state->id_entry = NULL;
    return true;
}

void segue_service_unregister(segue_service *service, learner_state *state)
{
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    segue_hash_map_remove(&service->by_name, state->settings.name, strlen(state->settings.name));
    segue_hash_map_remove(&service->by_id, &state->id, sizeof state->id);
    (void)pthread_rwlock_unlock(&service->learners_lock);
}

learner_state **segue_service_learners(segue_service *service, size_t *count)
{
    size_t place = 0;
    const hash_map_entry *within = NULL;
    *count = 0;
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    learner_state **all = calloc(service->by_id.count + 1, sizeof(learner_state *));
    for (learner_state *state;
         all && (state = segue_hash_map_next(&service->by_id, &place, &within));) {
        segue_learner_state_acquire(state);
        all[(*count)++] = state;
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return all;
}

/* ---- memory ------------------------------------------------------------------------------ */

void segue_service_count_memory(segue_service *service, learner_state *state)
{
    const size_t now = state->is_gone ? 0 : segue_learner_state_bytes(state),
                 before = state->counted;
    state->counted = now;
    if (now >= before)
        (void)atomic_fetch_add(&service->memory.kept, now - before);
    else
        (void)atomic_fetch_sub(&service->memory.kept, before - now);
}

void segue_service_release_memory(segue_service *service, learner_state *state)
{
    (void)pthread_mutex_lock(&state->lock);
    state->is_gone = true;
    segue_service_count_memory(service, state);
    (void)pthread_mutex_unlock(&state->lock);
}

void segue_service_reserve_memory(segue_service *service, const learner_state *state)
{
    segue_memory_set_spare(&service->memory, segue_learner_close_bytes(state->learner));
}

/* At the limit each close and open would be reported: once a minute is enough. */
static bool may_report_full(segue_service *service)
{
    const unsigned long long now = (unsigned long long)segue_service_time(service);
    const unsigned long long last = atomic_load(&service->memory.full_at);
    if (last != 0 && now < last + FULL_REPORT_SECONDS)
        return false;
    atomic_store(&service->memory.full_at, now);
    return true;
}

bool segue_service_has_memory(segue_service *service, segue_response *reply)
{
    memory *m = &service->memory;
    char why[SEGUE_ERROR_SIZE];
    if (segue_memory_has_space(m)) {
        if (atomic_exchange(&m->full, false) && atomic_exchange(&m->full_reported, false))
            segue_service_report(
                service, "new tasks and learners are accepted again: memory is below --max-memory");
        return true;
    }
    segue_memory_reason(m, why, sizeof why);
    if (!atomic_exchange(&m->full, true) && may_report_full(service)) {
        atomic_store(&m->full_reported, true);
        segue_service_report(service, "new tasks and learners are rejected: %s", why);
    }
    if (reply) {
        segue_response_fail(reply, 503, "out of memory: %s", why);
        reply->retry = 0; /* tasks must be closed */
    }
    return false;
}

bool segue_service_reserve_body(segue_service *service, size_t size)
{
    return segue_memory_reserve(&service->memory, size);
}

void segue_service_release_body(segue_service *service, size_t size)
{
    segue_memory_release(&service->memory, size);
}

void segue_service_fail(segue_service *service, const segue_error *why)
{
    if (!atomic_load(&service->broken))
        (void)snprintf(service->why, sizeof service->why, "%s", why->message);
    atomic_store(&service->broken, true);
}

bool segue_service_has_failed(const segue_service *service)
{
    return atomic_load(&service->broken);
}

const char *segue_service_failure(const segue_service *service)
{
    return service->why;
}

uint64_t segue_service_random_bits(segue_service *service)
{
    const uint64_t place = atomic_fetch_add(&service->draws, 1);
    return segue_keyed_hash(service->start, &place, sizeof place);
}

uint64_t segue_service_open_tasks(const segue_service *service)
{
    return atomic_load(&service->open_tasks);
}

/* ---- bringing back what the store holds -------------------------------------------------- */

static segue_status on_learner(void *context, const segue_recovery_result *found, segue_error *err)
{
    segue_service *service = context;
    if (!found->state)
        return segue_damage_add(service, found->row, found->why, err);
    if (found->snapshot_damaged)
        segue_service_report(service,
                             "learner '%s': its snapshot is damaged; it was rebuilt from its "
                             "journal",
                             found->row->name);
    if (!segue_service_register(service, found->state)) {
        segue_learner_state_release(found->state);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory");
    }
    (void)atomic_fetch_add(&service->open_tasks, found->state->by_id.count);
    segue_service_count_memory(service, found->state); /* nobody else knows of it yet */
    segue_service_reserve_memory(service, found->state);
    return SEGUE_OK;
}

static uint64_t draw(void *context)
{
    return segue_service_random_bits(context);
}

static segue_status bring_back(segue_service *service, segue_error *err)
{
    const segue_recovery_source recovery = {.store = service->store,
                                            .key = service->key,
                                            .draw = draw,
                                            .context = service,
                                            .now = segue_service_time(service)};
    const segue_status status = segue_recovery_all(&recovery, on_learner, service, err);
    segue_damage_resolve_names(service);
    return status;
}

static segue_status start_store(segue_service *service, segue_error *err)
{
    uint64_t starts = 0;
    if (sodium_init() < 0)
        return segue_fail(err, SEGUE_EIO, "the system gives no random bytes; check /dev/urandom");
    randombytes_buf(service->start, sizeof service->start);
    segue_status status = segue_store_begin(service->store, err);
    if (status == SEGUE_OK)
        status = segue_store_start(service->store, service->key, &starts, err);
    if (status == SEGUE_OK)
        status = segue_clock_start(&service->clock, service->store, segue_service_now(service),
                                   service->config.steady, err);
    return status == SEGUE_OK ? segue_store_commit(service->store, err) : status;
}

static segue_status open_stores(segue_service *service, segue_error *err)
{
    segue_status status =
        segue_store_open(&service->store, service->config.store, SEGUE_STORE_CREATE, err);
    if (status == SEGUE_OK)
        status = segue_store_lock(service->store, err);
    /* After a sync that failed the WAL may be in memory alone; the main file is synced anew. */
    if (status == SEGUE_OK)
        status = segue_store_checkpoint(service->store, true, err);
    if (status == SEGUE_OK)
        status = start_store(service, err);
    if (status == SEGUE_OK)
        status = segue_store_watch(service->store, err);
    if (status != SEGUE_OK)
        return status;
    service->reader = service->store;
    if (*segue_store_path(service->store) != '\0') {
        service->reader = NULL;
        status = segue_store_open(&service->reader, service->config.store, SEGUE_STORE_READ, err);
    }
    return status;
}

/* Why it cannot start: how far it came, and what would be needed. */
static void tell_memory(const segue_service *service, segue_error *err)
{
    (void)segue_fail(
        err, SEGUE_ENOMEM,
        "out of memory after %llu open tasks, which take %.1f MiB with their learners; "
        "all open tasks must fit: allow the process more (ulimit -v, control group)",
        atomic_load(&service->open_tasks), (double)atomic_load(&service->memory.kept) / 1048576.0);
}

static segue_status fill(segue_service *service, segue_error *err)
{
    segue_status status = open_stores(service, err);
    if (status != SEGUE_OK)
        return status;
    segue_hash_map_init(&service->by_name, service->key);
    segue_hash_map_init(&service->by_id, service->key);
    status = segue_auth_init(&service->auth, service->config.token_file, service->key,
                             service->config.rate, err);
    (void)segue_memory_restore_spare(&service->memory); /* first: it is what lets tasks be closed */
    if (status == SEGUE_OK)
        status = bring_back(service, err);
    if (status == SEGUE_ENOMEM)
        tell_memory(service, err);
    if (status == SEGUE_OK)
        (void)segue_memory_restore_spare(&service->memory); /* maybe a larger one */
    if (status == SEGUE_OK)
        segue_maintenance_enqueue_all(service); /* what was due when the service ended still is */
    return status;
}

/* A tick is not to wait when the clock is set. */
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
    segue_commit_queue_init(&service->queue, service->config.group_most);
    segue_read_pool_init(&service->pool);
    segue_memory_init(&service->memory,
                      config->memory_most ? config->memory_most : segue_memory_default());
    (void)pthread_rwlock_init(&service->learners_lock, NULL);
    (void)pthread_mutex_init(&service->reader_lock, NULL);
    (void)pthread_mutex_init(&service->work_lock, NULL);
    (void)pthread_cond_init(&service->work_filled, NULL);
    init_tick(service);
    const segue_status status = fill(service, err);
    if (status != SEGUE_OK) {
        segue_service_destroy(service);
        return status;
    }
    *out = service;
    return SEGUE_OK;
}

/* ---- threads ----------------------------------------------------------------------------- */

segue_status segue_service_start(segue_service *service, segue_error *err)
{
    if (service->reader == service->store)
        return segue_fail(err, SEGUE_EUSAGE, "a service needs a store in a file: sqlite:PATH");
    if (pthread_create(&service->writer, NULL, segue_writer_main, service) != 0)
        return segue_fail(
            err, SEGUE_ETHREAD,
            "the writer thread could not be started; check the limits of the process (ulimit -u)");
    service->started = true;
    service->estimates =
        pthread_create(&service->estimator, NULL, segue_refit_worker_main, service) == 0;
    service->keeps_time = pthread_create(&service->timer, NULL, segue_timer_main, service) == 0;
    segue_status status = segue_read_pool_start(service, err);
    if (status == SEGUE_OK && !(service->estimates && service->keeps_time))
        status = segue_fail(
            err, SEGUE_ETHREAD,
            "a thread could not be started; check the limits of the process (ulimit -u)");
    if (status != SEGUE_OK)
        segue_service_stop(service);
    return status;
}

static void end_helpers(segue_service *service)
{
    (void)pthread_mutex_lock(&service->work_lock);
    service->ending = true;
    (void)pthread_cond_broadcast(&service->work_filled);
    (void)pthread_cond_broadcast(&service->tick);
    (void)pthread_mutex_unlock(&service->work_lock);
    if (service->estimates)
        (void)pthread_join(service->estimator, NULL);
    if (service->keeps_time)
        (void)pthread_join(service->timer, NULL);
    service->estimates = service->keeps_time = false;
}

/* Store something of the service's own that has no thread any more. */
static void store_now(segue_service *service, const operation_kind *kind, int64_t learner)
{
    operation *op = segue_operation_create(kind);
    if (!op)
        return;
    op->learner_id = learner;
    segue_writer_commit(service, op);
}

void segue_service_stop(segue_service *service)
{
    if (!service->started)
        return;
    end_helpers(service);
    segue_read_pool_stop(service);
    segue_commit_queue_close(&service->queue);
    (void)pthread_join(service->writer, NULL);
    if (!atomic_load(&service->broken))
        store_now(service, &op_checkpoint, 0); /* are the files what they should be? */
    service->started = false;
    service->stopped = true;
}

void segue_service_run_pending(segue_service *service)
{
    bool more = true;
    while (more) {
        operation *group = segue_commit_queue_pop_group(&service->queue, false);
        if (group)
            segue_writer_commit(service, group);
        more = group || segue_refit_worker_run_one(service, false);
    }
}

/* Those whose fit nobody runs any more. */
static void drop_work(segue_service *service)
{
    while (service->work) {
        learner_state *state = service->work;
        service->work = state->next_work;
        segue_learner_state_release(state);
    }
}

/* All decisions that wait; and a snapshot, so that the next start has little to do.  False: the
 * store does not take them. */
static bool leave(segue_service *service, learner_state *state)
{
    uint64_t kept = 0;
    do {
        kept = state->deadlines.persisted;
        store_now(service, &op_persist_pending, state->id);
    } while (state->deadlines.persisted > kept);
    if (atomic_load(&service->failing))
        return false;
    segue_refit_destroy(state->refit);
    state->refit = NULL;
    store_now(service, &op_snapshot, state->id);
    return true;
}

/* After the last ask, which may be later than the last of what is stored; the service time last. */
static void leave_all(segue_service *service)
{
    size_t place = 0;
    const hash_map_entry *within = NULL;
    learner_state *state = NULL;
    while ((state = segue_hash_map_next(&service->by_id, &place, &within)) && leave(service, state))
        ;
    if (!state)
        store_now(service, &op_probe, 0);
}

void segue_service_destroy(segue_service *service)
{
    if (!service)
        return;
    segue_service_stop(service);
    if (service->stopped)
        leave_all(service);
    for (operation *op = service->queue.first, *next = NULL; op; op = next) {
        next = op->next;
        segue_operation_destroy(op);
    }
    drop_work(service);
    size_t place = 0;
    const hash_map_entry *within = NULL;
    for (learner_state *state; (state = segue_hash_map_next(&service->by_id, &place, &within));)
        segue_learner_state_release(state);
    segue_hash_map_fini(&service->by_id);
    segue_hash_map_fini(&service->by_name);
    segue_damage_fini(service);
    if (service->reader != service->store)
        segue_store_close(service->reader);
    segue_store_close(service->store);
    segue_auth_fini(&service->auth);
    segue_commit_queue_fini(&service->queue);
    segue_read_pool_fini(&service->pool);
    segue_memory_fini(&service->memory);
    (void)pthread_rwlock_destroy(&service->learners_lock);
    (void)pthread_mutex_destroy(&service->reader_lock);
    (void)pthread_mutex_destroy(&service->work_lock);
    (void)pthread_cond_destroy(&service->work_filled);
    (void)pthread_cond_destroy(&service->tick);
    free(service);
}
