/* http_client.h - one request to a service, through libcurl.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_CLIENT_HTTP_CLIENT_H
#define SEGUE_CLI_COMMANDS_CLIENT_HTTP_CLIENT_H

#include "segue/internal.h"
#include "segue/status.h"

typedef struct cli_http_client {
    const char *url;     /* [http://|https://]HOST[:PORT][/PREFIX] */
    const char *token;   /* NULL: none */
    const char *ca_file; /* certificates (PEM) to trust for https; NULL: those of the system */
} cli_http_client;

/**
 * Send a request and receive the response: its status and its body, which ends with a NUL that is
 * not counted.  `body` is NULL or JSON.  Redirects are not followed: the token is for this address.
 *
 * @retval SEGUE_EUSAGE  the URL is not one of http or https
 * @retval SEGUE_EFILE   the file of certificates cannot be read
 * @retval SEGUE_EIO     no connection, no trust, no HTTP, or an incomplete response
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_http_client_request(const cli_http_client *client,
                                                      const char *method, const char *path,
                                                      const char *body, int *status,
                                                      segue_bytes *response, segue_error *err);

#endif
