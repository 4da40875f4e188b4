/* json_lines.c - strict reading of JSON Lines: find the wanted values of each line.
 *
 * A line is parsed once, in place (json_cursor.c).  At each key the wanted paths are compared: one
 * that ends here gets the value; if some go on, and the value is an object or an array, they are
 * followed into it, by a function that calls itself once per key of the path; the rest is skipped.
 * Most logs have flat objects, and lines are alike: the search starts after the path found last.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/text/json_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/json_cursor.h"
#include "segue/internal.h"

/* The paths that go on inside an object or array. */
typedef struct level {
    uint32_t active;                         /* one bit per path */
    const char *rest[SEGUE_MAX_JSON_WANTED]; /* of a path that is active: what follows */
    size_t element;                          /* index in the last array of "*" */
    int depth;
} level;

typedef struct parser {
    segue_json_cursor c;
    segue_json_lines *json;
} parser;

void segue_json_lines_init(segue_json_lines *json, segue_lines *lines, const char *const *wanted,
                           size_t n_wanted, segue_json_lines_value *value)
{
    *json = (segue_json_lines){
        .lines = lines, .next_line = 1, .wanted = wanted, .n_wanted = n_wanted, .value = value};
    for (size_t i = 0; i < n_wanted; i++) {
        json->paths |= (uint32_t)(strchr(wanted[i], '.') != NULL) << i;
        json->stars |= (uint32_t)(strstr(wanted[i], ".*.") != NULL) << i;
    }
}

void segue_json_lines_fini(segue_json_lines *json)
{
    free(json->others.key);
    free(json->match);
    json->others = (segue_json_lines_keys){.key = NULL};
    json->match = NULL;
}

/* ---- lists ------------------------------------------------------------------------------- */

static segue_status fail_duplicate(const parser *p, const char *key)
{
    return segue_lines_fail(p->json->lines, SEGUE_EPARSE, p->c.err,
                            "the key '%.40s' is there twice; need it once", key);
}

static segue_status fail_memory(const parser *p)
{
    return segue_lines_fail(p->json->lines, SEGUE_ENOMEM, p->c.err, "out of memory");
}

/* Remember a key that is not wanted, to find duplicates. */
static segue_status add_other(parser *p, const segue_json_lines_value *key)
{
    segue_json_lines_keys *others = &p->json->others;
    for (size_t i = 0; i < others->count; i++)
        if (others->key[i].length == key->length &&
            memcmp(others->key[i].text, key->text, key->length) == 0)
            return fail_duplicate(p, key->text);
    if (others->count == SEGUE_MAX_JSON_KEYS)
        return segue_lines_fail(p->json->lines, SEGUE_EPARSE, p->c.err, "more than %d keys",
                                SEGUE_MAX_JSON_KEYS);
    if (others->count == others->capacity) {
        const size_t capacity = 2 * others->capacity + 8;
        segue_json_lines_value *grown = realloc(others->key, capacity * sizeof *grown);
        if (!grown)
            return fail_memory(p);
        others->key = grown;
        others->capacity = capacity;
    }
    others->key[others->count++] = *key;
    return SEGUE_OK;
}

/* Add a value of a path with "*". */
static segue_status add_match(parser *p, size_t i, size_t element,
                              const segue_json_lines_value *value)
{
    segue_json_lines *json = p->json;
    if (json->n_matches == json->match_capacity) {
        const size_t capacity = 2 * json->match_capacity + 8;
        segue_json_lines_match *grown = realloc(json->match, capacity * sizeof *grown);
        if (!grown)
            return fail_memory(p);
        json->match = grown;
        json->match_capacity = capacity;
    }
    json->match[json->n_matches++] =
        (segue_json_lines_match){.wanted = i, .element = element, .value = *value};
    return SEGUE_OK;
}

/* ---- values ------------------------------------------------------------------------------ */

static bool is_nested(const parser *p)
{
    return *p->c.at == '{' || *p->c.at == '[';
}

