/* sqlite_purge.c - delete a learner: its name at once, its rows some per transaction.
 *
 * A learner with a million rewards must not hold up the writer.  DELETE removes name and settings;
 * each call of purge then deletes at most PURGE_ROWS rows per table, children before parents.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

#define PURGE_ROWS 1000 /* per table and transaction, for which all other operations wait */

segue_status segue_sqlite_delete_learner(segue_store *base, int64_t learner, segue_error *err)
{
    return segue_sqlite_run_ids(segue_sqlite_of(base), SQL_DELETE_LEARNER, learner, 0, err);
}

/* Find a deleted learner; 0: there is none. */
static segue_status find_deleted(sqlite_store *store, int64_t *learner, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_DELETED, err);
    if (!sql)
        return SEGUE_EIO;
    const int code = sqlite3_step(sql);
    *learner = code == SQLITE_ROW ? sqlite3_column_int64(sql, 0) : 0;
    const segue_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? SEGUE_OK : segue_sqlite_fail(store, err);
    (void)sqlite3_reset(sql);
    return status;
}

segue_status segue_sqlite_set_base(segue_store *base, int64_t learner, segue_error *err)
{
    return segue_sqlite_run_ids(segue_sqlite_of(base), SQL_SET_BASE, learner, 0, err);
}

/* Give an erased task another key and tag: decision ids of before match it no more. */
static segue_status rename_task(sqlite_store *store, int64_t task, const char *key, uint64_t tag,
                                segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_RENAME_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    if (sqlite3_bind_text(sql, 2, key, -1, SQLITE_STATIC) != SQLITE_OK)
        return segue_sqlite_fail(store, err);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)tag);
    return segue_sqlite_run(store, sql, err);
}

/* Decisions with an event id are still there after the task closed. */
static segue_status remove_rewards(sqlite_store *store, int64_t task, segue_error *err)
{
    SEGUE_TRY(segue_sqlite_run_ids(store, SQL_REMOVE_PARTS, task, 0, err));
    SEGUE_TRY(segue_sqlite_run_ids(store, SQL_REMOVE_REWARDS, task, 0, err));
    return segue_sqlite_run_ids(store, SQL_REMOVE_DECISIONS, task, 0, err);
}

/* An erasure overwrites with zeros what it deletes. */
segue_status segue_sqlite_remove_task(segue_store *base, int64_t task, const char *key,
                                      uint64_t tag, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    if (!key)
        return remove_rewards(store, task, err);
    SEGUE_TRY(segue_sqlite_execute(store, "PRAGMA secure_delete = ON", err));
    segue_status status = remove_rewards(store, task, err);
    if (status == SEGUE_OK)
        status = *key ? rename_task(store, task, key, tag, err)
                      : segue_sqlite_run_ids(store, SQL_REMOVE_TASK, task, 0, err);
    (void)sqlite3_exec(store->db, "PRAGMA secure_delete = OFF", NULL, NULL, NULL);
    return status;
}

/* The rows of its first tasks, then these tasks, then the rest.  A table with more rows ends the
 * call. */
segue_status segue_sqlite_purge(segue_store *base, bool *more, segue_error *err)
{
    static const statement parts[] = {
        SQL_PURGE_REWARDS, SQL_PURGE_REWARD_PARTS, SQL_PURGE_DECISIONS, SQL_PURGE_TASKS,
        SQL_PURGE_EVENTS,  SQL_PURGE_ARMS,         SQL_PURGE_SNAPSHOTS, SQL_PURGE_INITIAL,
        SQL_PURGE_CHAIN,   SQL_PURGE_REMOVED,      SQL_PURGE_BASE,      SQL_PURGE_MERGED,
        SQL_PURGE_LEARNER};
    sqlite_store *store = segue_sqlite_of(base);
    int64_t learner = 0;
    *more = false;
    SEGUE_TRY(find_deleted(store, &learner, err));
    *more = learner != 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && *more; i++) {
        SEGUE_TRY(segue_sqlite_run_ids(store, parts[i], learner, PURGE_ROWS, err));
        if (sqlite3_changes(store->db) == PURGE_ROWS)
            break;
    }
    return SEGUE_OK;
}
