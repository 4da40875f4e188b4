/* sqlite_read.c - read a store: rows to structs, each column validated, and a call for each.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

/* Hand one row to its reader. */
typedef segue_status (*row_seen)(void *reader, sql_row *row, segue_error *err);

/* A failed step.  A length that SQLite refuses to read was never written. */
static segue_status fail_step(const segue_store *store, segue_error *err)
{
    if ((sqlite3_errcode(store->db) & 0xff) == SQLITE_TOOBIG)
        return segue_store_fail_damaged(err, "a value is longer than SQLite allows");
    return segue_sqlite_fail(store, err);
}

/* Go over the rows of a bound statement, and leave it ready; the first `keys` columns name a row.
 */
static segue_status each(segue_store *store, sqlite3_stmt *sql, const char *table, int keys,
                         row_seen seen, void *reader, segue_error *err)
{
    segue_status status = SEGUE_OK;
    int code = SQLITE_ROW;
    while (status == SEGUE_OK && (code = sqlite3_step(sql)) == SQLITE_ROW) {
        sql_row row = {.sql = sql, .table = table, .keys = keys, .err = err};
        status = seen(reader, &row, err);
    }
    if (status == SEGUE_OK && code != SQLITE_DONE)
        status = fail_step(store, err);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

/* ---- learners and arms ------------------------------------------------------------------- */

typedef struct learner_reader {
    segue_store_learner_callback seen;
    void *context;
} learner_reader;

/* A damaged row is handed on as such: the others are not to suffer from it. */
static segue_status read_learner(void *reader, sql_row *row, segue_error *err)
{
    const learner_reader *r = reader;
    segue_error why;
    sql_row own = {.sql = row->sql, .table = row->table, .keys = row->keys, .err = &why};
    segue_stored_learner learner = {.id = sqlite3_column_int64(row->sql, 0),
                                    .name = segue_sqlite_row_text(&own, 1, SEGUE_MAX_STORE_NAME),
                                    .config = segue_sqlite_row_text(&own, 2, SEGUE_MAX_ROW_TEXT),
                                    .created = segue_sqlite_row_real(&own, 3)};
    (void)segue_sqlite_row_integer(&own, 0, 1, SEGUE_MAX_LEARNER_ID);
    if (own.status == SEGUE_ENOMEM)
        return segue_fail(err, own.status, "%s", why.message);
    if (own.status != SEGUE_OK)
        learner.damage = why.message;
    return r->seen(r->context, &learner, err);
}

segue_status segue_store_each_learner(segue_store *store, segue_store_learner_callback seen,
                                      void *context, segue_error *err)
{
    learner_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_LEARNERS, err);
    return sql ? each(store, sql, "learner", 1, read_learner, &r, err) : SEGUE_EIO;
}

segue_status segue_store_last_learner(segue_store *store, int64_t *id, segue_error *err)
{
    return segue_sqlite_query_integer(
        store, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'learner'), 0)", id,
        err);
}

typedef struct arm_reader {
    segue_store_arm_callback seen;
    void *context;
} arm_reader;

static segue_status read_arm(void *reader, sql_row *row, segue_error *err)
{
    const arm_reader *r = reader;
    const segue_stored_arm arm = {
        .place = (size_t)segue_sqlite_row_integer(row, 1, 0, SEGUE_MAX_ROW_ARMS - 1),
        .name = segue_sqlite_row_text(row, 2, SEGUE_MAX_STORE_NAME),
        .retired = !segue_sqlite_row_is_null(row, 4),
        .pulls = segue_sqlite_row_count(row, 5),
        .total = segue_sqlite_row_real(row, 6)};
    (void)segue_sqlite_row_real(row, 3);
    if (arm.retired)
        (void)segue_sqlite_row_real(row, 4);
    return row->status == SEGUE_OK ? r->seen(r->context, &arm, err) : row->status;
}

