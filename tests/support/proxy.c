/* proxy.c - a socket between a client of PostgreSQL and its server, which can cut connections.
 *
 * A thread per connection copies bytes both ways.  The client sends COMMIT as a prepared statement of
 * this name, at the end of what it sends at once.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "support.h"

#include "proxy.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un own, server;
static int listening;
static pthread_t acceptor;
static atomic_int cut, open_connections;

static void name_socket(struct sockaddr_un *out, const char *folder)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    (void)snprintf(out->sun_path, sizeof out->sun_path, "%s/.s.PGSQL.5432", folder);
}

static bool send_all(int fd, const char *data, ssize_t size)
{
    while (size > 0) {
        const ssize_t n = send(fd, data, (size_t)size, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        data += n;
        size -= n;
    }
    return true;
}

/* Take the order to cut at a COMMIT. */
static proxy_cut take_order(const char *data, ssize_t size)
{
    const int order = atomic_load(&cut);
    if (order == PROXY_WHOLE || !memmem(data, (size_t)size, "COMMIT", 7))
        return PROXY_WHOLE;
    if (order != PROXY_CUT_AND_REFUSE)
        atomic_store(&cut, PROXY_WHOLE);
    return (proxy_cut)order;
}

static void copy(int client, int back)
{
    char data[65536];
    proxy_cut order = PROXY_WHOLE;
    struct pollfd fds[2] = {{.fd = client, .events = POLLIN}, {.fd = back, .events = POLLIN}};
    while (poll(fds, 2, -1) > 0) {
        const bool from_client = fds[0].revents != 0;
        const ssize_t n = recv(from_client ? client : back, data, sizeof data, 0);
        if (n <= 0)
            return;
        if (from_client)
            order = take_order(data, n);
        if (order == PROXY_CUT_COMMIT || (order != PROXY_WHOLE && !from_client))
            return; /* an answer is sent after COMMIT was done */
        if (!send_all(from_client ? back : client, data, n))
            return;
    }
}

static void *serve(void *context)
{
    const int client = (int)(intptr_t)context;
    const int back = socket(AF_UNIX, SOCK_STREAM, 0);
    if (atomic_load(&cut) != PROXY_CUT_AND_REFUSE + 1 &&
        connect(back, (const struct sockaddr *)&server, sizeof server) == 0)
        copy(client, back);
    if (atomic_load(&cut) == PROXY_CUT_AND_REFUSE)
        atomic_store(&cut, PROXY_CUT_AND_REFUSE + 1); /* refuse from now on */
    (void)close(client);
    (void)close(back);
    (void)atomic_fetch_sub(&open_connections, 1);
    return NULL;
}

static void *accept_all(void *context)
{
    (void)context;
    for (int fd; (fd = accept(listening, NULL, NULL)) >= 0;) {
        pthread_t thread;
        (void)atomic_fetch_add(&open_connections, 1);
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) != 0)
            abort();
        (void)pthread_detach(thread);
    }
    return NULL;
}

void proxy_start(const char *folder, const char *server_folder)
{
    name_socket(&own, folder);
    name_socket(&server, server_folder);
    atomic_store(&cut, PROXY_WHOLE);
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (const struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(listening, 16), 0);
    assert_int_equal(pthread_create(&acceptor, NULL, accept_all, NULL), 0);
}

void proxy_set(proxy_cut order)
{
    atomic_store(&cut, order);
}

void proxy_stop(void)
{
    (void)shutdown(listening, SHUT_RDWR);
    (void)pthread_join(acceptor, NULL);
    (void)close(listening);
    (void)unlink(own.sun_path);
    while (atomic_load(&open_connections) > 0)
        (void)usleep(1000);
}
