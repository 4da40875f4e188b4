/* cluster.h - a server among several on one store: what its threads share.
 *
 * docs/cluster-protocol.md has states, messages and invariants.
 *
 *   session.c    registers this server, renews its session, and trusts it for a time
 *   router.c     finds out which server answers a request: this one, another one, or who takes it
 *   keeper.c     takes learners, recovers them and hands them to the writer; resigns them
 *   directory.c  remembers the owners of learners
 *   forward.c    sends requests to other servers
 *   fan_out.c    requests about the learners of all servers
 *
 * Two threads run it: one for the session and the router, whose transactions are short, one for the
 * keeper, whose recoveries may be long.  Without threads segue_cluster_run_pending does their work.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_CLUSTER_H
#define SEGUE_SERVICE_CLUSTER_CLUSTER_H

#include <pthread.h>
#include <stdatomic.h>

#include "service/cluster/directory.h"
#include "service/cluster/router.h"
#include "service/cluster/transport.h"
#include "service/engine/service.h"
#include "store/store.h"

typedef struct cluster_counters {
    atomic_ullong takeovers;     /* learners taken from a session that was ended */
    atomic_ullong takes;         /* learners taken */
    atomic_ullong resigned;      /* learners resigned to spread them */
    atomic_ullong forwards;      /* requests sent to other servers */
    atomic_ullong lost_sessions; /* of this process */
    atomic_ullong ended;         /* expired sessions of others that this server ended */
} cluster_counters;

typedef struct cluster {
    segue_service *service;
    char address[SEGUE_MAX_ADDRESS + 1];
    double ttl; /* seconds */
    segue_transport transport;
    cluster_counters counters;

    segue_store *sessions, *keeping; /* connections of the two threads */
    pthread_t session_thread, keeper_thread;
    bool has_session_thread, has_keeper_thread; /* of the thread that starts and stops it */

    pthread_mutex_t lock; /* guards these: */
    pthread_cond_t filled, wanted;
    uint64_t wakes; /* calls of segue_cluster_wake */
    bool stopping;
    segue_session session; /* registered; "": none */
    routed *finding;       /* requests that wait for their owner to be found ... */
    routed *taking;        /* ... and for this server to become it */
    directory owners;
    char server[SEGUE_MAX_SERVERS][SEGUE_MAX_ADDRESS + 1]; /* the other ones that live ... */
    size_t n_servers;                                      /* ... how many */

    /* The sessions of this process are numbered from 1; 0: none. */
    atomic_ullong registered;     /* the number of `session` ... */
    atomic_ullong served;         /* ... of the one that the writer serves ... */
    atomic_ullong lost;           /* ... of the last one that a transaction found ended */
    _Atomic double trusted_until; /* the registered one, by segue_cluster_now ... */
    _Atomic double trusted_since; /* ... without a pause */

    /* The session thread's. */
    double renew_at;
    unsigned long long n_sessions; /* registered by this process */
    bool is_failing;               /* the database cannot be reached; reported */

    unsigned long long writing; /* the writer's: the session that its transactions check */

    /* The keeper's. */
    double spread_at;        /* when free learners are looked for again */
    int64_t free[256];       /* free learners to take ... */
    size_t n_free;           /* ... how many */
    uint64_t to_resign;      /* learners above its share */
    atomic_bool is_adopting; /* an adoption or a resignation is in the commit queue ... */
    routed *adopting;        /* ... for this request, or NULL */
} cluster;

/** Open the connections of a service that is configured to be one of several.  The transport's
 * table is copied; `close` belongs to the cluster from then on, also after a failure.
 * @retval SEGUE_EUSAGE  the store is for one server */
SEGUE_MUST_CHECK segue_status segue_cluster_create(cluster **out, segue_service *service,
                                                   const segue_transport *transport,
                                                   segue_error *err);

/** Start its threads.  @retval SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_cluster_start(cluster *c, segue_error *err);

/** End its threads; requests that wait get 503.  Before the writer stops. */
void segue_cluster_stop(cluster *c);

/** Free all learners of this server at once, and end its session; after the writer stopped. */
void segue_cluster_end_session(cluster *c);
void segue_cluster_destroy(cluster *c);

/** Renew the session if that is due, and find the owner of one request.  Returns whether it did
 * something.  The session's thread. */
bool segue_cluster_turn(cluster *c);

/** Without threads: do what is due.  Returns whether something was done. */
bool segue_cluster_run_pending(cluster *c);

/** Seconds that also count while the machine sleeps, and never jump. */
double segue_cluster_now(const cluster *c);

/** Copy the current session; false: there is none. */
bool segue_cluster_session(cluster *c, segue_session *out);

/** Wake its threads: something waits for them. */
void segue_cluster_wake(cluster *c);

/** Write the metrics; and the fields of /readyz. */
void segue_cluster_write_metrics(cluster *c, segue_bytes *b);
void segue_cluster_write_ready(cluster *c, segue_bytes *b);

#endif
