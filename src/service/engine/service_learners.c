/* service_learners.c - the table of learners, by name and by id.
 *
 * learners_lock guards the table, not the learners.  A learner that is found is acquired: it stays
 * valid until the caller releases it, also if it is deleted meanwhile.  Only the writer registers
 * and unregisters learners (and the thread that creates the service).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "service/engine/service_internal.h"

static learner_state *find(segue_service *service, const hash_map *m, const void *key, size_t size)
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
    state->deadlines.unstored = &service->unstored; /* no other thread has it yet */
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

bool segue_service_admit(segue_service *service, learner_state *state)
{
    const unsigned long long open = state->by_id.count; /* other threads may close tasks at once */
    if (!segue_service_reserve_entry(service, state))
        return false;
    segue_service_count_memory(service, state); /* no other thread has it yet */
    segue_service_reserve_memory(service, state);
    (void)atomic_fetch_add(&service->open_tasks, open);
    return segue_service_register(service, state);
}

void segue_service_drop(segue_service *service, learner_state *state)
{
    segue_service_unregister(service, state);
    (void)atomic_fetch_sub(&service->open_tasks, state->by_id.count);
    segue_service_release_memory(service, state);
    segue_learner_state_release(state); /* the table's */
}

learner_state **segue_service_learners(segue_service *service, size_t *count)
{
    size_t index = 0;
    const hash_map_entry *within = NULL;
    *count = 0;
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    learner_state **all = calloc(service->by_id.count + 1, sizeof(learner_state *));
    for (learner_state *state;
         all && (state = segue_hash_map_next(&service->by_id, &index, &within));) {
        segue_learner_state_acquire(state);
        all[(*count)++] = state;
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return all;
}
