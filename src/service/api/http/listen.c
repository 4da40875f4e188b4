/* listen.c - a listening socket, from an address as text.
 *
 * Addresses are numeric, except "localhost", which is 127.0.0.1: a name server cannot change where
 * the service listens.  An address that other machines can reach is refused unless requests need
 * tokens.
 *
 * segue_listen_is_local also judges Host headers (auth.c): without tokens only names of this
 * machine are accepted, so that a web page cannot reach the service through a name that it controls
 * (DNS rebinding).  The functions have no state.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "segue/internal.h"
#include "segue/number.h"

#define BACKLOG 1024 /* connections that wait until the service is ready */

typedef union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} address;

static segue_status read_address(const char *listen, address *out, segue_error *err)
{
    char host[64];
    uint64_t port = 0;
    const char *colon = strrchr(listen, ':');
    const size_t size = colon ? (size_t)(colon - listen) : 0;
    memset(out, 0, sizeof *out);
    if (!colon || size >= sizeof host ||
        segue_number_parse_integer(colon + 1, 0, 65535, &port, NULL) != SEGUE_OK)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "'%.60s' is not an address; need one such as 127.0.0.1:8080 or "
                          "[::1]:8080",
                          listen);
    (void)snprintf(host, sizeof host, "%.*s", (int)size, listen);
    if (strcmp(host, "localhost") == 0)
        (void)snprintf(host, sizeof host, "127.0.0.1");
    if (host[0] == '[' && host[size - 1] == ']') {
        host[size - 1] = '\0';
        out->six.sin6_family = AF_INET6;
        out->six.sin6_port = htons((uint16_t)port);
        if (inet_pton(AF_INET6, host + 1, &out->six.sin6_addr) == 1)
            return SEGUE_OK;
    }
    out->four.sin_family = AF_INET;
    out->four.sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, host, &out->four.sin_addr) == 1)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN,
                      "'%.60s' is not an address; names are not resolved, give a numeric address",
                      listen);
}

bool segue_listen_is_local(const char *host_port)
{
    static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
    struct in_addr four;
    struct in6_addr six;
    char host[64];
    const bool bracket = host_port[0] == '[';
    const size_t size = strcspn(host_port + bracket, bracket ? "]" : ":");
    const char *rest = host_port + bracket + size + bracket;
    if (size >= sizeof host || (bracket && host_port[bracket + size] != ']') ||
        (*rest != '\0' && *rest != ':'))
        return false;
    (void)snprintf(host, sizeof host, "%.*s", (int)size, host_port + bracket);
    if (bracket)
        return inet_pton(AF_INET6, host, &six) == 1 && memcmp(&six, &loopback, sizeof six) == 0;
    return strcasecmp(host, "localhost") == 0 ||
           (inet_pton(AF_INET, host, &four) == 1 && (ntohl(four.s_addr) >> 24) == 127);
}

/* SO_REUSEADDR allows a port right after a kill, but not while another process listens. */
static segue_status bind_to(const address *a, const char *listen_on, int fd, segue_error *err)
{
    const socklen_t size = a->any.sa_family == AF_INET6 ? sizeof a->six : sizeof a->four;
    const int yes = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(fd, &a->any, size) == 0 && listen(fd, BACKLOG) == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EIO, "cannot listen on %.60s: %s", listen_on,
                      errno == EADDRINUSE
                          ? "another process does; stop it or choose another port with --listen"
                          : strerror(errno));
}

segue_status segue_listen(const char *listen_on, bool guarded, int *out, segue_error *err)
{
    address a;
    *out = -1;
    SEGUE_TRY(read_address(listen_on, &a, err));
    if (!guarded && !segue_listen_is_local(listen_on))
        return segue_fail(err, SEGUE_EUSAGE,
                          "%.60s can be reached from other machines; give --token-file, or listen "
                          "on 127.0.0.1",
                          listen_on);
    /* non-blocking: several threads wake up for one connection, and all but one find none */
    const int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return segue_fail(err, SEGUE_EIO, "cannot listen on %.60s: %s", listen_on, strerror(errno));
    const segue_status status = bind_to(&a, listen_on, fd, err);
    if (status != SEGUE_OK)
        (void)close(fd);
    else
        *out = fd;
    return status;
}

void segue_listen_stop(int fd)
{
    (void)shutdown(fd, SHUT_RDWR);
}

unsigned segue_listen_port(int fd)
{
    address a;
    socklen_t size = sizeof a;
    if (getsockname(fd, &a.any, &size) != 0)
        return 0;
    return ntohs(a.any.sa_family == AF_INET6 ? a.six.sin6_port : a.four.sin_port);
}
