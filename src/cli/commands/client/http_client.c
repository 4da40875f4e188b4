/* http_client.c - one request to a service, through libcurl.
 *
 * libcurl gives TLS, proxies (https_proxy and the other variables of the environment) and the
 * framing of responses.  This file adds the addresses that the commands accept, limits of time, and
 * errors that name the next step.  A loopback address is never reached through a proxy.  A response
 * must tell its length, or be chunked: a service that is killed closes the connection too, and only
 * the length distinguishes that from the end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/client/http_client.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TIMEOUT 30L /* seconds to connect, and seconds without a byte */

/* One request under way. */
typedef struct transfer {
    const cli_http_client *client;
    CURL *curl;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE]; /* libcurl's sentence, or empty */
    segue_bytes *response;
} transfer;

/* ---- addresses --------------------------------------------------------------------------- */

/* True for names of this machine; a proxy could not reach them. */
static bool is_loopback(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "[::1]") == 0;
}

/* Append the address of the service; http:// is added where there is no scheme. */
static void append_url(segue_bytes *url, const char *text)
{
    const char *scheme_end = strstr(text, "://");
    const size_t start = scheme_end ? (size_t)(scheme_end + 3 - text) : 0;
    size_t length = strlen(text);
    while (length > start && text[length - 1] == '/')
        length--;
    if (!scheme_end)
        segue_bytes_append(url, "http://", strlen("http://"));
    segue_bytes_append(url, text, length);
}

/* Check scheme and host of an address; *is_local: it is on this machine. */
static bool check_parts(CURLU *parts, const char *url, bool *is_local)
{
    char *scheme = NULL, *host = NULL;
    const bool is_valid = curl_url_set(parts, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) == 0 &&
                          curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == 0 &&
                          curl_url_get(parts, CURLUPART_HOST, &host, 0) == 0 &&
                          (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    *is_local = is_valid && is_loopback(host);
    curl_free(scheme);
    curl_free(host);
    return is_valid;
}

/* The host is checked before the path is appended: "http://" alone would become "http:///v1/...".
 */
static segue_status set_url(transfer *t, const char *path, segue_error *err)
{
    segue_bytes url = {.data = NULL};
    bool is_local = false;
    append_url(&url, t->client->url);
    const bool has_host = !url.failed && url.size > 0 && url.data[url.size - 1] != '/';
    segue_bytes_append(&url, path, strlen(path) + 1);
    CURLU *parts = url.failed ? NULL : curl_url();
    const bool is_valid =
        has_host && parts && check_parts(parts, (const char *)url.data, &is_local);
    segue_status status = SEGUE_OK;
    if (!parts)
        status = segue_fail_no_memory(err, "a request");
    else if (!is_valid)
        status = segue_fail(err, SEGUE_EUSAGE,
                            "'%.80s' is not the address of a service; need one such as "
                            "http://127.0.0.1:8080 or https://decide.example.org",
                            t->client->url);
    else
        (void)curl_easy_setopt(t->curl, CURLOPT_URL, (const char *)url.data);
    if (is_local)
        (void)curl_easy_setopt(t->curl, CURLOPT_PROXY, "");
    curl_url_cleanup(parts);
    segue_bytes_fini(&url);
    return status;
}

/* ---- the request ------------------------------------------------------------------------- */

/* libcurl's write function; 0 stops the transfer, when memory runs out. */
static size_t receive(char *data, size_t size, size_t count, void *context)
{
    segue_bytes *response = context;
    segue_bytes_append(response, data, size * count);
    return response->failed ? 0 : size * count;
}

/* libcurl copies the header; the list is freed with the transfer. */
static segue_status add_header(transfer *t, const char *header, segue_error *err)
{
    struct curl_slist *list = curl_slist_append(t->headers, header);
    if (!list)
        return segue_fail_no_memory(err, "a request");
    t->headers = list;
    return SEGUE_OK;
}

/* An empty value removes a header that libcurl would add. */
static segue_status set_headers(transfer *t, bool has_body, segue_error *err)
{
    char bearer[SEGUE_ERROR_SIZE + 64];
    SEGUE_TRY(add_header(t, has_body ? "Content-Type: application/json" : "Content-Type:", err));
    SEGUE_TRY(add_header(t, "Expect:", err)); /* the service reads a body without being asked */
    if (t->client->token) {
        (void)snprintf(bearer, sizeof bearer, "Authorization: Bearer %s", t->client->token);
        SEGUE_TRY(add_header(t, bearer, err));
    }
    (void)curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
    return SEGUE_OK;
}

/* LOW_SPEED limits the time without a byte, not the time of the whole transfer. */
static void set_options(transfer *t, const char *method, const char *body)
{
    (void)curl_easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, method);
    if (strcmp(method, "POST") == 0)
        (void)curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, body ? body : "");
    if (t->client->ca_file)
        (void)curl_easy_setopt(t->curl, CURLOPT_CAINFO, t->client->ca_file);
    (void)curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT, TIMEOUT);
    (void)curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_TIME, TIMEOUT);
    (void)curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, t->error);
    (void)curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, receive);
    (void)curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t->response);
}

