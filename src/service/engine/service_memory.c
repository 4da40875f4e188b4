/* service_memory.c - how much memory learners and request bodies use, and what is rejected for it.
 *
 * The sum over all learners is updated by differences: a learner's bytes are counted again,
 * under its lock, whenever they may have changed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/service_internal.h"

#define FULL_REPORT_SECONDS 60

void segue_service_count_memory(segue_service *service, learner_state *state)
{
    const size_t now = state->is_gone ? 0 : segue_learner_state_bytes(state),
                 before = state->counted;
    state->counted = now;
    if (now >= before)
        (void)atomic_fetch_add(&service->memory.of_learners, now - before);
    else
        (void)atomic_fetch_sub(&service->memory.of_learners, before - now);
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

/* At the limit each close and open would be reported: report once a minute. */
static bool may_report_full(segue_service *service)
{
    const unsigned long long now = (unsigned long long)segue_service_time(service);
    const unsigned long long last = atomic_load(&service->memory.full_at);
    if (last != 0 && now < last + FULL_REPORT_SECONDS)
        return false;
    atomic_store(&service->memory.full_at, now);
    return true;
}

bool segue_service_has_memory(segue_service *service, segue_response *response)
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
    if (response) {
        segue_response_fail(response, 503, "out of memory: %s", why);
        response->retry = 0; /* tasks must be closed */
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
