/* sqlite_write.c - insert and update rows; the SQL is in sqlite_statements.h.
 *
 * store_change.c calls these functions through the backend, inside a transaction of the writer.
 * Each is one prepared statement: bind, step, reset. Bound texts are not copied (SQLITE_STATIC):
 * they must live until the statement ran.
 *
 * A statement that cannot be prepared is SEGUE_EIO: segue_sqlite_check_schema has prepared all of
 * them when the store was opened.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

/* Bind a text or NULL; returns SQLite's code. */
static int bind_text(sqlite3_stmt *sql, int parameter, const char *text)
{
    return sqlite3_bind_text(sql, parameter, text, -1, SQLITE_STATIC);
}

/* Run a statement if its values could be bound: SQLite takes a billion bytes at most. */
static segue_status run_bound(sqlite_store *store, sqlite3_stmt *sql, int bound, segue_error *err)
{
    if (bound == SQLITE_OK)
        return segue_sqlite_run(store, sql, err);
    (void)sqlite3_clear_bindings(sql);
    return segue_fail(err, bound == SQLITE_NOMEM ? SEGUE_ENOMEM : SEGUE_EIO, "%s: %s",
                      segue_path_tail(store->base.location), sqlite3_errstr(bound));
}

/* Run a statement whose parameters are one id, or two. */
segue_status segue_sqlite_run_ids(sqlite_store *store, statement which, int64_t a, int64_t b,
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

/* ---- learners and their arms ------------------------------------------------------------- */

static segue_status insert_learner(sqlite_store *store, segue_stored_learner *learner,
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

static segue_status insert_arm(sqlite_store *store, const segue_stored_arm *arm, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_ARM, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, arm->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)arm->position);
    const int bound = bind_text(sql, 3, arm->name);
    (void)sqlite3_bind_double(sql, 4, arm->added);
    return run_bound(store, sql, bound, err);
}

segue_status segue_sqlite_set_config(segue_store *base, int64_t learner, const char *config,
                                     segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SET_CONFIG, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    return run_bound(store, sql, bind_text(sql, 2, config), err);
}

segue_status segue_sqlite_retire_arm(segue_store *base, int64_t learner, size_t position,
                                     double when, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_RETIRE_ARM, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)position);
    (void)sqlite3_bind_double(sql, 3, when);
    return segue_sqlite_run(store, sql, err);
}

/* ---- tasks, decisions, rewards ----------------------------------------------------------- */

static segue_status insert_task(sqlite_store *store, segue_stored_task *task, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task->learner);
    int bound = bind_text(sql, 2, task->key);
    (void)sqlite3_bind_int64(sql, 3, task->control);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)task->version);
    (void)sqlite3_bind_int64(sql, 5, (int64_t)task->n_arms);
    (void)sqlite3_bind_double(sql, 6, task->opened);
    (void)sqlite3_bind_int64(sql, 7, (int64_t)task->tag);
    (void)sqlite3_bind_double(sql, 8, task->control_share);
    if (bound == SQLITE_OK)
        bound = bind_text(sql, 9, task->features); /* NULL without features */
    const segue_status status = run_bound(store, sql, bound, err);
    task->id = sqlite3_last_insert_rowid(store->db);
    return status;
}

/* Closing adds the pulls of the task to its arms, and deletes its decisions: their rewards would
 * come too late.  Decisions with an event id stay, so that a repeated ask gets them again. */
segue_status segue_sqlite_close_task(segue_store *base, const segue_stored_task *task, uint64_t seq,
                                     segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_CLOSE_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task->id);
    (void)sqlite3_bind_double(sql, 2, task->closed);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)seq);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)task->rewards);
    (void)sqlite3_bind_double(sql, 5, task->total);
    SEGUE_TRY(segue_sqlite_run(store, sql, err));
    SEGUE_TRY(segue_sqlite_run_ids(store, SQL_ADD_PULLS, task->id, task->learner, err));
    return segue_sqlite_run_ids(store, SQL_DELETE_DECISIONS, task->id, 0, err);
}

/* Where the service chose, both columns stay NULL. */
static void bind_shadow(sqlite3_stmt *sql, int first, const segue_stored_shadow *shadow)
{
    if (!shadow->is_set)
        return;
    (void)sqlite3_bind_int64(sql, first, (int64_t)shadow->arm);
    (void)sqlite3_bind_double(sql, first + 1, shadow->probability);
}

/* A decision without a probability stores NULL for it. */
static segue_status insert_decision(sqlite_store *store, const segue_stored_decision *decision,
                                    segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_DECISION, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, decision->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)decision->number);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)decision->arm);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)decision->version);
    const int bound = bind_text(sql, 5, decision->event_id);
    (void)sqlite3_bind_double(sql, 6, decision->created);
    if (decision->probability > 0.0) {
        (void)sqlite3_bind_double(sql, 7, decision->probability);
        (void)sqlite3_bind_int64(sql, 8, decision->exact);
    }
    bind_shadow(sql, 9, &decision->shadow);
    return run_bound(store, sql, bound, err);
}

/* The statement ignores a second reward of a decision: then no row changes. */
static segue_status insert_reward(sqlite_store *store, const segue_stored_reward *reward,
                                  bool *is_new, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_REWARD, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, reward->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)reward->number);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)reward->position);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)reward->arm);
    (void)sqlite3_bind_double(sql, 5, reward->value);
    (void)sqlite3_bind_double(sql, 6, reward->created);
    (void)sqlite3_bind_int64(sql, 7, reward->by_default);
    if (reward->probability > 0.0)
        (void)sqlite3_bind_double(sql, 8, reward->probability);
    bind_shadow(sql, 10, &reward->shadow);
    const segue_status status = run_bound(store, sql, bind_text(sql, 9, reward->asks), err);
    *is_new = status == SEGUE_OK && sqlite3_changes(store->db) == 1;
    return status;
}

