/* sqlite_meta.c - values about the store as a whole: the key, the number of starts, the service
 * time, and SQLite's counters of the ids that were given out.
 *
 * Table meta has one row per value, (name, value). A store without its key cannot verify decision
 * ids: a missing value is damage, not a default.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

/* Step to the value of a name; the caller resets the statement. */
static segue_status find_value(sqlite_store *store, const char *name, store_row *row, bool *found,
                               segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_META, err);
    *row = segue_sqlite_row(sql, err);
    row->table = "meta";
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_text(sql, 1, name, -1, SQLITE_STATIC);
    const int code = sqlite3_step(sql);
    *found = code == SQLITE_ROW;
    return *found || code == SQLITE_DONE ? SEGUE_OK : segue_sqlite_fail(store, err);
}

static void reset(const store_row *row)
{
    if (!row->source) /* it could not be prepared */
        return;
    (void)sqlite3_reset(row->source);
    (void)sqlite3_clear_bindings(row->source);
}

/* Fail because the store lacks a value that every store has. */
static segue_status fail_missing(const char *name, segue_error *err)
{
    return segue_store_fail_damaged(err, "it has no %s (table meta)", name);
}

/* A key of another length counts as missing: ids signed with it could not be verified. */
static segue_status read_key(sqlite_store *store, unsigned char key[SEGUE_STORE_KEY_SIZE],
                             segue_error *err)
{
    store_row row;
    bool found = false;
    size_t size = 0;
    segue_status status = find_value(store, "key", &row, &found, err);
    const void *data = found ? segue_column_blob(&row, 0, &size) : NULL;
    if (status == SEGUE_OK)
        status = row.status;
    if (status != SEGUE_ENOMEM && status != SEGUE_EIO && size != SEGUE_STORE_KEY_SIZE)
        status = fail_missing("key", err);
    if (status == SEGUE_OK && data)
        memcpy(key, data, SEGUE_STORE_KEY_SIZE);
    reset(&row);
    return status;
}

static segue_status parse_starts(sqlite_store *store, store_row *row, uint64_t *out,
                                 segue_error *err)
{
    bool found = false;
    SEGUE_TRY(find_value(store, "boot", row, &found, err));
    if (!found)
        return fail_missing("boot", err);
    *out = (uint64_t)segue_column_integer(row, 0, 0, UINT32_MAX - 1);
    return row->status;
}

static segue_status read_starts(sqlite_store *store, uint64_t *out, segue_error *err)
{
    store_row row;
    const segue_status status = parse_starts(store, &row, out, err);
    reset(&row);
    return status;
}

/* A value that is not a real number counts as none: the clock then starts at the wall time. */
static segue_status read_clock(sqlite_store *store, double *out, segue_error *err)
{
    store_row row;
    bool found = false;
    const segue_status status = find_value(store, "clock", &row, &found, err);
    *out = found && sqlite3_column_type(row.source, 0) == SQLITE_FLOAT
               ? sqlite3_column_double(row.source, 0)
               : -1.0;
    reset(&row);
    return status;
}

segue_status segue_sqlite_read_meta(segue_store *base, segue_store_meta *out, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    SEGUE_TRY(read_key(store, out->key, err));
    SEGUE_TRY(read_starts(store, &out->starts, err));
    SEGUE_TRY(read_clock(store, &out->clock, err));
    SEGUE_TRY(segue_sqlite_query_integer(
        store, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'learner'), 0)",
        &out->last_learner, err));
    return segue_sqlite_query_integer(
        store, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'task'), 0)",
        &out->last_task, err);
}

/* Without a counter, ids would be given twice.  With one that is too large, or with a row that has
 * the largest id, no more ids could be given. */
#define LAST_ID "4611686018427387904"
#define COUNTER_DAMAGED(table, id, max)                                                            \
    "(SELECT count(*) FROM sqlite_sequence WHERE name = '" table "' AND NOT (typeof(seq) = "       \
    "'integer' AND seq BETWEEN 0 AND " max ")) + (SELECT count(*) > 1 FROM sqlite_sequence "       \
    "WHERE name = '" table "') + (EXISTS (SELECT 1 FROM " table ") AND NOT EXISTS (SELECT 1 "      \
    "FROM sqlite_sequence WHERE name = '" table "')) + (SELECT coalesce(max(" id                   \
    "), 0) > " LAST_ID " FROM " table ")"

static segue_status check_counters(sqlite_store *store, segue_error *err)
{
    static const char text[] =
        "SELECT " COUNTER_DAMAGED("learner", "id", "4294967294") " + " COUNTER_DAMAGED(
            "task", "id", LAST_ID) " + " COUNTER_DAMAGED("event", "seq", LAST_ID);
    int64_t found = 0;
    SEGUE_TRY(segue_sqlite_query_integer(store, text, &found, err));
    return found == 0
               ? SEGUE_OK
               : segue_store_fail_damaged(err, "table sqlite_sequence, which counts ids, lacks a "
                                               "row or is out of range");
}

segue_status segue_sqlite_verify_start(sqlite_store *store, segue_error *err)
{
    segue_store_meta meta;
    SEGUE_TRY(segue_sqlite_read_meta(&store->base, &meta, err));
    return check_counters(store, err);
}

segue_status segue_sqlite_start(segue_store *base, segue_store_meta *meta, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    SEGUE_TRY(segue_sqlite_read_meta(base, meta, err));
    SEGUE_TRY(check_counters(store, err));
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SET_META, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_text(sql, 1, "boot", -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)++meta->starts);
    return segue_sqlite_run(store, sql, err);
}

segue_status segue_sqlite_set_clock(segue_store *base, double seconds, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SET_META, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_text(sql, 1, "clock", -1, SQLITE_STATIC);
    (void)sqlite3_bind_double(sql, 2, seconds);
    return segue_sqlite_run(store, sql, err);
}
