/* json_write.c - all JSON that Segue writes.
 *
 * The service writes its responses piece by piece into growing bytes, without a tree.  Commands
 * build a tree with jansson (json_build.h) and print it whole; jansson writes its scalars, but it
 * has one precision for all numbers, so lists and objects are written here.  Both forms have no
 * spaces: segue_json_write_indented is the one place that lays JSON out in lines.
 *
 * A segue_bytes that ran out of memory ignores what follows; callers test `failed` at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "io/utf8.h"

#define MAX_DIGITS 17 /* with which every double reads back unchanged */

/* ---- piece by piece ---------------------------------------------------------------------- */

void segue_json_write_raw(segue_bytes *b, const char *text)
{
    segue_bytes_append(b, text, strlen(text));
}

void segue_json_write_format(segue_bytes *b, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > 0)
        segue_bytes_append(b, text,
                           (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* True for characters that a reader does not see, such as controls of text direction. */
static bool is_hidden(const char *text)
{
    uint32_t code = 0;
    (void)segue_utf8_decode(text, &code);
    return segue_utf8_is_hidden(code);
}

/* Count the bytes that need no escape. */
static size_t plain_part(const char *text)
{
    size_t plain = 0;
    while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\') {
        const size_t size = segue_utf8_length(text + plain);
        if (size == 0 || ((unsigned char)text[plain] >= 0x7f && is_hidden(text + plain)))
            break;
        plain += size;
    }
    return plain;
}

/* Escape a character below U+10000; returns the text after it. */
static const char *escape(segue_bytes *b, const char *text)
{
    uint32_t code = 0;
    const size_t size = segue_utf8_decode(text, &code);
    segue_json_write_format(b, "\\u%04x", (unsigned)code);
    return text + size;
}

void segue_json_write_string(segue_bytes *b, const char *text)
{
    segue_json_write_raw(b, "\"");
    for (const char *at = text; *at;) {
        const size_t plain = plain_part(at);
        segue_bytes_append(b, at, plain);
        at += plain;
        if (*at == '"' || *at == '\\')
            segue_json_write_format(b, "\\%c", *at++);
        else if (*at && segue_utf8_length(at) == 0) {
            segue_json_write_raw(b, "\\ufffd");
            at++;
        } else if (*at)
            at = escape(b, at);
    }
    segue_json_write_raw(b, "\"");
}

/* 15 digits suffice for most numbers; 17 are written only where 15 do not read back. */
void segue_json_write_number(segue_bytes *b, double x)
{
    char text[40];
    if (!isfinite(x)) {
        segue_json_write_raw(b, "null");
        return;
    }
    (void)snprintf(text, sizeof text, "%.15g", x);
    const double back = strtod(text, NULL);
    if (back < x || back > x)
        (void)snprintf(text, sizeof text, "%.17g", x);
    segue_json_write_raw(b, text);
}

/* The last byte decides about the comma: none after an opening bracket. */
void segue_json_write_key(segue_bytes *b, const char *name)
{
    const unsigned char last = b->size > 0 ? b->data[b->size - 1] : '{';
    segue_json_write_raw(b, last == '{' || last == '[' ? "\"" : ",\"");
    segue_json_write_raw(b, name);
    segue_json_write_raw(b, "\":");
}

void segue_json_write_text(segue_bytes *b, const char *name, const char *value)
{
    segue_json_write_key(b, name);
    segue_json_write_string(b, value);
}

void segue_json_write_double(segue_bytes *b, const char *name, double value)
{
    segue_json_write_key(b, name);
    segue_json_write_number(b, value);
}

void segue_json_write_integer(segue_bytes *b, const char *name, uint64_t value)
{
    segue_json_write_key(b, name);
    segue_json_write_format(b, "%" PRIu64, value);
}

void segue_json_write_bool(segue_bytes *b, const char *name, int value)
{
    segue_json_write_key(b, name);
    segue_json_write_raw(b, value ? "true" : "false");
}

/* ---- whole values ------------------------------------------------------------------------ */

static int append(const char *text, size_t size, void *bytes)
{
    segue_bytes_append(bytes, text, size);
    return 0;
}

/* Return the fewest digits, from 15 to 17, with which a number reads back unchanged. */
static size_t digits_of(double x)
{
    char text[40];
    for (int digits = SEGUE_OUTPUT_DIGITS; digits < MAX_DIGITS; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return (size_t)digits;
    }
    return MAX_DIGITS;
}

static bool write_list(segue_bytes *b, const json_t *list)
{
    size_t i = 0;
    json_t *value = NULL;
    bool fine = true;
    segue_json_write_raw(b, "[");
    json_array_foreach(list, i, value)
    {
        segue_json_write_raw(b, i ? "," : "");
        fine &= segue_json_write_value(b, value);
    }
    segue_json_write_raw(b, "]");
    return fine;
}

static bool write_object(segue_bytes *b, json_t *object)
{
    size_t i = 0;
    const char *key = NULL;
    json_t *value = NULL;
    bool fine = true;
    segue_json_write_raw(b, "{");
    json_object_foreach(object, key, value)
    {
        segue_json_write_raw(b, i++ ? "," : "");
        json_t *name = json_string(key);
        fine &= name && segue_json_write_value(b, name);
        json_decref(name);
        segue_json_write_raw(b, ":");
        fine &= segue_json_write_value(b, value);
    }
    segue_json_write_raw(b, "}");
    return fine;
}

bool segue_json_write_value(segue_bytes *b, json_t *value)
{
    size_t flags = JSON_ENCODE_ANY;
    if (json_is_array(value))
        return write_list(b, value);
    if (json_is_object(value))
        return write_object(b, value);
    if (json_is_real(value))
        flags |= JSON_REAL_PRECISION(digits_of(json_real_value(value)));
    return json_dump_callback(value, append, b, flags) == 0 && !b->failed;
}

static void write_newline(segue_bytes *b, int spaces)
{
    segue_bytes_append(b, "\n", 1);
    for (; spaces > 0; spaces--)
        segue_bytes_append(b, " ", 1);
}

/* Return the length of the string or other scalar that begins at `at`. */
static size_t scalar_length(const char *at, const char *end)
{
    const char *p = at + 1;
    if (*at != '"') {
        while (p < end && !strchr("{}[],:", *p))
            p++;
        return (size_t)(p - at);
    }
    for (; p < end && *p != '"'; p++)
        p += *p == '\\' && p + 1 < end;
    return (size_t)((p < end ? p + 1 : end) - at);
}

void segue_json_write_indented(segue_bytes *b, const char *json, size_t size, int step)
{
    const char *at = json, *const end = json + size;
    int spaces = 0;
    while (at < end) {
        const bool opens = *at == '{' || *at == '[', closes = *at == '}' || *at == ']';
        const bool is_empty = opens && at + 1 < end && (at[1] == '}' || at[1] == ']');
        if (closes)
            write_newline(b, spaces -= step);
        const size_t length = is_empty ? 2
                              : opens || closes || *at == ',' || *at == ':'
                                  ? 1
                                  : scalar_length(at, end);
        segue_bytes_append(b, at, length);
        if (*at == ':')
            segue_bytes_append(b, " ", 1);
        if (opens && !is_empty)
            write_newline(b, spaces += step);
        if (*at == ',')
            write_newline(b, spaces);
        at += length;
    }
}

static segue_status print_bytes(FILE *out, segue_bytes *b, segue_error *err)
{
    segue_bytes_append(b, "\n", 1);
    if (b->failed)
        return segue_fail_no_memory(err, "the output");
    (void)fwrite(b->data, 1, b->size, out); /* a stream in memory, tested when it is finished */
    return SEGUE_OK;
}

segue_status segue_json_print_line(FILE *out, json_t *value, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    if (!value || !segue_json_write_value(&b, value))
        b.failed = true;
    json_decref(value);
    const segue_status status = print_bytes(out, &b, err);
    segue_bytes_fini(&b);
    return status;
}

segue_status segue_json_print(FILE *out, json_t *value, segue_error *err)
{
    segue_bytes compact = {.data = NULL}, b = {.data = NULL};
    if (!value || !segue_json_write_value(&compact, value))
        b.failed = true;
    else
        segue_json_write_indented(&b, (const char *)compact.data, compact.size, 1);
    json_decref(value);
    segue_bytes_fini(&compact);
    const segue_status status = print_bytes(out, &b, err);
    segue_bytes_fini(&b);
    return status;
}
