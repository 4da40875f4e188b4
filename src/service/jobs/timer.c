/* timer.c - the thread that enqueues jobs because time has passed.
 *
 * Ten times per second it enqueues, for each learner: default rewards of decisions past their
 * deadline, the storing of pending decisions, the closing of idle tasks, the publishing of a refit
 * that could not be stored.  For the service: a probe, and a checkpoint of a large WAL.  It changes
 * no learner itself and never waits for the disk.  It takes one learner's lock at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/timer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "service/engine/commit_queue.h"
#include "service/engine/service_internal.h"
#include "service/jobs/wal_checkpoint.h"

#define TICK_SECONDS  0.1
#define TRIM_SECONDS  60.0 /* between two searches for rewards to remove */
#define CLOCK_SECONDS 60.0 /* between two transactions that store the service time alone */
#define MAX_EXPIRED   1000 /* default rewards per learner and tick */
#define MAX_IDLE      1000 /* idle tasks closed per learner and tick */

/* ---- deadlines of rewards ---------------------------------------------------------------- */

static operation *create_default_reward(const learner_state *state, const pending_decision *pending)
{
    operation *op = segue_operation_create(&op_default_reward);
    const task_state *task = segue_learner_state_task_by_id(state, pending->decision.task);
    if (op) {
        op->request.reward = task ? task->terms.default_reward : 0.0;
        op->decision = pending->decision;
        op->reward.sequence = pending->sequence;
    }
    return op;
}

/* A decision of a closed task is overdue: its entry is to be removed. */
static bool is_overdue(const learner_state *state, const pending_decision *pending, double now)
{
    const task_state *task = segue_learner_state_task_by_id(state, pending->decision.task);
    return !task || now - pending->decision.asked_at > task->terms.reward_deadline;
}

/* Find the next overdue entry from index `i` on; `count` without one.  If all tasks have the same
 * time to their deadlines, no later entry is due before an earlier one. */
static size_t find_overdue(const learner_state *state, size_t i, double now)
{
    const deadline_queue *queue = &state->deadlines;
    while (i < queue->count && !is_overdue(state, segue_deadline_queue_at(queue, i), now))
        i = state->mixed_deadlines ? i + 1 : queue->count;
    return i;
}

bool segue_timer_defaults_due(const learner_state *state, double now)
{
    return find_overdue(state, 0, now) < state->deadlines.count;
}

operation *segue_timer_create_default_rewards(segue_service *service, int64_t learner)
{
    operation *first = NULL, **end = &first;
    const double now = segue_service_time(service);
    learner_state *state = segue_service_find_id(service, learner);
    if (!state)
        return NULL;
    (void)pthread_mutex_lock(&state->lock);
    size_t i = find_overdue(state, 0, now);
    for (size_t n = 0; n < MAX_EXPIRED && i < state->deadlines.count; n++) {
        *end = create_default_reward(state, segue_deadline_queue_at(&state->deadlines, i));
        if (!*end)
            break;
        end = &(*end)->next;
        i = find_overdue(state, i + 1, now);
    }
    (void)pthread_mutex_unlock(&state->lock);
    segue_learner_state_release(state);
    return first;
}

/* Enqueue default rewards that are due, and the storing of pending decisions. */
static void check_deadlines(segue_service *service, learner_state *state, double now)
{
    (void)pthread_mutex_lock(&state->lock);
    deadline_queue *queue = &state->deadlines;
    segue_deadline_queue_pop_closed(queue, &state->by_id);
    const bool overdue = segue_timer_defaults_due(state, now);
    const bool unstored = queue->persisted < queue->next;
    (void)pthread_mutex_unlock(&state->lock);
    if (overdue)
        segue_commit_queue_add_job_once(service, state, &op_expire);
    if (unstored)
        segue_commit_queue_add_job_once(service, state, &op_persist_pending);
}

/* ---- idle tasks -------------------------------------------------------------------------- */

void segue_timer_clear_close_pending(learner_state *state, int64_t id)
{
    (void)pthread_mutex_lock(&state->lock);
    task_state *task = segue_learner_state_task_by_id(state, id);
    if (task)
        task->close_pending = false;
    (void)pthread_mutex_unlock(&state->lock);
}

bool segue_timer_is_idle(const learner_state *state, const task_state *task, double now)
{
    return !state->settings.paused && task->terms.idle > 0.0 &&
           now - task->active > task->terms.idle;
}

