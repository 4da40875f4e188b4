/* router.h - which server answers a request.
 *
 * A request about one learner is answered here if this server owns the learner, else by the owner,
 * to which it is forwarded; a free learner is taken first.  A request that was forwarded to this
 * server is never forwarded again: 421.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_ROUTER_H
#define SEGUE_SERVICE_CLUSTER_ROUTER_H

#include "service/engine/service.h"

typedef struct cluster cluster;

/** A request on its way.  It belongs to one list, one thread or the transport at a time. */
typedef struct routed {
    struct routed *next;
    cluster *cluster;
    const segue_request *request; /* the caller's, until `done` */
    segue_response *response;     /* the caller's */
    segue_completion done;
    void *context;
    char learner[SEGUE_MAX_NAME_SIZE + 1]; /* that the request names; "": by its ... */
    int64_t id;                            /* ... id, of a decision */
    bool needs_trust;                      /* it is answered from memory, without a transaction */
    bool is_repeatable;                    /* a repeat does no harm */
    bool is_ask;                           /* a repeat makes a decision that no reward follows */
    double until;                          /* when it is given up, by segue_cluster_now */
    double not_before;                     /* when it is tried again */
} routed;

/**
 * Answer an allowed request, here or elsewhere; as segue_service_handle, but `request` and
 * `response` must stay valid until `done`.  `parsed` stays the caller's.
 */
bool segue_router_handle(cluster *c, const segue_request *request, segue_parsed_request *parsed,
                         segue_response *response, segue_completion done, void *context);

/** Find the owner of a request's learner; then forward it, answer it or let the keeper take the
 * learner.  The session's thread. */
void segue_router_find(cluster *c, routed *r);

/** Try a request again, from finding the owner, after `seconds`; 503 if its time is over. */
void segue_router_again(routed *r, double seconds);

/** Respond 503: no server answered in time. */
void segue_router_give_up(routed *r);

/** Return whether this server may answer from memory. */
bool segue_router_is_trusted(const cluster *c);

#endif
