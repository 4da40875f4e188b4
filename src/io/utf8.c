/* utf8.c - well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates.
 *
 * All text that enters from files, requests and names of files is validated or sanitized here.
 * Texts end with a NUL, which is no continuation byte: a character that is cut off never reads past
 * it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/utf8.h"

#include <stdio.h>
#include <string.h>

/* Return how many continuation bytes follow a first byte, or -1. */
static int continuation(unsigned char byte)
{
    if (byte < 0x80)
        return 0;
    return byte >= 0xc2 && byte < 0xe0   ? 1
           : byte >= 0xe0 && byte < 0xf0 ? 2
           : byte >= 0xf0 && byte < 0xf5 ? 3
                                         : -1;
}

size_t segue_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const int more = continuation(p[0]);
    if (more <= 0)
        return more == 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90)) /* overlong */
        return 0;
    if ((p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f)) /* surrogate; > U+10FFFF */
        return 0;
    for (int i = 1; i <= more; i++)
        if ((p[i] & 0xc0) != 0x80) /* true for the NUL that ends the text */
            return 0;
    return (size_t)more + 1;
}

bool segue_utf8_is_valid(const char *text, size_t length)
{
    const char *const end = text + length;
    for (size_t size = 0; text < end; text += size) {
        size = segue_utf8_length(text);
        if (size == 0)
            return false;
    }
    return true;
}

size_t segue_utf8_prefix_length(const char *text, size_t max_length)
{
    size_t length = 0, last = 0; /* start of the last character */
    for (; length < max_length && text[length]; length++)
        if (((unsigned char)text[length] & 0xc0) != 0x80)
            last = length;
    const int more = length > 0 ? continuation((unsigned char)text[last]) : 0;
    return more > 0 && last + 1 + (size_t)more > length ? last : length;
}

/* Return where the character of this number begins, or the end. */
static const char *find_character(const char *text, size_t number)
{
    for (; number > 0 && *text; number--)
        text += segue_utf8_length(text) ? segue_utf8_length(text) : 1;
    return text;
}

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; count++)
        text = find_character(text, 1);
    return count;
}

void segue_utf8_shorten(const char *text, size_t head, size_t tail, char *out, size_t size)
{
    const size_t count = count_characters(text);
    if (count <= head + 1 + tail)
        (void)snprintf(out, size, "%s", text);
    else
        (void)snprintf(out, size, "%.*s\u2026%s", (int)(find_character(text, head) - text), text,
                       find_character(text, count - tail));
}

void segue_utf8_sanitize(char *text)
{
    for (size_t size = 0; *text; text += size) {
        size = segue_utf8_length(text);
        if (size == 0) {
            *text = '?';
            size = 1;
        }
    }
}

bool segue_utf8_has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return true;
    return false;
}

size_t segue_utf8_decode(const char *text, uint32_t *code)
{
    static const unsigned char first_bits[] = {0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *at = (const unsigned char *)text;
    const int more = continuation(at[0]);
    const size_t size = more > 0 ? (size_t)more + 1 : 1;
    *code = at[0] & first_bits[size - 1];
    for (size_t i = 1; i < size; i++)
        *code = *code << 6 | (at[i] & 0x3f);
    return size;
}

bool segue_utf8_is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c || code == 0x200b ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x2069) || code == 0xfeff ||
           (code >= 0xe0000 && code <= 0xe007f);
}

bool segue_utf8_find_hidden(const char *text, uint32_t *code)
{
    while (*text) {
        text += segue_utf8_decode(text, code);
        if (segue_utf8_is_hidden(*code))
            return true;
    }
    return false;
}

void segue_utf8_make_printable(char *text)
{
    uint32_t code = 0;
    segue_utf8_sanitize(text);
    for (size_t size = 0; *text; text += size) {
        size = segue_utf8_decode(text, &code);
        if (segue_utf8_is_hidden(code))
            memset(text, '?', size);
    }
}
