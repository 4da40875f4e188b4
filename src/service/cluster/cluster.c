/* cluster.c - a server among several on one store: its two threads, and what it says about itself.
 *
 * The session's thread renews and finds owners: its transactions are short, so a renewal never
 * waits for a recovery.  The keeper's thread takes and recovers.  Each has a connection of its own.
 * Requests that wait are in lists of the cluster, which its lock guards; the lock is not held while
 * the database, the writer or another server is waited for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/cluster/keeper.h"
#include "service/cluster/session.h"
#include "service/engine/metrics.h"
#include "service/engine/service_internal.h"
#include "service/state/clock.h"

#define LONGEST_WAIT 0.1 /* seconds between two turns of a thread */

/* A clock of the configuration is one of a test. */
double segue_cluster_now(const cluster *c)
{
    struct timespec t = {.tv_sec = 0};
    if (c->service->config.steady != segue_clock_steady)
        return c->service->config.steady();
    (void)clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool segue_cluster_session(cluster *c, segue_session *out)
{
    (void)pthread_mutex_lock(&c->lock);
    *out = c->session;
    (void)pthread_mutex_unlock(&c->lock);
    return *out->id;
}

void segue_cluster_wake(cluster *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->wakes++;
    (void)pthread_cond_signal(&c->filled);
    (void)pthread_cond_signal(&c->wanted);
    (void)pthread_mutex_unlock(&c->lock);
}

/* ---- turns ------------------------------------------------------------------------------- */

/* Remove the first request that may be tried now. */
static routed *pop_found(cluster *c)
{
    const double now = segue_cluster_now(c);
    (void)pthread_mutex_lock(&c->lock);
    routed **at = &c->finding;
    while (*at && (*at)->not_before > now)
        at = &(*at)->next;
    routed *r = *at;
    if (r)
        *at = r->next;
    (void)pthread_mutex_unlock(&c->lock);
    return r;
}

/* Find the owners of all requests that wait; renewals come first. */
bool segue_cluster_turn(cluster *c)
{
    bool did = segue_session_turn(c);
    routed *r = did ? NULL : pop_found(c);
    if (r)
        segue_router_find(c, r);
    return did || r;
}

bool segue_cluster_run_pending(cluster *c)
{
    bool did = false;
    while (segue_cluster_turn(c) || segue_keeper_turn(c)) {
        segue_service_run_pending(c->service);
        did = true;
    }
    if (c->transport.poll)
        c->transport.poll(c->transport.self);
    return did;
}

/* ---- threads ----------------------------------------------------------------------------- */

/* Wait until woken, or for `seconds` at most; false: the cluster stops.  *seen: the wakes before the
 * work that was done since; one that came meanwhile is not missed. */
static bool wait_on(cluster *c, pthread_cond_t *condition, double seconds, uint64_t *seen)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    const double wait = seconds < LONGEST_WAIT ? seconds : LONGEST_WAIT;
    until.tv_nsec += (long)(wait * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_mutex_lock(&c->lock);
    if (!c->stopping && wait > 0.0 && c->wakes == *seen)
        (void)pthread_cond_timedwait(condition, &c->lock, &until);
    *seen = c->wakes;
    const bool goes_on = !c->stopping;
    (void)pthread_mutex_unlock(&c->lock);
    return goes_on;
}

/* Seconds until the first request may be tried. */
static double time_to_first(cluster *c)
{
    const double now = segue_cluster_now(c);
    double wait = segue_session_wait(c);
    (void)pthread_mutex_lock(&c->lock);
    for (const routed *r = c->finding; r; r = r->next)
        wait = r->not_before - now < wait ? r->not_before - now : wait;
    (void)pthread_mutex_unlock(&c->lock);
    return wait > 0.0 ? wait : 0.0;
}

static void *session_main(void *context)
{
    cluster *c = context;
    uint64_t seen = 0;
    while (wait_on(c, &c->filled, time_to_first(c), &seen))
        while (segue_cluster_turn(c))
            ;
    return NULL;
}

static void *keeper_main(void *context)
{
    cluster *c = context;
    uint64_t seen = 0;
    while (wait_on(c, &c->wanted, segue_keeper_is_due(c) ? 0.0 : LONGEST_WAIT, &seen))
        (void)segue_keeper_turn(c);
    return NULL;
}

segue_status segue_cluster_start(cluster *c, segue_error *err)
{
    c->has_session_thread = pthread_create(&c->session_thread, NULL, session_main, c) == 0;
    c->has_keeper_thread = pthread_create(&c->keeper_thread, NULL, keeper_main, c) == 0;
    if (c->has_session_thread && c->has_keeper_thread)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ETHREAD,
                      "a thread could not be started; check the limits of the process (ulimit -u)");
}

/* Requests that wait get 503. */
static void give_up_list(routed **list)
{
    while (*list) {
        routed *r = *list;
        *list = r->next;
        segue_router_give_up(r);
    }
}

