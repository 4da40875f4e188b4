/* router.c - which server answers a request.
 *
 *   owned here      it is handled as by a single server (service_handle.c); if the learner was
 *                   resigned or lost before a transaction began, it comes back and is routed again
 *   owner known     it is sent there at once; 421 or a failure brings it back
 *   else            the session's thread asks the database; a free learner goes to the keeper
 *
 * Each request ends after the time in which a learner of a killed server must be taken (ttl) and a
 * second more.  One that may have been received by another server is sent again only if a repeat
 * does no harm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/api/decision_id.h"
#include "service/cluster/cluster.h"
#include "service/cluster/fan_out.h"
#include "service/cluster/session.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"

#define PAUSE       0.02  /* seconds before the database is asked again */
#define SHORT_PAUSE 0.005 /* ... after an answer that another server has the learner now */
#define PATIENCE    1.5   /* ttl until a request is given up, and a second more */

/* ---- what a request names ---------------------------------------------------------------- */

/* Return whether the request is answered from memory alone. */
static bool needs_trust(const segue_parsed_request *parsed)
{
    if (parsed->route == ROUTE_ASK)
        return !parsed->tells && !parsed->event_id[0];
    return segue_route_right(parsed->route) == RIGHT_READ || parsed->route == ROUTE_EXPORT;
}

/* Return whether a repeated request has the effect of one. */
static bool is_repeatable(const segue_parsed_request *parsed)
{
    switch (parsed->route) {
    case ROUTE_CREATE:
    case ROUTE_CHANGE:
    case ROUTE_CLOSE:
    case ROUTE_TELL:
        return true;
    case ROUTE_OPEN:
        return parsed->task[0];
    case ROUTE_ASK:
        return parsed->event_id[0];
    default:
        return needs_trust(parsed);
    }
}

/* Find the learner of a request: its name, or its id by a decision.  False: it names none. */
static bool find_target(const cluster *c, const segue_parsed_request *parsed, routed *out)
{
    decision d = {.learner = 0};
    bool several = false;
    if (parsed->route == ROUTE_TELL) {
        if (parsed->rewards)
            out->id = segue_fan_out_learner(c, parsed->rewards, &several);
        else if (segue_decision_id_decode(&d, c->service->key, parsed->decision))
            out->id = d.learner;
        return out->id != 0;
    }
    const char *name = parsed->route == ROUTE_CREATE ? parsed->settings.name : parsed->learner;
    (void)snprintf(out->learner, sizeof out->learner, "%s", name);
    return *name;
}

static directory_key key_of(const routed *r)
{
    return (directory_key){.name = r->learner, .id = r->id};
}

/* ---- here -------------------------------------------------------------------------------- */

bool segue_router_is_trusted(const cluster *c)
{
    const double until =
        atomic_load(&c->trusted_until); /* first: of this session or of one before */
    return segue_cluster_now(c) < until && segue_session_is_served(c);
}

/* Return whether the learner is in this server's table, or in its list of damaged ones. */
static bool is_served(const routed *r)
{
    segue_service *service = r->cluster->service;
    learner_state *state = *r->learner ? segue_service_find(service, r->learner)
                                       : segue_service_find_id(service, r->id);
    int64_t id = r->id;
    const bool found =
        state || segue_damage_find(service, *r->learner ? r->learner : NULL, &id, NULL);
    segue_learner_state_release(state);
    return found;
}

static bool is_here(const routed *r)
{
    return is_served(r) && (!r->needs_trust || segue_router_is_trusted(r->cluster));
}

static void finish(routed *r)
{
    const segue_completion done = r->done;
    void *context = r->context;
    free(r);
    if (done)
        done(context);
}

/* Forget what was answered, so that the request can be answered again. */
static void reset(segue_response *response)
{
    segue_response fresh = {.route = response->route,
                            .status = 200,
                            .type = "application/json",
                            .authorized = response->authorized};
    memcpy(fresh.id, response->id, sizeof fresh.id);
    memcpy(fresh.caller, response->caller, sizeof fresh.caller);
    memcpy(fresh.learner, response->learner, sizeof fresh.learner);
    segue_response_fini(response);
    *response = fresh;
}

void segue_router_give_up(routed *r)
{
    reset(r->response);
    segue_response_fail(r->response, 503,
                        "no server can answer for the learner now; repeat the request");
    finish(r);
}

/* A request that was answered here; it comes from the writer or the read pool. */
static void on_answered(void *context)
{
    routed *r = context;
    const segue_response *response = r->response;
    if (response->is_elsewhere && (!response->is_unknown || r->is_repeatable))
        segue_router_again(r, SHORT_PAUSE);
    else
        finish(r);
}

/* Answer a routed request here; `absent`: the store has no such learner. */
static void answer_here(routed *r, bool absent)
{
    reset(r->response);
    r->response->is_absent = absent;
    if (segue_service_answer(r->cluster->service, r->request, r->response, on_answered, r))
        on_answered(r);
}

/* ---- elsewhere --------------------------------------------------------------------------- */

static void on_delivered(void *context, segue_delivery delivery)
{
    routed *r = context;
    const bool moved = delivery == SEGUE_DELIVERED && r->response->status == 421;
    if (delivery == SEGUE_DELIVERED && !moved) {
        finish(r);
        return;
    }
    (void)pthread_mutex_lock(&r->cluster->lock);
    segue_directory_remove(&r->cluster->owners, key_of(r));
    (void)pthread_mutex_unlock(&r->cluster->lock);
    if (delivery != SEGUE_UNKNOWN || r->is_repeatable) {
        segue_router_again(r, PAUSE);
        return;
    }
    reset(r->response);
    segue_response_fail(r->response, 503,
                        "the connection to the owner of the learner was lost, and it is not known "
                        "whether the request was stored; look, then repeat it if it was not");
    finish(r);
}

