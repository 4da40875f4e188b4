/* sqlite_column.c - one row of a result, validated column by column.
 *
 * A store may be damaged, also while it is in use: a page of the file changes, and SQLite hands out
 * NULL where the schema allows none, a text where a number was, or a number that no program wrote.
 * Every column that the program uses is read through these functions.  The first one that is
 * impossible makes the row a failure, whose sentence names table, row and column; the values after
 * it are 0 or "".  SQLite also gives NULL for a text when memory runs out: that is no damage.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/sqlite/sqlite_column.h"

/* ---- what is wrong ----------------------------------------------------------------------- */

/* The columns that name a row: ", task 5, number 7". */
static void name_row(const sql_row *row, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < row->keys && used < size; i++) {
        const char *title = sqlite3_column_name(row->sql, i);
        used += (size_t)snprintf(out + used, size - used, ", %s %" PRId64, title ? title : "row",
                                 (int64_t)sqlite3_column_int64(row->sql, i));
    }
}

/* A value in words.  Of a text only its length: it may be anything. */
static void name_value(const sql_row *row, int column, char *out, size_t size)
{
    switch (sqlite3_column_type(row->sql, column)) {
    case SQLITE_NULL:
        (void)snprintf(out, size, "NULL");
        break;
    case SQLITE_INTEGER:
        (void)snprintf(out, size, "%" PRId64, (int64_t)sqlite3_column_int64(row->sql, column));
        break;
    case SQLITE_FLOAT:
        (void)snprintf(out, size, "%.17g", sqlite3_column_double(row->sql, column));
        break;
    default:
        (void)snprintf(out, size, "%s of %d bytes",
                       sqlite3_column_type(row->sql, column) == SQLITE_TEXT ? "a text" : "a blob",
                       sqlite3_column_bytes(row->sql, column));
    }
}

static void fail_for_memory(sql_row *row)
{
    if (row->status == SEGUE_OK)
        row->status =
            segue_fail(row->err, SEGUE_ENOMEM, "out of memory to read table %s", row->table);
}

static void fail(sql_row *row, int column, const char *need)
{
    char name[120], value[64];
    const char *title = sqlite3_column_name(row->sql, column);
    if (!title || sqlite3_errcode(sqlite3_db_handle(row->sql)) == SQLITE_NOMEM)
        fail_for_memory(row); /* a value that could not be made is NULL, too */
    if (row->status != SEGUE_OK)
        return;
    name_row(row, name, sizeof name);
    name_value(row, column, value, sizeof value);
    row->status = segue_store_fail_damaged(row->err, "table %s%s, column %s: %s; need %s",
                                           row->table, name, title, value, need);
}

/* ---- values ------------------------------------------------------------------------------ */

bool segue_sqlite_column_is_null(const sql_row *row, int column)
{
    return sqlite3_column_type(row->sql, column) == SQLITE_NULL;
}

int64_t segue_sqlite_column_integer(sql_row *row, int column, int64_t min, int64_t max)
{
    char need[80];
    const int64_t value = sqlite3_column_int64(row->sql, column);
    if (sqlite3_column_type(row->sql, column) == SQLITE_INTEGER && value >= min && value <= max)
        return value;
    (void)snprintf(need, sizeof need, "a whole number from %" PRId64 " to %" PRId64, min, max);
    fail(row, column, need);
    return 0;
}

/* Counts go up to 2^53: every one is exact as a double, too. */
uint64_t segue_sqlite_column_count(sql_row *row, int column)
{
    return (uint64_t)segue_sqlite_column_integer(row, column, 0, INT64_C(1) << 53);
}

bool segue_sqlite_column_flag(sql_row *row, int column)
{
    return segue_sqlite_column_integer(row, column, 0, 1) == 1;
}

double segue_sqlite_column_real(sql_row *row, int column)
{
    const int type = sqlite3_column_type(row->sql, column);
    const double value = sqlite3_column_double(row->sql, column);
    if ((type == SQLITE_FLOAT || type == SQLITE_INTEGER) && isfinite(value))
        return value;
    fail(row, column, "a finite number");
    return 0.0;
}

/* Bytes of the UTF-8 character at the start; 0: there is none. */
static size_t character(const unsigned char *at)
{
    const unsigned first = at[0], second = first < 0x80 ? 0 : at[1];
    const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || (first == 0xe0 && second < 0xa0) ||
        (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) /* also the end of the text */
            return 0;
    return size;
}

static bool is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const size_t size = character(at);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

/* The text is SQLite's, until the next step. */
const char *segue_sqlite_column_text(sql_row *row, int column, size_t max)
{
    char need[80];
    (void)snprintf(need, sizeof need, "a text of 1 to %zu bytes", max);
    if (sqlite3_column_type(row->sql, column) != SQLITE_TEXT) {
        fail(row, column, need);
        return "";
    }
    const char *text = (const char *)sqlite3_column_text(row->sql, column);
    const size_t size = (size_t)sqlite3_column_bytes(row->sql, column);
    if (!text)
        fail_for_memory(row);
    else if (size == 0 || size > max)
        fail(row, column, need);
    else if (strlen(text) != size)
        fail(row, column, "a text without zero bytes");
    else if (!is_utf8(text))
        fail(row, column, "well-formed UTF-8");
    return row->status == SEGUE_OK ? text : "";
}

const void *segue_sqlite_column_blob(sql_row *row, int column, size_t *size)
{
    *size = 0;
    if (sqlite3_column_type(row->sql, column) != SQLITE_BLOB) {
        fail(row, column, "a blob");
        return "";
    }
    const void *data = sqlite3_column_blob(row->sql, column);
    *size = (size_t)sqlite3_column_bytes(row->sql, column);
    if (!data && *size > 0)
        fail_for_memory(row);
    return data ? data : "";
}

void segue_sqlite_column_fail(sql_row *row, int column, const char *need)
{
    fail(row, column, need);
}