segue_status segue_store_each_arm(segue_store *store, int64_t learner,
                                  segue_store_arm_callback seen, void *context, segue_error *err)
{
    arm_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_ARMS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    return each(store, sql, "arm", 2, read_arm, &r, err);
}

/* ---- tasks ------------------------------------------------------------------------------- */

typedef struct task_reader {
    segue_store_task_callback seen;
    void *context;
} task_reader;

static segue_stored_task task_of(sql_row *row)
{
    const bool open = segue_sqlite_row_is_null(row, 7),
               unclosed = segue_sqlite_row_is_null(row, 10);
    const segue_stored_task task = {
        .id = segue_sqlite_row_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .learner = segue_sqlite_row_integer(row, 1, 1, SEGUE_MAX_LEARNER_ID),
        .key = segue_sqlite_row_text(row, 2, SEGUE_MAX_STORE_NAME),
        .control = segue_sqlite_row_flag(row, 3),
        .version = segue_sqlite_row_count(row, 4),
        .n_arms = (size_t)segue_sqlite_row_integer(row, 5, 1, SEGUE_MAX_ROW_ARMS),
        .opened = segue_sqlite_row_real(row, 6),
        .open = open,
        .closed = open ? 0.0 : segue_sqlite_row_real(row, 7),
        .rewards = segue_sqlite_row_count(row, 8),
        .total = segue_sqlite_row_real(row, 9),
        .tag = segue_sqlite_row_is_null(row, 11)
                   ? 0
                   : (uint64_t)segue_sqlite_row_integer(row, 11, 1, INT64_MAX),
        .closed_seq =
            unclosed ? 0 : (uint64_t)segue_sqlite_row_integer(row, 10, 1, SEGUE_MAX_ROW_ID)};
    if (open != unclosed)
        segue_sqlite_row_fail(row, 10,
                              open ? "NULL, as the task is open" : "the event that closed it");
    return task;
}

static segue_status read_task(void *reader, sql_row *row, segue_error *err)
{
    const task_reader *r = reader;
    const segue_stored_task task = task_of(row);
    return row->status == SEGUE_OK ? r->seen(r->context, &task, err) : row->status;
}

segue_status segue_store_each_task(segue_store *store, int64_t learner,
                                   segue_store_task_filter which, uint64_t limit,
                                   segue_store_task_callback seen, void *context, segue_error *err)
{
    static const statement statements[] = {[SEGUE_TASKS_OPEN] = SQL_TASKS_OPEN,
                                           [SEGUE_TASKS_NEWEST_OPEN] = SQL_TASKS_NEWEST_OPEN,
                                           [SEGUE_TASKS_NEWEST_CLOSED] = SQL_TASKS_NEWEST_CLOSED,
                                           [SEGUE_TASKS_NEWEST] = SQL_TASKS_NEWEST};
    task_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sqlite_statement(store, statements[which], err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, limit < INT64_MAX ? (int64_t)limit : INT64_MAX);
    return each(store, sql, "task", 1, read_task, &r, err);
}

/* The one row of a bound statement, or none. */
static segue_status one_task(segue_store *store, sqlite3_stmt *sql, segue_stored_task *out,
                             bool *found, segue_error *err)
{
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    sql_row row = {.sql = sql, .table = "task", .keys = 1, .err = err};
    *found = code == SQLITE_ROW;
    if (*found) {
        *out = task_of(&row);
        status = row.status;
    } else if (code != SQLITE_DONE) {
        status = fail_step(store, err);
    }
    out->key = NULL; /* it is the statement's, and gone with it */
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

segue_status segue_store_find_task(segue_store *store, int64_t learner, const char *key,
                                   segue_stored_task *out, bool *found, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_TASK_BY_KEY, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_text(sql, 2, key, -1, SQLITE_STATIC);
    return one_task(store, sql, out, found, err);
}

segue_status segue_store_read_task(segue_store *store, int64_t id, segue_stored_task *out,
                                   bool *found, segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_TASK_BY_ID, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, id);
    return one_task(store, sql, out, found, err);
}