static void send_to(routed *r, const char *address)
{
    cluster *c = r->cluster;
    segue_session session = {.id = ""};
    (void)segue_cluster_session(c, &session);
    reset(r->response);
    (void)snprintf(r->response->hop, sizeof r->response->hop, "%s", address);
    (void)atomic_fetch_add(&c->counters.forwards, 1);
    if (!c->transport.send(c->transport.self, address, session.id, !r->is_repeatable && !r->is_ask,
                           r->request, r->response, on_delivered, r))
        segue_router_give_up(r);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void append(routed **list, routed *r)
{
    while (*list)
        list = &(*list)->next;
    r->next = NULL;
    *list = r;
}

/* Put it into a list of the cluster, or give it up if the cluster stops. */
static void wait_in(routed **list, routed *r)
{
    cluster *c = r->cluster;
    (void)pthread_mutex_lock(&c->lock);
    const bool stopping = c->stopping;
    if (!stopping)
        append(list, r);
    (void)pthread_mutex_unlock(&c->lock);
    if (stopping)
        segue_router_give_up(r);
    else
        segue_cluster_wake(c);
}

void segue_router_again(routed *r, double seconds)
{
    const double now = segue_cluster_now(r->cluster);
    r->not_before = now + seconds;
    if (now < r->until)
        wait_in(&r->cluster->finding, r);
    else
        segue_router_give_up(r);
}

/* ---- finding the owner ------------------------------------------------------------------- */

/* The owner lives, as far as the database knows. */
static void go_to_owner(routed *r, const segue_lease *lease)
{
    cluster *c = r->cluster;
    if (!*lease->address) {
        segue_router_again(r, PAUSE); /* it serves without an address: it may leave */
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    segue_directory_set(&c->owners, key_of(r), lease->address);
    (void)pthread_mutex_unlock(&c->lock);
    send_to(r, lease->address);
}

void segue_router_find(cluster *c, routed *r)
{
    segue_error err;
    segue_lease lease;
    segue_session session;
    if (!segue_cluster_session(c, &session) || !segue_session_is_served(c)) {
        segue_router_again(r, PAUSE);
        return;
    }
    if (is_served(r)) {
        if (is_here(r))
            answer_here(r, false);
        else
            segue_router_again(r, PAUSE); /* until a renewal succeeds */
        return;
    }
    const char *name = *r->learner ? r->learner : NULL;
    if (segue_store_find_lease(c->sessions, name, r->id, &lease, &err) != SEGUE_OK)
        segue_router_again(r, PAUSE);
    else if (lease.state == SEGUE_LEASE_NONE)
        answer_here(r, true);
    else if (lease.state == SEGUE_LEASE_OWNED && !lease.is_expired &&
             strcmp(lease.owner.id, session.id) != 0)
        go_to_owner(r, &lease);
    else
        wait_in(&c->taking, r);
}

/* ---- a request arrives ------------------------------------------------------------------- */

static routed *create(cluster *c, const segue_request *request, const segue_parsed_request *parsed,
                      segue_response *response, segue_completion done, void *context)
{
    routed *r = calloc(1, sizeof *r);
    if (!r) {
        segue_response_fail(response, 503, "out of memory");
        return NULL;
    }
    r->cluster = c;
    r->request = request;
    r->response = response;
    r->done = done;
    r->context = context;
    r->needs_trust = needs_trust(parsed);
    r->is_repeatable = is_repeatable(parsed);
    r->is_ask = parsed->route == ROUTE_ASK;
    r->until = segue_cluster_now(c) + PATIENCE * c->ttl + 1.0;
    return r;
}

/* Not here: to the owner that is known, or ask the database. */
static void send_away(routed *r)
{
    cluster *c = r->cluster;
    char address[SEGUE_MAX_ADDRESS + 1] = "";
    (void)pthread_mutex_lock(&c->lock);
    const bool known = segue_directory_find(&c->owners, key_of(r), address);
    (void)pthread_mutex_unlock(&c->lock);
    if (known && !is_served(r))
        send_to(r, address);
    else
        segue_router_again(r, 0.0);
}

/* Handle it as a single server does; it comes back if the learner has moved. */
static bool try_here(routed *r, segue_parsed_request *parsed)
{
    if (!segue_service_dispatch(r->cluster->service, r->request, parsed, r->response, on_answered,
                                r))
        return false;
    if (r->response->is_elsewhere) {
        send_away(r);
        return false;
    }
    free(r);
    return true;
}

bool segue_router_handle(cluster *c, const segue_request *request, segue_parsed_request *parsed,
                         segue_response *response, segue_completion done, void *context)
{
    routed target = {.cluster = c};
    if (!request->hop && segue_fan_out_is_for(c, parsed))
        return segue_fan_out_handle(c, request, parsed, response, done, context);
    const bool has_target = find_target(c, parsed, &target);
    if (has_target && request->hop && needs_trust(parsed) && !segue_router_is_trusted(c)) {
        segue_response_elsewhere(response);
        return true;
    }
    if (!has_target || request->hop)
        return segue_service_dispatch(c->service, request, parsed, response, done, context);
    routed *r = create(c, request, parsed, response, done, context);
    if (!r)
        return true;
    memcpy(r->learner, target.learner, sizeof r->learner);
    r->id = target.id;
    if (is_here(r))
        return try_here(r, parsed);
    send_away(r);
    return false;
}
