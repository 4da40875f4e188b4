/* feature_table.c - the features of the tasks of a window: a column per feature.
 *
 * A task's features beyond SEGUE_MAX_FEATURES columns or SEGUE_MAX_CATEGORIES categories are not
 * stored.  A column or a category whose last task leaves makes room at once: what is stored depends on
 * the tasks and their order alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/features/feature_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

/* ---- columns ------------------------------------------------------------------------------- */

static void free_column(feature_column *c)
{
    if (c)
        free(c->value);
    free(c);
}

void segue_feature_table_fini(feature_table *t)
{
    for (size_t f = 0; f < t->n_columns; f++)
        free_column(t->column[f]);
    t->n_columns = 0;
}

size_t segue_feature_table_bytes(const feature_table *t)
{
    size_t bytes = 0;
    for (size_t f = 0; f < t->n_columns; f++)
        bytes += sizeof *t->column[f] + t->column[f]->capacity * sizeof(double);
    return bytes;
}

/* Remove columns without tasks; those after them move up. */
static void drop_empty(feature_table *t)
{
    size_t n = 0;
    for (size_t f = 0; f < t->n_columns; f++) {
        if (t->column[f]->n_tasks > 0)
            t->column[n++] = t->column[f];
        else
            free_column(t->column[f]);
    }
    t->n_columns = n;
}

static segue_status grow(feature_column *c, size_t capacity, segue_error *err)
{
    if (c->capacity >= capacity)
        return SEGUE_OK;
    double *value = realloc(c->value, capacity * sizeof *value);
    if (!value)
        return segue_fail_no_memory(err, "features");
    for (size_t l = c->capacity; l < capacity; l++)
        value[l] = NAN;
    c->value = value;
    c->capacity = capacity;
    return SEGUE_OK;
}

static segue_status add_column(feature_table *t, size_t capacity, const char *name, bool is_number,
                               segue_error *err)
{
    feature_column *c = calloc(1, sizeof *c);
    if (!c)
        return segue_fail_no_memory(err, "features");
    const segue_status status = grow(c, capacity, err);
    if (status != SEGUE_OK) {
        free_column(c);
        return status;
    }
    c->is_number = is_number;
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    t->column[t->n_columns++] = c;
    return SEGUE_OK;
}

size_t segue_feature_table_find(const feature_table *t, const segue_feature *feature)
{
    for (size_t f = 0; f < t->n_columns; f++)
        if (t->column[f]->is_number == !feature->text &&
            strcmp(t->column[f]->name, feature->name) == 0)
            return f;
    return NO_INDEX;
}

static segue_status reserve(feature_table *t, size_t capacity, const segue_feature *features,
                            size_t n_features, segue_error *err)
{
    for (size_t f = 0; f < t->n_columns; f++)
        SEGUE_TRY(grow(t->column[f], capacity, err));
    for (size_t k = 0; k < n_features && t->n_columns < SEGUE_MAX_FEATURES; k++)
        if (segue_feature_table_find(t, &features[k]) == NO_INDEX)
            SEGUE_TRY(add_column(t, capacity, features[k].name, !features[k].text, err));
    return SEGUE_OK;
}

segue_status segue_feature_table_reserve(feature_table *t, size_t capacity,
                                         const segue_feature *features, size_t n_features,
                                         segue_error *err)
{
    const segue_status status = reserve(t, capacity, features, n_features, err);
    if (status != SEGUE_OK)
        drop_empty(t);
    return status;
}

/* ---- tasks --------------------------------------------------------------------------------- */

size_t segue_feature_table_category(const feature_column *c, const char *text)
{
    for (size_t v = 0; v < SEGUE_MAX_CATEGORIES; v++)
        if (c->count[v] > 0 && strcmp(c->text[v], text) == 0)
            return v;
    return NO_INDEX;
}

/* The category of a text, a new one in the first free place; NO_INDEX: there is none. */
static size_t intern(feature_column *c, const char *text)
{
    size_t v = segue_feature_table_category(c, text);
    if (v != NO_INDEX)
        return v;
    for (v = 0; v < SEGUE_MAX_CATEGORIES && c->count[v] > 0;)
        v++;
    if (v == SEGUE_MAX_CATEGORIES)
        return NO_INDEX;
    (void)snprintf(c->text[v], sizeof c->text[v], "%s", text);
    return v;
}

static void count(feature_column *c, double value)
{
    c->n_tasks++;
    if (!c->is_number)
        c->count[(size_t)value]++;
}

/* Remove the oldest of `n_tasks` tasks. */
static void shift(feature_column *c, size_t n_tasks)
{
    const double oldest = c->value[0];
    if (!isnan(oldest))
        c->n_tasks--;
    if (!isnan(oldest) && !c->is_number)
        c->count[(size_t)oldest]--;
    memmove(c->value, c->value + 1, (n_tasks - 1) * sizeof *c->value);
    c->value[n_tasks - 1] = NAN;
}

static void set(feature_column *c, size_t task, const segue_feature *feature)
{
    const size_t category = feature->text ? intern(c, feature->text) : 0;
    if (category == NO_INDEX)
        return;
    c->value[task] = feature->text ? (double)category : feature->number;
    count(c, c->value[task]);
}