/* Collect idle tasks, at most MAX_IDLE; returns their number.  Holds the learner's lock. */
static size_t find_idle(learner_state *state, double now, int64_t found[MAX_IDLE])
{
    size_t count = 0, index = 0;
    const hash_map_entry *within = NULL;
    state->shortest_idle = segue_learner_settings_terms(&state->settings)->idle;
    for (task_state *task;
         count < MAX_IDLE && (task = segue_hash_map_next(&state->by_id, &index, &within));) {
        const double idle = task->terms.idle, shortest = state->shortest_idle;
        if (idle > 0.0 && (shortest <= 0.0 || idle < shortest))
            state->shortest_idle = idle;
        if (segue_timer_is_idle(state, task, now) && !task->close_pending) {
            task->close_pending = true;
            found[count++] = task->id;
        }
    }
    return count;
}

/* Enqueue the close of idle tasks. */
static void check_idle(segue_service *service, learner_state *state, double now)
{
    int64_t found[MAX_IDLE];
    const double wait = state->shortest_idle > 0.0 ? fmin(1.0, state->shortest_idle / 4.0) : 1.0;
    if (now - state->idle_checked < wait)
        return;
    state->idle_checked = now;
    (void)pthread_mutex_lock(&state->lock);
    const size_t count = find_idle(state, now, found);
    (void)pthread_mutex_unlock(&state->lock);
    for (size_t i = 0; i < count; i++)
        if (!segue_commit_queue_add_job(service, &op_close, state->id, found[i]))
            segue_timer_clear_close_pending(state, found[i]);
}

/* ---- retention --------------------------------------------------------------------------- */

/* Enqueue the removal of old rewards, now and then. */
static void check_trim(segue_service *service, learner_state *state, double now)
{
    const double keep = service->config.keep;
    if (!(keep > 0.0) || now - state->trim_checked < fmin(TRIM_SECONDS, keep / 4.0))
        return;
    state->trim_checked = now;
    segue_commit_queue_add_job_once(service, state, &op_trim);
}

/* ---- the service ------------------------------------------------------------------------- */

static void enqueue_probe(segue_service *service)
{
    if (!atomic_exchange(&service->probe_pending, true) &&
        !segue_commit_queue_add_job(service, &op_probe, 0, 0))
        atomic_store(&service->probe_pending, false);
}

/* Open tasks depend on the stored service time, which other transactions store, too. */
static bool is_clock_due(segue_service *service, double now)
{
    if (segue_service_open_tasks(service) == 0 || now - service->clock_probed < CLOCK_SECONDS)
        return false;
    service->clock_probed = now;
    return true;
}

void segue_timer_report_rejections(segue_service *service)
{
    rejections due;
    if (segue_auth_report_due(&service->auth, segue_service_time(service), &due))
        segue_service_report(service,
                             "%llu request%s without a valid token rejected, the last from %s; "
                             "check the tokens of your clients",
                             due.count, due.count == 1 ? "" : "s", due.address);
}

void segue_timer_tick(segue_service *service)
{
    const double now = segue_service_time(service);
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; all && i < count; i++) {
        check_deadlines(service, all[i], now);
        check_idle(service, all[i], now);
        check_trim(service, all[i], now);
        if (atomic_load(&all[i]->refit_finished)) /* its transaction failed */
            segue_commit_queue_add_job_once(service, all[i], &op_refit_publish);
        segue_learner_state_release(all[i]);
    }
    free(all);
    if (atomic_load(&service->store_unwritable) || is_clock_due(service, now) ||
        !segue_store_is_present(service->store))
        enqueue_probe(service);
    segue_timer_report_rejections(service);
    if (atomic_load(&service->memory.full))
        (void)segue_service_has_memory(service, NULL); /* reports that memory is free again */
    segue_wal_checkpoint_enqueue(service);
}

void *segue_timer_main(void *context)
{
    segue_service *service = context;
    (void)pthread_mutex_lock(&service->worker_lock);
    while (!service->stopping) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(TICK_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&service->tick, &service->worker_lock, &until);
        (void)pthread_mutex_unlock(&service->worker_lock);
        segue_timer_tick(service);
        (void)pthread_mutex_lock(&service->worker_lock);
    }
    (void)pthread_mutex_unlock(&service->worker_lock);
    return NULL;
}
