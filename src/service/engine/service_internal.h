/* service_internal.h - the state of the service, for its own files.
 *
 * ARCHITECTURE.md, "Threads and locks", says which thread owns what and in which order locks are
 * taken.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_SERVICE_INTERNAL_H
#define SEGUE_SERVICE_ENGINE_SERVICE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "segue/internal.h"
#include "service/api/access/auth.h"
#include "service/engine/commit_queue.h"
#include "service/engine/metrics.h"
#include "service/engine/service.h"
#include "service/jobs/read_pool.h"
#include "service/state/clock.h"
#include "service/state/learner_state.h"
#include "service/state/memory.h"

typedef struct damaged_learner damaged_learner; /* damage.h */

struct segue_service {
    /* Set when the service is created; read by all threads. */
    segue_service_config config;
    unsigned char key[16];
    double started_at;       /* wall time */
    unsigned char start[16]; /* random bits of this start, from which random_bits are derived */

    /* The writer's connection (the creating thread's before the writer starts).  Other threads only
     * call segue_store_is_present, _durability and _wal_info. */
    segue_store *store;
    segue_store *reader; /* guarded by reader_lock; `store` itself if the store is in memory */
    pthread_mutex_t reader_lock;

    service_clock clock;
    auth auth;
    metrics metrics; /* atomic counters */
    memory memory;

    pthread_rwlock_t learners_lock;  /* guards these: */
    hash_map by_name, by_id;         /* learner_state */
    damaged_learner *damaged;        /* learners that are not served */
    char reported[SEGUE_ERROR_SIZE]; /* the last damage that was reported ... */
    double reported_at;              /* ... and when, in service time */

    commit_queue queue; /* has a lock of its own */
    read_pool pool;     /* has a lock of its own */

    struct cluster *cluster; /* NULL: this server has its store alone */

    pthread_t writer, refit_worker, timer;
    bool started, stopped, has_refit_worker, has_timer; /* of the thread that starts and stops it */

    atomic_bool needs_restart;    /* memory and disk differ, or may: only a restart helps */
    char why[SEGUE_ERROR_SIZE];   /* its reason: written before it is set, then constant */
    atomic_bool store_unwritable; /* the last transaction could not be stored; probes retry */

    atomic_bool probe_pending, checkpoint_pending; /* the job is in the queue */
    atomic_bool checkpoint_fails, wal_large;       /* the condition was reported */
    atomic_bool audit_fails;                       /* a line of the audit log waits */
    atomic_ullong open_tasks;
    atomic_ullong draws;    /* of random_bits */
    atomic_ullong unstored; /* decisions in deadline queues that are not stored yet */

    /* The writer's. */
    double checkpoint_next;         /* monotonic time before which there is no checkpoint ... */
    uint64_t checkpoint_frames;     /* ... unless the WAL became smaller than it was then */
    unsigned long long staged_open; /* tasks that this transaction opened */

    double clock_probed; /* the timer's: service time of the last probe that stores the clock */

    pthread_mutex_t worker_lock; /* guards these, which the refit worker and the timer wait for: */
    pthread_cond_t refit_filled, tick;
    learner_state *refits; /* learners with a refit to run, in order */
    bool stopping;
};

/* ---- service.c --------------------------------------------------------------------------- */

/* Draw 64 random bits.  They practically never repeat: not in this start, nor in another one, nor
 * in a history that was lost when the store was restored from a backup. */
uint64_t segue_service_random_bits(segue_service *service);

/* Stop serving changes: a change is stored, or may be, and memory does not have it. */
void segue_service_fail(segue_service *service, const segue_error *why);

/* ---- service_learners.c ------------------------------------------------------------------ */

/* Find a learner by its name or id and acquire it; NULL: there is none. */
learner_state *segue_service_find(segue_service *service, const char *name);
learner_state *segue_service_find_id(segue_service *service, int64_t id);

/* Allocate the entries of a learner; then registering it cannot fail.  False: out of memory. */
bool segue_service_reserve_entry(segue_service *service, learner_state *state);
bool segue_service_register(segue_service *service, learner_state *state);
void segue_service_unregister(segue_service *service, learner_state *state);

/* Serve a recovered learner, which the table then owns.  False: out of memory; the caller owns it. */
bool segue_service_admit(segue_service *service, learner_state *state);
/* Serve it no longer: another server does, or it is deleted or damaged.  Writer. */
void segue_service_drop(segue_service *service, learner_state *state);

/* All learners, each acquired; free the array.  NULL: out of memory. */
learner_state **segue_service_learners(segue_service *service, size_t *count);

/* ---- service_audit.c --------------------------------------------------------------------- */

/* Lines of the audit log can be written; false: the response says that they cannot. */
bool segue_service_can_audit(segue_service *service, segue_response *response);

/* ---- service_memory.c -------------------------------------------------------------------- */

/* Count the memory of a learner again.  The caller holds its lock. */
void segue_service_count_memory(segue_service *service, learner_state *state);
/* Stop counting a learner that is not served any more.  Takes its lock. */
void segue_service_release_memory(segue_service *service, learner_state *state);
/* Have spare memory for closing a task of this learner.  Writer. */
void segue_service_reserve_memory(segue_service *service, const learner_state *state);
/* There is memory for new tasks and learners; false: the response, if any, says why not. */
bool segue_service_has_memory(segue_service *service, segue_response *response);

#endif
