/* http.c - the service on a socket, through libmicrohttpd.
 *
 * It runs in poll mode: in epoll mode connections that are suspended stall.  A request whose reply
 * is not ready is suspended, and resumed when its group is on the disk.
 *
 * connections.c watches over slow and idle connections, in place of libmicrohttpd's timeout; what
 * libmicrohttpd takes though RFC 9112 forbids it, framing.c finds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "segue/number.h"
#include "service/api/framing.h"
#include "service/engine/metrics.h"

#define MEMORY         (16 * 1024) /* of a connection; all of it is cleared for each request */
#define STOP_SECONDS   5
#define REPORT_SECONDS 60.0 /* between two reports that lines of the log are dropped */

struct segue_http {
    segue_service *service;
    segue_connections *connections;
    struct MHD_Daemon *daemon;
    segue_log_writer *log;
    _Atomic double dropping; /* when it was last reported that lines of the log are dropped */
    uint64_t first;          /* of the ids that are made up */
    atomic_ullong served, under_way;
    atomic_bool stopping;
};

enum { IN_HAND, PARKED, DONE };

#define TEXT_OF(number)  TEXT_OF_(number)
#define TEXT_OF_(number) #number

/* A request on its way. */
typedef struct exchange {
    segue_http *http;
    struct MHD_Connection *connection;
    segue_connection *held; /* its entry in the table of connections */
    char *path, *query;     /* one allocation */
    bool seen, handled;
    bool last; /* the connection is to be closed after it */
    segue_bytes body;
    size_t counted; /* bytes of the body that count as memory */
    segue_response reply;
    struct timespec begun;
    atomic_int stage; /* IN_HAND, PARKED or DONE */
    char id[SEGUE_MAX_NAME_SIZE + 1];
} exchange;

/* ---- beginning and end of a connection --------------------------------------------------- */

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static segue_connection *add_connection(segue_http *http, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const int fd = socket_of(connection);
    segue_connection *held =
        info ? segue_connections_add(http->connections, fd, info->client_addr) : NULL;
    if (!held)
        (void)shutdown(fd, SHUT_RDWR);
    return held;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **held,
                          enum MHD_ConnectionNotificationCode code)
{
    segue_http *http = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *held = add_connection(http, connection);
    else
        segue_connections_remove(http->connections, *held);
}