void segue_cluster_stop(cluster *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->stopping = true;
    (void)pthread_cond_broadcast(&c->filled);
    (void)pthread_cond_broadcast(&c->wanted);
    (void)pthread_mutex_unlock(&c->lock);
    if (c->has_session_thread)
        (void)pthread_join(c->session_thread, NULL);
    if (c->has_keeper_thread)
        (void)pthread_join(c->keeper_thread, NULL);
    c->has_session_thread = c->has_keeper_thread = false;
    give_up_list(&c->finding); /* no thread adds to them any more */
    give_up_list(&c->taking);
    if (c->transport.give_up)
        c->transport.give_up(c->transport.self, NULL);
}

/* ---- create, leave, destroy -------------------------------------------------------------- */

static void init_locks(cluster *c)
{
    pthread_condattr_t steady;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&c->filled, &steady);
    (void)pthread_cond_init(&c->wanted, &steady);
    (void)pthread_condattr_destroy(&steady);
}

static segue_status open_stores(cluster *c, segue_error *err)
{
    const char *name = c->service->config.store;
    if (!segue_store_has_sessions(c->service->store))
        return segue_fail(err, SEGUE_EUSAGE,
                          "--advertise needs a store that several servers can share: "
                          "postgresql:...; this one is for one server");
    SEGUE_TRY(segue_store_open(&c->sessions, name, SEGUE_STORE_CHANGE, err));
    return segue_store_open(&c->keeping, name, SEGUE_STORE_CHANGE, err);
}

segue_status segue_cluster_create(cluster **out, segue_service *service,
                                  const segue_transport *transport, segue_error *err)
{
    cluster *c = calloc(1, sizeof *c);
    *out = c;
    if (!c) {
        transport->close(transport->self);
        return segue_fail_no_memory(err, "a cluster");
    }
    c->service = service;
    c->transport = *transport;
    c->ttl = service->config.lease;
    init_locks(c);
    segue_directory_init(&c->owners, service->key);
    (void)snprintf(c->address, sizeof c->address, "%s", service->config.advertise);
    return open_stores(c, err);
}

/* A failure is no loss: the session expires. */
void segue_cluster_end_session(cluster *c)
{
    segue_error err;
    segue_session session;
    if (!segue_cluster_session(c, &session))
        return;
    if (segue_store_end_session(c->sessions, &session, &err) != SEGUE_OK)
        segue_service_report(c->service,
                             "the session of this server could not be ended and expires: %s",
                             err.message);
}

void segue_cluster_destroy(cluster *c)
{
    if (!c)
        return;
    segue_cluster_stop(c);
    if (c->transport.close)
        c->transport.close(c->transport.self);
    segue_store_close(c->sessions);
    segue_store_close(c->keeping);
    segue_directory_fini(&c->owners);
    (void)pthread_mutex_destroy(&c->lock);
    (void)pthread_cond_destroy(&c->filled);
    (void)pthread_cond_destroy(&c->wanted);
    free(c);
}

/* ---- what it says about itself ----------------------------------------------------------- */

static void write_metric(segue_bytes *b, const char *name, const char *kind, const char *help,
                         unsigned long long value)
{
    segue_metrics_write_header(b, name, kind, help);
    segue_json_write_format(b, "%s %llu\n", name, value);
}

/* Until the writer serves the session, memory has learners of another one. */
static unsigned long long count_owned(cluster *c)
{
    if (!segue_session_is_served(c))
        return 0;
    (void)pthread_rwlock_rdlock(&c->service->learners_lock);
    const unsigned long long count = c->service->by_id.count;
    (void)pthread_rwlock_unlock(&c->service->learners_lock);
    return count;
}

void segue_cluster_write_metrics(cluster *c, segue_bytes *b)
{
    cluster_counters *n = &c->counters;
    write_metric(b, "segue_cluster_owned", "gauge", "Learners that this server owns.",
                 count_owned(c));
    write_metric(b, "segue_cluster_session", "gauge",
                 "1 if this server has a session and may answer from memory.",
                 segue_router_is_trusted(c));
    write_metric(b, "segue_cluster_takes_total", "counter", "Learners taken.",
                 atomic_load(&n->takes));
    write_metric(b, "segue_cluster_takeovers_total", "counter",
                 "Learners taken from a server whose session was ended.",
                 atomic_load(&n->takeovers));
    write_metric(b, "segue_cluster_resigned_total", "counter",
                 "Learners resigned to spread them over servers.", atomic_load(&n->resigned));
    write_metric(b, "segue_cluster_forwards_total", "counter",
                 "Requests sent to the owner of their learner.", atomic_load(&n->forwards));
    write_metric(b, "segue_cluster_lost_sessions_total", "counter",
                 "Sessions of this server that were ended by others.",
                 atomic_load(&n->lost_sessions));
    write_metric(b, "segue_cluster_ended_sessions_total", "counter",
                 "Expired sessions of others that this server ended.", atomic_load(&n->ended));
}

void segue_cluster_write_ready(cluster *c, segue_bytes *b)
{
    segue_session session;
    segue_json_write_text(b, "session", segue_cluster_session(c, &session) ? session.id : "");
    segue_json_write_integer(b, "owned", count_owned(c));
}
