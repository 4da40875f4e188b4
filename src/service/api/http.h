/* http.h - the service on a socket, through libmicrohttpd.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_H
#define SEGUE_SERVICE_API_HTTP_H

#include "service/api/connections.h"
#include "service/engine/service.h"
#include "service/jobs/log_writer.h"

typedef struct segue_http segue_http;

#define SEGUE_MAX_HTTP_CONNECTIONS 4096 /* at most */

typedef struct segue_http_config {
    int socket;            /* that listens: see listen.h */
    unsigned threads;      /* that answer; at least 1 */
    segue_log_writer *log; /* a line of JSON per request; NULL: none */
    segue_connections_config connections;
} segue_http_config;

/** Answer those who call.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_http_open(segue_http **out, segue_service *service,
                                              const segue_http_config *config, segue_error *err);

/** Take no more, answer what was taken (which stops the service), and close. */
void segue_http_close(segue_http *http);

#endif