static segue_status take_value(parser *p, segue_json_lines_value *out)
{
    *out = (segue_json_lines_value){.kind = SEGUE_JSON_LINES_OTHER};
    return is_nested(p) ? segue_json_cursor_skip_nested(&p->c)
                        : segue_json_cursor_take_scalar(&p->c, out);
}

/* Take the value of a path. */
static segue_status take_wanted(parser *p, size_t i, const char *key)
{
    segue_json_lines *json = p->json;
    if (json->seen >> i & 1)
        return fail_duplicate(p, key);
    json->seen |= UINT32_C(1) << i;
    return take_value(p, &json->value[i]);
}

/* ---- paths ------------------------------------------------------------------------------- */

/* Return what follows `key` in a path: "" at its end, or NULL if it has another key here. */
static const char *follow(const char *rest, const char *key, size_t length)
{
    if (strncmp(rest, key, length) != 0)
        return NULL;
    return rest[length] == '.' ? rest + length + 1 : rest[length] == '\0' ? rest + length : NULL;
}

/* Return the index of the first path of a set that is not empty. */
static size_t first_of(uint32_t set)
{
    return (size_t)__builtin_ctz(set);
}

/* Select the paths of `above` that go on after `key`; returns the one that ends with it, or
 * n_wanted. */
static size_t descend(const parser *p, const level *above, const char *key, size_t length,
                      level *below)
{
    size_t end = p->json->n_wanted;
    below->active = 0;
    below->element = above->element;
    below->depth = above->depth + 1;
    for (uint32_t left = above->active; left; left &= left - 1) {
        const size_t i = first_of(left);
        const char *rest = follow(above->rest[i], key, length);
        if (rest && !*rest && i < end)
            end = i;
        if (rest && *rest) {
            below->rest[i] = rest;
            below->active |= UINT32_C(1) << i;
        }
    }
    return end;
}

static segue_status take_inside(parser *p, level *here);

/* Take the value of a key inside an object or array, which some paths want. */
static segue_status take_at(parser *p, const level *here, const char *key, size_t length)
{
    segue_json_lines *json = p->json;
    segue_json_lines_value value;
    level below;
    const size_t end = descend(p, here, key, length, &below);
    if (end < json->n_wanted && !(json->stars >> end & 1))
        return take_wanted(p, end, json->wanted[end]);
    if (end == json->n_wanted && below.active && is_nested(p))
        return take_inside(p, &below);
    SEGUE_TRY(take_value(p, &value));
    return end < json->n_wanted ? add_match(p, end, here->element, &value) : SEGUE_OK;
}

/* Return '*' if a path wants any element, or the index if it is one digit, or NUL. */
static char star_or_digit(const level *here, size_t index)
{
    for (uint32_t left = here->active; left; left &= left - 1)
        if (here->rest[first_of(left)][0] == '*')
            return '*';
    return "0123456789"[index < 10 ? index : 10]; /* the NUL at its end */
}

/* Elements are named by their index, or by "*". */
static segue_status take_element(parser *p, level *here, size_t index)
{
    char key[24] = {star_or_digit(here, index)};
    const int length = *key ? 1 : snprintf(key, sizeof key, "%zu", index);
    here->element = *key == '*' ? index : here->element;
    return take_at(p, here, key, (size_t)length);
}

static segue_status take_nested_member(parser *p, const level *here)
{
    segue_json_lines_value key;
    SEGUE_TRY(segue_json_cursor_take_key(&p->c, &key));
    return take_at(p, here, key.text, key.length);
}

/* Read an object or array into which paths go on. */
static segue_status take_inside(parser *p, level *here)
{
    const bool object = *p->c.at++ == '{';
    const char end = object ? '}' : ']';
    if (here->depth > SEGUE_MAX_JSON_DEPTH)
        return segue_json_cursor_fail(&p->c, "the values are nested too deeply");
    segue_json_cursor_skip_blanks(&p->c);
    for (size_t i = 0; i > 0 || *p->c.at != end; i++) {
        SEGUE_TRY(object ? take_nested_member(p, here) : take_element(p, here, i));
        segue_json_cursor_skip_blanks(&p->c);
        if (*p->c.at == end)
            break;
        if (*p->c.at != ',')
            return segue_json_cursor_fail(&p->c, "need a comma, or the end of the array or object");
        p->c.at++;
        segue_json_cursor_skip_blanks(&p->c);
    }
    p->c.at++;
    return SEGUE_OK;
}

