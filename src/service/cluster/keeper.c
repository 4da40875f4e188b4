/* keeper.c - take learners, recover them, hand them to the writer; resign those above the share.
 *
 *   a request waits for a learner   take it, recover it, adopt it; then the request is routed again
 *   every ttl / 5                   end sessions that have expired; take free learners up to
 *                                   ceil(learners / servers); resign one at a time above that + 1
 *
 * One learner at a time is on its way: taken by this thread's connection, recovered on it after the
 * commit, then in the commit queue (op_adopt.c).  The fence of that transaction makes sure that the
 * session still lives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/keeper.h"

#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/cluster/session.h"
#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/operations/ownership/op_adopt.h"
#include "service/engine/service_internal.h"

#define SPREADS 5.0  /* per ttl */
#define PAUSE   0.05 /* seconds until a request that failed here is tried again */

static const size_t max_free = sizeof((cluster *)NULL)->free / sizeof *((cluster *)NULL)->free;

/* ---- the commit queue -------------------------------------------------------------------- */

/* The writer is done with the learner; it may have failed. */
static void on_adopted(void *context)
{
    cluster *c = context;
    routed *r = c->adopting;
    c->adopting = NULL;
    atomic_store(&c->is_adopting, false);
    if (r)
        segue_router_again(r, 0.0);
    segue_cluster_wake(c);
}

static bool push_adoption(cluster *c, const segue_recovery_result *found,
                          const segue_session *session, uint64_t epoch, routed *r)
{
    c->adopting = r;
    atomic_store(&c->is_adopting, true);
    if (segue_op_adopt_push(c->service, found, session, epoch, on_adopted, c))
        return true;
    c->adopting = NULL;
    atomic_store(&c->is_adopting, false);
    return false;
}

/* ---- one learner ------------------------------------------------------------------------- */

static uint64_t draw_bits(void *context)
{
    return segue_service_random_bits(context);
}

/* Recover a learner of this server from the store.  The row's texts live as long as the cursor. */
static segue_status recover(cluster *c, const segue_lease *lease, const segue_session *session,
                            routed *r, bool *pushed, segue_error *err)
{
    const segue_recovery_source source = {.store = c->keeping,
                                          .key = c->service->key,
                                          .draw = draw_bits,
                                          .context = c->service,
                                          .now = segue_service_time(c->service)};
    segue_rows rows;
    segue_stored_learner row;
    segue_error why = {.message = ""};
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, c->keeping,
                    &(segue_query){.kind = SEGUE_QUERY_LEARNER, .id = lease->learner}, err);
    if (segue_rows_next_learner(&rows, &row)) {
        segue_recovery_result found = {.row = &row};
        status = segue_recovery_learner(&source, &row, &found, &why);
        if (status == SEGUE_ENOMEM || status == SEGUE_EIO) {
            status = segue_fail(err, status, "%s", why.message);
        } else {
            found.why = why.message;
            if (found.state)
                found.state->epoch = lease->epoch;
            *pushed = push_adoption(c, &found, session, lease->epoch, r);
            status = SEGUE_OK;
        }
        segue_learner_state_release(found.state);
    }
    return segue_rows_close(&rows, status);
}

/* Become the owner of a learner, unless another server is.  *mine: this server is. */
static segue_status take(cluster *c, const segue_session *session, segue_lease *lease, bool *mine,
                         segue_error *err)
{
    uint64_t epoch = 0;
    *mine = lease->state == SEGUE_LEASE_OWNED && strcmp(lease->owner.id, session->id) == 0;
    if (*mine || lease->state != SEGUE_LEASE_FREE)
        return SEGUE_OK;
    SEGUE_TRY(segue_store_take_lease(c->keeping, session, lease, &epoch, err));
    *mine = epoch > 0;
    if (!*mine)
        return SEGUE_OK;
    if (*lease->owner.id)
        (void)atomic_fetch_add(&c->counters.takeovers, 1);
    (void)atomic_fetch_add(&c->counters.takes, 1);
    lease->epoch = epoch;
    return SEGUE_OK;
}

