/* http_client.h - one request to a service, over a socket of our own.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_HTTP_CLIENT_H
#define SEGUE_CLI_HTTP_CLIENT_H

#include "segue/internal.h"
#include "segue/status.h"

typedef struct cli_http_client {
    const char *url;   /* http://HOST:PORT */
    const char *token; /* NULL: none */
} cli_http_client;

/**
 * Send a request and take its answer: the status, and the body, which ends with a 0 that does not
 * count.  `body` is NULL or JSON.
 *
 * @retval SEGUE_EUSAGE  the URL is not one of http
 * @retval SEGUE_EIO     nobody answers there, or not HTTP
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_http_client_request(const cli_http_client *client,
                                                      const char *method, const char *path,
                                                      const char *body, int *status,
                                                      segue_bytes *answer, segue_error *err);

/** Add a part of a path, percent-encoded. */
void cli_http_client_escape(segue_bytes *b, const char *text);

#endif
