/* json_lines.c - strict reading of JSON Lines, RFC 8259, without a tree.
 *
 * A line is read where it lies in the buffer: strings that are wanted lose their escapes, which
 * makes them shorter.  The LF at its end is allowed nowhere inside, so that no loop runs over it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/json_lines.h"

#include <stdlib.h>
#include <string.h>

#include "io/encode.h"
#include "io/log/swar.h"
#include "io/utf8.h"

/* Where the reader is in a line. */
typedef struct cursor {
    segue_json_lines *json;
    char *line, *at;
    segue_error *err;
} cursor;

void segue_json_lines_fini(segue_json_lines *json)
{
    free(json->others.key);
    json->others = (segue_json_lines_keys){.key = NULL};
}

static segue_status wrong(const cursor *c, const char *says)
{
    return segue_lines_fail(c->json->lines, SEGUE_EPARSE, c->err, "byte %zu: %s",
                            (size_t)(c->at - c->line) + 1, says);
}

/* Something else was expected here. */
static segue_status unexpected(const cursor *c, const char *says)
{
    if (*c->at == '\0')
        return segue_lines_fail_nul(c->json->lines, c->err);
    if (*c->at == '\n')
        return segue_lines_fail(c->json->lines, SEGUE_EPARSE, c->err,
                                "the object is not closed on its line; need one object a line");
    return wrong(c, says);
}

static void skip_blanks(cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')
        c->at++;
}

/* ---- strings ----------------------------------------------------------------------------- */

/* The next byte of a string that is not plain ASCII: a quote, a backslash, a control character or a
 * part of another character. */
static char *find_odd(char *p)
{
    for (;; p += 8) {
        const uint64_t word = segue_swar_load(p);
        const uint64_t marks = segue_swar_mark(word, '"') | segue_swar_mark(word, '\\') |
                               segue_swar_mark_less(word, ' ') | (word & (SEGUE_SWAR_ONES << 7));
        if (marks)
            return p + segue_swar_first(marks);
    }
}

/* Four hexadecimal digits; -1 if they are not. */
static int32_t hex(const char *p)
{
    unsigned char byte[2];
    return segue_encode_hex_decode(byte, p, 2) ? byte[0] << 8 | byte[1] : -1;
}

/* The character of \uXXXX at `p`, or of two of them that are surrogates; *used tells how many bytes
 * were read.  -1: it is none. */
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

/* Write a character as UTF-8; returns what is behind it. */
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

/* What a backslash and a letter stand for; -1 if nothing. */
static int32_t plain_escape(char c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(from, c) : NULL;
    return found ? (unsigned char)to[found - from] : -1;
}

/* Read an escape at `at`, and write what it stands for to `to`; returns what is behind that, or
 * NULL. */
static char *take_escape(cursor *c, char *to)
{
    size_t used = 2;
    const int32_t character = c->at[1] == 'u' ? escaped(c->at, &used) : plain_escape(c->at[1]);
    if (character <= 0) /* a NUL would end the text */
        return NULL;
    to = put_character(to, character);
    c->at += used;
    return to;
}