/* End sessions that have expired, so that their learners are free.  When the database was away, all
 * sessions have expired; those of servers that live are renewed first. */
static segue_status end_expired(cluster *c, segue_error *err)
{
    uint64_t ended = 0;
    if (segue_cluster_now(c) - atomic_load(&c->trusted_since) < c->ttl)
        return SEGUE_OK;
    SEGUE_TRY(segue_store_end_expired(c->keeping, &ended, err));
    (void)atomic_fetch_add(&c->counters.ended, ended);
    return SEGUE_OK;
}

static segue_status find(cluster *c, const char *name, int64_t id, segue_lease *lease,
                         segue_error *err)
{
    SEGUE_TRY(segue_store_find_lease(c->keeping, name, id, lease, err));
    if (lease->state != SEGUE_LEASE_OWNED || !lease->is_expired)
        return SEGUE_OK;
    SEGUE_TRY(end_expired(c, err));
    return segue_store_find_lease(c->keeping, name, id, lease, err);
}

/* Take a learner and recover it, by its name or id; `r`: the request that waits, or NULL.  *pushed:
 * it is in the commit queue, with `r`. */
static segue_status serve(cluster *c, const char *name, int64_t id, routed *r, bool *pushed,
                          segue_error *err)
{
    segue_lease lease;
    segue_session session;
    bool mine = false;
    if (!segue_cluster_session(c, &session))
        return SEGUE_OK;
    SEGUE_TRY(find(c, name, id, &lease, err));
    SEGUE_TRY(take(c, &session, &lease, &mine, err));
    return mine ? recover(c, &lease, &session, r, pushed, err) : SEGUE_OK;
}

static bool is_served(cluster *c, const char *name, int64_t id)
{
    learner_state *state =
        name ? segue_service_find(c->service, name) : segue_service_find_id(c->service, id);
    segue_learner_state_release(state);
    return state || segue_damage_find(c->service, name, &id, NULL);
}

/* A learner that a request waits for. */
static void serve_request(cluster *c, routed *r)
{
    segue_error err;
    bool pushed = false;
    const char *name = *r->learner ? r->learner : NULL;
    if (!is_served(c, name, r->id) && serve(c, name, r->id, r, &pushed, &err) != SEGUE_OK)
        segue_service_report(c->service, "a learner cannot be taken and is tried again: %s",
                             err.message);
    if (!pushed)
        segue_router_again(r, is_served(c, name, r->id) ? 0.0 : PAUSE);
}

/* ---- spreading --------------------------------------------------------------------------- */

typedef struct servers {
    char address[SEGUE_MAX_SERVERS][SEGUE_MAX_ADDRESS + 1];
    size_t n;
} servers;

static bool contains(const servers *s, const char *address)
{
    size_t i = 0;
    while (i < s->n && strcmp(s->address[i], address) != 0)
        i++;
    return i < s->n;
}

/* Remember the servers that live.  A stopped one would keep requests waiting: they are given up. */
static segue_status find_servers(cluster *c, const segue_session *session, segue_error *err)
{
    servers now, before;
    bool changed = false;
    SEGUE_TRY(segue_store_servers(c->keeping, session, now.address, &now.n, err));
    (void)pthread_mutex_lock(&c->lock);
    before.n = c->n_servers;
    memcpy(before.address, c->server, before.n * sizeof *before.address);
    memcpy(c->server, now.address, now.n * sizeof *now.address);
    c->n_servers = now.n;
    for (size_t i = 0; i < before.n; i++)
        changed = changed || !contains(&now, before.address[i]);
    if (changed)
        segue_directory_clear(&c->owners);
    (void)pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; changed && i < before.n; i++)
        if (!contains(&now, before.address[i]) && c->transport.give_up)
            c->transport.give_up(c->transport.self, before.address[i]);
    return SEGUE_OK;
}

