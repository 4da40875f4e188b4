/* log_keys.c - which keys the first line of a JSON log has, for messages.
 *
 * The line is parsed a second time, into a tree, only when an error needs its keys.  Keys of nested
 * objects become paths: "context.user.id".  Arrays are not listed but for their first element, if
 * that is an object, since a path may name it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/log/log_columns.h"
#include "io/log/log_reader.h"
#include "segue/internal.h"

enum { MAX_KEYS = 100, MAX_PATH = 100, MAX_DEPTH = 6 };

typedef struct key_list {
    char path[MAX_KEYS][MAX_PATH];
    size_t count;
} key_list;

static void add_keys(key_list *list, json_t *value, const char *path, int depth);

/* Add the keys of a member; "_multi" holds the actions of dsjson, which are no columns. */
static void add_member(key_list *list, const char *key, json_t *value, const char *path, int depth)
{
    char joined[MAX_PATH];
    const int length = snprintf(joined, sizeof joined, "%s%s%s", path, *path ? "." : "", key);
    if (length < MAX_PATH && strcmp(key, "_multi") != 0)
        add_keys(list, value, joined, depth + 1);
}

static void add_keys(key_list *list, json_t *value, const char *path, int depth)
{
    const char *key;
    json_t *member;
    if (depth > MAX_DEPTH || list->count == MAX_KEYS || json_is_null(value))
        return;
    if (json_is_object(value))
        json_object_foreach(value, key, member) add_member(list, key, member, path, depth);
    else if (json_is_array(value) && json_is_object(json_array_get(value, 0)))
        add_member(list, "0", json_array_get(value, 0), path, depth);
    else if (!json_is_array(value))
        (void)snprintf(list->path[list->count++], MAX_PATH, "%s", path);
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
    json_t *line = r->first_line ? json_loads(r->first_line, 0, NULL) : NULL;
    const char *name[MAX_KEYS];
    *out = (segue_log_keys_text){.found = "other keys"};
    if (list && line)
        add_keys(list, line, "", 0);
    const size_t count = list ? select_paths(list, prefix, name) : 0;
    if (count)
        segue_log_columns_list(name, count, out->found, sizeof out->found);
    segue_log_columns_suggest(name, count, r->options, find_wrong(r), n_columns, out->options,
                              sizeof out->options);
    json_decref(line);
    free(list);
}
