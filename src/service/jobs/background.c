/* background.c - fits that run beside the service, and what happens because time passes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "service/engine/service_internal.h"

#define TICK_SECONDS 0.1
#define EXPIRED_MOST 1000 /* defaults of a learner at one tick */
#define IDLE_MOST    1000 /* tasks of a learner closed at one tick */

#define CLOCK_SECONDS 60.0 /* between two transactions that store the service time alone */

/* ---- fits -------------------------------------------------------------------------------- */

void segue_refit_worker_enqueue(segue_service *service, learner_state *live)
{
    segue_learner_state_acquire(live);
    (void)pthread_mutex_lock(&service->work_lock);
    learner_state **end = &service->work; /* a learner has one fit at most, so this is short */
    while (*end)
        end = &(*end)->next_work;
    *end = live;
    (void)pthread_cond_signal(&service->work_filled);
    (void)pthread_mutex_unlock(&service->work_lock);
}

static learner_state *take_work(segue_service *service, bool wait)
{
    (void)pthread_mutex_lock(&service->work_lock);
    while (wait && !service->work && !service->ending)
        (void)pthread_cond_wait(&service->work_filled, &service->work_lock);
    learner_state *live = service->ending ? NULL : service->work;
    if (live) {
        service->work = live->next_work;
        live->next_work = NULL;
    }
    (void)pthread_mutex_unlock(&service->work_lock);
    return live;
}

/* Count failed refits, and report when those of a learner begin to fail and when they work again.
 */
static void note_refit(segue_service *service, learner_state *live, bool fails,
                       const segue_error *why)
{
    if (fails)
        (void)atomic_fetch_add(&service->metrics.refit_failures, 1);
    if (fails && !live->refit_fails)
        segue_service_report(service,
                             "the refit of learner '%.80s' failed; it keeps its types, and the "
                             "refit is tried again: %s",
                             live->words.name, why->message);
    else if (!fails && live->refit_fails)
        segue_service_report(service, "the refit of learner '%.80s' works again", live->words.name);
    live->refit_fails = fails;
}

/* Leave memory to others for a second, unless the service ends. */
static void rest(segue_service *service)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += service->started; /* without threads nobody else needs it */
    (void)pthread_mutex_lock(&service->work_lock);
    while (!service->ending &&
           pthread_cond_timedwait(&service->tick, &service->work_lock, &until) != ETIMEDOUT)
        ;
    (void)pthread_mutex_unlock(&service->work_lock);
}

bool segue_refit_worker_run_one(segue_service *service, bool wait)
{
    segue_error err = {.message = ""};
    learner_state *live = take_work(service, wait);
    if (!live)
        return false;
    const segue_status status = segue_refit_run(live->refit, &err);
    note_refit(service, live, status != SEGUE_OK, &err);
    if (status == SEGUE_OK) {
        atomic_store(&live->refit_run, true);
        segue_commit_queue_add_job_once(service, live, OP_REFIT_PUBLISH);
    } else { /* out of memory: later, maybe */
        rest(service);
        segue_refit_worker_enqueue(service, live);
    }
    segue_learner_state_release(live);
    return true;
}

void *segue_refit_worker_main(void *service)
{
    while (segue_refit_worker_run_one(service, true))
        ;
    return NULL;
}

/* ---- time -------------------------------------------------------------------------------- */

/* The default of one decision. */
static op *fall_back(const learner_state *live, const waiting *w)
{
    op *o = segue_operation_create(OP_DEFAULT_REWARD);
    if (o) {
        o->call.reward = live->words.fallback;
        o->decision = w->decision;
        o->place = w->place;
    }
    return o;
}

static bool is_over(const learner_state *live, const waiting *w, double now)
{
    return now - w->decision.asked > live->words.wait;
}

bool segue_timer_defaults_due(const learner_state *live, double now)
{
    return live->words.has_default && live->line.count > 0 &&
           is_over(live, segue_deadline_queue_at(&live->line, 0), now);
}

op *segue_timer_expired(segue_service *service, int64_t learner)
{
    op *first = NULL, **end = &first;
    const double now = segue_service_time(service);
    learner_state *live = segue_service_find_id(service, learner);
    if (!live)
        return NULL;
    (void)pthread_mutex_lock(&live->lock);
    for (size_t i = 0; i < EXPIRED_MOST && i < live->line.count; i++) {
        const waiting *w = segue_deadline_queue_at(&live->line, i);
        *end = is_over(live, w, now) ? fall_back(live, w) : NULL;
        if (!*end)
            break;
        end = &(*end)->next;
    }
    (void)pthread_mutex_unlock(&live->lock);
    segue_learner_state_release(live);
    return first;
}

