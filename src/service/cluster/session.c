/* session.c - the session of this server: register, renew, lose, register again.
 *
 * A renewal is sent every ttl / 3.  The server trusts its memory until the moment before the last
 * successful renewal was sent + ttl - margin.  A session that was ended is found by a renewal or by
 * the fence of a transaction; then another one is registered, and the writer forgets all learners
 * before it begins to serve it (op_session.c).
 *
 * A registered session is served only when the writer says so by its number: until then memory holds
 * the learners of the session before, which others may own by now.
 *
 * Only the session's thread calls these functions, unless they say otherwise.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/session.h"

#include <sodium.h>
#include <string.h>

#include "service/engine/operations/ownership/op_session.h"
#include "service/engine/service_internal.h"

#define RENEWALS 3.0 /* per ttl */
#define MARGIN   0.2 /* of the ttl: the clocks of server and database may differ in speed */
#define RETRY    0.2 /* seconds after a failure */

static void draw(segue_session *out)
{
    unsigned char bits[SEGUE_SESSION_SIZE / 2];
    randombytes_buf(bits, sizeof bits);
    (void)sodium_bin2hex(out->id, sizeof out->id, bits, sizeof bits);
}

/* Report when the database stops and starts answering. */
static void note(cluster *c, segue_status status, const segue_error *why)
{
    const bool fails = status != SEGUE_OK;
    if (fails && !c->is_failing)
        segue_service_report(c->service, "the session of this server cannot be renewed: %s",
                             why->message);
    else if (!fails && c->is_failing)
        segue_service_report(c->service, "the session of this server is renewed again");
    c->is_failing = fails;
}

/* After a pause of the trust the database may have been away for all servers. */
static void trust_until(cluster *c, double sent)
{
    if (atomic_load(&c->trusted_until) < segue_cluster_now(c))
        atomic_store(&c->trusted_since, segue_cluster_now(c));
    atomic_store(&c->trusted_until, sent + c->ttl * (1.0 - MARGIN));
}

/* ---- register ---------------------------------------------------------------------------- */

static void set_session(cluster *c, const segue_session *session, unsigned long long number)
{
    (void)pthread_mutex_lock(&c->lock);
    c->session = *session;
    atomic_store(&c->registered, number);
    segue_directory_clear(&c->owners);
    (void)pthread_mutex_unlock(&c->lock);
}

/* The writer serves it when it has forgotten the learners of the session before. */
static void begin(cluster *c, const segue_session *session, double clock, double sent)
{
    const unsigned long long number = ++c->n_sessions;
    set_session(c, session, number); /* before it is trusted: see segue_router_is_trusted */
    trust_until(c, sent);
    c->renew_at = sent + c->ttl / RENEWALS;
    if (!segue_op_session_push(c->service, session, number, clock))
        atomic_store(&c->lost, number); /* out of memory: try again */
}

static void add(cluster *c)
{
    segue_error err;
    segue_session session;
    double clock = -1.0;
    const double sent = segue_cluster_now(c);
    draw(&session);
    atomic_store(&c->trusted_until, 0.0);
    const segue_status status =
        segue_store_register(c->sessions, &session, c->address, c->ttl, &clock, &err);
    note(c, status, &err);
    if (status == SEGUE_OK)
        begin(c, &session, clock, sent);
    else
        c->renew_at = sent + RETRY;
}

/* ---- renew ------------------------------------------------------------------------------- */

static void lose(cluster *c)
{
    segue_service_report(c->service, "the session of this server was ended: its learners are "
                                     "recovered from the store when they are needed");
    (void)atomic_fetch_add(&c->counters.lost_sessions, 1);
    atomic_store(&c->trusted_until, 0.0);
    set_session(c, &(segue_session){.id = ""}, 0);
    c->renew_at = 0.0; /* register at once */
}

static void renew(cluster *c, const segue_session *session)
{
    segue_error err;
    bool lives = false;
    const double sent = segue_cluster_now(c);
    const segue_status status = segue_store_renew(c->sessions, session, c->ttl,
                                                  segue_service_time(c->service), &lives, &err);
    note(c, status, &err);
    c->renew_at = sent + (status == SEGUE_OK ? c->ttl / RENEWALS : RETRY);
    if (status == SEGUE_OK && lives)
        trust_until(c, sent);
    else if (status == SEGUE_OK)
        lose(c);
}

/* A transaction found that the session was ended. */
static bool is_lost(const cluster *c)
{
    const unsigned long long registered = atomic_load(&c->registered);
    return registered != 0 && atomic_load(&c->lost) == registered;
}

bool segue_session_is_served(const cluster *c)
{
    const unsigned long long registered = atomic_load(&c->registered);
    return registered != 0 && atomic_load(&c->served) == registered;
}

bool segue_session_turn(cluster *c)
{
    segue_session session;
    const bool has_session = segue_cluster_session(c, &session);
    if (has_session && is_lost(c)) {
        lose(c);
        c->renew_at = segue_cluster_now(c) + RETRY;
        return true;
    }
    if (segue_cluster_now(c) < c->renew_at)
        return false;
    if (has_session)
        renew(c, &session);
    else
        add(c);
    return true;
}

double segue_session_wait(const cluster *c)
{
    const double wait = c->renew_at - segue_cluster_now(c);
    return wait > 0.0 && !is_lost(c) ? wait : 0.0;
}
