/* sqlite_table.c - whole tables, value by value, for exports and imports.
 *
 * The columns of each table and their order are those of the exported format.  The counters of ids
 * are SQLite's table sqlite_sequence.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

static const struct table {
    const char *name, *columns;
} tables[SEGUE_N_TABLES] = {
    [SEGUE_TABLE_META] = {"meta", "name, value"},
    [SEGUE_TABLE_LEARNER] = {"learner", "id, name, config, created"},
    [SEGUE_TABLE_ARM] = {"arm", "learner, position, name, added, retired, pulls, total"},
    [SEGUE_TABLE_TASK] = {"task", "id, learner, key, control, version, n_arms, opened, closed, "
                                  "closed_seq, rewards, total, tag, control_share, features"},
    [SEGUE_TABLE_DECISION] = {"decision",
                              "task, number, arm, version, event, created, probability, exact, "
                              "segue_arm, segue_probability"},
    [SEGUE_TABLE_REWARD] = {"reward", "task, number, position, arm, value, created, by_default, "
                                      "probability, asks, segue_arm, segue_probability"},
    [SEGUE_TABLE_EVENT] = {"event", "seq, learner, kind, subject, created, epoch"},
    [SEGUE_TABLE_INITIAL] = {"initial", "learner, bytes"},
    [SEGUE_TABLE_CHAIN] = {"chain", "learner, seq, bytes"},
    [SEGUE_TABLE_REMOVED] = {"removed", "task, learner, counts, bytes, erased"},
    [SEGUE_TABLE_BASE] = {"base", "learner, seq, bytes"},
    [SEGUE_TABLE_REWARD_PART] = {"reward_part", "task, number, event, position, value, created"},
    [SEGUE_TABLE_MERGED] = {"merged", "learner, number, origins, bytes"},
    [SEGUE_TABLE_COUNTER] = {"sqlite_sequence", "name, seq"},
};

/* Prepare a statement once; the store finalizes it when it is closed. */
static segue_status prepare(sqlite_store *store, sqlite3_stmt **sql, const char *text,
                            segue_error *err)
{
    return *sql || sqlite3_prepare_v2(store->db, text, -1, sql, NULL) == SQLITE_OK
               ? SEGUE_OK
               : segue_sqlite_fail(store, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Most tables are stored by their keys. */
static const char *order_of(segue_store_table table)
{
    return table == SEGUE_TABLE_COUNTER  ? " ORDER BY name"
           : table == SEGUE_TABLE_MERGED ? " ORDER BY learner, number"
                                         : "";
}

segue_status segue_sqlite_table_open(segue_rows *rows, segue_error *err)
{
    char text[256];
    sqlite_store *store = segue_sqlite_of(rows->store);
    const struct table *table = &tables[rows->query.id];
    sqlite3_stmt **sql = &store->table[rows->query.id][0];
    (void)snprintf(text, sizeof text, "SELECT %s FROM %s%s", table->columns, table->name,
                   order_of((segue_store_table)rows->query.id));
    SEGUE_TRY(prepare(store, sql, text, err));
    rows->cursor = *sql;
    return SEGUE_OK;
}

/* Each value is validated alone: an export also copies rows that contradict each other. */
segue_status segue_sqlite_table_next(segue_rows *rows, void *out, bool *more, segue_error *err)
{
    segue_table_row *values = out;
    store_row row = segue_sqlite_row(rows->cursor, err);
    const int code = sqlite3_step(rows->cursor);
    *more = code == SQLITE_ROW;
    if (!*more)
        return code == SQLITE_DONE ? SEGUE_OK
                                   : segue_sqlite_fail_step(segue_sqlite_of(rows->store), err);
    row.table = tables[rows->query.id].name;
    row.keys = 1;
    values->n = (size_t)sqlite3_column_count(rows->cursor);
    return segue_column_values(&row, values);
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Returns SQLite's code.  The value must live until the statement ran. */
static int bind(sqlite3_stmt *sql, int parameter, const segue_value *value)
{
    switch (value->type) {
    case SEGUE_VALUE_INTEGER:
        return sqlite3_bind_int64(sql, parameter, value->integer);
    case SEGUE_VALUE_REAL:
        return sqlite3_bind_double(sql, parameter, value->real);
    case SEGUE_VALUE_TEXT:
        return sqlite3_bind_text(sql, parameter, value->data, -1, SQLITE_STATIC);
    case SEGUE_VALUE_BYTES:
        return sqlite3_bind_blob64(sql, parameter, value->data, value->size, SQLITE_STATIC);
    case SEGUE_VALUE_NULL:
        break;
    }
    return sqlite3_bind_null(sql, parameter);
}

static segue_status prepare_insert(sqlite_store *store, segue_store_table table, size_t n,
                                   segue_error *err)
{
    char text[256];
    int used = snprintf(text, sizeof text, "INSERT OR REPLACE INTO %s (%s) VALUES (?",
                        tables[table].name, tables[table].columns);
    for (size_t i = 1; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, ",?");
    (void)snprintf(text + used, sizeof text - (size_t)used, ")");
    return prepare(store, &store->table[table][1], text, err);
}

/* The rows before the counters have changed them: all go before the first is loaded. */
segue_status segue_sqlite_load(segue_store *base, segue_store_table table,
                               const segue_table_row *row, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    if (table == SEGUE_TABLE_COUNTER && !store->table[table][1])
        SEGUE_TRY(segue_sqlite_execute(store, "DELETE FROM sqlite_sequence", err));
    SEGUE_TRY(prepare_insert(store, table, row->n, err));
    sqlite3_stmt *sql = store->table[table][1];
    for (size_t i = 0; i < row->n; i++)
        if (bind(sql, (int)i + 1, &row->value[i]) != SQLITE_OK)
            return segue_sqlite_fail(store, err);
    return segue_sqlite_run(store, sql, err);
}