static segue_status read_key(void *key, sql_row *row, segue_error *err)
{
    (void)err;
    (void)snprintf(key, SEGUE_MAX_STORE_NAME + 1, "%s",
                   segue_sqlite_row_text(row, 2, SEGUE_MAX_STORE_NAME));
    return row->status;
}

segue_status segue_store_task_key(segue_store *store, int64_t id,
                                  char key[SEGUE_MAX_STORE_NAME + 1], segue_error *err)
{
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_TASK_BY_ID, err);
    if (!sql)
        return SEGUE_EIO;
    key[0] = '\0';
    (void)sqlite3_bind_int64(sql, 1, id);
    const segue_status status = each(store, sql, "task", 1, read_key, key, err);
    return status == SEGUE_OK && key[0] == '\0'
               ? segue_store_fail_damaged(err,
                                          "a reward is of task %" PRId64 ", which is not there", id)
               : status;
}

/* ---- rewards ----------------------------------------------------------------------------- */

typedef struct reward_reader {
    segue_store_reward_callback seen;
    void *context;
    uint64_t next; /* the place that the next row must have */
} reward_reader;

static segue_stored_reward reward_of(sql_row *row)
{
    return (segue_stored_reward){
        .task = segue_sqlite_row_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .number = (uint64_t)segue_sqlite_row_integer(row, 1, INT64_MIN, INT64_MAX),
        .place = segue_sqlite_row_count(row, 2),
        .arm = (size_t)segue_sqlite_row_integer(row, 3, 0, SEGUE_MAX_ROW_ARMS - 1),
        .value = segue_sqlite_row_real(row, 4),
        .told = segue_sqlite_row_real(row, 5),
        .by_default = segue_sqlite_row_flag(row, 6)};
}

static segue_status read_reward(void *reader, sql_row *row, segue_error *err)
{
    reward_reader *r = reader;
    const segue_stored_reward reward = reward_of(row);
    if (reward.place != r->next++)
        segue_sqlite_row_fail(row, 2, "the places of a task's rewards from 0 on, without a gap");
    return row->status == SEGUE_OK ? r->seen(r->context, &reward, err) : row->status;
}

segue_status segue_store_each_reward(segue_store *store, int64_t task,
                                     segue_store_reward_callback seen, void *context,
                                     segue_error *err)
{
    reward_reader r = {seen, context, 0};
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_REWARDS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    return each(store, sql, "reward", 2, read_reward, &r, err);
}

typedef struct found_reward {
    segue_stored_reward *out;
    bool *found;
} found_reward;

static segue_status read_one_reward(void *reader, sql_row *row, segue_error *err)
{
    const found_reward *r = reader;
    (void)err;
    *r->out = reward_of(row);
    *r->found = row->status == SEGUE_OK;
    return row->status;
}

segue_status segue_store_find_reward(segue_store *store, int64_t task, uint64_t number,
                                     segue_stored_reward *out, bool *found, segue_error *err)
{
    *found = false;
    *out = (segue_stored_reward){.task = task};
    found_reward r = {out, found};
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_REWARD, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)number);
    return each(store, sql, "reward", 2, read_one_reward, &r, err);
}

/* ---- decisions --------------------------------------------------------------------------- */

typedef struct decision_reader {
    segue_store_decision_callback seen;
    void *context;
} decision_reader;

static segue_status read_decision(void *reader, sql_row *row, segue_error *err)
{
    const decision_reader *r = reader;
    const segue_stored_decision decision = {
        .task = segue_sqlite_row_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .number = (uint64_t)segue_sqlite_row_integer(row, 1, INT64_MIN, INT64_MAX),
        .arm = (size_t)segue_sqlite_row_integer(row, 2, 0, SEGUE_MAX_ROW_ARMS - 1),
        .version = segue_sqlite_row_count(row, 3),
        .event = segue_sqlite_row_is_null(row, 4)
                     ? NULL
                     : segue_sqlite_row_text(row, 4, SEGUE_MAX_STORE_NAME),
        .asked = segue_sqlite_row_real(row, 5),
        .probability = segue_sqlite_row_is_null(row, 6) ? 0.0 : segue_sqlite_row_real(row, 6),
        .exact = !segue_sqlite_row_is_null(row, 7) && segue_sqlite_row_flag(row, 7)};
    if (!(decision.probability >= 0.0 && decision.probability <= 1.0))
        segue_sqlite_row_fail(row, 6, "a probability");
    return row->status == SEGUE_OK ? r->seen(r->context, &decision, err) : row->status;
}

