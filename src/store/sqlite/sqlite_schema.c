/* sqlite_schema.c - the tables of a store, and the check that a file has them.
 *
 * The file says its format in PRAGMA user_version, and that it is a store of Segue in PRAGMA
 * application_id.  A program reads and writes one format.  Columns of time hold seconds: `created`
 * of a decision and of a reward in service time, all others since 1970.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_upgrade.h"

static const char schema[] =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE learner (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,"
    " config TEXT NOT NULL, created REAL NOT NULL);"
    "CREATE TABLE arm (learner INTEGER, position INTEGER, name TEXT NOT NULL, added REAL NOT NULL,"
    " retired REAL, pulls INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0,"
    " PRIMARY KEY (learner, position)) WITHOUT ROWID;"
    "CREATE TABLE task (id INTEGER PRIMARY KEY AUTOINCREMENT, learner INTEGER NOT NULL,"
    " key TEXT NOT NULL, control INTEGER NOT NULL, version INTEGER NOT NULL,"
    " n_arms INTEGER NOT NULL, opened REAL NOT NULL, closed REAL, closed_seq INTEGER,"
    " rewards INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0, tag INTEGER NOT NULL,"
    " control_share REAL NOT NULL DEFAULT 0, features TEXT,"
    " UNIQUE (learner, key));"
    "CREATE INDEX task_learner ON task (learner);"
    "CREATE INDEX task_open ON task (learner, id) WHERE closed IS NULL;"
    "CREATE INDEX task_closed ON task (learner, closed_seq) WHERE closed_seq IS NOT NULL;"
    "CREATE TABLE decision (task INTEGER, number INTEGER, arm INTEGER NOT NULL,"
    " version INTEGER NOT NULL, event TEXT, created REAL NOT NULL, probability REAL, exact INTEGER,"
    " segue_arm INTEGER, segue_probability REAL,"
    " PRIMARY KEY (task, number)) WITHOUT ROWID;"
    "CREATE INDEX decision_event ON decision (task, event) WHERE event IS NOT NULL;"
    "CREATE TABLE reward (task INTEGER, number INTEGER, position INTEGER NOT NULL,"
    " arm INTEGER NOT NULL, value REAL NOT NULL, created REAL NOT NULL,"
    " by_default INTEGER NOT NULL, probability REAL, asks TEXT, segue_arm INTEGER,"
    " segue_probability REAL,"
    " PRIMARY KEY (task, number)) WITHOUT ROWID;"
    "CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, learner INTEGER NOT NULL,"
    " kind INTEGER NOT NULL, subject INTEGER NOT NULL, created REAL NOT NULL,"
    " epoch INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX event_learner ON event (learner, seq);"
    "CREATE TABLE initial (learner INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
    "CREATE TABLE merged (learner INTEGER, number INTEGER, origins TEXT NOT NULL,"
    " bytes BLOB NOT NULL, PRIMARY KEY (learner, number));"
    "CREATE TABLE snapshot (learner INTEGER, seq INTEGER, bytes BLOB NOT NULL,"
    " PRIMARY KEY (learner, seq));" SEGUE_SQL_AUDIT_TABLES
    "CREATE TABLE reward_part (task INTEGER, number INTEGER, event TEXT, position INTEGER NOT NULL,"
    " value REAL NOT NULL, created REAL NOT NULL, PRIMARY KEY (task, number, event)) WITHOUT ROWID;"
    "INSERT INTO meta VALUES ('key', randomblob(16)), ('boot', 0);"
    "PRAGMA application_id = " SEGUE_SQL_TEXT(SEGUE_STORE_APPLICATION_ID) ";" SEGUE_SQL_SET_FORMAT;

/* ---- the format -------------------------------------------------------------------------- */

/* One transaction: a killed program leaves an empty file or a whole store. */
static segue_status create_schema(sqlite_store *store, segue_error *err)
{
    store->is_new = true;
    SEGUE_TRY(segue_sqlite_execute(store, "BEGIN IMMEDIATE", err));
    SEGUE_TRY(segue_sqlite_execute(store, schema, err));
    return segue_sqlite_execute(store, "COMMIT", err);
}

segue_status segue_sqlite_fail_format(const sqlite_store *store, int64_t format, segue_error *err)
{
    const char *next =
        format > SEGUE_STORE_FORMAT ? "use the program that wrote it, or a newer one"
        : segue_sqlite_can_upgrade(format)
            ? "'segue store upgrade' brings it to this format"
            : "it was written before the first release and cannot be upgraded; start a new store";
    return segue_fail(err, SEGUE_EFILE, "%s: has format %" PRId64 "; need %d; %s",
                      segue_path_tail(store->base.location), format, SEGUE_STORE_FORMAT, next);
}

