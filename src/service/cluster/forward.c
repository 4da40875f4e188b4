/* forward.c - requests to other servers, by HTTP: one thread, libcurl's multi interface.
 *
 * Connections stay open and shared by all requests to a server.  The method, path, query, body,
 * token, content type and request id are sent as they came, and `Segue-Hop` with the session of
 * this server, so that the owner does not forward again.  Status, body and Retry-After come back.
 *
 * A request that was never sent (no connection) is told from one that may have been received.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/cluster/forward.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "store/session/store_session.h"

#define CONNECT_MILLISECONDS 1000L
#define TOTAL_MILLISECONDS   60000L
#define POLL_MILLISECONDS    200
#define MAX_CONNECTIONS      256L /* per server */

typedef struct transfer {
    struct transfer *next, *before; /* of those under way; `next` also of those that wait */
    CURL *easy;
    struct curl_slist *headers;
    segue_response *response;
    segue_delivered delivered;
    void *context;
    char address[SEGUE_MAX_ADDRESS + 1];
    bool is_given_up; /* guarded by the lock of the transport */
} transfer;

typedef struct forward {
    CURLM *multi;
    pthread_t thread;
    pthread_mutex_t lock; /* guards these: */
    transfer *waiting;    /* to be started */
    bool stopping;
    transfer *under_way; /* that the thread works on */
} forward;

/* ---- one transfer ------------------------------------------------------------------------ */

static size_t receive(char *data, size_t size, size_t n, void *context)
{
    transfer *t = context;
    segue_bytes_append(&t->response->body, data, size * n);
    return t->response->body.failed ? 0 : size * n;
}

static void destroy(transfer *t)
{
    if (t->easy)
        curl_easy_cleanup(t->easy);
    curl_slist_free_all(t->headers);
    free(t);
}

static bool add_header(transfer *t, const char *name, const char *value)
{
    char line[512];
    if (!value || !*value)
        return true;
    (void)snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *longer = curl_slist_append(t->headers, line);
    if (longer)
        t->headers = longer;
    return longer;
}

/* libcurl would wait for "100 Continue" before a large body. */
static bool add_headers(transfer *t, const char *session, const segue_request *request)
{
    return add_header(t, "Segue-Hop", session) && add_header(t, "X-Request-Id", request->id) &&
           add_header(t, "Authorization", request->authorization) &&
           add_header(t, "Content-Type", request->content_type) && add_header(t, "Expect", " ");
}

static bool set_url(transfer *t, const char *address, const segue_request *request)
{
    const bool has_query = request->query && *request->query;
    const size_t size =
        strlen(address) + strlen(request->path) + (has_query ? strlen(request->query) : 0) + 2;
    char *url = malloc(size);
    if (!url)
        return false;
    (void)snprintf(url, size, "%s%s%s%s", address, request->path, has_query ? "?" : "",
                   has_query ? request->query : "");
    const CURLcode code = curl_easy_setopt(t->easy, CURLOPT_URL, url);
    free(url);
    return code == CURLE_OK;
}

static bool set_body(transfer *t, const segue_request *request)
{
    const bool is_get = strcmp(request->method, "GET") == 0;
    const bool is_head = strcmp(request->method, "HEAD") == 0;
    if (is_head)
        return curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
    if (is_get)
        return true;
    return curl_easy_setopt(t->easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size) ==
               CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, request->size > 0 ? request->body : "") ==
               CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, request->method) == CURLE_OK;
}

static bool set_options(transfer *t)
{
    return curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_NOPROXY, "*") == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MILLISECONDS) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, TOTAL_MILLISECONDS) == CURLE_OK;
}

static transfer *create(const char *address, const char *session, const segue_request *request)
{
    transfer *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    (void)snprintf(t->address, sizeof t->address, "%s", address);
    t->easy = curl_easy_init();
    if (t->easy && set_url(t, address, request) && add_headers(t, session, request) &&
        set_body(t, request) && set_options(t))
        return t;
    destroy(t);
    return NULL;
}

/* ---- the end of a transfer --------------------------------------------------------------- */

static segue_delivery delivery_of(const transfer *t, CURLcode code)
{
    long sent = 0;
    (void)curl_easy_getinfo(t->easy, CURLINFO_REQUEST_SIZE, &sent);
    if (code == CURLE_OK && !t->response->body.failed)
        return SEGUE_DELIVERED;
    return sent == 0 ? SEGUE_NOT_SENT : SEGUE_UNKNOWN;
}

static void end(forward *f, transfer *t, CURLcode code)
{
    long status = 0;
    curl_off_t retry = 0;
    const segue_delivery delivery = delivery_of(t, code);
    (void)curl_multi_remove_handle(f->multi, t->easy);
    (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &retry);
    if (delivery == SEGUE_DELIVERED) {
        t->response->status = (int)status;
        t->response->retry = (unsigned)retry;
    }
    (void)pthread_mutex_lock(&f->lock);
    if (t->next)
        t->next->before = t->before;
    if (t->before)
        t->before->next = t->next;
    else
        f->under_way = t->next;
    (void)pthread_mutex_unlock(&f->lock);
    const segue_delivered delivered = t->delivered;
    void *context = t->context;
    destroy(t);
    delivered(context, delivery);
}