segue_status segue_sqlite_set_reward(segue_store *base, int64_t task, uint64_t number, double value,
                                     segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SET_REWARD, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)number);
    (void)sqlite3_bind_double(sql, 3, value);
    return segue_sqlite_run(store, sql, err);
}

static segue_status insert_reward_part(sqlite_store *store, const segue_stored_reward_part *part,
                                       segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_REWARD_PART, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, part->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)part->number);
    const int bound = bind_text(sql, 3, part->event_id);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)part->position);
    (void)sqlite3_bind_double(sql, 5, part->value);
    (void)sqlite3_bind_double(sql, 6, part->created);
    return run_bound(store, sql, bound, err);
}

/* ---- the event log and its snapshots ----------------------------------------------------- */

static segue_status insert_event(sqlite_store *store, segue_stored_event *event, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_EVENT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, event->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)event->kind);
    (void)sqlite3_bind_int64(sql, 3, event->subject);
    (void)sqlite3_bind_double(sql, 4, event->created);
    (void)sqlite3_bind_int64(sql, 5, (int64_t)event->epoch);
    const segue_status status = segue_sqlite_run(store, sql, err);
    event->seq = (uint64_t)sqlite3_last_insert_rowid(store->db);
    return status;
}

/* Older snapshots of the learner are deleted in the same transaction. */
static segue_status insert_snapshot(sqlite_store *store, const segue_stored_snapshot *row,
                                    segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_SNAPSHOT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, row->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)row->seq);
    const int bound = sqlite3_bind_blob64(sql, 3, row->bytes, row->size, SQLITE_STATIC);
    SEGUE_TRY(run_bound(store, sql, bound, err));
    return segue_sqlite_run_ids(store, SQL_DELETE_SNAPSHOTS, row->learner, (int64_t)row->seq, err);
}

static segue_status insert_initial(sqlite_store *store, const segue_stored_initial *row,
                                   segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_INITIAL, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, row->learner);
    const int bound = sqlite3_bind_blob64(sql, 2, row->bytes, row->size, SQLITE_STATIC);
    return run_bound(store, sql, bound, err);
}

/* ---- the hash chain, and what remains of removed rows ------------------------------------ */

static segue_status insert_link(sqlite_store *store, const segue_stored_link *link,
                                segue_error *err)
{
    unsigned char bytes[2 * SEGUE_DIGEST_SIZE];
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_LINK, err);
    if (!sql)
        return SEGUE_EIO;
    memcpy(bytes, link->digest, SEGUE_DIGEST_SIZE);
    memcpy(bytes + SEGUE_DIGEST_SIZE, link->hash, SEGUE_DIGEST_SIZE);
    (void)sqlite3_bind_int64(sql, 1, link->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)link->seq);
    const int bound = sqlite3_bind_blob64(sql, 3, bytes, sizeof bytes, SQLITE_STATIC);
    return run_bound(store, sql, bound, err);
}

static segue_status insert_removed(sqlite_store *store, const segue_stored_removed *row,
                                   segue_error *err)
{
    unsigned char bytes[2 * SEGUE_DIGEST_SIZE];
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_REMOVED, err);
    if (!sql)
        return SEGUE_EIO;
    memcpy(bytes, row->rewards, SEGUE_DIGEST_SIZE);
    memcpy(bytes + SEGUE_DIGEST_SIZE, row->key, SEGUE_DIGEST_SIZE);
    (void)sqlite3_bind_int64(sql, 1, row->task);
    (void)sqlite3_bind_int64(sql, 2, row->learner);
    int bound = bind_text(sql, 3, row->counts);
    if (bound == SQLITE_OK)
        bound = sqlite3_bind_blob64(sql, 4, bytes, sizeof bytes, SQLITE_STATIC);
    (void)sqlite3_bind_int64(sql, 5, row->erased);
    return run_bound(store, sql, bound, err);
}

static segue_status insert_merged(sqlite_store *store, const segue_stored_merged *row,
                                  segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ADD_MERGED, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, row->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)row->number);
    int bound = bind_text(sql, 3, row->origins);
    if (bound == SQLITE_OK)
        bound = sqlite3_bind_blob64(sql, 4, row->bytes, row->size, SQLITE_STATIC);
    return run_bound(store, sql, bound, err);
}

segue_status segue_sqlite_insert(segue_store *base, segue_store_table table, void *row,
                                 bool *is_new, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    switch (table) {
    case SEGUE_TABLE_LEARNER:
        return insert_learner(store, row, err);
    case SEGUE_TABLE_ARM:
        return insert_arm(store, row, err);
    case SEGUE_TABLE_TASK:
        return insert_task(store, row, err);
    case SEGUE_TABLE_DECISION:
        return insert_decision(store, row, err);
    case SEGUE_TABLE_REWARD:
        return insert_reward(store, row, is_new, err);
    case SEGUE_TABLE_EVENT:
        return insert_event(store, row, err);
    case SEGUE_TABLE_INITIAL:
        return insert_initial(store, row, err);
    case SEGUE_TABLE_CHAIN:
        return insert_link(store, row, err);
    case SEGUE_TABLE_REMOVED:
        return insert_removed(store, row, err);
    case SEGUE_TABLE_REWARD_PART:
        return insert_reward_part(store, row, err);
    case SEGUE_TABLE_MERGED:
        return insert_merged(store, row, err);
    case SEGUE_TABLE_SNAPSHOT:
        return insert_snapshot(store, row, err);
    default:
        return segue_fail(err, SEGUE_EUSAGE, "table %d takes no rows", (int)table);
    }
}
