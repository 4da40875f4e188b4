/* connections.c - the state of each open connection, and which are closed first.
 *
 *   WAITING   for a request line: a new connection, or a persistent one
 *   READING   the rest of a request
 *   HANDLING  the request, which may wait for the disk
 *   SENDING   the response
 *
 * The thread that serves a connection sets its state and deadline, without a lock.  The reaper
 * thread wakes up four times per second, and when connections use the reserve.  It closes a
 * connection by shutdown(): the thread that serves it then sees the end and closes the socket.  The
 * socket of a connection in the list is open, because libmicrohttpd notifies us before it closes
 * one.  `lock` guards the list and the counts per address; it is held for passes over all
 * connections, and no other lock is taken under it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "segue/internal.h"
#include "service/engine/metrics.h"
#include "service/state/hash_map.h"

#define SECOND               1000000000ULL
#define TICK                 (SECOND / 4)
#define PAUSE                (SECOND / 100) /* between two passes while the reserve is in use */
#define REPORT_PAUSE         (60 * SECOND)
#define NEVER                UINT64_MAX
#define MIN_BYTES_PER_SECOND 65536.0 /* a client that reads slower is closed */

typedef uint64_t nanoseconds; /* of the monotonic clock */

enum { WAITING, READING, HANDLING, SENDING };

/* The number of connections of an address. */
typedef struct client {
    unsigned count;
} client;

struct segue_connection {
    segue_connections *all;
    segue_connection *next, **link; /* guarded by lock */
    int fd;
    bool dropped;        /* guarded by lock: it was shut down */
    client *from;        /* guarded by lock; NULL: not counted */
    bool first;          /* no request has come yet; its thread's */
    atomic_bool trusted; /* it carried a valid token */
    atomic_int state;
    atomic_ullong since, deadline; /* in this state; nanoseconds */
    unsigned char address[16];
    char text[INET6_ADDRSTRLEN];
};

struct segue_connections {
    segue_service *service;
    metrics *metrics;
    segue_connections_config config;
    unsigned reserve; /* connections; an eighth of the limit */
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t wake;
    segue_connection *first; /* guarded by lock, as all that follows */
    segue_connection **candidates;
    hash_map clients;     /* by address */
    unsigned open;        /* and not dropped */
    bool closing;         /* the reaper is to end */
    nanoseconds reported; /* the last time that the reserve was touched */
};

static nanoseconds now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (nanoseconds)t.tv_sec * SECOND + (nanoseconds)t.tv_nsec;
}

static bool is_full(const segue_connections *all)
{
    return all->open > all->config.limit - all->reserve;
}

static nanoseconds of_seconds(double seconds)
{
    return (nanoseconds)(seconds * (double)SECOND);
}

/* ---- addresses --------------------------------------------------------------------------- */

/* Write an IPv4 address in its mapped form.  IPv6 clients are counted by their network of 64 bits,
 * which one client usually owns (network_size). */
static void read_address(segue_connection *one, const struct sockaddr *address)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a;
    memset(&a, 0, sizeof a);
    if (address->sa_family == AF_INET6) {
        memcpy(&a.six, address, sizeof a.six);
        memcpy(one->address, &a.six.sin6_addr, sizeof one->address);
        (void)inet_ntop(AF_INET6, &a.six.sin6_addr, one->text, sizeof one->text);
    } else {
        memcpy(&a.four, address, sizeof a.four);
        memcpy(one->address + 10, "\xff\xff", 2);
        memcpy(one->address + 12, &a.four.sin_addr, 4);
        (void)inet_ntop(AF_INET, &a.four.sin_addr, one->text, sizeof one->text);
    }
}

static bool is_loopback(const unsigned char address[16])
{
    static const unsigned char six[16] = {[15] = 1}, four[12] = {[10] = 0xff, [11] = 0xff};
    return memcmp(address, six, sizeof six) == 0 ||
           (memcmp(address, four, sizeof four) == 0 && address[12] == 127);
}

static bool is_mapped(const unsigned char address[16])
{
    static const unsigned char four[12] = {[10] = 0xff, [11] = 0xff};
    return memcmp(address, four, sizeof four) == 0;
}

static size_t network_size(const segue_connection *one)
{
    return is_mapped(one->address) || is_loopback(one->address) ? 16 : 8;
}

/* Find or add the entry of an address; NULL: out of memory. */
static client *find_client(segue_connections *all, const segue_connection *one)
{
    const size_t size = network_size(one);
    client *found = segue_hash_map_find(&all->clients, one->address, size);
    if (found)
        return found;
    found = calloc(1, sizeof *found);
    if (found && segue_hash_map_set(&all->clients, one->address, size, found))
        return found;
    free(found);
    return NULL;
}

