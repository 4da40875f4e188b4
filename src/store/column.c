/* column.c - one row of a result, validated column by column.
 *
 * A store may be damaged, also while it is in use: a page of a file changes, and the database hands
 * out NULL where the schema allows none, a text where a number was, or a number that no program
 * wrote.  Every column that the program uses is read through these functions.  The first one that is
 * impossible makes the row a failure, whose sentence names table, row and column; the values after
 * it are 0 or "".  A database may also give NULL for a text when memory runs out: that is no damage.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/column.h"

#include "io/utf8.h"

/* ---- what is wrong ----------------------------------------------------------------------- */

/* The columns that name a row: ", task 5, number 7". */
static void name_row(const store_row *row, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < row->keys && used < size; i++) {
        const char *title = row->title(row, i);
        used += (size_t)snprintf(out + used, size - used, ", %s %" PRId64, title ? title : "row",
                                 segue_column_key(row, i));
    }
}

/* A value in words.  Of a text only its length: it may be anything. */
static void name_value(const segue_value *value, char *out, size_t size)
{
    switch (value->type) {
    case SEGUE_VALUE_NULL:
        (void)snprintf(out, size, "NULL");
        break;
    case SEGUE_VALUE_INTEGER:
        (void)snprintf(out, size, "%" PRId64, value->integer);
        break;
    case SEGUE_VALUE_REAL:
        (void)snprintf(out, size, "%.17g", value->real);
        break;
    default:
        (void)snprintf(out, size, "%s of %zu bytes",
                       value->type == SEGUE_VALUE_TEXT ? "a text" : "a blob", value->size);
    }
}

static void fail_for_memory(store_row *row)
{
    if (row->status == SEGUE_OK)
        row->status =
            segue_fail(row->err, SEGUE_ENOMEM, "out of memory to read table %s", row->table);
}

static void fail(store_row *row, int column, const char *need)
{
    char name[120], text[64];
    const char *title = row->title(row, column);
    if (!title)
        fail_for_memory(row); /* a value that could not be made is NULL, too */
    if (row->status != SEGUE_OK)
        return;
    const segue_value value = row->value(row, column);
    name_row(row, name, sizeof name);
    name_value(&value, text, sizeof text);
    row->status = segue_store_fail_damaged(row->err, "table %s%s, column %s: %s; need %s",
                                           row->table, name, title, text, need);
}

/* ---- values ------------------------------------------------------------------------------ */

bool segue_column_is_null(const store_row *row, int column)
{
    return row->value(row, column).type == SEGUE_VALUE_NULL;
}

int64_t segue_column_key(const store_row *row, int column)
{
    const segue_value value = row->value(row, column);
    return value.type == SEGUE_VALUE_INTEGER ? value.integer : 0;
}

int64_t segue_column_integer(store_row *row, int column, int64_t min, int64_t max)
{
    char need[80];
    const segue_value value = row->value(row, column);
    if (value.type == SEGUE_VALUE_INTEGER && value.integer >= min && value.integer <= max)
        return value.integer;
    (void)snprintf(need, sizeof need, "a whole number from %" PRId64 " to %" PRId64, min, max);
    fail(row, column, need);
    return 0;
}

/* Counts go up to 2^53: every one is exact as a double, too. */
uint64_t segue_column_count(store_row *row, int column)
{
    return (uint64_t)segue_column_integer(row, column, 0, INT64_C(1) << 53);
}

bool segue_column_flag(store_row *row, int column)
{
    return segue_column_integer(row, column, 0, 1) == 1;
}

double segue_column_real(store_row *row, int column)
{
    const segue_value value = row->value(row, column);
    if (value.type == SEGUE_VALUE_INTEGER)
        return (double)value.integer;
    if (value.type == SEGUE_VALUE_REAL && isfinite(value.real))
        return value.real;
    fail(row, column, "a finite number");
    return 0.0;
}

const char *segue_column_text(store_row *row, int column, size_t max)
{
    char need[80];
    const segue_value value = row->value(row, column);
    (void)snprintf(need, sizeof need, "a text of 1 to %zu bytes", max);
    if (value.type != SEGUE_VALUE_TEXT) {
        fail(row, column, need);
        return "";
    }
    if (!value.data)
        fail_for_memory(row);
    else if (value.size == 0 || value.size > max)
        fail(row, column, need);
    else if (strlen(value.data) != value.size)
        fail(row, column, "a text without zero bytes");
    else if (!segue_utf8_is_valid(value.data, value.size))
        fail(row, column, "well-formed UTF-8");
    return row->status == SEGUE_OK ? value.data : "";
}

const void *segue_column_blob(store_row *row, int column, size_t *size)
{
    const segue_value value = row->value(row, column);
    *size = 0;
    if (value.type != SEGUE_VALUE_BYTES) {
        fail(row, column, "a blob");
        return "";
    }
    *size = value.size;
    if (!value.data && value.size > 0)
        fail_for_memory(row);
    return value.data ? value.data : "";
}

void segue_column_fail(store_row *row, int column, const char *need)
{
    fail(row, column, need);
}

/* Texts must be valid; that of a deleted learner is empty. */
segue_status segue_column_values(store_row *row, segue_table_row *out)
{
    for (int i = 0; i < (int)out->n; i++) {
        segue_value *value = &out->value[i];
        *value = row->value(row, i);
        if (value->type == SEGUE_VALUE_REAL)
            value->real = segue_column_real(row, i);
        else if (value->type == SEGUE_VALUE_TEXT && value->size > 0)
            value->data = segue_column_text(row, i, SEGUE_MAX_ROW_TEXT);
        else if (value->type == SEGUE_VALUE_TEXT)
            value->data = "";
        else if (value->type == SEGUE_VALUE_BYTES)
            value->data = segue_column_blob(row, i, &value->size);
    }
    return row->status;
}
