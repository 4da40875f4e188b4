/* refit_worker.c - the thread that runs refits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/refit_worker.h"

#include <errno.h>
#include <time.h>

#include "service/engine/commit_queue.h"
#include "service/engine/service_internal.h"

void segue_refit_worker_enqueue(segue_service *service, learner_state *state)
{
    segue_learner_state_acquire(state);
    (void)pthread_mutex_lock(&service->work_lock);
    learner_state **end = &service->work; /* a learner has one fit at most, so this is short */
    while (*end)
        end = &(*end)->next_work;
    *end = state;
    (void)pthread_cond_signal(&service->work_filled);
    (void)pthread_mutex_unlock(&service->work_lock);
}

static learner_state *take_work(segue_service *service, bool wait)
{
    (void)pthread_mutex_lock(&service->work_lock);
    while (wait && !service->work && !service->ending)
        (void)pthread_cond_wait(&service->work_filled, &service->work_lock);
    learner_state *state = service->ending ? NULL : service->work;
    if (state) {
        service->work = state->next_work;
        state->next_work = NULL;
    }
    (void)pthread_mutex_unlock(&service->work_lock);
    return state;
}

/* Count failed refits, and report when those of a learner begin to fail and when they work again.
 */
static void note_refit(segue_service *service, learner_state *state, bool fails,
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
    learner_state *state = take_work(service, wait);
    if (!state)
        return false;
    const segue_status status = segue_refit_run(state->refit, &err);
    note_refit(service, state, status != SEGUE_OK, &err);
    if (status == SEGUE_OK) {
        atomic_store(&state->refit_finished, true);
        segue_commit_queue_add_job_once(service, state, &op_refit_publish);
    } else { /* out of memory: later, maybe */
        rest(service);
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
