/* sqlite_write.c - change a store of SQLite.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/wal.h"

#define PURGE_ROWS 1000 /* of a table in one transaction, for which all others wait */

/* NULL is fine; gives SQLite's code. */
static int bind_text(sqlite3_stmt *sql, int place, const char *text)
{
    return sqlite3_bind_text(sql, place, text, -1, SQLITE_STATIC);
}

/* Run a statement, if what it was given could be bound: SQLite takes a billion bytes at most. */
static segue_status run_bound(segue_store *store, sqlite3_stmt *sql, int bound, segue_error *err)
{
    if (bound == SQLITE_OK)
        return segue_sqlite_run(store, sql, err);
    (void)sqlite3_clear_bindings(sql);
    return segue_fail(err, bound == SQLITE_NOMEM ? SEGUE_ENOMEM : SEGUE_EIO, "%s: %s",
                      segue_path_tail(store->path), sqlite3_errstr(bound));
}

static segue_status run_plain(segue_store *store, statement which, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, which, err);
    return sql ? segue_sqlite_run(store, sql, err) : SEGUE_EIO;
}

/* ---- transactions ------------------------------------------------------------------------ */

segue_status segue_store_begin(segue_store *store, segue_error *err)
{
    const segue_status status = run_plain(store, SQL_BEGIN, err);
    return status == SEGUE_OK ? segue_wal_before_write(store, err) : status;
}

segue_status segue_store_begin_read(segue_store *store, segue_error *err)
{
    return run_plain(store, SQL_LOOK, err);
}

segue_status segue_store_commit(segue_store *store, segue_error *err)
{
    const segue_status status = run_plain(store, SQL_COMMIT, err);
    if (status == SEGUE_OK)
        return segue_wal_after_commit(store, err);
    segue_wal_after_failure(store, sqlite3_extended_errcode(store->db));
    return status;
}

void segue_store_rollback(segue_store *store)
{
    if (!sqlite3_get_autocommit(store->db)) /* some failures have rolled back already */
        (void)run_plain(store, SQL_ROLLBACK, NULL);
}

/* The one value of a name; NULL: the key is not wanted, or the number. */
static segue_status read_meta(segue_store *store, const char *name, unsigned char *key,
                              uint64_t *number, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_META, err);
    if (!sql)
        return SEGUE_EIO;
    (void)bind_text(sql, 1, name);
    sql_row row = {.sql = sql, .table = "meta", .err = err};
    const int code = sqlite3_step(sql);
    size_t size = SEGUE_STORE_KEY_SIZE;
    const void *data = key && code == SQLITE_ROW ? segue_sqlite_row_blob(&row, 0, &size) : "";
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        row.status = segue_sqlite_fail(store, err);
    else if (row.status != SEGUE_ENOMEM && (code == SQLITE_DONE || size != SEGUE_STORE_KEY_SIZE))
        row.status = segue_store_fail_damaged(err, "it has no %s (table meta)", name);
    else if (key && row.status == SEGUE_OK)
        memcpy(key, data, SEGUE_STORE_KEY_SIZE);
    else if (number)
        *number = (uint64_t)segue_sqlite_row_integer(&row, 0, 0, UINT32_MAX - 1);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return row.status;
}

/* SQLite's counters of the ids that were given: without one, ids would be given twice; with one
 * that is too large, or with a row that has the last id there is, no id could be given any more. */
#define LAST_ID "4611686018427387904"
#define COUNTER_DAMAGED(table, id, most)                                                           \
    "(SELECT count(*) FROM sqlite_sequence WHERE name = '" table "' AND NOT (typeof(seq) = "       \
    "'integer' AND seq BETWEEN 0 AND " most ")) + (SELECT count(*) > 1 FROM sqlite_sequence "      \
    "WHERE name = '" table "') + (EXISTS (SELECT 1 FROM " table ") AND NOT EXISTS (SELECT 1 "      \
    "FROM sqlite_sequence WHERE name = '" table "')) + (SELECT coalesce(max(" id                   \
    "), 0) > " LAST_ID " FROM " table ")"

static segue_status check_counters(segue_store *store, segue_error *err)
{
    static const char text[] =
        "SELECT " COUNTER_DAMAGED("learner", "id", "4294967294") " + " COUNTER_DAMAGED(
            "task", "id", LAST_ID) " + " COUNTER_DAMAGED("journal", "seq", LAST_ID);
    int64_t found = 0;
    const segue_status status = segue_sqlite_query_integer(store, text, &found, err);
    return status == SEGUE_OK && found > 0
               ? segue_store_fail_damaged(err,
                                          "table sqlite_sequence, which counts ids, lacks a row or "
                                          "is out of range")
               : status;
}