static void give_up(void *self, const char *address)
{
    forward *f = self;
    (void)pthread_mutex_lock(&f->lock);
    for (transfer *t = f->under_way; t; t = t->next)
        t->is_given_up = t->is_given_up || !address || strcmp(t->address, address) == 0;
    (void)pthread_mutex_unlock(&f->lock);
    (void)curl_multi_wakeup(f->multi);
}

/* ---- the thread -------------------------------------------------------------------------- */

static void begin(forward *f, transfer *t)
{
    (void)pthread_mutex_lock(&f->lock);
    t->before = NULL;
    t->next = f->under_way;
    if (t->next)
        t->next->before = t;
    f->under_way = t;
    (void)pthread_mutex_unlock(&f->lock);
    if (curl_multi_add_handle(f->multi, t->easy) != CURLM_OK)
        end(f, t, CURLE_OUT_OF_MEMORY);
}

static void end_finished(forward *f)
{
    int left = 0;
    for (CURLMsg *m; (m = curl_multi_info_read(f->multi, &left));) {
        const CURLcode code = m->data.result;
        transfer *t = NULL;
        if (m->msg == CURLMSG_DONE &&
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t) == CURLE_OK)
            end(f, t, code);
    }
}

/* A transfer that was given up; NULL: there is none. */
static transfer *find_given_up(forward *f)
{
    (void)pthread_mutex_lock(&f->lock);
    transfer *t = f->under_way;
    while (t && !t->is_given_up)
        t = t->next;
    (void)pthread_mutex_unlock(&f->lock);
    return t;
}

/* Start what waits; returns false when the thread must end. */
static bool take(forward *f)
{
    (void)pthread_mutex_lock(&f->lock);
    transfer *waiting = f->waiting;
    const bool goes_on = !f->stopping;
    f->waiting = NULL;
    (void)pthread_mutex_unlock(&f->lock);
    for (transfer *t = waiting, *next = NULL; t; t = next) {
        next = t->next;
        begin(f, t);
    }
    if (!goes_on)
        give_up(f, NULL);
    for (transfer *t; (t = find_given_up(f));)
        end(f, t, CURLE_ABORTED_BY_CALLBACK);
    return goes_on;
}

static void *run(void *context)
{
    forward *f = context;
    int running = 0;
    while (take(f)) {
        (void)curl_multi_perform(f->multi, &running);
        end_finished(f);
        (void)curl_multi_poll(f->multi, NULL, 0, POLL_MILLISECONDS, NULL);
    }
    return NULL;
}

/* ---- the transport ----------------------------------------------------------------------- */

static bool send_request(void *self, const char *address, const char *session, bool fresh,
                         const segue_request *request, segue_response *response,
                         segue_delivered delivered, void *context)
{
    forward *f = self;
    transfer *t = create(address, session, request);
    if (!t)
        return false;
    (void)curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, (long)fresh);
    t->response = response;
    t->delivered = delivered;
    t->context = context;
    (void)pthread_mutex_lock(&f->lock);
    const bool accepted = !f->stopping;
    if (accepted) {
        t->next = f->waiting;
        f->waiting = t;
    }
    (void)pthread_mutex_unlock(&f->lock);
    if (accepted)
        (void)curl_multi_wakeup(f->multi);
    else
        destroy(t);
    return accepted;
}

static void close_forward(void *self)
{
    forward *f = self;
    (void)pthread_mutex_lock(&f->lock);
    f->stopping = true;
    (void)pthread_mutex_unlock(&f->lock);
    (void)curl_multi_wakeup(f->multi);
    (void)pthread_join(f->thread, NULL);
    (void)curl_multi_cleanup(f->multi);
    (void)pthread_mutex_destroy(&f->lock);
    free(f);
}

segue_status segue_forward_open(segue_transport *out, segue_error *err)
{
    forward *f = calloc(1, sizeof *f);
    if (!f)
        return segue_fail_no_memory(err, "a transport");
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(f->multi = curl_multi_init())) {
        free(f);
        return segue_fail(err, SEGUE_EIO, "libcurl cannot be used; check its installation");
    }
    (void)curl_multi_setopt(f->multi, CURLMOPT_MAX_HOST_CONNECTIONS, MAX_CONNECTIONS);
    (void)pthread_mutex_init(&f->lock, NULL);
    if (pthread_create(&f->thread, NULL, run, f) != 0) {
        (void)curl_multi_cleanup(f->multi);
        (void)pthread_mutex_destroy(&f->lock);
        free(f);
        return segue_fail(
            err, SEGUE_ETHREAD,
            "a thread could not be started; check the limits of the process (ulimit -u)");
    }
    *out = (segue_transport){
        .self = f, .send = send_request, .give_up = give_up, .close = close_forward};
    return SEGUE_OK;
}