segue_status segue_store_each_decision(segue_store *store, int64_t task, const char *event,
                                       segue_store_decision_callback seen, void *context,
                                       segue_error *err)
{
    decision_reader r = {seen, context};
    sqlite3_stmt *sql =
        segue_sqlite_statement(store, event ? SQL_DECISIONS : SQL_TASK_DECISIONS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    if (event)
        (void)sqlite3_bind_text(sql, 2, event, -1, SQLITE_STATIC);
    return each(store, sql, "decision", 2, read_decision, &r, err);
}

segue_status segue_store_each_pending(segue_store *store, int64_t learner,
                                      segue_store_decision_callback seen, void *context,
                                      segue_error *err)
{
    decision_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_WAITING, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    return each(store, sql, "decision", 2, read_decision, &r, err);
}

/* ---- the journal and its snapshots ------------------------------------------------------- */

typedef struct event_reader {
    segue_store_event_callback seen;
    void *context;
} event_reader;

static segue_status read_event(void *reader, sql_row *row, segue_error *err)
{
    const event_reader *r = reader;
    const segue_stored_event event = {
        .seq = (uint64_t)segue_sqlite_row_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .learner = segue_sqlite_row_integer(row, 1, 1, SEGUE_MAX_LEARNER_ID),
        .kind = (segue_event_kind)segue_sqlite_row_integer(row, 2, SEGUE_EVENT_CLOSE,
                                                           SEGUE_EVENT_RETIRE_ARM),
        .subject = segue_sqlite_row_integer(row, 3, 0, SEGUE_MAX_ROW_ID),
        .when = segue_sqlite_row_real(row, 4)};
    return row->status == SEGUE_OK ? r->seen(r->context, &event, err) : row->status;
}

segue_status segue_store_each_event(segue_store *store, int64_t learner, uint64_t after,
                                    segue_store_event_callback seen, void *context,
                                    segue_error *err)
{
    event_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_EVENTS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)after);
    return each(store, sql, "journal", 1, read_event, &r, err);
}

typedef struct snapshot_reader {
    uint64_t *seq;
    void **bytes;
    size_t *size;
} snapshot_reader;

/* A copy of its bytes. */
static segue_status read_snapshot(void *reader, sql_row *row, segue_error *err)
{
    const snapshot_reader *r = reader;
    const uint64_t seq = (uint64_t)segue_sqlite_row_integer(row, 1, 1, SEGUE_MAX_ROW_ID);
    size_t size = 0;
    const void *data = segue_sqlite_row_blob(row, 2, &size);
    if (row->status != SEGUE_OK)
        return row->status;
    *r->bytes = malloc(size ? size : 1);
    if (!*r->bytes)
        return segue_fail_no_memory(err, "a snapshot");
    memcpy(*r->bytes, data, size);
    *r->size = size;
    *r->seq = seq;
    return SEGUE_OK;
}

segue_status segue_store_read_snapshot(segue_store *store, int64_t learner, uint64_t *seq,
                                       void **bytes, size_t *size, segue_error *err)
{
    snapshot_reader r = {seq, bytes, size};
    *seq = 0;
    *bytes = NULL;
    *size = 0;
    sqlite3_stmt *sql = segue_sqlite_statement(store, SQL_SNAPSHOT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    return each(store, sql, "snapshot", 2, read_snapshot, &r, err);
}