/* Learners in memory, and damaged ones. */
static uint64_t count_served(cluster *c)
{
    (void)pthread_rwlock_rdlock(&c->service->learners_lock);
    const uint64_t count = c->service->by_id.count;
    (void)pthread_rwlock_unlock(&c->service->learners_lock);
    return count + segue_damage_count(c->service);
}

/* Find out how many learners this server should take or resign. */
static segue_status spread(cluster *c, const segue_session *session, segue_error *err)
{
    segue_lease_shares shares;
    SEGUE_TRY(end_expired(c, err));
    SEGUE_TRY(find_servers(c, session, err));
    SEGUE_TRY(segue_store_shares(c->keeping, session, &shares, err));
    const uint64_t share =
        shares.servers > 0 ? (shares.learners + shares.servers - 1) / shares.servers : 0;
    const uint64_t missing = share > shares.own ? share - shares.own : 0;
    c->to_resign = shares.own > share + 1 ? shares.own - share - 1 : 0;
    c->n_free = 0;
    if (shares.own > count_served(c)) /* one could not be recovered: try again */
        return segue_store_leased_learners(c->keeping, session, true, c->free, max_free, &c->n_free,
                                           err);
    return missing == 0 ? SEGUE_OK
                        : segue_store_leased_learners(c->keeping, session, false, c->free,
                                                      missing < max_free ? missing : max_free,
                                                      &c->n_free, err);
}

static void try_spread(cluster *c)
{
    segue_error err;
    segue_session session;
    c->spread_at = segue_cluster_now(c) + c->ttl / SPREADS;
    if (!segue_cluster_session(c, &session) || spread(c, &session, &err) != SEGUE_OK) {
        c->n_free = 0;
        c->to_resign = 0;
    }
}

static void serve_free(cluster *c)
{
    segue_error err;
    bool pushed = false;
    const int64_t id = c->free[--c->n_free];
    if (!is_served(c, NULL, id) && serve(c, NULL, id, NULL, &pushed, &err) != SEGUE_OK)
        c->n_free = 0; /* the database does not answer: later */
}

/* Resign one learner that no refit runs for. */
static void resign_one(cluster *c)
{
    size_t count = 0;
    learner_state **all = segue_service_learners(c->service, &count);
    c->to_resign--;
    operation *op = count > 0 ? segue_operation_create(&op_resign) : NULL;
    if (op) {
        op->learner_id = all[segue_service_random_bits(c->service) % count]->id;
        op->done = on_adopted;
        op->context = c;
        atomic_store(&c->is_adopting, true);
        if (segue_commit_queue_push(&c->service->queue, op, false)) {
            (void)atomic_fetch_add(&c->counters.resigned, 1);
        } else {
            atomic_store(&c->is_adopting, false);
            segue_operation_destroy(op);
        }
    }
    for (size_t i = 0; all && i < count; i++)
        segue_learner_state_release(all[i]);
    free(all);
}

/* ---- turns ------------------------------------------------------------------------------- */

static routed *pop(cluster *c)
{
    (void)pthread_mutex_lock(&c->lock);
    routed *r = c->taking;
    if (r)
        c->taking = r->next;
    (void)pthread_mutex_unlock(&c->lock);
    return r;
}

static bool is_spread_due(const cluster *c)
{
    return c->n_free > 0 || c->to_resign > 0 || segue_cluster_now(c) >= c->spread_at;
}

bool segue_keeper_is_due(cluster *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool is_wanted = c->taking;
    (void)pthread_mutex_unlock(&c->lock);
    return !atomic_load(&c->is_adopting) && segue_session_is_served(c) &&
           (is_wanted || is_spread_due(c));
}

bool segue_keeper_turn(cluster *c)
{
    if (atomic_load(&c->is_adopting) || !segue_session_is_served(c))
        return false;
    routed *r = pop(c);
    if (r)
        serve_request(c, r);
    else if (c->n_free > 0)
        serve_free(c);
    else if (c->to_resign > 0)
        resign_one(c);
    else if (is_spread_due(c))
        try_spread(c);
    else
        return false;
    return true;
}
