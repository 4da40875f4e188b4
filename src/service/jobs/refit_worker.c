/* refit_worker.c - the thread that runs refits.
 *
 * op_refit_begin copies the learner and queues it here.  The refit works on that copy, without any
 * lock.  When it is done, the worker enqueues op_refit_publish.  A refit that fails (out of memory)
 * is tried again after a second.  worker_lock guards the queue.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/refit_worker.h"

#include <errno.h>
#include <time.h>

#include "service/engine/commit_queue.h"
#include "service/engine/service_internal.h"

void segue_refit_worker_enqueue(segue_service *service, learner_state *state)
{
    segue_learner_state_acquire(state);
    (void)pthread_mutex_lock(&service->worker_lock);
    learner_state **end = &service->refits; /* short: a learner has at most one refit */
    while (*end)
        end = &(*end)->next_refit;
    *end = state;
    (void)pthread_cond_signal(&service->refit_filled);
    (void)pthread_mutex_unlock(&service->worker_lock);
}

static learner_state *pop(segue_service *service, bool wait)
{
    (void)pthread_mutex_lock(&service->worker_lock);
    while (wait && !service->refits && !service->stopping)
        (void)pthread_cond_wait(&service->refit_filled, &service->worker_lock);
    learner_state *state = service->stopping ? NULL : service->refits;
    if (state) {
        service->refits = state->next_refit;
        state->next_refit = NULL;
    }
    (void)pthread_mutex_unlock(&service->worker_lock);
    return state;
}

/* Count failed refits, and report when those of a learner begin to fail and when they work again.
 */
static void report_refit(segue_service *service, learner_state *state, bool fails,
                         const segue_error *why)
{
    if (fails)
        (void)atomic_fetch_add(&service->metrics.refit_failures, 1);
    if (fails && !state->refit_fails)
        segue_service_report(
            service,
            "the refit of learner '%.80s' failed and is retried; its types stay as they are: %s",
            state->settings.name, why->message);
    else if (!fails && state->refit_fails)
        segue_service_report(service, "the refit of learner '%.80s' works again",
                             state->settings.name);
    state->refit_fails = fails;
}

/* Wait a second, in which memory may become free, unless the service stops. */
static void pause_worker(segue_service *service)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += service->started; /* without threads waiting does not help */
    (void)pthread_mutex_lock(&service->worker_lock);
    while (!service->stopping &&
           pthread_cond_timedwait(&service->tick, &service->worker_lock, &until) != ETIMEDOUT)
        ;
    (void)pthread_mutex_unlock(&service->worker_lock);
}

/* Run a refit, and count it with its time. */
static segue_status run_refit(segue_service *service, learner_state *state, segue_error *err)
{
    const double start = service->config.steady();
    const segue_status status = segue_refit_run(state->refit, err);
    const double seconds = service->config.steady() - start;
    if (status != SEGUE_OK)
        return status;
    (void)atomic_fetch_add(&state->refits, 1);
    (void)atomic_fetch_add(&state->refit_microseconds,
                           (unsigned long long)(seconds > 0.0 ? seconds * 1e6 : 0.0));
    return SEGUE_OK;
}

bool segue_refit_worker_run_one(segue_service *service, bool wait)
{
    segue_error err = {.message = ""};
    learner_state *state = pop(service, wait);
    if (!state)
        return false;
    const segue_status status = run_refit(service, state, &err);
    report_refit(service, state, status != SEGUE_OK, &err);
    if (status == SEGUE_OK) {
        atomic_store(&state->refit_finished, true);
        segue_commit_queue_add_job_once(service, state, &op_refit_publish);
    } else {
        pause_worker(service);
        segue_refit_worker_enqueue(service, state);
    }
    segue_learner_state_release(state);
    return true;
}

void *segue_refit_worker_main(void *service)
{
    while (segue_refit_worker_run_one(service, true))
        ;
    return NULL;
}
