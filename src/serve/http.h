/* http.h - the service on a socket, through libmicrohttpd.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_HTTP_H
#define SEGUE_SERVE_HTTP_H

#include <stdio.h>

#include "serve/service.h"

typedef struct segue_http segue_http;

typedef struct segue_http_config {
    const char *listen; /* "127.0.0.1:8080", "[::1]:8080"; port 0: any that is free */
    unsigned threads;   /* that answer; at least 1 */
    bool guarded;       /* there are tokens: it may listen to other machines */
    FILE *log;          /* a line of JSON a request; NULL: none */
} segue_http_config;

/**
 * Listen, and answer.
 *
 * @retval SEGUE_EDOMAIN  `listen` is not an address, or not one of this machine and not guarded
 * @retval SEGUE_EIO      the address is taken, say
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_http_open(segue_http **out, segue_service *service,
                                              const segue_http_config *config, segue_error *err);

/** The port that it listens on. */
unsigned segue_http_port(const segue_http *http);

/** Take no more, answer what was taken (which stops the service), and close. */
void segue_http_close(segue_http *http);

/** Whether an address is of this machine alone.  @retval SEGUE_EDOMAIN  it is no address */
SEGUE_MUST_CHECK segue_status segue_http_is_local(const char *listen, bool *local,
                                                  segue_error *err);

#endif
