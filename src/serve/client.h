/* client.h - one request to a service, over a socket of our own.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_CLIENT_H
#define SEGUE_SERVE_CLIENT_H

#include "core/bytes.h"
#include "segue/status.h"

typedef struct segue_client {
    const char *url;   /* http://HOST:PORT */
    const char *token; /* NULL: none */
} segue_client;

/**
 * Send a request and take its answer: the status, and the body, which ends with a 0 that does not
 * count.  `body` is NULL or JSON.
 *
 * @retval SEGUE_EUSAGE  the URL is not one of http
 * @retval SEGUE_EIO     nobody answers there, or not HTTP
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_client_call(const segue_client *client, const char *method,
                                                const char *path, const char *body, int *status,
                                                bytes *answer, segue_error *err);

/** Add a part of a path, percent-encoded. */
void segue_client_escape(bytes *b, const char *text);

#endif