segue_status segue_sqlite_check_format(sqlite_store *store, segue_store_mode mode, segue_error *err)
{
    int64_t application = 0, format = 0, tables = 0;
    SEGUE_TRY(segue_sqlite_query_integer(store, "PRAGMA application_id", &application, err));
    SEGUE_TRY(segue_sqlite_query_integer(store, "PRAGMA user_version", &format, err));
    SEGUE_TRY(
        segue_sqlite_query_integer(store, "SELECT count(*) FROM sqlite_master", &tables, err));
    if (mode == SEGUE_STORE_CREATE && application == 0 && tables == 0)
        return create_schema(store, err);
    if (application != SEGUE_STORE_APPLICATION_ID)
        return segue_fail(err, SEGUE_EFILE, "%s: is not a store of segue",
                          segue_path_tail(store->base.location));
    const bool is_older = format > 0 && format < SEGUE_STORE_FORMAT;
    if (format != SEGUE_STORE_FORMAT && !(mode == SEGUE_STORE_UPGRADE && is_older))
        return segue_sqlite_fail_format(store, format, err);
    return SEGUE_OK;
}

/* ---- the tables -------------------------------------------------------------------------- */

/* One row per column of a table or an index.  The text of the schema would not do: it differs
 * between a new store and one that was upgraded. */
static const char shape[] =
    "SELECT m.name || ' ' || c.name || ' ' || c.type || ' ' || coalesce(c.dflt_value, '') || ' ' "
    "|| "
    "c.pk || ' ' || (m.sql LIKE '%AUTOINCREMENT%') || ' ' || (m.sql LIKE '%WITHOUT ROWID%') "
    "FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' "
    "UNION ALL SELECT i.name || ' ' || i.\"unique\" || ' ' || i.partial || ' ' || x.seqno || ' ' "
    "|| "
    "coalesce(x.name, '') || ' ' || coalesce(s.sql, '') FROM sqlite_master AS m JOIN "
    "pragma_index_list(m.name) AS i JOIN pragma_index_xinfo(i.name) AS x LEFT JOIN sqlite_master "
    "AS s ON s.name = i.name AND s.type = 'index' WHERE m.type = 'table' UNION ALL SELECT m.name "
    "FROM sqlite_master AS m WHERE m.type NOT IN ('table', 'index') ORDER BY 1";

/* Return whether two statements give the same rows of one text. */
static bool same_rows(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (;;) {
        const int left = sqlite3_step(a), right = sqlite3_step(b);
        if (left != right || (left != SQLITE_ROW && left != SQLITE_DONE))
            return false;
        if (left == SQLITE_DONE)
            return true;
        const char *x = (const char *)sqlite3_column_text(a, 0);
        const char *y = (const char *)sqlite3_column_text(b, 0);
        if (!x || !y || strcmp(x, y) != 0)
            return false;
    }
}

/* Compare with a new store, in memory. */
static segue_status check_shape(sqlite_store *store, segue_error *err)
{
    sqlite3 *fresh = NULL;
    sqlite3_stmt *here = NULL, *there = NULL;
    segue_status status = SEGUE_OK;
    if (sqlite3_open(":memory:", &fresh) != SQLITE_OK ||
        sqlite3_exec(fresh, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(fresh, shape, -1, &there, NULL) != SQLITE_OK)
        status = segue_fail_no_memory(err, "a store");
    else if (sqlite3_prepare_v2(store->db, shape, -1, &here, NULL) != SQLITE_OK)
        status = segue_sqlite_fail(store, err);
    else if (!same_rows(here, there))
        status = segue_store_fail_damaged(err, "its tables are not those of format %d",
                                          SEGUE_STORE_FORMAT);
    (void)sqlite3_finalize(here);
    (void)sqlite3_finalize(there);
    (void)sqlite3_close(fresh);
    return status;
}

/* Every statement is prepared: a missing table or column is found now, not in a request. */
segue_status segue_sqlite_check_schema(sqlite_store *store, segue_error *err)
{
    SEGUE_TRY(check_shape(store, err));
    for (statement i = 0; i < N_STATEMENTS; i++) {
        if (segue_sqlite_statement(store, i, err))
            continue;
        if ((sqlite3_errcode(store->db) & 0xff) != SQLITE_ERROR)
            return segue_sqlite_fail(store, err);
        return segue_store_fail_damaged(err, "its tables are not those of format %d: %s",
                                        SEGUE_STORE_FORMAT, sqlite3_errmsg(store->db));
    }
    return SEGUE_OK;
}
