/* http.h - the service on a socket, through libmicrohttpd.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_HTTP_H
#define SEGUE_SERVICE_API_HTTP_HTTP_H

#include "service/api/http/connections.h"
#include "service/engine/service.h"
#include "service/jobs/log_writer.h"

typedef struct segue_http segue_http;

#define SEGUE_MAX_HTTP_CONNECTIONS 4096

typedef struct segue_http_config {
    int socket;            /* a listening socket (listen.h) */
    unsigned threads;      /* that serve; at least 1 */
    segue_log_writer *log; /* access log; NULL: none */
    segue_connections_config connections;
} segue_http_config;

/** Start to serve requests.  @retval SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_http_open(segue_http **out, segue_service *service,
                                              const segue_http_config *config, segue_error *err);

/** Stop to accept, drain the requests in progress (which stops the service), and close. */
void segue_http_close(segue_http *http);

#endif
