/* http_client.c - one request to a service: HTTP/1.1, a connection each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/http_client.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "io/encode.h"
#include "io/json_write.h"
#include "segue/internal.h"
#include "segue/number.h"

#define PATIENCE 30 /* seconds for a send or a receive */

typedef struct place {
    char host[256], port[8];
} place;

static const char *host_of(const char *url)
{
    return strncmp(url, "http://", 7) == 0 ? url + 7 : url;
}

static segue_status refuse_https(const char *url, segue_error *err)
{
    return segue_fail(
        err, SEGUE_EUSAGE,
        "'%.80s' is https, and segue speaks only http; need the service's own address, "
        "such as http://127.0.0.1:8080, or use curl",
        url);
}

/* [http://]HOST[:PORT][/] */
static segue_status read_url(const char *url, place *out, segue_error *err)
{
    const char *host = strstr(host_of(url), "//") ? NULL : host_of(url);
    const size_t length = host ? strcspn(host, "/") : 0;
    const char *bracket = host && host[0] == '[' ? memchr(host, ']', length) : NULL;
    const char *from = bracket ? bracket : host;
    const char *colon = host ? memchr(from, ':', length - (size_t)(from - host)) : NULL;
    const size_t size = colon ? (size_t)(colon - host) : length;
    if (strncasecmp(url, "https:", 6) == 0)
        return refuse_https(url, err);
    if (!host || size == 0 || size >= sizeof out->host || strlen(host + length) > 1 ||
        (colon && host + length - colon > 6))
        return segue_fail(err, SEGUE_EUSAGE,
                          "'%.80s' is not the address of a service; need one such as "
                          "http://127.0.0.1:8080",
                          url);
    const bool six = bracket != NULL;
    (void)snprintf(out->host, sizeof out->host, "%.*s", (int)(size - (six ? 2 : 0)),
                   host + (six ? 1 : 0));
    (void)snprintf(out->port, sizeof out->port, "%.*s",
                   colon ? (int)(host + length - colon - 1) : 2, colon ? colon + 1 : "80");
    return SEGUE_OK;
}

static int connect_to(const struct addrinfo *at)
{
    const struct timeval patience = {.tv_sec = PATIENCE};
    const int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0)
        return fd;
    const int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

/* Try the addresses of a host, one after the other; 0, or the error of getaddrinfo. */
static int try_host(const char *host, const char *port, int flags, int *fd)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    const int code = getaddrinfo(host, port, &hints, &found);
    if (code != 0)
        return code;
    for (const struct addrinfo *at = found; at && *fd < 0; at = at->ai_next)
        *fd = connect_to(at);
    freeaddrinfo(found);
    return 0;
}

/* localhost is this machine (RFC 6761): it needs no resolver, and no /etc/hosts. */
static int try_address(const place *where, int *fd)
{
    const bool local = strcasecmp(where->host, "localhost") == 0;
    if (!local)
        return try_host(where->host, where->port, 0, fd);
    const int code = try_host("127.0.0.1", where->port, AI_NUMERICHOST, fd);
    const int why = errno;
    if (*fd < 0)
        (void)try_host("::1", where->port, AI_NUMERICHOST, fd);
    errno = why;
    return code;
}

static segue_status reach(const cli_http_client *client, int *fd, segue_error *err)
{
    place where;
    const segue_status status = read_url(client->url, &where, err);
    if (status != SEGUE_OK)
        return status;
    *fd = -1;
    const int code = try_address(&where, fd);
    if (code != 0)
        return segue_fail(err, SEGUE_EIO, "%.80s: %s", client->url, gai_strerror(code));
    return *fd >= 0
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EIO, "%.80s: nobody answers: %s; is 'segue serve' running?",
                            client->url, strerror(errno));
}