/* What a start needs of the whole file. */
static segue_status read_start(segue_store *store, unsigned char key[SEGUE_STORE_KEY_SIZE],
                               uint64_t *boot, segue_error *err)
{
    segue_status status = read_meta(store, "key", key, NULL, err);
    if (status == SEGUE_OK)
        status = read_meta(store, "boot", NULL, boot, err);
    return status == SEGUE_OK ? check_counters(store, err) : status;
}

segue_status segue_store_verify_start(segue_store *store, segue_error *err)
{
    unsigned char key[SEGUE_STORE_KEY_SIZE];
    uint64_t boot = 0;
    return read_start(store, key, &boot, err);
}

segue_status segue_store_start(segue_store *store, unsigned char key[SEGUE_STORE_KEY_SIZE],
                               uint64_t *boot, segue_error *err)
{
    const segue_status status = read_start(store, key, boot, err);
    if (status != SEGUE_OK)
        return status;
    ++*boot;
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SET_META, err);
    if (!sql)
        return SEGUE_EIO;
    (void)bind_text(sql, 1, "boot");
    (void)sqlite3_bind_int64(sql, 2, (int64_t)*boot);
    return segue_sqlite_run(store, sql, err);
}

segue_status segue_store_read_clock(segue_store *store, double *seconds, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_META, err);
    if (!sql)
        return SEGUE_EIO;
    (void)bind_text(sql, 1, "clock");
    const int code = sqlite3_step(sql);
    if (code == SQLITE_ROW && sqlite3_column_type(sql, 0) == SQLITE_FLOAT)
        *seconds = sqlite3_column_double(sql, 0);
    const segue_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? SEGUE_OK : segue_sqlite_fail(store, err);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

segue_status segue_store_set_clock(segue_store *store, double seconds, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SET_META, err);
    if (!sql)
        return SEGUE_EIO;
    (void)bind_text(sql, 1, "clock");
    (void)sqlite3_bind_double(sql, 2, seconds);
    return segue_sqlite_run(store, sql, err);
}

/* ---- learners and their arms ------------------------------------------------------------- */

segue_status segue_store_add_learner(segue_store *store, segue_stored_learner *learner,
                                     segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_LEARNER, err);
    if (!sql)
        return SEGUE_EIO;
    int bound = bind_text(sql, 1, learner->name);
    if (bound == SQLITE_OK)
        bound = bind_text(sql, 2, learner->config);
    (void)sqlite3_bind_double(sql, 3, learner->created);
    const segue_status status = run_bound(store, sql, bound, err);
    learner->id = sqlite3_last_insert_rowid(store->db);
    if (status == SEGUE_OK && learner->id > SEGUE_MAX_LEARNER_ID)
        return segue_store_fail_damaged(err,
                                        "table learner has the id %" PRId64 "; need at most %u",
                                        learner->id - 1, SEGUE_MAX_LEARNER_ID);
    return status;
}

/* Run a statement of one number, or of two. */
static segue_status run_with(segue_store *store, statement which, int64_t a, int64_t b,
                             segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, which, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, a);
    if (sqlite3_bind_parameter_count(sql) > 1)
        (void)sqlite3_bind_int64(sql, 2, b);
    return segue_sqlite_run(store, sql, err);
}

segue_status segue_store_delete_learner(segue_store *store, int64_t learner, segue_error *err)
{
    return run_with(store, SQL_DELETE_LEARNER, learner, 0, err);
}

/* A learner without a name; 0: there is none. */
static segue_status find_deleted(segue_store *store, int64_t *learner, segue_error *err)
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

/* The rows of the first tasks, these tasks, then the rest; a table with more rows ends the part. */
segue_status segue_store_purge(segue_store *store, bool *more, segue_error *err)
{
    static const statement parts[] = {SQL_PURGE_REWARDS, SQL_PURGE_DECISIONS, SQL_PURGE_TASKS,
                                      SQL_PURGE_EVENTS,  SQL_PURGE_ARMS,      SQL_PURGE_SNAPSHOTS,
                                      SQL_PURGE_LEARNER};
    int64_t learner = 0;
    segue_status status = find_deleted(store, &learner, err);
    *more = status == SEGUE_OK && learner != 0;
    bool full = !*more;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !full && status == SEGUE_OK; i++) {
        status = run_with(store, parts[i], learner, PURGE_ROWS, err);
        full = sqlite3_changes(store->db) == PURGE_ROWS;
    }
    return status;
}