/* Count a connection for its address; false: the address has too many. */
static bool count_address(segue_connections *all, segue_connection *one)
{
    const bool any_number = all->config.per_address == 0 && is_loopback(one->address);
    const unsigned max =
        all->config.per_address > 0 ? all->config.per_address : (all->config.limit + 3) / 4;
    if (any_number)
        return true;
    client *from = find_client(all, one);
    if (!from || from->count >= max)
        return false;
    from->count++;
    one->from = from;
    return true;
}

static void discount_address(segue_connections *all, const segue_connection *one)
{
    if (!one->from || --one->from->count > 0)
        return;
    segue_hash_map_remove(&all->clients, one->address, network_size(one));
    free(one->from);
}

/* ---- adding and removing ----------------------------------------------------------------- */

static void enter(segue_connections *all, segue_connection *one)
{
    one->link = &all->first;
    one->next = all->first;
    if (one->next)
        one->next->link = &one->next;
    all->first = one;
    all->open++;
    (void)atomic_fetch_add(&all->metrics->connections, 1);
    if (is_full(all))
        (void)pthread_cond_signal(&all->wake);
}

segue_connection *segue_connections_add(segue_connections *all, int fd,
                                        const struct sockaddr *address)
{
    segue_connection *one = calloc(1, sizeof *one);
    if (!one)
        return NULL;
    one->all = all;
    one->fd = fd;
    one->first = true;
    one->since = now();
    one->deadline = one->since + of_seconds(all->config.request_timeout);
    read_address(one, address);
    (void)pthread_mutex_lock(&all->lock);
    const bool fine = count_address(all, one);
    if (fine)
        enter(all, one);
    (void)pthread_mutex_unlock(&all->lock);
    if (fine)
        return one;
    (void)atomic_fetch_add(&all->metrics->dropped[METRICS_DROPPED_ADDRESS], 1);
    free(one);
    return NULL;
}

void segue_connections_remove(segue_connections *all, segue_connection *one)
{
    if (!one)
        return;
    (void)pthread_mutex_lock(&all->lock);
    *one->link = one->next;
    if (one->next)
        one->next->link = one->link;
    if (!one->dropped)
        all->open--;
    discount_address(all, one);
    (void)atomic_fetch_sub(&all->metrics->connections, 1);
    (void)pthread_mutex_unlock(&all->lock);
    free(one);
}

/* ---- states ------------------------------------------------------------------------------ */

static void move(segue_connection *one, int state, nanoseconds deadline)
{
    atomic_store(&one->deadline, deadline);
    atomic_store(&one->state, state);
}

/* The first request is due at the deadline that began with the connection. */
void segue_connections_set_reading(segue_connection *one)
{
    if (one)
        move(one, READING,
             one->first ? atomic_load(&one->deadline)
                        : now() + of_seconds(one->all->config.request_timeout));
}

void segue_connections_set_handling(segue_connection *one)
{
    if (one)
        move(one, HANDLING, NEVER);
}

void segue_connections_set_sending(segue_connection *one, size_t size, bool authorized)
{
    if (!one)
        return;
    const double seconds = (double)size / MIN_BYTES_PER_SECOND;
    if (authorized)
        atomic_store(&one->trusted, true);
    move(one, SENDING, now() + of_seconds(one->all->config.request_timeout + seconds));
}

void segue_connections_set_idle(segue_connection *one)
{
    if (!one)
        return;
    const nanoseconds from = now();
    one->first = false;
    atomic_store(&one->since, from);
    move(one, WAITING, from + of_seconds(one->all->config.idle_timeout));
}

struct segue_tls *segue_connections_tls(const segue_connection *one)
{
    return one->all->config.tls;
}

const char *segue_connections_address(const segue_connection *one)
{
    return one ? one->text : "";
}

/* ---- the reaper -------------------------------------------------------------------------- */

static void drop(segue_connections *all, segue_connection *one, int reason)
{
    one->dropped = true;
    all->open--;
    (void)shutdown(one->fd, SHUT_RDWR);
    (void)atomic_fetch_add(&all->metrics->dropped[reason], 1);
}

static void drop_overdue(segue_connections *all, nanoseconds at)
{
    for (segue_connection *one = all->first; one; one = one->next)
        if (!one->dropped && atomic_load(&one->deadline) <= at)
            drop(all, one, METRICS_DROPPED_TIMEOUT);
}

/* Test if a connection may be closed to free the reserve: never while its request is handled. */
static bool may_drop(const segue_connection *one, bool trusted)
{
    const int state = atomic_load(&one->state);
    return !one->dropped && state != HANDLING && atomic_load(&one->trusted) == trusted &&
           (!trusted || state == WAITING);
}