/* Follow the paths that go on after a key of the line's object. */
static segue_status take_path(parser *p, const segue_json_lines_value *key)
{
    level top = {.active = p->json->paths}, below;
    segue_json_lines_value ignored;
    for (size_t i = 0; i < p->json->n_wanted; i++)
        top.rest[i] = p->json->wanted[i];
    (void)descend(p, &top, key->text, key->length, &below);
    return below.active ? take_inside(p, &below) : take_value(p, &ignored);
}

/* ---- an object --------------------------------------------------------------------------- */

/* Return the index of a wanted key, or n_wanted; starts at the guess, since lines are alike. */
static size_t find_wanted(segue_json_lines *json, const segue_json_lines_value *key)
{
    for (size_t i = 0; i < json->n_wanted; i++) {
        const size_t at = (json->guess + i) % json->n_wanted;
        if (json->wanted[at][0] == key->text[0] && strcmp(json->wanted[at], key->text) == 0) {
            json->guess = at + 1;
            return at;
        }
    }
    return json->n_wanted;
}

static segue_status take_member(parser *p)
{
    segue_json_lines_value key = {.text = p->c.at}, ignored;
    SEGUE_TRY(segue_json_cursor_take_key(&p->c, &key));
    const size_t i = find_wanted(p->json, &key);
    if (i < p->json->n_wanted)
        return take_wanted(p, i, key.text);
    SEGUE_TRY(add_other(p, &key));
    return p->json->paths && is_nested(p) ? take_path(p, &key) : take_value(p, &ignored);
}

static segue_status take_object(parser *p)
{
    segue_json_cursor *c = &p->c;
    segue_json_cursor_skip_blanks(c);
    if (*c->at != '{')
        return segue_lines_fail(c->lines, SEGUE_EPARSE, c->err,
                                "need a JSON object, {..}, as on the lines before");
    c->at++;
    segue_json_cursor_skip_blanks(c);
    for (bool first = true; !first || *c->at != '}'; first = false) {
        SEGUE_TRY(take_member(p));
        segue_json_cursor_skip_blanks(c);
        if (*c->at == '}')
            break;
        if (*c->at != ',')
            return segue_json_cursor_fail(c, "need a comma, or the end of the object");
        c->at++;
    }
    c->at++;
    segue_json_cursor_skip_blanks(c);
    return *c->at == '\n' ? SEGUE_OK : segue_json_cursor_fail(c, "there is text after the object");
}

static segue_status read_object(segue_json_lines *json, segue_error *err)
{
    segue_lines *lines = json->lines;
    char *const line = lines->buffer + lines->at;
    parser p = {.json = json, .c = {.lines = lines, .line = line, .at = line, .err = err}};
    json->others.count = 0;
    json->n_matches = 0;
    json->seen = 0;
    json->guess = 0;
    for (size_t i = 0; i < json->n_wanted; i++)
        json->value[i] = (segue_json_lines_value){.kind = SEGUE_JSON_LINES_NONE};
    SEGUE_TRY(take_object(&p));
    if (p.c.at - line > SEGUE_MAX_LINE)
        return segue_lines_fail(lines, SEGUE_EPARSE, err, "the line is longer than %d bytes",
                                SEGUE_MAX_LINE);
    lines->at += (size_t)(p.c.at - line) + 1;
    return SEGUE_OK;
}

/* Find the next line that is not blank. */
static segue_status find_line(segue_json_lines *json, bool *more, segue_error *err)
{
    segue_lines *lines = json->lines;
    for (*more = false; !*more;) {
        lines->line = json->next_line;
        if (lines->at == lines->limit) {
            SEGUE_TRY(segue_lines_fill(lines, err));
            if (lines->at == lines->limit)
                return SEGUE_OK;
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
    SEGUE_TRY(find_line(json, more, err));
    return *more ? read_object(json, err) : SEGUE_OK;
}
