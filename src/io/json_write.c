/* json_write.c - JSON written into growing bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"

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

/* Bytes of the UTF-8 character that begins here; 0: none does. */
static size_t character(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80)
        return 1;
    const size_t size = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const unsigned second = at[1];
    const bool fine = !(at[0] == 0xe0 && second < 0xa0) && !(at[0] == 0xed && second > 0x9f) &&
                      !(at[0] == 0xf0 && second < 0x90) && !(at[0] == 0xf4 && second > 0x8f);
    return fine ? size : 0;
}

/* Whether the character that begins here hides what a text is. */
static bool is_hidden(const char *text)
{
    uint32_t code = 0;
    (void)segue_utf8_decode(text, &code);
    return segue_utf8_is_hidden(code);
}

/* How many bytes can be written as they are. */
static size_t plain_part(const char *text)
{
    size_t plain = 0;
    while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\') {
        const size_t size = character(text + plain);
        if (size == 0 || ((unsigned char)text[plain] >= 0x7f && is_hidden(text + plain)))
            break;
        plain += size;
    }
    return plain;
}

/* Write the code of a character, which is below 2^16; returns what follows it. */
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
        else if (*at && character(at) == 0) { /* cut off, or never one */
            segue_json_write_raw(b, "\\ufffd");
            at++;
        } else if (*at)
            at = escape(b, at);
    }
    segue_json_write_raw(b, "\"");
}

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