/* Decisions whose wait is over; those that are not on the disk yet are kept there. */
static void look_at_waiting(segue_service *service, learner_state *live, double now)
{
    (void)pthread_mutex_lock(&live->lock);
    deadline_queue *line = &live->line;
    segue_deadline_queue_pop_closed(line, &live->by_id);
    const bool over = segue_timer_defaults_due(live, now);
    const bool unkept = line->kept < line->next;
    (void)pthread_mutex_unlock(&live->lock);
    if (over)
        segue_commit_queue_add_job_once(service, live, OP_EXPIRE);
    if (unkept)
        segue_commit_queue_add_job_once(service, live, OP_PERSIST_PENDING);
}

void segue_timer_clear_close_pending(learner_state *live, int64_t id)
{
    (void)pthread_mutex_lock(&live->lock);
    task_state *task = segue_learner_state_task_by_id(live, id);
    if (task)
        task->close_wished = false;
    (void)pthread_mutex_unlock(&live->lock);
}

static void look_for_idle(segue_service *service, learner_state *live, double now)
{
    const double idle = live->words.idle;
    int64_t found[IDLE_MOST];
    size_t count = 0, place = 0;
    const hash_map_entry *within = NULL;
    if (now - live->idle_looked < fmin(1.0, idle / 4.0))
        return;
    live->idle_looked = now;
    (void)pthread_mutex_lock(&live->lock);
    for (task_state *task;
         count < IDLE_MOST && (task = segue_hash_map_next(&live->by_id, &place, &within));) {
        if (now - task->active > idle && !task->close_wished) {
            task->close_wished = true;
            found[count++] = task->id;
        }
    }
    (void)pthread_mutex_unlock(&live->lock);
    for (size_t i = 0; i < count; i++)
        if (!segue_commit_queue_add_job(service, OP_CLOSE, live->id, found[i]))
            segue_timer_clear_close_pending(live, found[i]);
}

static void wish_probe(segue_service *service)
{
    if (!atomic_exchange(&service->probes, true) &&
        !segue_commit_queue_add_job(service, OP_PROBE, 0, 0))
        atomic_store(&service->probes, false);
}

/* Whether a transaction of its own must store the service time: only open tasks depend on it. */
static bool is_clock_due(segue_service *service, double now)
{
    if (segue_service_open_tasks(service) == 0 || now - service->clock_probed < CLOCK_SECONDS)
        return false;
    service->clock_probed = now;
    return true;
}

void segue_timer_report_refusals(segue_service *service)
{
    refusals due;
    if (segue_auth_report_due(&service->tokens, segue_service_time(service), &due))
        segue_service_report(service,
                             "%llu request%s without a valid token refused, the last from %s",
                             due.count, due.count == 1 ? "" : "s", due.address);
}

void segue_timer_tick(segue_service *service)
{
    const double now = segue_service_time(service);
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; all && i < count; i++) {
        if (all[i]->words.has_default)
            look_at_waiting(service, all[i], now);
        if (all[i]->words.idle > 0.0)
            look_for_idle(service, all[i], now);
        if (atomic_load(&all[i]->refit_run)) /* the disk did not take it before */
            segue_commit_queue_add_job_once(service, all[i], OP_REFIT_PUBLISH);
        segue_learner_state_release(all[i]);
    }
    free(all);
    if (atomic_load(&service->failing) || is_clock_due(service, now) ||
        !segue_store_files_exist(service->store))
        wish_probe(service);
    segue_timer_report_refusals(service);
    if (atomic_load(&service->memory.full))
        (void)segue_service_has_memory(service, NULL); /* tasks may have been closed since */
    segue_checkpoint_enqueue(service);
}

void *segue_timer_main(void *context)
{
    segue_service *service = context;
    (void)pthread_mutex_lock(&service->work_lock);
    while (!service->ending) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(TICK_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&service->tick, &service->work_lock, &until);
        (void)pthread_mutex_unlock(&service->work_lock);
        segue_timer_tick(service);
        (void)pthread_mutex_lock(&service->work_lock);
    }
    (void)pthread_mutex_unlock(&service->work_lock);
    return NULL;
}