void segue_feature_table_push(feature_table *t, size_t n_tasks, bool is_full,
                              const segue_feature *features, size_t n_features)
{
    for (size_t f = 0; is_full && f < t->n_columns; f++)
        shift(t->column[f], n_tasks);
    const size_t task = is_full ? n_tasks - 1 : n_tasks;
    for (size_t k = 0; k < n_features; k++) {
        const size_t f = segue_feature_table_find(t, &features[k]);
        if (f != NO_INDEX)
            set(t->column[f], task, &features[k]);
    }
    drop_empty(t);
}

size_t segue_feature_table_get(const feature_table *t, size_t task,
                               segue_feature out[SEGUE_MAX_FEATURES])
{
    size_t n = 0;
    for (size_t f = 0; f < t->n_columns; f++) {
        const feature_column *c = t->column[f];
        const double value = c->value[task];
        if (isnan(value))
            continue;
        out[n++] = (segue_feature){.name = c->name,
                                   .text = c->is_number ? NULL : c->text[(size_t)value],
                                   .number = c->is_number ? value : 0.0};
    }
    return n;
}

segue_status segue_feature_table_copy(feature_table *to, const feature_table *from, size_t n_tasks,
                                      size_t capacity, segue_error *err)
{
    for (size_t f = 0; f < from->n_columns; f++) {
        const feature_column *c = from->column[f];
        SEGUE_TRY(add_column(to, capacity, c->name, c->is_number, err));
        feature_column *made = to->column[f];
        made->n_tasks = c->n_tasks;
        memcpy(made->count, c->count, sizeof made->count);
        memcpy(made->text, c->text, sizeof made->text);
        memcpy(made->value, c->value, n_tasks * sizeof *made->value);
    }
    return SEGUE_OK;
}

/* ---- serialize ----------------------------------------------------------------------------- */

static void append_text(segue_bytes *b, const char *text)
{
    segue_bytes_append_u64(b, strlen(text));
    segue_bytes_append(b, text, strlen(text));
}

/* Per column: name, kind, the categories with their places, the values. */
void segue_feature_table_serialize(const feature_table *t, size_t n_tasks, segue_bytes *b)
{
    segue_bytes_append_u64(b, t->n_columns);
    for (size_t f = 0; f < t->n_columns; f++) {
        const feature_column *c = t->column[f];
        append_text(b, c->name);
        segue_bytes_append_u64(b, c->is_number);
        for (size_t v = 0; v < SEGUE_MAX_CATEGORIES && !c->is_number; v++)
            append_text(b, c->count[v] > 0 ? c->text[v] : "");
        segue_bytes_append_f64(b, c->value, n_tasks);
    }
}

/* Read a text of at most `size` - 1 bytes; false: it is longer, or has a 0 in it. */
static bool read_text(segue_bytes_reader *r, char *text, size_t size)
{
    const uint64_t length = segue_bytes_read_u64(r);
    if (r->failed || length >= size)
        return false;
    segue_bytes_read(r, text, (size_t)length);
    text[length] = '\0';
    return !r->failed && strlen(text) == length;
}

/* Count the values; false: one is no number, or of no category. */
static bool count_values(feature_column *c, size_t n_tasks)
{
    for (size_t l = 0; l < n_tasks; l++) {
        const double x = c->value[l];
        if (isnan(x))
            continue;
        if (c->is_number
                ? !isfinite(x)
                : !(x >= 0.0 && x < SEGUE_MAX_CATEGORIES && x == floor(x) && c->text[(size_t)x][0]))
            return false;
        count(c, x);
    }
    return c->n_tasks > 0;
}

/* Every category has a task, and no two are the same. */
static bool are_categories_used(const feature_column *c)
{
    for (size_t v = 0; v < SEGUE_MAX_CATEGORIES; v++)
        if (c->text[v][0] && (c->count[v] == 0 || segue_feature_table_category(c, c->text[v]) != v))
            return false;
    return true;
}

static bool deserialize_column(feature_column *c, size_t n_tasks, segue_bytes_reader *r)
{
    bool is_right = true;
    for (size_t v = 0; v < SEGUE_MAX_CATEGORIES && !c->is_number && is_right; v++)
        is_right = read_text(r, c->text[v], sizeof c->text[v]);
    segue_bytes_read_f64(r, c->value, is_right ? n_tasks : 0);
    return is_right && !r->failed && count_values(c, n_tasks) && are_categories_used(c);
}

segue_status segue_feature_table_deserialize(feature_table *t, size_t n_tasks, size_t capacity,
                                             segue_bytes_reader *r, segue_error *err)
{
    const uint64_t n_columns = segue_bytes_read_u64(r);
    bool is_right = !r->failed && n_columns > 0 && n_columns <= SEGUE_MAX_FEATURES && n_tasks > 0;
    for (uint64_t f = 0; f < n_columns && is_right; f++) {
        char name[SEGUE_MAX_FEATURE_NAME + 1] = "";
        is_right = read_text(r, name, sizeof name) && name[0];
        const uint64_t is_number = segue_bytes_read_u64(r);
        const segue_feature about = {.name = name, .text = is_number ? NULL : ""};
        if (!is_right || is_number > 1 || segue_feature_table_find(t, &about) != NO_INDEX)
            return segue_fail(err, SEGUE_EDOMAIN, "invalid feature in saved learner");
        SEGUE_TRY(add_column(t, capacity, name, is_number == 1, err));
        is_right = deserialize_column(t->column[f], n_tasks, r);
    }
    return is_right ? SEGUE_OK
                    : segue_fail(err, SEGUE_EDOMAIN, "invalid features in saved learner");
}
