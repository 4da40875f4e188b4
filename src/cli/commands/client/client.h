/* client.h - what the commands that call a service share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_CLIENT_CLIENT_H
#define SEGUE_CLI_COMMANDS_CLIENT_CLIENT_H

#include <stdbool.h>

#include "cli/command.h"
#include "segue/internal.h"

/** How the service is reached; the first field of each command's settings. */
typedef struct cli_client {
    const char *url, *token_file, *ca_file;
} cli_client;

/** The address is SEGUE_URL or the default; certificates are those of SSL_CERT_FILE. */
cli_client cli_client_defaults(void);

/** The options of every client, for settings whose first field is `cli_client client`. */
#define CLI_CLIENT_OPTIONS                                                                         \
    {"url",    'u',                                                                                \
     CLI_TEXT, offsetof(cli_client, url),                                                          \
     "URL",    "the service (default SEGUE_URL, 127.0.0.1:8080)",                                  \
     0,        0},                                                                                 \
        {"token-file",                                                                             \
         't',                                                                                      \
         CLI_TEXT,                                                                                 \
         offsetof(cli_client, token_file),                                                         \
         "FILE",                                                                                   \
         "file with the token (its first is used)",                                                \
         0,                                                                                        \
         0},                                                                                       \
    {                                                                                              \
        "cacert", 0, CLI_TEXT, offsetof(cli_client, ca_file), "FILE",                              \
            "CA certificates for https (default SSL_CERT_FILE)", 0, 0                              \
    }

/** Return /v1/learners[/LEARNER][/PART[/NAME]], with names percent-encoded. */
segue_bytes cli_client_path(const char *learner, const char *part, const char *name);

/**
 * Send a request and print the response.  `path` and `body` (NULL: none) are text without a NUL at
 * the end; both are released.
 *
 * @retval SEGUE_EUSAGE  the service rejects the request (4xx), or the URL is invalid
 * @retval SEGUE_EIO     the service fails (5xx), or there is no response
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_client_send(const cli_client *client, const char *method,
                                              segue_bytes path, segue_bytes *body,
                                              segue_error *err);

#endif
