/* notify.h - messages to the service manager (systemd): ready, stopping, alive.
 *
 * The protocol is one datagram per message to a socket of the Unix domain, which the environment
 * names (sd_notify(3)).  Without such a socket all messages are discarded.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_NOTIFY_H
#define SEGUE_SERVICE_JOBS_NOTIFY_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "segue/status.h"
#include "service/engine/service.h"

typedef struct segue_notify {
    int fd; /* -1: there is no service manager */
    struct sockaddr_un address;
    socklen_t size;  /* of the address */
    double watchdog; /* seconds in which it wants a message; 0: it wants none */
    double next;     /* steady time of the next message */
} segue_notify;

/** Variables of the environment; each may be NULL. */
typedef struct segue_notify_environment {
    const char *notify_socket; /* NOTIFY_SOCKET: a path, or @NAME of an abstract socket */
    const char *watchdog_usec; /* WATCHDOG_USEC: microseconds */
    const char *watchdog_pid;  /* WATCHDOG_PID: the process that must send, if not any */
} segue_notify_environment;

/** Open a socket for messages.
 * @retval SEGUE_EUSAGE  a variable is malformed
 * @retval SEGUE_EIO  no socket can be had */
SEGUE_MUST_CHECK segue_status segue_notify_open(segue_notify *notify,
                                                const segue_notify_environment *from,
                                                segue_error *err);
void segue_notify_close(segue_notify *notify);

/** Send a message such as "READY=1".  Waits a second at most.  @return 0 or errno */
int segue_notify_send(const segue_notify *notify, const char *message);

/** Send "WATCHDOG=1" if half of its interval has passed and the writer is alive: it has answered
 * the ping of half an interval before.  Call it often; `now` is steady time. */
void segue_notify_watch(segue_notify *notify, segue_service *service, double now);

#endif