/* ---- the response ------------------------------------------------------------------------ */

/* Prefer the system's error text to libcurl's. */
static const char *system_error(const transfer *t)
{
    long number = 0;
    (void)curl_easy_getinfo(t->curl, CURLINFO_OS_ERRNO, &number);
    return number ? strerror((int)number) : t->error;
}

/* Distinguish a wrong file, an unknown CA and a server without TLS: each has another next step. */
static segue_status fail_tls(const transfer *t, CURLcode code, segue_error *err)
{
    const char *url = t->client->url;
    if (code == CURLE_SSL_CACERT_BADFILE)
        return segue_fail(err, SEGUE_EFILE,
                          "%.80s: cannot be read as certificates; need a PEM file for --cacert",
                          t->client->ca_file ? t->client->ca_file : url);
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return segue_fail(err, SEGUE_EIO,
                          "%.80s: the certificate is not trusted: %.120s; give the CA's with "
                          "--cacert FILE",
                          url, t->error);
    return segue_fail(err, SEGUE_EIO,
                      "%.80s: TLS failed: %.120s; use http:// if the service has no TLS", url,
                      t->error);
}

/* Name the failure of a transfer and the next step. */
static segue_status fail_transfer(const transfer *t, CURLcode code, segue_error *err)
{
    const char *url = t->client->url;
    switch (code) {
    case CURLE_COULDNT_CONNECT:
        return segue_fail(err, SEGUE_EIO,
                          "%.80s: connection failed: %s; start the service with 'segue serve', or "
                          "name another with --url",
                          url, system_error(t));
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return segue_fail(err, SEGUE_EIO, "%.80s: connection failed: %.120s; check --url and DNS",
                          url, t->error);
    case CURLE_OPERATION_TIMEDOUT:
        return segue_fail(err, SEGUE_EIO, "%.80s: no response within %ld seconds; try again", url,
                          TIMEOUT);
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9: the first line is no status line */
    case CURLE_WEIRD_SERVER_REPLY:
        return segue_fail(err, SEGUE_EIO, "%.80s: not an HTTP server; check host and port of --url",
                          url);
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
        return fail_tls(t, code, err);
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
        return segue_fail(err, SEGUE_EIO, "%.80s: the response is incomplete: %.120s; try again",
                          url, *t->error ? t->error : curl_easy_strerror(code));
    default:
        return segue_fail(err, SEGUE_EIO, "%.80s: the request failed: %.120s; check --url", url,
                          *t->error ? t->error : curl_easy_strerror(code));
    }
}

/* A chunked response has its own end mark. */
static bool has_length(CURL *curl)
{
    curl_off_t length = -1;
    struct curl_header *header;
    (void)curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length >= 0 ||
           curl_easy_header(curl, "Transfer-Encoding", 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
}

/* A NUL after the response makes it a text; `size` does not count it. */
static segue_status perform(transfer *t, int *status, segue_error *err)
{
    long code = 0;
    const CURLcode result = curl_easy_perform(t->curl);
    if (t->response->failed || result == CURLE_OUT_OF_MEMORY)
        return segue_fail_no_memory(err, "a response");
    if (result != CURLE_OK)
        return fail_transfer(t, result, err);
    if (!has_length(t->curl))
        return segue_fail(err, SEGUE_EIO,
                          "%.80s: the response has no length, and may be incomplete; check --url",
                          t->client->url);
    (void)curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
    *status = (int)code;
    segue_bytes_append(t->response, "", 1);
    if (t->response->failed)
        return segue_fail_no_memory(err, "a response");
    t->response->size--;
    return SEGUE_OK;
}

/* The caller frees the transfer, also after an error. */
static segue_status request(transfer *t, const char *path, bool has_body, int *status,
                            segue_error *err)
{
    SEGUE_TRY(set_url(t, path, err));
    SEGUE_TRY(set_headers(t, has_body, err));
    return perform(t, status, err);
}

/* One handle per request: the commands send one and exit. */
segue_status cli_http_client_request(const cli_http_client *client, const char *method,
                                     const char *path, const char *body, int *status,
                                     segue_bytes *response, segue_error *err)
{
    transfer t = {.client = client, .curl = curl_easy_init(), .response = response};
    if (!t.curl)
        return segue_fail_no_memory(err, "a request");
    set_options(&t, method, body);
    const segue_status result = request(&t, path, body != NULL, status, err);
    curl_slist_free_all(t.headers);
    curl_easy_cleanup(t.curl);
    curl_global_cleanup();
    return result;
}
