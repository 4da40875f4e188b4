/* connections.h - the state of each open connection, and which are closed first.
 *
 * A connection must send each request within a deadline.  When nearly all connections are in use,
 * those that never carried a valid token are closed first, so that clients with a token are served.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_CONNECTIONS_H
#define SEGUE_SERVICE_API_HTTP_CONNECTIONS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "segue/status.h"
#include "service/engine/service.h"

typedef struct segue_connections segue_connections;
typedef struct segue_connection segue_connection;

typedef struct segue_connections_config {
    unsigned limit;         /* connections at once; the last eighth is a reserve */
    unsigned per_address;   /* 0: a quarter of `limit`, and any number from this machine */
    double request_timeout; /* seconds for a request to come, headers and body */
    double idle_timeout;    /* seconds between the end of a response and the next request line */
    struct segue_tls *tls;  /* certificate of HTTPS; NULL: plain HTTP */
} segue_connections_config;

/** Start the thread that closes overdue connections.  @retval SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_connections_create(segue_connections **out,
                                                       segue_service *service,
                                                       const segue_connections_config *config,
                                                       segue_error *err);
void segue_connections_destroy(segue_connections *all);

/** Add an accepted connection.  NULL: shut it down, its address has too many or memory ran out. */
segue_connection *segue_connections_add(segue_connections *all, int fd,
                                        const struct sockaddr *address);

/** Remove a connection before its socket is closed.  NULL is allowed. */
void segue_connections_remove(segue_connections *all, segue_connection *one);

/* State changes, by the thread that serves the connection.  NULL is allowed. */

/** The request line was read: the rest is due within the deadline. */
void segue_connections_set_reading(segue_connection *one);
/** The request is complete and is handled: there is no deadline. */
void segue_connections_set_handling(segue_connection *one);
/** The response is being sent; `authorized`: the request had a valid token or needs none. */
void segue_connections_set_sending(segue_connection *one, size_t size, bool authorized);
/** The response was sent: the connection waits for the next request. */
void segue_connections_set_idle(segue_connection *one);

/** The certificate of the connections. */
struct segue_tls *segue_connections_tls(const segue_connection *one);

/** The client's address, as text. */
const char *segue_connections_address(const segue_connection *one);

#endif