/* Read a string whose quote is at `at`, and take its escapes off. */
static segue_status take_string(cursor *c, segue_json_lines_value *out)
{
    char *const start = ++c->at, *to = start;
    bool ascii = true;
    for (;;) {
        char *odd = find_odd(c->at);
        const size_t plain = (size_t)(odd - c->at);
        if (to != c->at)
            memmove(to, c->at, plain);
        to += plain;
        c->at = odd;
        if (*odd == '"')
            break;
        if (*odd == '\\') {
            to = take_escape(c, to);
            if (!to)
                return unexpected(c, "there is no such escape in a string, or it is a NUL");
        } else if ((unsigned char)*odd < ' ') {
            return unexpected(c, "a control character in a string; write it as an escape");
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
        return segue_lines_fail(c->json->lines, SEGUE_EPARSE, c->err,
                                "byte %zu: the string is not UTF-8", (size_t)(start - c->line));
    return SEGUE_OK;
}

/* ---- other values ------------------------------------------------------------------------ */

static bool take_digits(cursor *c)
{
    const char *first = c->at;
    while (*c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > first;
}

static segue_status take_number(cursor *c, segue_json_lines_value *out)
{
    char *start = c->at;
    c->at += *c->at == '-';
    bool good = *c->at == '0' ? c->at++ != NULL : take_digits(c); /* no digit behind a first 0 */
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
        return unexpected(c, "a number goes on with a digit here");
    *out = (segue_json_lines_value){
        .kind = SEGUE_JSON_LINES_NUMBER, .text = start, .length = (size_t)(c->at - start)};
    return SEGUE_OK;
}

static segue_status take_word(cursor *c, segue_json_lines_value *out)
{
    static const char *const word[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++)
        if (strncmp(c->at, word[i], strlen(word[i])) == 0) {
            c->at += strlen(word[i]);
            *out = (segue_json_lines_value){.kind =
                                                i ? SEGUE_JSON_LINES_OTHER : SEGUE_JSON_LINES_NONE};
            return SEGUE_OK;
        }
    return unexpected(c, "need a value: a string, a number, true, false, null, [..] or {..}");
}

static segue_status take_scalar(cursor *c, segue_json_lines_value *out)
{
    if (*c->at == '"')
        return take_string(c, out);
    if (*c->at == '-' || (*c->at >= '0' && *c->at <= '9'))
        return take_number(c, out);
    return take_word(c, out);
}

static segue_status take_key(cursor *c, segue_json_lines_value *key)
{
    skip_blanks(c);
    if (*c->at != '"')
        return unexpected(c, "need a key in quotes");
    const segue_status status = take_string(c, key);
    if (status != SEGUE_OK)
        return status;
    skip_blanks(c);
    if (*c->at != ':')
        return unexpected(c, "need a colon behind a key");
    c->at++;
    skip_blanks(c);
    return SEGUE_OK;
}

/* Pass over an array or object with all that is in it.  A bit of `objects` for each that is open:
 * whether it is an object. */
static segue_status skip_nested(cursor *c)
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
            skip_blanks(c);
        } else {
            status = take_scalar(c, &ignored);
        }
        bool empty = opens;
        /* It is over, or has just been opened; so may be those around it. */
        for (;; empty = false) {
            skip_blanks(c);
            if (status != SEGUE_OK || *c->at != (objects & 1 ? '}' : ']'))
                break;
            c->at++;
            objects >>= 1;
            if (--depth == 0)
                return SEGUE_OK;
        }
        if (status == SEGUE_OK && !empty && *c->at++ != ',') {
            c->at--;
            return unexpected(c, "need a comma, or the end of the array or object");
        }
        skip_blanks(c);
        if (status == SEGUE_OK && (objects & 1))
            status = take_key(c, &ignored);
    }
    return status;
}

static segue_status take_value(cursor *c, segue_json_lines_value *out)
{
    *out = (segue_json_lines_value){.kind = SEGUE_JSON_LINES_OTHER};
    return *c->at == '{' || *c->at == '[' ? skip_nested(c) : take_scalar(c, out);
}

/* ---- an object --------------------------------------------------------------------------- */

static segue_status twice(const cursor *c, const char *key)
{
    return segue_lines_fail(c->json->lines, SEGUE_EPARSE, c->err, "the key '%.40s' is there twice",
                            key);
}

/* Remember a key that was not asked for. */
static segue_status note_other(cursor *c, const segue_json_lines_value *key)
{
    segue_json_lines_keys *others = &c->json->others;
    for (size_t i = 0; i < others->count; i++)
        if (others->key[i].length == key->length &&
            memcmp(others->key[i].text, key->text, key->length) == 0)
            return twice(c, key->text);
    if (others->count == SEGUE_MAX_JSON_KEYS)
        return segue_lines_fail(c->json->lines, SEGUE_EPARSE, c->err, "more than %d keys",
                                SEGUE_MAX_JSON_KEYS);
    if (others->count == others->capacity) {
        const size_t capacity = 2 * others->capacity + 8;
        segue_json_lines_value *grown = realloc(others->key, capacity * sizeof *grown);
        if (!grown)
            return segue_lines_fail(c->json->lines, SEGUE_ENOMEM, c->err, "out of memory");
        others->key = grown;
        others->capacity = capacity;
    }
    others->key[others->count++] = *key;
    return SEGUE_OK;
}