static int compare_since(const void *a, const void *b)
{
    const nanoseconds x = atomic_load(&(*(segue_connection *const *)a)->since);
    const nanoseconds y = atomic_load(&(*(segue_connection *const *)b)->since);
    return (x > y) - (x < y);
}

/* Close the oldest until `open` are open, but leave at least `min` candidates. */
static void drop_oldest(segue_connections *all, bool trusted, unsigned open, unsigned min)
{
    size_t count = 0;
    for (segue_connection *one = all->first; one && count < all->config.limit; one = one->next)
        if (may_drop(one, trusted))
            all->candidates[count++] = one;
    qsort(all->candidates, count, sizeof(segue_connection *), compare_since);
    for (size_t i = 0; i + min < count && all->open > open; i++)
        drop(all, all->candidates[i], METRICS_DROPPED_FULL);
}

static void report_full(segue_connections *all, nanoseconds at)
{
    if (all->reported > 0 && at - all->reported < REPORT_PAUSE)
        return;
    all->reported = at;
    segue_service_report(all->service,
                         "%u of %u connections are in use: those without a valid token are closed, "
                         "then idle ones, oldest first; raise --max-connections to allow more",
                         all->open, all->config.limit);
}

/* Close connections until half of the reserve is free for new clients.  First those that never
 * carried a valid token, except for half of the reserve: a client with a token starts there too.
 * Then idle ones. */
static void free_reserve(segue_connections *all, nanoseconds at)
{
    const unsigned max = all->config.limit - all->reserve, half = all->reserve / 2;
    if (!is_full(all))
        return;
    report_full(all, at);
    drop_oldest(all, false, max, half);
    drop_oldest(all, true, all->config.limit - half, 0);
}

/* Sleep, with the lock released meanwhile; with `until_full`, until the reserve is in use. */
static void pause_for(segue_connections *all, nanoseconds span, bool until_full)
{
    const nanoseconds end = now() + span;
    const struct timespec until = {.tv_sec = (time_t)(end / SECOND),
                                   .tv_nsec = (long)(end % SECOND)};
    int code = 0;
    while (!all->closing && code == 0 && !(until_full && is_full(all)))
        code = pthread_cond_timedwait(&all->wake, &all->lock, &until);
}

static void *reap(void *context)
{
    segue_connections *all = context;
    (void)pthread_mutex_lock(&all->lock);
    while (!all->closing) {
        const nanoseconds at = now();
        drop_overdue(all, at);
        free_reserve(all, at);
        pause_for(all, PAUSE, false);
        pause_for(all, TICK, true);
    }
    (void)pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* ---- all --------------------------------------------------------------------------------- */

static void init_locks(segue_connections *all)
{
    pthread_condattr_t steady;
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&all->wake, &steady);
    (void)pthread_condattr_destroy(&steady);
}

static void free_all(segue_connections *all)
{
    (void)pthread_mutex_destroy(&all->lock);
    (void)pthread_cond_destroy(&all->wake);
    segue_hash_map_fini(&all->clients);
    free(all->candidates);
    free(all);
}

segue_status segue_connections_create(segue_connections **out, segue_service *service,
                                      const segue_connections_config *config, segue_error *err)
{
    unsigned char key[16];
    *out = NULL;
    segue_connections *all = calloc(1, sizeof *all);
    if (!all)
        return segue_fail_no_memory(err, "a service");
    randombytes_buf(key, sizeof key);
    all->service = service;
    all->metrics = segue_service_metrics(service);
    all->config = *config;
    all->reserve = config->limit >= 16 ? config->limit / 8 : config->limit > 4 ? 2 : 0;
    segue_hash_map_init(&all->clients, key);
    init_locks(all);
    all->candidates = calloc(config->limit, sizeof(segue_connection *));
    if (!all->candidates) {
        free_all(all);
        return segue_fail_no_memory(err, "a service");
    }
    if (pthread_create(&all->thread, NULL, reap, all) != 0) {
        free_all(all);
        return segue_fail(
            err, SEGUE_ETHREAD,
            "a thread could not be started; check the limits of the process (ulimit -u)");
    }
    *out = all;
    return SEGUE_OK;
}

void segue_connections_destroy(segue_connections *all)
{
    if (!all)
        return;
    (void)pthread_mutex_lock(&all->lock);
    all->closing = true;
    (void)pthread_cond_signal(&all->wake);
    (void)pthread_mutex_unlock(&all->lock);
    (void)pthread_join(all->thread, NULL);
    free_all(all);
}
