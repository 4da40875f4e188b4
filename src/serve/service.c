/* service.c - the decision service without its sockets.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/service.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/damage.h"
#include "serve/inside.h"
#include "serve/out.h"
#include "serve/recover.h"

static double system_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

segue_service_config segue_service_defaults(void)
{
    return (segue_service_config){
        .store = "sqlite:segue.db", .open_most = 100000, .group_most = 512, .now = system_now};
}

double segue_service_now(const segue_service *service)
{
    return service->config.now();
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
    service->config.report(message);
}

/* ---- the table of learners --------------------------------------------------------------- */

static live_learner *find(segue_service *service, const map *m, const void *key, size_t size)
{
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    live_learner *live = segue_map_find(m, key, size);
    if (live)
        segue_live_hold(live);
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return live;
}

live_learner *segue_service_find(segue_service *service, const char *name)
{
    return find(service, &service->by_name, name, strlen(name));
}

live_learner *segue_service_find_id(segue_service *service, int64_t id)
{
    return find(service, &service->by_id, &id, sizeof id);
}

bool segue_service_enter(segue_service *service, live_learner *live)
{
    const char *name = live->words.name;
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    bool fine = segue_map_put(&service->by_name, name, strlen(name), live);
    if (fine && !segue_map_put(&service->by_id, &live->id, sizeof live->id, live)) {
        segue_map_remove(&service->by_name, name, strlen(name));
        fine = false;
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return fine;
}

void segue_service_leave(segue_service *service, live_learner *live)
{
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    segue_map_remove(&service->by_name, live->words.name, strlen(live->words.name));
    segue_map_remove(&service->by_id, &live->id, sizeof live->id);
    (void)pthread_rwlock_unlock(&service->learners_lock);
}

live_learner **segue_service_all(segue_service *service, size_t *count)
{
    size_t place = 0;
    const map_entry *within = NULL;
    *count = 0;
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    live_learner **all = calloc(service->by_id.count + 1, sizeof(live_learner *));
    for (live_learner *live; all && (live = segue_map_next(&service->by_id, &place, &within));) {
        segue_live_hold(live);
        all[(*count)++] = live;
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return all;
}

void segue_service_break(segue_service *service, const segue_error *why)
{
    if (!atomic_load(&service->broken))
        (void)snprintf(service->why, sizeof service->why, "%s", why->message);
    atomic_store(&service->broken, true);
}

bool segue_service_is_broken(const segue_service *service)
{
    return atomic_load(&service->broken);
}

const char *segue_service_why_broken(const segue_service *service)
{
    return service->why;
}

uint64_t segue_service_open_tasks(const segue_service *service)
{
    return atomic_load(&service->open_tasks);
}

/* ---- bringing back what the store holds -------------------------------------------------- */

static segue_status on_learner(void *context, const segue_recovered *found, segue_error *err)
{
    segue_service *service = context;
    if (!found->live)
        return segue_damage_add(service, found->row, found->why, err);
    if (found->snapshot_damaged)
        segue_service_report(service,
                             "learner '%s': its snapshot is damaged; it was rebuilt from its "
                             "journal",
                             found->row->name);
    if (!segue_service_enter(service, found->live)) {
        segue_live_release(found->live);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory");
    }
    (void)atomic_fetch_add(&service->open_tasks, found->live->by_id.count);
    return SEGUE_OK;
}

static segue_status bring_back(segue_service *service, segue_error *err)
{
    const segue_recovery recovery = {.store = service->store,
                                     .key = service->key,
                                     .boot = service->boot,
                                     .now = segue_service_now(service)};
    const segue_status status = segue_recover_all(&recovery, on_learner, service, err);
    segue_damage_settle_names(service);
    return status;
}

static segue_status start_store(segue_service *service, segue_error *err)
{
    segue_status status = segue_store_begin(service->store, err);
    if (status == SEGUE_OK)
        status = segue_store_start(service->store, service->key, &service->boot, err);
    return status == SEGUE_OK ? segue_store_commit(service->store, err) : status;
}

static segue_status open_stores(segue_service *service, segue_error *err)
{
    segue_status status =
        segue_store_open(&service->store, service->config.store, SEGUE_STORE_CREATE, err);
    if (status == SEGUE_OK)
        status = segue_store_claim(service->store, err);
    if (status == SEGUE_OK)
        status = start_store(service, err);
    if (status != SEGUE_OK)
        return status;
    service->reader = service->store;
    if (*segue_store_path(service->store) != '\0') {
        service->reader = NULL;
        status = segue_store_open(&service->reader, service->config.store, SEGUE_STORE_READ, err);
    }
    return status;
}

static segue_status fill(segue_service *service, segue_error *err)
{
    segue_status status = open_stores(service, err);
    if (status != SEGUE_OK)
        return status;
    segue_map_init(&service->by_name, service->key);
    segue_map_init(&service->by_id, service->key);
    status = segue_tokens_init(&service->tokens, service->config.token_file, service->key,
                               service->config.rate, err);
    if (status == SEGUE_OK)
        status = bring_back(service, err);
    if (status == SEGUE_OK)
        segue_catch_up(service); /* what was due when the service ended still is */
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
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a service");
    service->config = *config;
    if (!service->config.now)
        service->config.now = system_now;
    segue_queue_init(&service->queue, service->config.group_most);
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
    if (pthread_create(&service->writer, NULL, segue_writer_thread, service) != 0)
        return segue_fail(err, SEGUE_ETHREAD, "the thread that writes could not be started");
    service->started = true;
    service->estimates =
        pthread_create(&service->estimator, NULL, segue_estimator_thread, service) == 0;
    service->keeps_time = pthread_create(&service->timer, NULL, segue_timer_thread, service) == 0;
    if (service->estimates && service->keeps_time)
        return SEGUE_OK;
    segue_service_stop(service);
    return segue_fail(err, SEGUE_ETHREAD, "a thread could not be started");
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

void segue_service_stop(segue_service *service)
{
    if (!service->started)
        return;
    end_helpers(service);
    segue_queue_close(&service->queue);
    (void)pthread_join(service->writer, NULL);
    service->started = false;
    service->stopped = true;
}

void segue_service_turn(segue_service *service)
{
    bool more = true;
    while (more) {
        op *group = segue_queue_take(&service->queue, false);
        if (group)
            segue_writer_group(service, group);
        more = group || segue_refit_one(service, false);
    }
}

/* Those whose fit nobody runs any more. */
static void drop_work(segue_service *service)
{
    while (service->work) {
        live_learner *live = service->work;
        service->work = live->next_work;
        segue_live_release(live);
    }
}

/* Store something of the service's own that has no thread any more. */
static void store_now(segue_service *service, op_kind kind, int64_t learner)
{
    op *o = segue_op_create(kind);
    if (!o)
        return;
    o->learner_id = learner;
    segue_writer_group(service, o);
}

/* All decisions that wait; and a snapshot, so that the next start has little to do.  False: the
 * store does not take them. */
static bool leave(segue_service *service, live_learner *live)
{
    uint64_t kept = 0;
    do {
        kept = live->line.kept;
        store_now(service, OP_KEEP, live->id);
    } while (live->line.kept > kept);
    if (atomic_load(&service->failing))
        return false;
    segue_refit_destroy(live->refit);
    live->refit = NULL;
    store_now(service, OP_SNAPSHOT, live->id);
    return true;
}

/* After the last ask, which may be later than the last of what is stored. */
static void leave_all(segue_service *service)
{
    size_t place = 0;
    const map_entry *within = NULL;
    live_learner *live = NULL;
    while ((live = segue_map_next(&service->by_id, &place, &within)) && leave(service, live))
        ;
}

void segue_service_destroy(segue_service *service)
{
    if (!service)
        return;
    segue_service_stop(service);
    if (service->stopped)
        leave_all(service);
    for (op *o = service->queue.first, *next = NULL; o; o = next) {
        next = o->next;
        segue_op_destroy(o);
    }
    drop_work(service);
    size_t place = 0;
    const map_entry *within = NULL;
    for (live_learner *live; (live = segue_map_next(&service->by_id, &place, &within));)
        segue_live_release(live);
    segue_map_fini(&service->by_id);
    segue_map_fini(&service->by_name);
    segue_damage_fini(service);
    if (service->reader != service->store)
        segue_store_close(service->reader);
    segue_store_close(service->store);
    segue_tokens_fini(&service->tokens);
    segue_queue_fini(&service->queue);
    (void)pthread_rwlock_destroy(&service->learners_lock);
    (void)pthread_mutex_destroy(&service->reader_lock);
    (void)pthread_mutex_destroy(&service->work_lock);
    (void)pthread_cond_destroy(&service->work_filled);
    (void)pthread_cond_destroy(&service->tick);
    free(service);
}
