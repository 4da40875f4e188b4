/* sqlite.h - a store in one SQLite file: the handle, its statements, and the backend's functions.
 *
 * Functions with a segue_store are those of the backend's table; the others are shared by the files
 * of this folder.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_SQLITE_H
#define SEGUE_STORE_SQLITE_SQLITE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "store/column.h"
#include "store/sqlite/sqlite_statements.h"

/* A number of the preprocessor inside a statement. */
#define SEGUE_SQL_TEXT(number)  SEGUE_SQL_TEXT_(number)
#define SEGUE_SQL_TEXT_(number) #number

/* Mark the file with this program's format. */
#define SEGUE_SQL_SET_FORMAT "PRAGMA user_version = " SEGUE_SQL_TEXT(SEGUE_STORE_FORMAT) ";"

#define SEGUE_SQLITE_BUSY_MS 2000 /* that another process may hold a lock */

struct stat;
typedef struct segue_wal segue_wal;

typedef struct sqlite_store {
    segue_store base; /* first: a segue_store is this */
    sqlite3 *db;
    sqlite3_stmt *prepared[N_STATEMENTS];
    sqlite3_stmt *table[SEGUE_N_TABLES][2]; /* of exports: select, insert */
    int lock;                               /* the file again, locked by its server; or -1 */
    dev_t device;                           /* of that file */
    ino_t inode;
    bool is_new;     /* this process created it */
    segue_wal *wal;  /* NULL: the files are not watched */
    bool files_lost; /* base.is_lost, because another program altered the files ... */
    bool rescued;    /* ... and all that they held is in the main file */
} sqlite_store;

static inline sqlite_store *segue_sqlite_of(segue_store *store)
{
    return (sqlite_store *)(void *)store;
}

/* ---- sqlite.c ---------------------------------------------------------------------------- */

/* Return a statement, ready to be bound; NULL: the database rejects it, and `err` says why. */
sqlite3_stmt *segue_sqlite_statement(sqlite_store *store, statement which, segue_error *err);

/* Run a bound statement that gives no rows, and reset it. */
SEGUE_MUST_CHECK segue_status segue_sqlite_run(sqlite_store *store, sqlite3_stmt *sql,
                                               segue_error *err);

/* Run statements without parameters; read the integer that one gives. */
SEGUE_MUST_CHECK segue_status segue_sqlite_execute(sqlite_store *store, const char *text,
                                                   segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_query_integer(sqlite_store *store, const char *text,
                                                         int64_t *out, segue_error *err);

/* Report the failure of the last call. */
segue_status segue_sqlite_fail(const sqlite_store *store, segue_error *err);

/* Report the failure of a step.  A length that SQLite rejects was never written: damage. */
segue_status segue_sqlite_fail_step(const sqlite_store *store, segue_error *err);

void segue_sqlite_rollback(segue_store *base);

/* Limit the size of the file, in pages; 0: no limit.  For tests of a full disk. */
SEGUE_MUST_CHECK segue_status segue_sqlite_limit_pages(segue_store *base, uint64_t pages,
                                                       segue_error *err);

/* ---- sqlite_schema.c --------------------------------------------------------------------- */

/* Check that the file is a store of this format; create the tables of an empty one. */
SEGUE_MUST_CHECK segue_status segue_sqlite_check_format(sqlite_store *store, segue_store_mode mode,
                                                        segue_error *err);

/* Reject a format that this program does not read, with the next step. */
segue_status segue_sqlite_fail_format(const sqlite_store *store, int64_t format, segue_error *err);

/* Check that the tables and indices are those of this format. */
SEGUE_MUST_CHECK segue_status segue_sqlite_check_schema(sqlite_store *store, segue_error *err);

/* ---- sqlite_open.c ----------------------------------------------------------------------- */

SEGUE_MUST_CHECK segue_status segue_sqlite_open(segue_store **out, const char *path,
                                                segue_store_mode mode, segue_error *err);
void segue_sqlite_close(segue_store *base, bool discard);
bool segue_sqlite_file_path(const char *location, size_t i, char *path, size_t size);
SEGUE_MUST_CHECK segue_status segue_sqlite_lock(segue_store *base, segue_error *err);

/* Return whether the locked file still has its name. */
bool segue_sqlite_has_name(const sqlite_store *store, struct stat *named);

/* ---- sqlite_meta.c, sqlite_verify.c ------------------------------------------------------ */

SEGUE_MUST_CHECK segue_status segue_sqlite_read_meta(segue_store *base, segue_store_meta *out,
                                                     segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_start(segue_store *base, segue_store_meta *meta,
                                                 segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_set_clock(segue_store *base, double seconds,
                                                     segue_error *err);
/* Check what a start needs: the key, the number of starts, the counters of ids. */
SEGUE_MUST_CHECK segue_status segue_sqlite_verify_start(sqlite_store *store, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_verify(segue_store *base, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_verify_learner(segue_store *base, int64_t learner,
                                                          segue_error *err);

/* ---- sqlite_write.c, sqlite_purge.c ------------------------------------------------------ */

SEGUE_MUST_CHECK segue_status segue_sqlite_run_ids(sqlite_store *store, statement which, int64_t a,
                                                   int64_t b, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_insert(segue_store *base, segue_store_table table,
                                                  void *row, bool *is_new, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_set_config(segue_store *base, int64_t learner,
                                                      const char *config, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_retire_arm(segue_store *base, int64_t learner,
                                                      size_t position, double when,
                                                      segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_set_reward(segue_store *base, int64_t task,
                                                      uint64_t number, double value,
                                                      segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_close_task(segue_store *base,
                                                      const segue_stored_task *task, uint64_t seq,
                                                      segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_delete_learner(segue_store *base, int64_t learner,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_set_base(segue_store *base, int64_t learner,
                                                    segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_remove_task(segue_store *base, int64_t task,
                                                       const char *key, uint64_t tag,
                                                       segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_purge(segue_store *base, bool *more, segue_error *err);

/* ---- sqlite_rows.c, sqlite_table.c ------------------------------------------------------- */

/* The current row of a statement. */
store_row segue_sqlite_row(sqlite3_stmt *sql, segue_error *err);

SEGUE_MUST_CHECK segue_status segue_sqlite_rows_open(segue_rows *rows, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_rows_next(segue_rows *rows, void *out, bool *more,
                                                     segue_error *err);
void segue_sqlite_rows_close(segue_rows *rows);

SEGUE_MUST_CHECK segue_status segue_sqlite_table_open(segue_rows *rows, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_table_next(segue_rows *rows, void *out, bool *more,
                                                      segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_load(segue_store *base, segue_store_table table,
                                                const segue_table_row *row, segue_error *err);

#endif
