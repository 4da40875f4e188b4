/* json_cursor.c - parse the values of one line of JSON in place, RFC 8259, without a tree.
 *
 * Decoding escapes makes a string shorter, so it stays where it is.  LF is not allowed inside an
 * object, so that no loop runs past the line.  Nested values are validated and skipped with a bit
 * stack, without recursion.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/text/json_cursor.h"

#include <string.h>

#include "io/encode.h"
#include "io/text/swar.h"
#include "io/utf8.h"
#include "segue/internal.h"

static segue_status wrong(const segue_json_cursor *c, const char *message)
{
    return segue_lines_fail(c->lines, SEGUE_EPARSE, c->err, "byte %zu: %s",
                            (size_t)(c->at - c->line) + 1, message);
}

/* Fail with `message`, or with a better one for a NUL or the end of the line. */
segue_status segue_json_cursor_fail(const segue_json_cursor *c, const char *message)
{
    if (*c->at == '\0')
        return segue_lines_fail_nul(c->lines, c->err);
    if (*c->at == '\n')
        return segue_lines_fail(c->lines, SEGUE_EPARSE, c->err,
                                "the object is not closed on its line; need one object per line");
    return wrong(c, message);
}

/* ---- strings ----------------------------------------------------------------------------- */

/* Return the next byte of a string that needs care: a quote, a backslash, a control character, or
 * one outside ASCII. */
static char *find_special(char *p)
{
    for (;; p += 8) {
        const uint64_t word = segue_swar_load(p);
        const uint64_t marks = segue_swar_mark(word, '"') | segue_swar_mark(word, '\\') |
                               segue_swar_mark_less(word, ' ') | (word & (SEGUE_SWAR_ONES << 7));
        if (marks)
            return p + segue_swar_first(marks);
    }
}

/* Read four hexadecimal digits; -1 if they are not. */
static int32_t hex(const char *p)
{
    unsigned char byte[2];
    return segue_encode_hex_decode(byte, p, 2) ? byte[0] << 8 | byte[1] : -1;
}

/* Return the character of \uXXXX at `p`, or of two of them that are surrogates, or -1; *used is the
 * number of bytes read. */
