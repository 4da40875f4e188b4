/* log_keys.c - which keys the first line of a JSON log has, for messages.
 *
 * The line is parsed a second time only when an error needs its keys.  Keys of nested
 * objects become paths: "context.user.id".  Arrays are not listed but for their first element, if
 * that is an object, since a path may name it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/log/log_columns.h"
#include "io/log/log_reader.h"
#include "io/text/json_cursor.h"
#include "segue/internal.h"

enum { MAX_KEYS = 100, MAX_PATH = 100, MAX_DEPTH = 6 };

typedef struct key_list {
    char path[MAX_KEYS][MAX_PATH];
    size_t count;
} key_list;

static segue_status read_value(key_list *list, segue_json_cursor *c, const char *path, int depth);

static void add_path(key_list *list, const char *path)
{
    if (list->count < MAX_KEYS)
        (void)snprintf(list->path[list->count++], MAX_PATH, "%s", path);
}

static segue_status skip_value(segue_json_cursor *c)
{
    segue_json_lines_value ignored;
    return *c->at == '{' || *c->at == '[' ? segue_json_cursor_skip_nested(c)
                                          : segue_json_cursor_take_scalar(c, &ignored);
}

/* Move over blanks, and over a comma if one is there; false: the object or array has ended. */
static bool take_comma(segue_json_cursor *c)
{
    segue_json_cursor_skip_blanks(c);
    if (*c->at != ',')
        return false;
    c->at++;
    segue_json_cursor_skip_blanks(c);
    return true;
}

/* Read a member; "_multi" holds the actions of dsjson, which are no columns. */
static segue_status read_member(key_list *list, segue_json_cursor *c, const char *path, int depth)
{
    char joined[MAX_PATH];
    segue_json_lines_value key;
    SEGUE_TRY(segue_json_cursor_take_key(c, &key));
    const int length = snprintf(joined, sizeof joined, "%s%s%.*s", path, *path ? "." : "",
                                (int)key.length, key.text);
    const bool is_actions = key.length == 6 && memcmp(key.text, "_multi", 6) == 0;
    return is_actions || length >= MAX_PATH ? skip_value(c)
                                            : read_value(list, c, joined, depth + 1);
}

static segue_status read_object(key_list *list, segue_json_cursor *c, const char *path, int depth)
{
    c->at++;
    segue_json_cursor_skip_blanks(c);
    if (*c->at != '}')
        do
            SEGUE_TRY(read_member(list, c, path, depth));
        while (take_comma(c));
    return *c->at++ == '}' ? SEGUE_OK : SEGUE_EPARSE;
}

/* Only the first element is listed, and only if it is an object. */
static segue_status read_array(key_list *list, segue_json_cursor *c, const char *path, int depth)
{
    char joined[MAX_PATH];
    c->at++;
    segue_json_cursor_skip_blanks(c);
    if (*c->at == ']') {
        c->at++;
        return SEGUE_OK;
    }
    const int length = snprintf(joined, sizeof joined, "%s%s0", path, *path ? "." : "");
    SEGUE_TRY(*c->at == '{' && length < MAX_PATH ? read_value(list, c, joined, depth + 1)
                                                 : skip_value(c));
    while (take_comma(c))
        SEGUE_TRY(skip_value(c));
    return *c->at++ == ']' ? SEGUE_OK : SEGUE_EPARSE;
}

static segue_status read_value(key_list *list, segue_json_cursor *c, const char *path, int depth)
{
    segue_json_lines_value value;
    if (depth > MAX_DEPTH)
        return skip_value(c);
    if (*c->at == '{')
        return read_object(list, c, path, depth);
    if (*c->at == '[')
        return read_array(list, c, path, depth);
    SEGUE_TRY(segue_json_cursor_take_scalar(c, &value));
    if (value.kind != SEGUE_JSON_LINES_NONE)
        add_path(list, path);
    return SEGUE_OK;
}

/* Parse a copy of the first line, since strings are decoded in place.  A line that is no JSON
 * has no keys. */
static void read_line(const log_reader *r, key_list *list)
{
    const size_t length = strlen(r->first_line);
    char *copy = calloc(1, length + 1 + 8); /* strings are read eight bytes at a time */
    segue_lines lines = r->csv.lines;
    segue_error ignored;
    if (!copy)
        return;
    memcpy(copy, r->first_line, length);
    copy[length] = '\n';
    segue_json_cursor c = {.lines = &lines, .line = copy, .at = copy, .err = &ignored};
    if (read_value(list, &c, "", 0) != SEGUE_OK)
        list->count = 0;
    free(copy);
}

/* Keys that dsjson has in every line are no columns of tasks. */
static size_t select_paths(const key_list *list, const char *prefix, const char **name)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strncmp(list->path[i], prefix, strlen(prefix)) == 0)
            name[count++] = list->path[i];
    return count;
}

/* Find the columns that options name and the current line lacks, as bits. */
static unsigned find_wrong(const log_reader *r)
{
    unsigned wrong = 0;
    for (size_t c = 0; c < LOG_N_COLUMNS; c++)
        if (r->options->column[c] && r->value[c].kind == SEGUE_JSON_LINES_NONE)
            wrong |= 1U << c;
    return wrong;
}

void segue_log_keys_suggest(const log_reader *r, const char *prefix, size_t n_columns,
                            segue_log_keys_text *out)
{
    key_list *list = calloc(1, sizeof *list);
    const char *name[MAX_KEYS];
    *out = (segue_log_keys_text){.found = "other keys"};
    if (list && r->first_line)
        read_line(r, list);
    const size_t count = list ? select_paths(list, prefix, name) : 0;
    if (count)
        segue_log_columns_list(name, count, out->found, sizeof out->found);
    segue_log_columns_suggest(name, count, r->options, find_wrong(r), n_columns, out->options,
                              sizeof out->options);
    free(list);
}
