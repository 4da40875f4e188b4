/* listen.h - an address to listen on.
 *
 * It is taken before anything else is done: who calls before the service is ready waits, and a port
 * that cannot be had leaves no trace on the disk.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_LISTEN_H
#define SEGUE_SERVICE_API_HTTP_LISTEN_H

#include <stdbool.h>

#include "segue/status.h"

/**
 * Listen on "127.0.0.1:8080", "[::1]:8080", "localhost:8080"; port 0: any that is free.  `guarded`:
 * there are tokens, and it may be an address that other machines can reach.  The caller closes the
 * socket.
 *
 * @retval SEGUE_EDOMAIN  it is not an address
 * @retval SEGUE_EUSAGE   it is not of this machine alone, and not guarded
 * @retval SEGUE_EIO      the address is taken, say
 */
SEGUE_MUST_CHECK segue_status segue_listen(const char *listen_on, bool guarded, int *out,
                                           segue_error *err);

/** Whether only this machine can be meant by HOST or HOST:PORT: localhost, 127.0.0.0/8, [::1]. */
bool segue_listen_is_local(const char *place);

/** The port of such a socket. */
unsigned segue_listen_port(int fd);

#endif
