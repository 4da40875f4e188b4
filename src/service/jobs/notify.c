/* notify.c - messages to the service manager (systemd): ready, stopping, alive.
 *
 * The writer is alive if it comes back to its queue: every change waits for it.  A full disk does
 * not stop it, and a restart would not help; a disk that never answers does, and so does a lock
 * that is never released.  While the writer does not answer, nothing is sent, and the service
 * manager restarts the process after the interval.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "segue/internal.h"

#define SEND_SECONDS 1

/* ---- the environment --------------------------------------------------------------------- */

/* An abstract address begins with NUL instead of '@' and does not end with one. */
static segue_status parse_address(segue_notify *notify, const char *name, segue_error *err)
{
    const size_t length = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || length < 2 ||
        length >= sizeof notify->address.sun_path)
        return segue_fail(
            err, SEGUE_EUSAGE,
            "NOTIFY_SOCKET is '%.120s'; need an absolute path or @NAME of at most %zu "
            "bytes; unset it if no service manager runs",
            name, sizeof notify->address.sun_path - 1);
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, name, length + 1);
    if (name[0] == '@')
        notify->address.sun_path[0] = '\0';
    notify->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] == '/'));
    return SEGUE_OK;
}

/* Read a number without sign or blanks; false: it is none. */
static bool parse_number(const char *text, unsigned long long *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

/* A watchdog of another process is not ours. */
static segue_status parse_watchdog(segue_notify *notify, const segue_notify_environment *from,
                                   segue_error *err)
{
    unsigned long long usec = 0, pid = (unsigned long long)getpid();
    if (!from->watchdog_usec)
        return SEGUE_OK;
    if (from->watchdog_pid && !parse_number(from->watchdog_pid, &pid))
        return segue_fail(err, SEGUE_EUSAGE, "WATCHDOG_PID is '%.40s'; need the id of a process",
                          from->watchdog_pid);
    if (!parse_number(from->watchdog_usec, &usec) || usec == 0)
        return segue_fail(err, SEGUE_EUSAGE, "WATCHDOG_USEC is '%.40s'; need microseconds above 0",
                          from->watchdog_usec);
    if (pid == (unsigned long long)getpid())
        notify->watchdog = (double)usec * 1e-6;
    return SEGUE_OK;
}

/* ---- the socket -------------------------------------------------------------------------- */

static segue_status open_socket(segue_notify *notify, segue_error *err)
{
    const struct timeval patience = {.tv_sec = SEND_SECONDS};
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (notify->fd < 0)
        return segue_fail(err, SEGUE_EIO,
                          "no socket for the service manager: %s; check the limits of the process "
                          "(ulimit -n)",
                          strerror(errno));
    (void)setsockopt(notify->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return SEGUE_OK;
}

segue_status segue_notify_open(segue_notify *notify, const segue_notify_environment *from,
                               segue_error *err)
{
    *notify = (segue_notify){.fd = -1};
    if (!from->notify_socket || !*from->notify_socket)
        return SEGUE_OK;
    SEGUE_TRY(parse_address(notify, from->notify_socket, err));
    SEGUE_TRY(parse_watchdog(notify, from, err));
    return open_socket(notify, err);
}

void segue_notify_close(segue_notify *notify)
{
    if (notify->fd >= 0)
        (void)close(notify->fd);
    notify->fd = -1;
}

int segue_notify_send(const segue_notify *notify, const char *message)
{
    ssize_t sent = 0;
    if (notify->fd < 0)
        return 0;
    do
        sent = sendto(notify->fd, message, strlen(message), MSG_NOSIGNAL,
                      (const struct sockaddr *)&notify->address, notify->size);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

/* A message that could not be sent is due again at the next call. */
void segue_notify_watch(segue_notify *notify, segue_service *service, double now)
{
    if (notify->fd < 0 || !(notify->watchdog > 0.0) || now < notify->next)
        return;
    if (segue_service_ping_writer(service) && segue_notify_send(notify, "WATCHDOG=1") == 0)
        notify->next = now + notify->watchdog / 2.0;
}