static segue_status send_all(int fd, const segue_bytes *b, segue_error *err)
{
    for (size_t sent = 0; sent < b->size;) {
        const ssize_t n = send(fd, b->data + sent, b->size - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return segue_fail(err, SEGUE_EIO, "sending failed: %s", strerror(errno));
        sent += (size_t)n;
    }
    return SEGUE_OK;
}

static segue_status receive_all(int fd, segue_bytes *b, segue_error *err)
{
    char buffer[16384];
    for (;;) {
        const ssize_t n = recv(fd, buffer, sizeof buffer, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return segue_fail(err, SEGUE_EIO, "the answer did not come: %s", strerror(errno));
        if (n == 0)
            return b->failed ? segue_fail_no_memory(err, "an answer") : SEGUE_OK;
        segue_bytes_append(b, buffer, (size_t)n);
    }
}

static void write_request(const cli_http_client *client, const char *method, const char *path,
                          const char *body, segue_bytes *b)
{
    segue_json_write_format(b, "%s ", method);
    segue_json_write_raw(b, path);
    segue_json_write_raw(b, " HTTP/1.1\r\nHost: ");
    segue_bytes_append(b, host_of(client->url), strcspn(host_of(client->url), "/"));
    segue_json_write_raw(b, "\r\nConnection: close\r\n");
    if (client->token) {
        segue_json_write_raw(b, "Authorization: Bearer ");
        segue_json_write_raw(b, client->token);
        segue_json_write_raw(b, "\r\n");
    }
    if (body)
        segue_json_write_format(b, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                                strlen(body));
    segue_json_write_raw(b, "\r\n");
    segue_json_write_raw(b, body ? body : "");
}

/* What a header says; NULL: it is not there.  The headers end at `end`. */
static const char *find_header(const char *text, const char *end, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = strstr(text, "\r\n"); at && at < end; at = strstr(at + 2, "\r\n"))
        if (strncasecmp(at + 2, name, size) == 0 && at[2 + size] == ':')
            return at + 2 + size + 1;
    return NULL;
}

/* A service that is killed closes the connection, too: only the length tells. */
static segue_status check_length(const char *text, const char *end, size_t came, segue_error *err)
{
    const char *length = find_header(text, end, "Content-Length");
    const unsigned long long whole = length ? strtoull(length, NULL, 10) : 0;
    if (!length)
        return segue_fail(err, SEGUE_EIO, "the answer does not tell its length");
    if (came != whole)
        return segue_fail(err, SEGUE_EIO,
                          "the answer was cut off: %zu of its %llu bytes came; ask "
                          "again",
                          came, whole);
    return SEGUE_OK;
}

/* Status line, headers, body: the service always tells the length, and closes. */
static segue_status read_answer(segue_bytes *raw, int *status, segue_bytes *answer,
                                segue_error *err)
{
    segue_bytes_append(raw, "", 1);
    const char *text = (const char *)raw->data;
    const char *end = raw->failed ? NULL : strstr(text, "\r\n\r\n");
    if (!end || strncmp(text, "HTTP/1.", 7) != 0 || strlen(text) < 12)
        return segue_fail(err, SEGUE_EIO, "what answers there does not speak HTTP");
    *status = (int)strtol(text + 9, NULL, 10);
    const size_t came = raw->size - 1 - (size_t)(end + 4 - text);
    const segue_status result = check_length(text, end, came, err);
    segue_bytes_append(answer, end + 4, came);
    segue_bytes_append(answer, "", 1);
    if (answer->failed)
        return segue_fail_no_memory(err, "an answer");
    answer->size--;
    return result;
}

segue_status cli_http_client_request(const cli_http_client *client, const char *method,
                                     const char *path, const char *body, int *status,
                                     segue_bytes *answer, segue_error *err)
{
    segue_bytes out = {.data = NULL}, in = {.data = NULL};
    int fd = -1;
    segue_status result = reach(client, &fd, err);
    if (result == SEGUE_OK) {
        write_request(client, method, path, body, &out);
        result = out.failed ? segue_fail_no_memory(err, "a request") : send_all(fd, &out, err);
    }
    if (result == SEGUE_OK)
        result = receive_all(fd, &in, err);
    if (result == SEGUE_OK)
        result = read_answer(&in, status, answer, err);
    if (fd >= 0)
        (void)close(fd);
    segue_bytes_fini(&out);
    segue_bytes_fini(&in);
    return result;
}

void cli_http_client_escape(segue_bytes *b, const char *text)
{
    char letter[2] = "", encoded[4];
    for (; *text; text++) {
        letter[0] = *text;
        segue_bytes_append(b, encoded, segue_encode_percent(encoded, letter));
    }
}