/* Which key it is of those that are wanted, or n_wanted.  Lines are mostly alike. */
static size_t find_wanted(segue_json_lines *json, const segue_json_lines_value *key)
{
    for (size_t i = 0; i < json->n_wanted; i++) {
        const size_t place = (json->guess + i) % json->n_wanted;
        if (strcmp(json->wanted[place], key->text) == 0) {
            json->guess = place + 1;
            return place;
        }
    }
    return json->n_wanted;
}

static segue_status take_member(cursor *c)
{
    segue_json_lines *json = c->json;
    segue_json_lines_value key = {.text = c->at}, ignored;
    segue_status status = take_key(c, &key);
    if (status != SEGUE_OK)
        return status;
    const size_t place = find_wanted(json, &key);
    if (place == json->n_wanted) {
        status = note_other(c, &key);
        return status == SEGUE_OK ? take_value(c, &ignored) : status;
    }
    if (json->seen >> place & 1)
        return twice(c, key.text);
    json->seen |= UINT32_C(1) << place;
    return take_value(c, &json->value[place]);
}

static segue_status take_object(cursor *c)
{
    skip_blanks(c);
    if (*c->at != '{')
        return segue_lines_fail(c->json->lines, SEGUE_EPARSE, c->err,
                                "need a JSON object, {..}, as on the lines before");
    c->at++;
    skip_blanks(c);
    segue_status status = SEGUE_OK;
    for (bool first = true; status == SEGUE_OK && (!first || *c->at != '}'); first = false) {
        status = take_member(c);
        skip_blanks(c);
        if (status != SEGUE_OK || *c->at == '}')
            break;
        if (*c->at != ',')
            return unexpected(c, "need a comma, or the end of the object");
        c->at++;
    }
    if (status != SEGUE_OK)
        return status;
    c->at++;
    skip_blanks(c);
    return *c->at == '\n' ? SEGUE_OK : unexpected(c, "there is text behind the object");
}

static segue_status read_object(segue_json_lines *json, segue_error *err)
{
    segue_lines *lines = json->lines;
    char *const line = lines->buffer + lines->at;
    cursor c = {.json = json, .line = line, .at = line, .err = err};
    json->others.count = 0;
    json->seen = 0;
    json->guess = 0;
    for (size_t i = 0; i < json->n_wanted; i++)
        json->value[i] = (segue_json_lines_value){.kind = SEGUE_JSON_LINES_NONE};
    const segue_status status = take_object(&c);
    if (status != SEGUE_OK)
        return status;
    if (c.at - line > SEGUE_MAX_LINE)
        return segue_lines_fail(lines, SEGUE_EPARSE, err, "the line is longer than %d bytes",
                                SEGUE_MAX_LINE);
    lines->at += (size_t)(c.at - line) + 1;
    return SEGUE_OK;
}

/* Go to the next line that has more than blanks. */
static segue_status find_line(segue_json_lines *json, bool *more, segue_error *err)
{
    segue_lines *lines = json->lines;
    for (*more = false; !*more;) {
        lines->line = json->next_line;
        if (lines->at == lines->limit) {
            const segue_status status = segue_lines_fill(lines, err);
            if (status != SEGUE_OK || lines->at == lines->limit)
                return status;
        }
        const char *line = lines->buffer + lines->at;
        const size_t blanks = strspn(line, " \t\r");
        *more = line[blanks] != '\n';
        if (!*more)
            lines->at += blanks + 1;
        json->next_line++;
    }
    return SEGUE_OK;
}

segue_status segue_json_lines_next(segue_json_lines *json, bool *more, segue_error *err)
{
    const segue_status status = find_line(json, more, err);
    return status == SEGUE_OK && *more ? read_object(json, err) : status;
}
