/* service_internal.h - the parts of the service, for its own files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_SERVICE_INTERNAL_H
#define SEGUE_SERVICE_ENGINE_SERVICE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "segue/internal.h"
#include "service/api/auth.h"
#include "service/engine/commit_queue.h"
#include "service/engine/metrics.h"
#include "service/engine/service.h"
#include "service/jobs/read_pool.h"
#include "service/state/clock.h"
#include "service/state/learner_state.h"
#include "service/state/memory.h"

typedef struct damaged_learner damaged_learner; /* damage.h */

struct segue_service {
    segue_service_config config;
    /* Used by the writer alone (before it starts: by the thread that creates the service); other
     * threads only call segue_store_is_present. */
    segue_store *store;
    segue_store *reader; /* used by all others, under reader_lock; the same one without a file */
    pthread_mutex_t reader_lock;
    unsigned char key[16];
    unsigned char start[16]; /* random bits of this start; what must never repeat goes by them */
    service_clock clock;
    double clock_probed; /* service time of the last probe for it; of the thread that keeps time */
    auth auth;
    metrics metrics;
    memory memory;

    pthread_rwlock_t learners_lock;
    map by_name, by_id;              /* of learner_state */
    damaged_learner *damaged;        /* those that are not served */
    char reported[SEGUE_ERROR_SIZE]; /* the damage that was reported last ... */
    double reported_at;              /* ... and when, in service time */

    commit_queue queue;
    read_pool pool;
    pthread_t writer, estimator, timer;
    bool started, stopped, estimates, keeps_time;
    atomic_bool broken, failing;             /* cannot go on; cannot store just now */
    atomic_bool probe_pending;               /* a probe is in the queue */
    atomic_bool checkpoint_pending;          /* a checkpoint is in the queue */
    atomic_bool checkpoint_fails, wal_large; /* and that was reported */
    double checkpoint_next;     /* of the thread that writes: not before this (monotonic) ... */
    uint64_t checkpoint_frames; /* ... unless the WAL became smaller than it was then */
    char why[SEGUE_ERROR_SIZE]; /* it is broken */
    atomic_ullong open_tasks, draws;
    atomic_ullong unstored;         /* decisions that wait for a default and are not stored yet */
    unsigned long long staged_open; /* of the thread that writes: opened by this transaction */

    pthread_mutex_t work_lock; /* refits to run, in order */
    pthread_cond_t work_filled, tick;
    learner_state *work;
    bool ending;
};

/* ---- service.c --------------------------------------------------------------------------- */

/* A learner by its name or id, held; NULL: there is none. */
learner_state *segue_service_find(segue_service *service, const char *name);
learner_state *segue_service_find_id(segue_service *service, int64_t id);
/* Draw 64 random bits.  They do not repeat, but for chance: not in this start, nor in another one,
 * nor in a history that was lost when the store was restored from a backup. */
uint64_t segue_service_random_bits(segue_service *service);
/* What was stored could not be applied: memory is not what the disk is. */
void segue_service_fail(segue_service *service, const segue_error *why);
/* Take the memory to enter a learner; then entering it cannot fail. */
bool segue_service_reserve_entry(segue_service *service, learner_state *state);
bool segue_service_register(segue_service *service, learner_state *state);
void segue_service_unregister(segue_service *service, learner_state *state);
/* Learners one after the other, each held. */
learner_state **segue_service_learners(segue_service *service, size_t *count);

/* Count the memory of a learner anew, under its lock.  For the thread that writes: also what its
 * operations may need after a commit. */
void segue_service_count_memory(segue_service *service, learner_state *state);
/* The learner is served no more: what it takes counts no more. */
void segue_service_release_memory(segue_service *service, learner_state *state);
void segue_service_reserve_memory(segue_service *service, const learner_state *state);
/* Whether there is room for tasks and learners; false: the reply says why not. */
bool segue_service_has_memory(segue_service *service, segue_response *reply);

#endif
