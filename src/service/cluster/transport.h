/* transport.h - how a request reaches another server.
 *
 * forward.c implements it with libcurl; the simulation of several servers in tests/ with a queue.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_TRANSPORT_H
#define SEGUE_SERVICE_CLUSTER_TRANSPORT_H

#include "service/api/request.h"

/** The fate of a request that was sent. */
typedef enum segue_delivery {
    SEGUE_DELIVERED, /* the response is that of the other server */
    SEGUE_NOT_SENT,  /* it was certainly not received */
    SEGUE_UNKNOWN    /* it may have been received, and there is no response */
} segue_delivery;

/** Called once per sent request, from any thread; the response's status, body and Retry-After are
 * filled in if it was delivered. */
typedef void (*segue_delivered)(void *context, segue_delivery delivery);

typedef struct segue_transport {
    void *self;
    /* Send a request to the server at `address`; request and response live until `delivered`.
     * `fresh`: on a new connection, since a library may send it again on another if one that stayed
     * open turns out to be closed.  False: out of memory, or the transport stops; then `delivered`
     * is not called. */
    bool (*send)(void *self, const char *address, const char *session, bool fresh,
                 const segue_request *request, segue_response *response, segue_delivered delivered,
                 void *context);
    /* Deliver what waits for the caller's thread; NULL: threads of its own do. */
    void (*poll)(void *self);
    /* Give up the requests that are under way to a server that does not live any more; NULL: all. */
    void (*give_up)(void *self, const char *address);
    /* Give up all requests, and free it. */
    void (*close)(void *self);
} segue_transport;

#endif
