/* sqlite_rows.c - cursors: each query is a prepared statement, each row a struct.
 *
 * A cursor is the statement itself, so a query may have one open cursor per store.  stored_read.c
 * turns a row into a struct.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"
#include "store/stored_read.h"

/* ---- values ------------------------------------------------------------------------------ */

/* A text or bytes of SQLite are valid until the next step. */
static segue_value value_of(const store_row *row, int column)
{
    sqlite3_stmt *sql = row->source;
    segue_value value = {.type = SEGUE_VALUE_NULL};
    switch (sqlite3_column_type(sql, column)) {
    case SQLITE_INTEGER:
        value.type = SEGUE_VALUE_INTEGER;
        value.integer = sqlite3_column_int64(sql, column);
        break;
    case SQLITE_FLOAT:
        value.type = SEGUE_VALUE_REAL;
        value.real = sqlite3_column_double(sql, column);
        break;
    case SQLITE_TEXT:
        value.type = SEGUE_VALUE_TEXT;
        value.data = sqlite3_column_text(sql, column);
        value.size = (size_t)sqlite3_column_bytes(sql, column);
        break;
    case SQLITE_BLOB:
        value.type = SEGUE_VALUE_BYTES;
        value.data = sqlite3_column_blob(sql, column);
        value.size = (size_t)sqlite3_column_bytes(sql, column);
        break;
    default:
        break;
    }
    return value;
}

/* SQLite also gives NULL for a value when memory runs out. */
static const char *title_of(const store_row *row, int column)
{
    sqlite3_stmt *sql = row->source;
    return sqlite3_errcode(sqlite3_db_handle(sql)) == SQLITE_NOMEM
               ? NULL
               : sqlite3_column_name(sql, column);
}

store_row segue_sqlite_row(sqlite3_stmt *sql, segue_error *err)
{
    return (store_row){.value = value_of, .title = title_of, .source = sql, .err = err};
}

/* ---- queries ----------------------------------------------------------------------------- */

/* Parameters of a statement are, in order, of the query `id`, then `number` or `key`. */
static const statement statements[SEGUE_N_QUERIES] = {
    [SEGUE_QUERY_LEARNERS] = SQL_LEARNERS,
    [SEGUE_QUERY_LEARNER] = SQL_LEARNER,
    [SEGUE_QUERY_ARMS] = SQL_ARMS,
    [SEGUE_QUERY_OPEN_TASKS] = SQL_TASKS_OPEN,
    [SEGUE_QUERY_NEWEST_OPEN_TASKS] = SQL_TASKS_NEWEST_OPEN,
    [SEGUE_QUERY_NEWEST_CLOSED_TASKS] = SQL_TASKS_NEWEST_CLOSED,
    [SEGUE_QUERY_NEWEST_TASKS] = SQL_TASKS_NEWEST,
    [SEGUE_QUERY_TASKS] = SQL_TASKS,
    [SEGUE_QUERY_TASK_BY_KEY] = SQL_TASK_BY_KEY,
    [SEGUE_QUERY_TASK_BY_ID] = SQL_TASK_BY_ID,
    [SEGUE_QUERY_REWARDS] = SQL_REWARDS,
    [SEGUE_QUERY_REWARD] = SQL_REWARD,
    [SEGUE_QUERY_DECISIONS] = SQL_TASK_DECISIONS,
    [SEGUE_QUERY_EVENT_DECISIONS] = SQL_DECISIONS,
    [SEGUE_QUERY_PENDING_DECISIONS] = SQL_WAITING,
    [SEGUE_QUERY_EVENTS] = SQL_EVENTS,
    [SEGUE_QUERY_SNAPSHOT] = SQL_SNAPSHOT,
    [SEGUE_QUERY_INITIAL] = SQL_INITIAL,
    [SEGUE_QUERY_CHAIN] = SQL_CHAIN,
    [SEGUE_QUERY_LAST_LINK] = SQL_LAST_LINK,
    [SEGUE_QUERY_REMOVED] = SQL_REMOVED,
    [SEGUE_QUERY_LAST_TRIM] = SQL_LAST_TRIM,
    [SEGUE_QUERY_CLOSED_AFTER] = SQL_TASKS_CLOSED_AFTER,
    [SEGUE_QUERY_BASE] = SQL_BASE,
    [SEGUE_QUERY_REWARD_PARTS] = SQL_REWARD_PARTS,
    [SEGUE_QUERY_TASK_PARTS] = SQL_TASK_PARTS,
    [SEGUE_QUERY_MERGES] = SQL_MERGES,
    [SEGUE_QUERY_MERGED] = SQL_MERGED,
};

/* The key is bound without a copy: the query must outlive the cursor. */
segue_status segue_sqlite_rows_open(segue_rows *rows, segue_error *err)
{
    const segue_query *query = &rows->query;
    if (query->kind == SEGUE_QUERY_TABLE)
        return segue_sqlite_table_open(rows, err);
    sqlite3_stmt *sql =
        segue_sqlite_statement(segue_sqlite_of(rows->store), statements[query->kind], err);
    if (!sql)
        return SEGUE_EIO;
    assert(!sqlite3_stmt_busy(sql)); /* one cursor per query */
    const int parameters = sqlite3_bind_parameter_count(sql);
    if (parameters > 0)
        (void)sqlite3_bind_int64(sql, 1, query->id);
    if (parameters > 1 && query->key)
        (void)sqlite3_bind_text(sql, 2, query->key, -1, SQLITE_STATIC);
    else if (parameters > 1)
        (void)sqlite3_bind_int64(sql, 2, segue_stored_read_number(query));
    rows->cursor = sql;
    return SEGUE_OK;
}

/* Reads of damaged rows go on to the caller as a failure, never as a row of zeros. */
segue_status segue_sqlite_rows_next(segue_rows *rows, void *out, bool *more, segue_error *err)
{
    if (rows->query.kind == SEGUE_QUERY_TABLE)
        return segue_sqlite_table_next(rows, out, more, err);
    store_row row = segue_sqlite_row(rows->cursor, err);
    const int code = sqlite3_step(rows->cursor);
    *more = code == SQLITE_ROW;
    if (!*more)
        return code == SQLITE_DONE ? SEGUE_OK
                                   : segue_sqlite_fail_step(segue_sqlite_of(rows->store), err);
    return segue_stored_read(rows, &row, out);
}

void segue_sqlite_rows_close(segue_rows *rows)
{
    (void)sqlite3_reset(rows->cursor);
    (void)sqlite3_clear_bindings(rows->cursor);
}
