/* http.c - the service on a socket, through libmicrohttpd.
 *
 * libmicrohttpd's threads parse requests and send responses; each request is an `exchange` from its
 * first line to the end of its response.  An exchange belongs to the thread of its connection.  If
 * its response is not ready, the connection is suspended; the thread that completes the request
 * (the writer after COMMIT, or the read pool) resumes it.  `stage` decides who resumes: the last of
 * the two that reach it.
 *
 * The daemon runs in poll mode: in epoll mode suspended connections stall.  connections.c closes
 * slow and idle connections, in place of libmicrohttpd's timeout; framing.c rejects what
 * libmicrohttpd accepts although RFC 9112 forbids it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/http.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"
#include "service/api/http/access_log.h"
#include "service/api/http/body.h"
#include "service/api/http/framing.h"
#include "service/api/http/listen.h"
#include "service/api/http/tls.h"

#define CONNECTION_MEMORY (16 * 1024) /* bytes; libmicrohttpd clears it for each request */
#define STOP_SECONDS      5

struct segue_http {
    segue_service *service;
    segue_connections *connections;
    struct MHD_Daemon *daemon;
    access_log log;
    uint64_t first_id; /* prefix of generated request ids */
    atomic_ullong served, under_way;
    atomic_bool stopping;
};

enum { HANDLING, SUSPENDED, DONE };

/* A request and its response. */
typedef struct exchange {
    segue_http *http;
    struct MHD_Connection *connection;
    segue_connection *entry; /* in connections.c */
    const char *method;      /* libmicrohttpd's; valid as long as the request */
    char *path, *query;      /* one allocation */
    bool started, handled;
    bool last; /* close the connection after the response */
    http_body body;
    segue_request request; /* of `handle` */
    segue_response response;
    struct timespec begun;
    atomic_int stage; /* HANDLING, SUSPENDED or DONE */
    char id[SEGUE_MAX_NAME_SIZE + 1];
} exchange;

/* ---- connections ------------------------------------------------------------------------- */

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
    segue_connection *entry =
        info ? segue_connections_add(http->connections, fd, info->client_addr) : NULL;
    if (!entry)
        (void)shutdown(fd, SHUT_RDWR);
    return entry;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **entry,
                          enum MHD_ConnectionNotificationCode code)
{
    segue_http *http = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *entry = add_connection(http, connection);
    else
        segue_connections_remove(http->connections, *entry);
}

static segue_connection *entry_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* ---- exchanges --------------------------------------------------------------------------- */

/* Leave the path percent-encoded: routes.c decodes it segment by segment. */
static size_t keep_encoded(void *context, struct MHD_Connection *connection, char *text)
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
    x->entry = entry_of(connection);
    segue_connections_set_reading(x->entry);
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
    segue_connections_set_idle(x->entry);
    segue_body_fini(&x->body, x->http->service);
    segue_response_fini(&x->response);
    free(x->path);
    free(x);
}

/* ---- headers and ids --------------------------------------------------------------------- */

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
        (void)snprintf(x->id, sizeof x->id, "%llx-%llx", (unsigned long long)x->http->first_id,
                       atomic_fetch_add(&x->http->served, 1));
}

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) * 1e-9;
}

/* ---- responses --------------------------------------------------------------------------- */

/* Browsers may cache a page, but must revalidate it by its ETag. */
static void add_page_headers(struct MHD_Response *message, const segue_static_file *page)
{
    (void)MHD_add_response_header(message, "Cache-Control", "no-cache");
    (void)MHD_add_response_header(message, "ETag", page->etag);
    (void)MHD_add_response_header(message, "Vary", "Accept-Encoding");
    if (page->encoding)
        (void)MHD_add_response_header(message, "Content-Encoding", page->encoding);
    (void)MHD_add_response_header(message, "Content-Security-Policy", segue_static_files_csp(page));
    (void)MHD_add_response_header(message, "Referrer-Policy", "no-referrer");
}

