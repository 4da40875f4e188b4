/* sqlite.c - the SQLite backend: its table of functions, its statements, its transactions.
 *
 * The file is in WAL mode with synchronous = FULL: what was committed survives a kill and a loss of
 * power, and readers do not wait for the writer.  SQLite alone does not notice if another program
 * removes or overwrites its files; wal.c compares them around each transaction.
 *
 *   sqlite_open.c     open, close, lock        sqlite_rows.c    cursors
 *   sqlite_schema.c   tables and format        ../column.c      validation of each column
 *   sqlite_upgrade.c  older formats            sqlite_table.c   rows of exports
 *   sqlite_write.c    inserts and updates      sqlite_verify.c  the check of a store
 *   sqlite_purge.c    deletions                sqlite_meta.c    key, starts, clock, counters
 *   sqlite_statements.h  all SQL               wal*.c           the WAL: watch, check, format
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite.h"

#include <inttypes.h>
#include <stdio.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite_upgrade.h"
#include "store/sqlite/wal.h"

static const char *const texts[] = {
#define SEGUE_STATEMENT_TEXT(name, text) text,
    SEGUE_STATEMENTS(SEGUE_STATEMENT_TEXT)
#undef SEGUE_STATEMENT_TEXT
};

segue_status segue_sqlite_fail(const sqlite_store *store, segue_error *err)
{
    const int code = sqlite3_errcode(store->db) & 0xff;
    const segue_status status = code == SQLITE_NOMEM ? SEGUE_ENOMEM
                                : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                                        code == SQLITE_CONSTRAINT /* our own writes violate none */
                                    ? SEGUE_EFILE
                                    : SEGUE_EIO;
    return segue_fail(err, status, "%s: %s", segue_path_tail(store->base.location),
                      code == SQLITE_CANTOPEN
                          ? "its -wal and -shm files can be neither read nor created; make the "
                            "folder writable for this user"
                          : sqlite3_errmsg(store->db));
}

segue_status segue_sqlite_fail_step(const sqlite_store *store, segue_error *err)
{
    if ((sqlite3_errcode(store->db) & 0xff) == SQLITE_TOOBIG)
        return segue_store_fail_damaged(err, "a value is longer than SQLite allows");
    return segue_sqlite_fail(store, err);
}

sqlite3_stmt *segue_sqlite_statement(sqlite_store *store, statement which, segue_error *err)
{
    if (!store->prepared[which] &&
        sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                           &store->prepared[which], NULL) != SQLITE_OK)
        (void)segue_sqlite_fail(store, err);
    return store->prepared[which];
}

segue_status segue_sqlite_run(sqlite_store *store, sqlite3_stmt *sql, segue_error *err)
{
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        status = segue_sqlite_fail(store, err);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

segue_status segue_sqlite_execute(sqlite_store *store, const char *text, segue_error *err)
{
    return sqlite3_exec(store->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? SEGUE_OK
               : segue_sqlite_fail(store, err);
}

segue_status segue_sqlite_query_integer(sqlite_store *store, const char *text, int64_t *out,
                                        segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    segue_status status = SEGUE_OK;
    if (sqlite3_prepare_v2(store->db, text, -1, &sql, NULL) != SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW)
        status = segue_sqlite_fail(store, err);
    else
        *out = sqlite3_column_int64(sql, 0);
    (void)sqlite3_finalize(sql);
    return status;
}

segue_status segue_sqlite_limit_pages(segue_store *base, uint64_t pages, segue_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof text, "PRAGMA max_page_count = %" PRIu64,
                   pages ? pages : UINT64_C(4294967294));
    return segue_sqlite_execute(segue_sqlite_of(base), text, err);
}

/* ---- transactions ------------------------------------------------------------------------ */

static segue_status run_plain(sqlite_store *store, statement which, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, which, err);
    return sql ? segue_sqlite_run(store, sql, err) : SEGUE_EIO;
}

static segue_status begin(segue_store *base, segue_error *err)
{
    SEGUE_TRY(run_plain(segue_sqlite_of(base), SQL_BEGIN, err));
    return segue_wal_before_write(segue_sqlite_of(base), err);
}

static segue_status begin_read(segue_store *base, segue_error *err)
{
    return run_plain(segue_sqlite_of(base), SQL_BEGIN_READ, err);
}

static segue_status commit(segue_store *base, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    const segue_status status = run_plain(store, SQL_COMMIT, err);
    if (status == SEGUE_OK)
        return segue_wal_after_commit(store, err);
    segue_wal_after_failure(store, sqlite3_extended_errcode(store->db));
    return status;
}

void segue_sqlite_rollback(segue_store *base)
{
    sqlite_store *store = segue_sqlite_of(base);
    if (!sqlite3_get_autocommit(store->db)) /* some failures have rolled back already */
        (void)run_plain(store, SQL_ROLLBACK, NULL);
}

const segue_store_backend segue_store_sqlite = {
    .name = "sqlite",
    .open = segue_sqlite_open,
    .close = segue_sqlite_close,
    .file_path = segue_sqlite_file_path,
    .lock = segue_sqlite_lock,
    .watch = segue_wal_watch,
    .is_present = segue_wal_is_present,
    .wal_info = segue_wal_read_info,
    .checkpoint = segue_wal_run_checkpoint,
    .upgrade = segue_sqlite_upgrade,
    .verify = segue_sqlite_verify,
    .verify_learner = segue_sqlite_verify_learner,
    .begin = begin,
    .begin_read = begin_read,
    .commit = commit,
    .rollback = segue_sqlite_rollback,
    .insert = segue_sqlite_insert,
    .set_config = segue_sqlite_set_config,
    .retire_arm = segue_sqlite_retire_arm,
    .close_task = segue_sqlite_close_task,
    .set_reward = segue_sqlite_set_reward,
    .delete_learner = segue_sqlite_delete_learner,
    .purge = segue_sqlite_purge,
    .set_base = segue_sqlite_set_base,
    .remove_task = segue_sqlite_remove_task,
    .set_clock = segue_sqlite_set_clock,
    .start = segue_sqlite_start,
    .load = segue_sqlite_load,
    .read_meta = segue_sqlite_read_meta,
    .rows_open = segue_sqlite_rows_open,
    .rows_next = segue_sqlite_rows_next,
    .rows_close = segue_sqlite_rows_close,
};