segue_status segue_store_add_arm(segue_store *store, int64_t learner, size_t place,
                                 const char *name, double when, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_ARM, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)place);
    const int bound = bind_text(sql, 3, name);
    (void)sqlite3_bind_double(sql, 4, when);
    return run_bound(store, sql, bound, err);
}

segue_status segue_store_retire_arm(segue_store *store, int64_t learner, size_t place, double when,
                                    segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_RETIRE_ARM, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)place);
    (void)sqlite3_bind_double(sql, 3, when);
    return segue_sqlite_run(store, sql, err);
}

/* ---- tasks, decisions, rewards ----------------------------------------------------------- */

segue_status segue_store_add_task(segue_store *store, segue_stored_task *task, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task->learner);
    const int bound = bind_text(sql, 2, task->key);
    (void)sqlite3_bind_int64(sql, 3, task->control);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)task->version);
    (void)sqlite3_bind_int64(sql, 5, (int64_t)task->n_arms);
    (void)sqlite3_bind_double(sql, 6, task->opened);
    if (task->tag != 0)
        (void)sqlite3_bind_int64(sql, 7, (int64_t)task->tag);
    const segue_status status = run_bound(store, sql, bound, err);
    task->id = sqlite3_last_insert_rowid(store->db);
    return status;
}

segue_status segue_store_close_task(segue_store *store, const segue_stored_task *task, uint64_t seq,
                                    segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_CLOSE_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task->id);
    (void)sqlite3_bind_double(sql, 2, task->closed);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)seq);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)task->rewards);
    (void)sqlite3_bind_double(sql, 5, task->total);
    segue_status status = segue_sqlite_run(store, sql, err);
    if (status == SEGUE_OK)
        status = run_with(store, SQL_ADD_PULLS, task->id, task->learner, err);
    return status == SEGUE_OK ? run_with(store, SQL_FORGET_DECISIONS, task->id, 0, err) : status;
}

segue_status segue_store_add_decision(segue_store *store, const segue_stored_decision *decision,
                                      segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_DECISION, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, decision->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)decision->number);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)decision->arm);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)decision->version);
    const int bound = bind_text(sql, 5, decision->event);
    (void)sqlite3_bind_double(sql, 6, decision->asked);
    if (decision->probability > 0.0) {
        (void)sqlite3_bind_double(sql, 7, decision->probability);
        (void)sqlite3_bind_int64(sql, 8, decision->exact);
    }
    return run_bound(store, sql, bound, err);
}

segue_status segue_store_add_reward(segue_store *store, const segue_stored_reward *reward,
                                    bool *is_new, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_REWARD, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, reward->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)reward->number);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)reward->place);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)reward->arm);
    (void)sqlite3_bind_double(sql, 5, reward->value);
    (void)sqlite3_bind_double(sql, 6, reward->told);
    (void)sqlite3_bind_int64(sql, 7, reward->by_default);
    const segue_status status = segue_sqlite_run(store, sql, err);
    *is_new = status == SEGUE_OK && sqlite3_changes(store->db) == 1;
    return status;
}

/* ---- the journal and its snapshots ------------------------------------------------------- */

segue_status segue_store_add_event(segue_store *store, segue_stored_event *event, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_EVENT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, event->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)event->kind);
    (void)sqlite3_bind_int64(sql, 3, event->subject);
    (void)sqlite3_bind_double(sql, 4, event->when);
    const segue_status status = segue_sqlite_run(store, sql, err);
    event->seq = (uint64_t)sqlite3_last_insert_rowid(store->db);
    return status;
}

segue_status segue_store_add_snapshot(segue_store *store, int64_t learner, uint64_t seq,
                                      const void *data, size_t size, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_SNAPSHOT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)seq);
    const int bound = sqlite3_bind_blob64(sql, 3, data, size, SQLITE_STATIC);
    const segue_status status = run_bound(store, sql, bound, err);
    return status == SEGUE_OK ? run_with(store, SQL_FORGET_SNAPSHOTS, learner, (int64_t)seq, err)
                              : status;
}