static void add_headers(struct MHD_Response *message, const exchange *x)
{
    char text[16];
    const segue_response *response = &x->response;
    (void)MHD_add_response_header(message, "Content-Type", response->type);
    (void)MHD_add_response_header(message, "X-Request-Id", x->id);
    (void)MHD_add_response_header(message, "X-Content-Type-Options", "nosniff");
    if (response->page)
        add_page_headers(message, response->page);
    else
        (void)MHD_add_response_header(message, "Cache-Control", "no-store");
    if (response->allow)
        (void)MHD_add_response_header(message, "Allow", response->allow);
    if (response->status == 401)
        (void)MHD_add_response_header(message, "WWW-Authenticate", "Bearer");
    if (response->retry > 0) {
        (void)snprintf(text, sizeof text, "%u", response->retry);
        (void)MHD_add_response_header(message, "Retry-After", text);
    }
    if (x->last || atomic_load(&x->http->stopping))
        (void)MHD_add_response_header(message, "Connection", "close");
}

static size_t page_size(const segue_response *response)
{
    return response->status == 304 ? 0 : response->page->size;
}

/* libmicrohttpd takes a pointer to mutable bytes but does not write to them. */
static struct MHD_Response *make_page_message(const segue_response *response)
{
    union {
        const void *read;
        void *write;
    } data = {.read = response->page->data};
    return MHD_create_response_from_buffer(page_size(response), data.write, MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *make_message(segue_response *response)
{
    if (response->body.failed)
        segue_response_fail(response, 503, "out of memory for the response; retry later");
    if (response->page)
        return make_page_message(response);
    struct MHD_Response *message = MHD_create_response_from_buffer(
        response->body.size, response->body.data, MHD_RESPMEM_MUST_FREE);
    if (message)
        response->body = (segue_bytes){.data = NULL}; /* libmicrohttpd owns it now */
    return message;
}

static enum MHD_Result respond(exchange *x, const char *method)
{
    const size_t size = x->response.page ? page_size(&x->response) : x->response.body.size;
    const double seconds = seconds_since(&x->begun);
    struct MHD_Response *message = make_message(&x->response);
    if (!message)
        return MHD_NO;
    add_headers(message, x);
    segue_connections_set_sending(x->entry, size, x->response.authorized);
    const enum MHD_Result result =
        MHD_queue_response(x->connection, (unsigned)x->response.status, message);
    MHD_destroy_response(message);
    segue_service_count_request(x->http->service, &x->response, seconds);
    segue_access_log_append(&x->http->log, &(access_log_entry){.id = x->id,
                                                               .method = method,
                                                               .path = x->path,
                                                               .caller = x->response.caller,
                                                               .from = x->request.hop,
                                                               .to = x->response.hop,
                                                               .route = x->response.route,
                                                               .status = x->response.status,
                                                               .bytes = size,
                                                               .seconds = seconds});
    return result;
}

/* ---- handling ---------------------------------------------------------------------------- */

static void audit(const exchange *x)
{
    segue_service_audit(x->http->service, x->method, x->path, &x->response);
}

/* Resume the connection: the response is ready.  If `handle` has not suspended it yet, `handle`
 * goes on by itself. */
static void on_done(void *context)
{
    exchange *x = context;
    struct MHD_Connection *connection = x->connection;
    audit(x);
    if (atomic_exchange(&x->stage, DONE) == SUSPENDED) /* from here on x may be freed */
        MHD_resume_connection(connection);
}

/* Handle a complete request; true: the response is ready. */
static bool handle(exchange *x, const char *method)
{
    x->request = (segue_request){.method = method,
                                 .path = x->path,
                                 .query = x->query,
                                 .authorization = header(x->connection, "Authorization"),
                                 .origin = header(x->connection, "Origin"),
                                 .host = header(x->connection, "Host"),
                                 .content_type = header(x->connection, "Content-Type"),
                                 .if_none_match = header(x->connection, "If-None-Match"),
                                 .accept_encoding = header(x->connection, "Accept-Encoding"),
                                 .id = x->id,
                                 .address = segue_connections_address(x->entry),
                                 .hop = header(x->connection, "Segue-Hop"),
                                 .body = x->body.bytes.data,
                                 .size = x->body.bytes.size};
    x->handled = true;
    x->method = method;
    segue_connections_set_handling(x->entry);
    if (segue_service_handle(x->http->service, &x->request, &x->response, on_done, x)) {
        audit(x);
        return true;
    }
    MHD_suspend_connection(x->connection);
    if (atomic_exchange(&x->stage, SUSPENDED) == DONE)
        MHD_resume_connection(x->connection);
    return false;
}

/* Reject a request before its body is read.  The connection is closed: the body was not parsed. */
static enum MHD_Result reject(exchange *x, const char *method, int status, const char *why)
{
    x->handled = true;
    x->last = true;
    x->response = (segue_response){.type = "application/json"};
    memcpy(x->response.id, x->id, sizeof x->id);
    segue_response_fail(&x->response, status, "%s", why);
    return respond(x, method);
}

static enum MHD_Result reject_large(exchange *x, const char *method)
{
    char why[80];
    (void)snprintf(why, sizeof why, "the body has more than %zu bytes; send less", x->body.max);
    return reject(x, method, 413, why);
}

/* Check the headers of a request, which are complete. */
static enum MHD_Result start(exchange *x, const char *url, const char *method, const char *version)
{
    const segue_framing framing =
        segue_framing_check(x->connection, method, url, version, x->path, x->query);
    x->started = true;
    x->last = framing.chunked;
    name_request(x);
    if (framing.fault)
        return reject(x, method, 400, framing.fault);
    return segue_body_begin(&x->body, x->http->service, x->connection, method, x->path)
               ? MHD_YES
               : reject_large(x, method);
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
    if (!x->started)
        return start(x, url, method, version);
    if (*upload_size > 0) {
        segue_body_append(&x->body, x->http->service, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    if (!x->handled && x->body.bytes.failed)
        return reject(x, method, 503, "out of memory for the body of a request; retry later");
    if (!x->handled && !handle(x, method))
        return MHD_YES; /* suspended */
    return respond(x, method);
}

/* ---- opening and closing ----------------------------------------------------------------- */

static segue_status start_daemon(segue_http *http, const segue_http_config *config,
                                 segue_error *err)
{
    const bool tls = config->connections.tls != NULL;
    const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
                           MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | (tls ? MHD_USE_TLS : 0U);
    /* libmicrohttpd takes a pool of two threads or more */
    const unsigned limit = config->connections.limit;
    const unsigned threads = config->threads < limit ? config->threads : limit;
    const unsigned pool = threads > 1 ? threads : 0;
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, http, MHD_OPTION_LISTEN_SOCKET, config->socket,
        MHD_OPTION_URI_LOG_CALLBACK, begin, http, MHD_OPTION_UNESCAPE_CALLBACK, keep_encoded, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED, end, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, pool, MHD_OPTION_CONNECTION_LIMIT, limit,
        MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY,
#if MHD_VERSION >= 0x00097701
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#endif
        tls ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, segue_tls_retrieve,
        MHD_OPTION_HTTPS_PRIORITIES, segue_tls_priorities, MHD_OPTION_END);
    return http->daemon ? SEGUE_OK
                        : segue_fail(err, SEGUE_ENOMEM,
                                     "out of memory or threads for the HTTP server; raise the "
                                     "limits or lower --threads");
}

segue_status segue_http_open(segue_http **out, segue_service *service,
                             const segue_http_config *config, segue_error *err)
{
    *out = NULL;
    segue_http *http = calloc(1, sizeof *http);
    if (!http)
        return segue_fail_no_memory(err, "a service");
    http->service = service;
    http->log = (access_log){.service = service, .writer = config->log};
    http->first_id = (uint64_t)(segue_service_wall_time(service) * 1000.0);
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

/* Wait until all requests have responses, at most STOP_SECONDS. */
static void drain(segue_http *http)
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
    segue_listen_stop(MHD_quiesce_daemon(http->daemon)); /* the caller closes it */
    segue_service_stop(http->service);
    drain(http);
    MHD_stop_daemon(http->daemon);
    segue_connections_destroy(http->connections);
    free(http);
}
