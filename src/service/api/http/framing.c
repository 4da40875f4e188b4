/* framing.c - rejects requests whose length is ambiguous.
 *
 * libmicrohttpd 0.9.75 uses the first of two Content-Length, prefers Transfer-Encoding to it, and
 * passes names and values as strings, which end at a NUL.  But it parses the header in place: from
 * the method on, header_size bytes, in which it writes a NUL over the space after a word, over a
 * colon, and over CR and LF.  So names and values must follow each other without a gap up to the
 * end.  A gap is a NUL that was sent, a line that ended with LF alone, a folded line, or more than
 * one space.
 *
 * Later versions have a strict mode (MHD_OPTION_CLIENT_DISCIPLINE_LVL) and may parse differently:
 * with them only names and values are checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/framing.h"

#include <microhttpd.h>
#include <string.h>
#include <strings.h>

typedef struct head {
    const char *next; /* the next header must begin here */
    const char *fault;
    const char *encoding;
    unsigned hosts, lengths, encodings;
} head;

static bool is_token(const char *text, size_t size)
{
    static const char letters[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return size > 0 && strspn(text, letters) == size;
}

/* Reject control characters except tabs: another server may treat a CR as an end of line. */
static bool is_field_value(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == '\x7f')
            return false;
    return true;
}

static bool is_uri(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == '\x7f')
            return false;
    return true;
}

static bool is_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* ---- positions --------------------------------------------------------------------------- */

#if MHD_VERSION < 0x00097701
static bool is_line_end(const char *at)
{
    return at[0] == '\0' && at[1] == '\0';
}

static const char *check_first_line(const char *method, const char *url, size_t uri_size,
                                    const char *version)
{
    const size_t size = strlen(version);
    if (url != method + strlen(method) + 1 || version != url + uri_size + 1 ||
        !is_line_end(version + size))
        return "the request line has a NUL, too many spaces or no CR LF";
    return NULL;
}

static void check_position(head *h, const char *name, size_t name_size, const char *value,
                           size_t value_size)
{
    const size_t gap = name == h->next ? strspn(name + name_size + 1, " \t") : 0;
    if (name != h->next || value != name + name_size + 1 + gap || !is_line_end(value + value_size))
        h->fault = "a header has a NUL, is folded, or does not end with CR LF";
    h->next = value + value_size + 2;
}

static const char *check_end(struct MHD_Connection *connection, const head *h, const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info || h->next + 2 != method + info->header_size)
        return "a header has a NUL, is folded, or does not end with CR LF";
    return NULL;
}
#else
static const char *check_first_line(const char *method, const char *url, size_t uri_size,
                                    const char *version)
{
    (void)method;
    (void)url;
    (void)uri_size;
    (void)version;
    return NULL;
}

static void check_position(head *h, const char *name, size_t name_size, const char *value,
                           size_t value_size)
{
    (void)h;
    (void)name;
    (void)name_size;
    (void)value;
    (void)value_size;
}

static const char *check_end(struct MHD_Connection *connection, const head *h, const char *method)
{
    (void)connection;
    (void)h;
    (void)method;
    return NULL;
}
#endif

/* ---- names and values -------------------------------------------------------------------- */

static void count(head *h, const char *name, const char *value)
{
    if (strcasecmp(name, "Host") == 0)
        h->hosts++;
    if (strcasecmp(name, "Content-Length") == 0) {
        h->lengths++;
        if (!is_digits(value))
            h->fault = "Content-Length is not a number of digits";
    }
    if (strcasecmp(name, "Transfer-Encoding") == 0) {
        h->encodings++;
        h->encoding = value;
    }
}

static enum MHD_Result on_header(void *context, enum MHD_ValueKind kind, const char *name,
                                 size_t name_size, const char *value, size_t value_size)
{
    head *h = context;
    (void)kind;
    if (!value) { /* no colon */
        h->fault = "a header has no value";
        return MHD_NO;
    }
    check_position(h, name, name_size, value, value_size);
    if (!h->fault && !is_token(name, name_size))
        h->fault = "the name of a header has a space or another character that is not allowed";
    if (!h->fault && !is_field_value(value, value_size))
        h->fault = "a header has a control character";
    if (!h->fault)
        count(h, name, value);
    return h->fault ? MHD_NO : MHD_YES;
}

/* Check headers that depend on each other. */
static const char *check_counts(const head *h, bool is_http10)
{
    if (h->hosts != 1 && !(is_http10 && h->hosts == 0))
        return h->hosts == 0 ? "the request has no Host" : "the request has several Host";
    if (h->lengths > 1)
        return "the request has several Content-Length";
    if (h->encodings > 0 && h->lengths > 0)
        return "the request has both Content-Length and Transfer-Encoding";
    if (h->encodings > 0 && is_http10)
        return "HTTP/1.0 has no Transfer-Encoding";
    if (h->encodings > 1 || (h->encodings == 1 && strcasecmp(h->encoding, "chunked") != 0))
        return "Transfer-Encoding is not just 'chunked'";
    return NULL;
}

segue_framing segue_framing_check(struct MHD_Connection *connection, const char *method,
                                  const char *url, const char *version, const char *path,
                                  const char *query)
{
    const size_t uri_size = strlen(path) + (query ? 1 + strlen(query) : 0);
    const bool is_http10 = strcmp(version, "HTTP/1.0") == 0;
    head h = {.next = version + strlen(version) + 2};
    if (!is_token(method, strlen(method)) || !is_uri(path) || (query && !is_uri(query)) ||
        (!is_http10 && strcmp(version, "HTTP/1.1") != 0))
        h.fault = "the request line is not METHOD PATH HTTP/1.1";
    if (!h.fault)
        h.fault = check_first_line(method, url, uri_size, version);
    if (!h.fault)
        (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, on_header, &h);
    if (!h.fault)
        h.fault = check_end(connection, &h, method);
    if (!h.fault)
        h.fault = check_counts(&h, is_http10);
    return (segue_framing){.fault = h.fault, .chunked = h.encodings > 0};
}
