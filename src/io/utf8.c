/* utf8.c - well-formed UTF-8: no form that is longer than needed, no surrogates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/utf8.h"

#include <string.h>

/* How many continuation bytes follow a first byte, or -1. */
static int continuation(unsigned char byte)
{
    if (byte < 0x80)
        return 0;
    return byte >= 0xc2 && byte < 0xe0   ? 1
           : byte >= 0xe0 && byte < 0xf0 ? 2
           : byte >= 0xf0 && byte < 0xf5 ? 3
                                         : -1;
}

bool segue_utf8_is_valid(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text, *const end = p + length;
    while (p < end) {
        const unsigned char first = *p;
        const int more = continuation(*p++);
        /* Forms that are longer than needed, surrogates, and what is behind the last character. */
        const bool odd = (first == 0xe0 && *p < 0xa0) || (first == 0xed && *p > 0x9f) ||
                         (first == 0xf0 && *p < 0x90) || (first == 0xf4 && *p > 0x8f);
        if (more < 0 || (more > 0 && odd))
            return false;
        for (int i = 0; i < more; i++, p++)
            if ((*p & 0xc0) != 0x80) /* which the NUL behind the text has not */
                return false;
    }
    return true;
}

size_t segue_utf8_prefix_length(const char *text, size_t most)
{
    size_t length = 0, last = 0; /* where the last character begins */
    for (; length < most && text[length]; length++)
        if (((unsigned char)text[length] & 0xc0) != 0x80)
            last = length;
    const int more = length > 0 ? continuation((unsigned char)text[last]) : 0;
    return more > 0 && last + 1 + (size_t)more > length ? last : length;
}

void segue_utf8_sanitize(char *text)
{
    const char *const end = text + strlen(text);
    while (text < end) {
        const int more = continuation((unsigned char)*text);
        const bool whole =
            more >= 0 && more < end - text && segue_utf8_is_valid(text, (size_t)more + 1);
        if (!whole)
            *text = '?';
        text += whole ? more + 1 : 1;
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