static segue_connection *held_by(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* ---- beginning and end of a request ------------------------------------------------------ */

/* The path must come as it was sent: the routes decode it, part by part. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

static void *begin(void *context, const char *uri, struct MHD_Connection *connection)
{
    segue_http *http = context;
    exchange *x = calloc(1, sizeof *x);
    char *copy = malloc(strlen(uri) + 1);
    if (!x || !copy) {
        free(x);
        free(copy);
        return NULL;
    }
    x->http = http;
    x->connection = connection;
    x->held = held_by(connection);
    segue_connections_set_reading(x->held);
    x->path = strcpy(copy, uri);
    x->query = strchr(copy, '?');
    if (x->query)
        *x->query++ = '\0';
    (void)clock_gettime(CLOCK_MONOTONIC, &x->begun);
    (void)atomic_fetch_add(&http->under_way, 1);
    return x;
}

static void end(void *context, struct MHD_Connection *connection, void **at,
                enum MHD_RequestTerminationCode code)
{
    exchange *x = *at;
    (void)context;
    (void)connection;
    (void)code;
    *at = NULL;
    if (!x)
        return;
    (void)atomic_fetch_sub(&x->http->under_way, 1);
    segue_connections_set_idle(x->held);
    segue_service_release_body(x->http->service, x->counted);
    segue_response_fini(&x->reply);
    segue_bytes_fini(&x->body);
    free(x->path);
    free(x);
}

/* ---- ids and the log --------------------------------------------------------------------- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool is_id(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t size = text ? strlen(text) : 0;
    return size > 0 && size <= 128 && strspn(text, letters) == size;
}

static void name_request(exchange *x)
{
    const char *given = header(x->connection, "X-Request-Id");
    if (is_id(given))
        (void)snprintf(x->id, sizeof x->id, "%s", given);
    else
        (void)snprintf(x->id, sizeof x->id, "%llx-%llx", (unsigned long long)x->http->first,
                       atomic_fetch_add(&x->http->served, 1));
}

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) * 1e-9;
}

/* A line is dropped: nobody reads the log, or the disk is too slow for it. */
static void note_dropped_line(segue_http *http)
{
    const double now = segue_service_now(http->service);
    double before = atomic_load(&http->dropping);
    (void)atomic_fetch_add(&segue_service_metrics(http->service)->log_dropped, 1);
    if (now >= before && now - before < REPORT_SECONDS)
        return;
    if (atomic_compare_exchange_strong(&http->dropping, &before, now))
        segue_service_report(http->service,
                             "the access log takes no more lines, and they are dropped: its reader "
                             "is stuck or its disk too slow");
}

static void log_request(const exchange *x, const char *method, size_t size, double seconds)
{
    segue_bytes b = {.data = NULL};
    segue_json_write_format(&b, "{\"time\":%.3f", segue_service_now(x->http->service));
    segue_json_write_text(&b, "request", x->id);
    segue_json_write_text(&b, "method", method);
    segue_json_write_text(&b, "path", x->path);
    segue_json_write_text(&b, "route", segue_routes_name(x->reply.route));
    segue_json_write_format(&b, ",\"status\":%d,\"bytes\":%zu,\"ms\":%.3f}\n", x->reply.status,
                            size, seconds * 1e3);
    if (b.failed || !segue_log_writer_append(x->http->log, b.data, b.size))
        note_dropped_line(x->http);
    segue_bytes_fini(&b);
}

/* ---- answering --------------------------------------------------------------------------- */

/* A page may be kept, but is asked for again each time, by its ETag. */
static void add_page_headers(struct MHD_Response *response, const segue_static_file *page)
{
    (void)MHD_add_response_header(response, "Cache-Control", "no-cache");
    (void)MHD_add_response_header(response, "ETag", page->etag);
    (void)MHD_add_response_header(response, "Content-Security-Policy", segue_static_files_csp);
    (void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
}

static void add_headers(struct MHD_Response *response, const exchange *x)
{
    char text[16];
    const segue_response *reply = &x->reply;
    (void)MHD_add_response_header(response, "Content-Type", reply->type);
    (void)MHD_add_response_header(response, "X-Request-Id", x->id);
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (reply->page)
        add_page_headers(response, reply->page);
    else
        (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    if (reply->allow)
        (void)MHD_add_response_header(response, "Allow", reply->allow);
    if (reply->status == 401)
        (void)MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (reply->retry > 0) {
        (void)snprintf(text, sizeof text, "%u", reply->retry);
        (void)MHD_add_response_header(response, "Retry-After", text);
    }
    if (x->last || atomic_load(&x->http->stopping))
        (void)MHD_add_response_header(response, "Connection", "close");
}

static size_t page_size(const segue_response *reply)
{
    return reply->status == 304 ? 0 : reply->page->size;
}

/* libmicrohttpd wants bytes that may be written to, and does not write to them. */
static struct MHD_Response *respond_with_page(const segue_response *reply)
{
    union {
        const void *read;
        void *write;
    } data = {.read = reply->page->data};
    return MHD_create_response_from_buffer(page_size(reply), data.write, MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *make_response(segue_response *reply)
{
    if (reply->body.failed)
        segue_response_fail(reply, 503, "out of memory for the answer");
    if (reply->page)
        return respond_with_page(reply);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->body.size, reply->body.data, MHD_RESPMEM_MUST_FREE);
    if (response)
        reply->body = (segue_bytes){.data = NULL}; /* the response's now */
    return response;
}

static enum MHD_Result respond(exchange *x, const char *method)
{
    const size_t size = x->reply.page ? page_size(&x->reply) : x->reply.body.size;
    const double seconds = seconds_since(&x->begun);
    struct MHD_Response *response = make_response(&x->reply);
    if (!response)
        return MHD_NO;
    add_headers(response, x);
    segue_connections_set_sending(x->held, size, x->reply.authorized);
    const enum MHD_Result result =
        MHD_queue_response(x->connection, (unsigned)x->reply.status, response);
    MHD_destroy_response(response);
    segue_service_count_request(x->http->service, &x->reply, seconds);
    if (x->http->log)
        log_request(x, method, size, seconds);
    return result;
}

/* ---- handling ---------------------------------------------------------------------------- */

/* The reply is ready: let the connection go on.  While it is still in hand, `handle` does that. */
static void on_done(void *context)
{
    exchange *x = context;
    struct MHD_Connection *connection = x->connection;
    if (atomic_exchange(&x->stage, DONE) == PARKED) /* and from here on x may be gone */
        MHD_resume_connection(connection);
}

/* Whether the reply is ready. */
static bool handle(exchange *x, const char *method)
{
    const segue_request request = {.method = method,
                                   .path = x->path,
                                   .query = x->query,
                                   .authorization = header(x->connection, "Authorization"),
                                   .origin = header(x->connection, "Origin"),
                                   .host = header(x->connection, "Host"),
                                   .content_type = header(x->connection, "Content-Type"),
                                   .if_none_match = header(x->connection, "If-None-Match"),
                                   .id = x->id,
                                   .address = segue_connections_address(x->held),
                                   .body = x->body.data,
                                   .size = x->body.size};
    x->handled = true;
    segue_connections_set_handling(x->held);
    if (segue_service_handle(x->http->service, &request, &x->reply, on_done, x))
        return true;
    MHD_suspend_connection(x->connection);
    if (atomic_exchange(&x->stage, PARKED) == DONE)
        MHD_resume_connection(x->connection);
    return false;
}

/* Refuse a request before its body comes; the connection is closed, for the body may be anything.
 */
static enum MHD_Result refuse(exchange *x, const char *method, int status, const char *why)
{
    x->handled = true;
    x->last = true;
    x->reply = (segue_response){.type = "application/json"};
    memcpy(x->reply.id, x->id, sizeof x->id);
    segue_response_fail(&x->reply, status, "%s", why);
    return respond(x, method);
}

/* A part of the body. */
static void add_to_body(exchange *x, const char *upload, size_t size)
{
    const size_t before = x->body.capacity;
    segue_bytes_append(&x->body, upload,
                       size < SEGUE_MAX_BODY_SIZE + 1 ? size : SEGUE_MAX_BODY_SIZE + 1);
    const size_t more = x->body.capacity - before;
    if (segue_service_reserve_body(x->http->service, more))
        x->counted += more;
    else
        x->body.failed = true;
}

static bool is_large(struct MHD_Connection *connection)
{
    const char *length = header(connection, "Content-Length");
    uint64_t size = 0;
    return length &&
           segue_number_parse_integer(length, 0, UINT64_MAX / 2, &size, NULL) == SEGUE_OK &&
           size > SEGUE_MAX_BODY_SIZE;
}

/* The headers are there. */
static enum MHD_Result start(exchange *x, const char *url, const char *method, const char *version)
{
    const segue_framing framing =
        segue_framing_check(x->connection, method, url, version, x->path, x->query);
    x->seen = true;
    x->last = framing.chunked;
    name_request(x);
    if (framing.fault)
        return refuse(x, method, 400, framing.fault);
    if (is_large(x->connection))
        return refuse(x, method, 413,
                      "the body has more than " TEXT_OF(SEGUE_MAX_BODY_SIZE) " bytes");
    return MHD_YES;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **at)
{
    exchange *x = *at;
    (void)context;
    (void)connection;
    if (!x)
        return MHD_NO;
    if (!x->seen)
        return start(x, url, method, version);
    if (*upload_size > 0) {
        if (x->body.size <= SEGUE_MAX_BODY_SIZE) /* one byte too many is enough to refuse it */
            add_to_body(x, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    if (!x->handled && x->body.failed)
        return refuse(x, method, 503,
                      "out of memory for the body of a request; send it again later");
    if (!x->handled && !handle(x, method))
        return MHD_YES; /* suspended */
    return respond(x, method);
}

/* ---- opening and closing ----------------------------------------------------------------- */

static segue_status start_daemon(segue_http *http, const segue_http_config *config,
                                 segue_error *err)
{
    const unsigned flags =
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    /* the pool is for two threads and more */
    const unsigned limit = config->connections.limit;
    const unsigned threads = config->threads < limit ? config->threads : limit;
    const unsigned pool = threads > 1 ? threads : 0;
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, http, MHD_OPTION_LISTEN_SOCKET, config->socket,
        MHD_OPTION_URI_LOG_CALLBACK, begin, http, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED, end, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, pool, MHD_OPTION_CONNECTION_LIMIT, limit,
        MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
#if MHD_VERSION >= 0x00097701
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#endif
        MHD_OPTION_END);
    return http->daemon ? SEGUE_OK
                        : segue_fail(err, SEGUE_ENOMEM, "out of memory or threads for a service");
}

segue_status segue_http_open(segue_http **out, segue_service *service,
                             const segue_http_config *config, segue_error *err)
{
    *out = NULL;
    segue_http *http = calloc(1, sizeof *http);
    if (!http)
        return segue_fail_no_memory(err, "a service");
    http->service = service;
    http->log = config->log;
    http->first = (uint64_t)(segue_service_now(service) * 1000.0);
    segue_status status =
        segue_connections_create(&http->connections, service, &config->connections, err);
    if (status == SEGUE_OK)
        status = start_daemon(http, config, err);
    if (status != SEGUE_OK) {
        segue_connections_destroy(http->connections);
        free(http);
        return status;
    }
    *out = http;
    return SEGUE_OK;
}

/* Until all that was taken is answered, or for so long. */
static void wait_for_answers(segue_http *http)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int i = 0; i < STOP_SECONDS * 200 && atomic_load(&http->under_way) > 0; i++)
        (void)nanosleep(&pause, NULL);
}

void segue_http_close(segue_http *http)
{
    if (!http)
        return;
    atomic_store(&http->stopping, true);
    const MHD_socket listening = MHD_quiesce_daemon(http->daemon); /* the caller's */
    (void)listening;
    segue_service_stop(http->service);
    wait_for_answers(http);
    MHD_stop_daemon(http->daemon);
    segue_connections_destroy(http->connections);
    free(http);
}
