/* listen.h - a listening socket, from an address as text.
 *
 * It is opened before the store: early clients wait in its backlog, and if the port is in use,
 * nothing was written yet.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_LISTEN_H
#define SEGUE_SERVICE_API_HTTP_LISTEN_H

#include <stdbool.h>

#include "segue/status.h"

/**
 * Listen on "127.0.0.1:8080", "[::1]:8080", "localhost:8080"; port 0: any free port.  `guarded`:
 * requests need tokens, so other machines may reach the address.  The caller closes the socket.
 *
 * @retval SEGUE_EDOMAIN  it is not an address
 * @retval SEGUE_EUSAGE   other machines can reach it, and it is not guarded
 * @retval SEGUE_EIO      the address is in use, for example
 */
SEGUE_MUST_CHECK segue_status segue_listen(const char *listen_on, bool guarded, int *out,
                                           segue_error *err);

/** Test if HOST or HOST:PORT is this machine: localhost, 127.0.0.0/8, [::1]. */
bool segue_listen_is_local(const char *host_port);

/** Refuse connections from now on, also those that wait: the caller accepts no more.  The socket
 * stays open. */
void segue_listen_stop(int fd);

/** The port of a listening socket. */
unsigned segue_listen_port(int fd);

#endif