static int32_t escaped(const char *p, size_t *used)
{
    const int32_t first = hex(p + 2);
    *used = 6;
    if (first < 0xd800 || first > 0xdfff)
        return first;
    if (first > 0xdbff || p[6] != '\\' || p[7] != 'u')
        return -1;
    const int32_t second = hex(p + 8);
    *used = 12;
    if (second < 0xdc00 || second > 0xdfff)
        return -1;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

/* Write a character as UTF-8; returns the position after it. */
static char *put_character(char *to, int32_t c)
{
    static const unsigned char first[] = {0x00, 0xc0, 0xe0, 0xf0};
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    unsigned char *byte = (unsigned char *)to;
    *byte++ = (unsigned char)(first[more] | (c >> (6 * more)));
    for (int i = more - 1; i >= 0; i--)
        *byte++ = (unsigned char)(0x80 | ((c >> (6 * i)) & 0x3f));
    return (char *)byte;
}

/* Return the character of a backslash and a letter, or -1. */
static int32_t plain_escape(char c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(from, c) : NULL;
    return found ? (unsigned char)to[found - from] : -1;
}

/* Decode the escape at `at` into `to`; returns the position after it, or NULL. */
static char *take_escape(segue_json_cursor *c, char *to)
{
    size_t used = 2;
    const int32_t character = c->at[1] == 'u' ? escaped(c->at, &used) : plain_escape(c->at[1]);
    if (character <= 0) /* a NUL would end the text */
        return NULL;
    to = put_character(to, character);
    c->at += used;
    return to;
}

/* Read the string whose quote is at `at`, and decode its escapes in place. */
segue_status segue_json_cursor_take_string(segue_json_cursor *c, segue_json_lines_value *out)
{
    char *const start = ++c->at, *to = start;
    bool ascii = true;
    for (;;) {
        char *special = find_special(c->at);
        const size_t plain = (size_t)(special - c->at);
        if (to != c->at)
            memmove(to, c->at, plain);
        to += plain;
        c->at = special;
        if (*special == '"')
            break;
        if (*special == '\\') {
            to = take_escape(c, to);
            if (!to)
                return segue_json_cursor_fail(
                    c, "there is no such escape in a string, or it is a NUL");
        } else if ((unsigned char)*special < ' ') {
            return segue_json_cursor_fail(c,
                                          "a control character in a string; write it as an escape");
        } else {
            ascii = false;
            *to++ = *c->at++;
        }
    }
    c->at++;
    *to = '\0'; /* on the quote, or before it */
    *out = (segue_json_lines_value){
        .kind = SEGUE_JSON_LINES_STRING, .text = start, .length = (size_t)(to - start)};
    if (!ascii && !segue_utf8_is_valid(start, out->length))
        return segue_lines_fail(c->lines, SEGUE_EPARSE, c->err, "byte %zu: the string is not UTF-8",
                                (size_t)(start - c->line));
    return SEGUE_OK;
}

/* ---- other values ------------------------------------------------------------------------ */

static bool take_digits(segue_json_cursor *c)
{
    const char *first = c->at;
    while (*c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > first;
}

static segue_status take_number(segue_json_cursor *c, segue_json_lines_value *out)
{
    char *start = c->at;
    c->at += *c->at == '-';
    bool good = *c->at == '0' ? c->at++ != NULL : take_digits(c); /* no digit after a first 0 */
    if (good && *c->at == '.') {
        c->at++;
        good = take_digits(c);
    }
    if (good && (*c->at == 'e' || *c->at == 'E')) {
        c->at++;
        c->at += *c->at == '+' || *c->at == '-';
        good = take_digits(c);
    }
    if (!good)
        return segue_json_cursor_fail(c, "a number goes on with a digit here");
    *out = (segue_json_lines_value){
        .kind = SEGUE_JSON_LINES_NUMBER, .text = start, .length = (size_t)(c->at - start)};
    return SEGUE_OK;
}

static segue_status take_word(segue_json_cursor *c, segue_json_lines_value *out)
{
    static const char *const word[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++)
        if (strncmp(c->at, word[i], strlen(word[i])) == 0) {
            *out = (segue_json_lines_value){.kind = i ? SEGUE_JSON_LINES_BOOLEAN
                                                      : SEGUE_JSON_LINES_NONE,
                                            .text = c->at,
                                            .length = strlen(word[i])};
            c->at += out->length;
            return SEGUE_OK;
        }
    if (strncmp(c->at, "NaN", 3) == 0)
        return wrong(c, "NaN is not JSON; write null");
    return segue_json_cursor_fail(
        c, "need a value: a string, a number, true, false, null, [..] or {..}");
}

segue_status segue_json_cursor_take_scalar(segue_json_cursor *c, segue_json_lines_value *out)
{
    if (*c->at == '"')
        return segue_json_cursor_take_string(c, out);
    if (*c->at == '-' || (*c->at >= '0' && *c->at <= '9'))
        return take_number(c, out);
    return take_word(c, out);
}

segue_status segue_json_cursor_take_key(segue_json_cursor *c, segue_json_lines_value *key)
{
    segue_json_cursor_skip_blanks(c);
    if (*c->at != '"')
        return segue_json_cursor_fail(c, "need a key in quotes");
    SEGUE_TRY(segue_json_cursor_take_string(c, key));
    segue_json_cursor_skip_blanks(c);
    if (*c->at != ':')
        return segue_json_cursor_fail(c, "need a colon after a key");
    c->at++;
    segue_json_cursor_skip_blanks(c);
    return SEGUE_OK;
}

/* Skip an array or object with its contents.  `objects` is a stack of bits, one per open value: 1
 * for an object. */
segue_status segue_json_cursor_skip_nested(segue_json_cursor *c)
{
    uint64_t objects = 0;
    int depth = 0;
    segue_json_lines_value ignored;
    segue_status status = SEGUE_OK;
    while (status == SEGUE_OK) {
        /* A value starts here. */
        const bool opens = *c->at == '{' || *c->at == '[';
        if (opens && depth == SEGUE_MAX_JSON_DEPTH)
            return wrong(c, "the values are nested too deeply");
        if (opens) {
            objects = objects << 1 | (*c->at++ == '{');
            depth++;
            segue_json_cursor_skip_blanks(c);
        } else {
            status = segue_json_cursor_take_scalar(c, &ignored);
        }
        bool empty = opens;
        /* Close the values that end here. */
        for (;; empty = false) {
            segue_json_cursor_skip_blanks(c);
            if (status != SEGUE_OK || *c->at != (objects & 1 ? '}' : ']'))
                break;
            c->at++;
            objects >>= 1;
            if (--depth == 0)
                return SEGUE_OK;
        }
        if (status == SEGUE_OK && !empty && *c->at++ != ',') {
            c->at--;
            return segue_json_cursor_fail(c, "need a comma, or the end of the array or object");
        }
        segue_json_cursor_skip_blanks(c);
        if (status == SEGUE_OK && (objects & 1))
            status = segue_json_cursor_take_key(c, &ignored);
    }
    return status;
}
