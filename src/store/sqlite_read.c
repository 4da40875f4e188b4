/* sqlite_read.c - read a store: rows to structs, and a call for each.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "store/sqlite.h"

/* What a row means: hand it to whoever wants it. */
typedef segue_status (*row_seen)(void *reader, sqlite3_stmt *sql, segue_error *err);

/* Go over the rows of a bound statement, and leave it ready. */
static segue_status each(segue_store *store, sqlite3_stmt *sql, row_seen seen, void *reader,
                         segue_error *err)
{
    segue_status status = SEGUE_OK;
    int code = SQLITE_ROW;
    while (status == SEGUE_OK && (code = sqlite3_step(sql)) == SQLITE_ROW)
        status = seen(reader, sql, err);
    if (status == SEGUE_OK && code != SQLITE_DONE)
        status = segue_sql_fail(store, err);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

static const char *text_of(sqlite3_stmt *sql, int column)
{
    return (const char *)sqlite3_column_text(sql, column);
}

/* ---- learners and arms ------------------------------------------------------------------- */

typedef struct learner_reader {
    segue_learner_seen seen;
    void *context;
} learner_reader;

static segue_status read_learner(void *reader, sqlite3_stmt *sql, segue_error *err)
{
    const learner_reader *r = reader;
    const segue_stored_learner learner = {.id = sqlite3_column_int64(sql, 0),
                                          .name = text_of(sql, 1),
                                          .config = text_of(sql, 2),
                                          .created = sqlite3_column_double(sql, 3)};
    return r->seen(r->context, &learner, err);
}

segue_status segue_store_learners(segue_store *store, segue_learner_seen seen, void *context,
                                  segue_error *err)
{
    learner_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, SQL_LEARNERS, err);
    return sql ? each(store, sql, read_learner, &r, err) : SEGUE_EIO;
}

typedef struct arm_reader {
    segue_arm_seen seen;
    void *context;
} arm_reader;

static segue_status read_arm(void *reader, sqlite3_stmt *sql, segue_error *err)
{
    const arm_reader *r = reader;
    const segue_stored_arm arm = {.place = (size_t)sqlite3_column_int64(sql, 0),
                                  .name = text_of(sql, 1),
                                  .retired = sqlite3_column_type(sql, 2) != SQLITE_NULL,
                                  .pulls = (uint64_t)sqlite3_column_int64(sql, 3),
                                  .total = sqlite3_column_double(sql, 4)};
    return r->seen(r->context, &arm, err);
}

segue_status segue_store_arms(segue_store *store, int64_t learner, segue_arm_seen seen,
                              void *context, segue_error *err)
{
    arm_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, SQL_ARMS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    return each(store, sql, read_arm, &r, err);
}

/* ---- tasks ------------------------------------------------------------------------------- */

typedef struct task_reader {
    segue_task_seen seen;
    void *context;
} task_reader;

static segue_stored_task task_of(sqlite3_stmt *sql)
{
    return (segue_stored_task){.id = sqlite3_column_int64(sql, 0),
                               .learner = sqlite3_column_int64(sql, 1),
                               .key = text_of(sql, 2),
                               .control = sqlite3_column_int64(sql, 3) != 0,
                               .version = (uint64_t)sqlite3_column_int64(sql, 4),
                               .n_arms = (size_t)sqlite3_column_int64(sql, 5),
                               .opened = sqlite3_column_double(sql, 6),
                               .open = sqlite3_column_type(sql, 7) == SQLITE_NULL,
                               .closed = sqlite3_column_double(sql, 7),
                               .rewards = (uint64_t)sqlite3_column_int64(sql, 8),
                               .total = sqlite3_column_double(sql, 9),
                               .tag = (uint64_t)sqlite3_column_int64(sql, 10)};
}

static segue_status read_task(void *reader, sqlite3_stmt *sql, segue_error *err)
{
    const task_reader *r = reader;
    const segue_stored_task task = task_of(sql);
    return r->seen(r->context, &task, err);
}

segue_status segue_store_tasks(segue_store *store, int64_t learner, segue_tasks_which which,
                               uint64_t limit, segue_task_seen seen, void *context,
                               segue_error *err)
{
    static const statement statements[] = {[SEGUE_TASKS_OPEN] = SQL_TASKS_OPEN,
                                           [SEGUE_TASKS_NEWEST_OPEN] = SQL_TASKS_NEWEST_OPEN,
                                           [SEGUE_TASKS_NEWEST_CLOSED] = SQL_TASKS_NEWEST_CLOSED,
                                           [SEGUE_TASKS_NEWEST] = SQL_TASKS_NEWEST};
    task_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, statements[which], err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, limit < INT64_MAX ? (int64_t)limit : INT64_MAX);
    return each(store, sql, read_task, &r, err);
}

/* The one row of a bound statement, or none. */
static segue_status one_task(segue_store *store, sqlite3_stmt *sql, segue_stored_task *out,
                             bool *found, segue_error *err)
{
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    *found = code == SQLITE_ROW;
    if (*found)
        *out = task_of(sql);
    else if (code != SQLITE_DONE)
        status = segue_sql_fail(store, err);
    out->key = NULL; /* it is the statement's, and gone with it */
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

segue_status segue_store_find_task(segue_store *store, int64_t learner, const char *key,
                                   segue_stored_task *out, bool *found, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_TASK_BY_KEY, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_text(sql, 2, key, -1, SQLITE_STATIC);
    return one_task(store, sql, out, found, err);
}

segue_status segue_store_read_task(segue_store *store, int64_t id, segue_stored_task *out,
                                   bool *found, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_TASK_BY_ID, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, id);
    return one_task(store, sql, out, found, err);
}

segue_status segue_store_task_key(segue_store *store, int64_t id, char key[SEGUE_STORE_NAME + 1],
                                  segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_TASK_BY_ID, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, id);
    segue_status status = SEGUE_OK;
    const int code = sqlite3_step(sql);
    if (code == SQLITE_ROW)
        (void)snprintf(key, SEGUE_STORE_NAME + 1, "%s", text_of(sql, 2));
    else if (code != SQLITE_DONE)
        status = segue_sql_fail(store, err);
    else
        status = segue_fail(err, SEGUE_EFILE, "the store is damaged: a reward is of no task");
    (void)sqlite3_reset(sql);
    return status;
}

/* ---- rewards ----------------------------------------------------------------------------- */

typedef struct reward_reader {
    segue_reward_seen seen;
    void *context;
} reward_reader;

static segue_stored_reward reward_of(sqlite3_stmt *sql)
{
    return (segue_stored_reward){.task = sqlite3_column_int64(sql, 0),
                                 .number = (uint64_t)sqlite3_column_int64(sql, 1),
                                 .place = (uint64_t)sqlite3_column_int64(sql, 2),
                                 .arm = (size_t)sqlite3_column_int64(sql, 3),
                                 .value = sqlite3_column_double(sql, 4),
                                 .told = sqlite3_column_double(sql, 5),
                                 .by_default = sqlite3_column_int64(sql, 6) != 0};
}

static segue_status read_reward(void *reader, sqlite3_stmt *sql, segue_error *err)
{
    const reward_reader *r = reader;
    const segue_stored_reward reward = reward_of(sql);
    return r->seen(r->context, &reward, err);
}

segue_status segue_store_rewards(segue_store *store, int64_t task, segue_reward_seen seen,
                                 void *context, segue_error *err)
{
    reward_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, SQL_REWARDS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    return each(store, sql, read_reward, &r, err);
}

segue_status segue_store_find_reward(segue_store *store, int64_t task, uint64_t number,
                                     segue_stored_reward *out, bool *found, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_REWARD, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)number);
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    *found = code == SQLITE_ROW;
    *out = (segue_stored_reward){.task = task};
    if (*found)
        *out = reward_of(sql);
    else if (code != SQLITE_DONE)
        status = segue_sql_fail(store, err);
    (void)sqlite3_reset(sql);
    return status;
}

/* ---- decisions --------------------------------------------------------------------------- */

typedef struct decision_reader {
    segue_decision_seen seen;
    void *context;
} decision_reader;

static segue_status read_decision(void *reader, sqlite3_stmt *sql, segue_error *err)
{
    const decision_reader *r = reader;
    const segue_stored_decision decision = {.task = sqlite3_column_int64(sql, 0),
                                            .number = (uint64_t)sqlite3_column_int64(sql, 1),
                                            .arm = (size_t)sqlite3_column_int64(sql, 2),
                                            .version = (uint64_t)sqlite3_column_int64(sql, 3),
                                            .event = text_of(sql, 4),
                                            .asked = sqlite3_column_double(sql, 5),
                                            .probability = sqlite3_column_double(sql, 6),
                                            .exact = sqlite3_column_int64(sql, 7) != 0};
    return r->seen(r->context, &decision, err);
}

segue_status segue_store_decisions(segue_store *store, int64_t task, const char *event,
                                   segue_decision_seen seen, void *context, segue_error *err)
{
    decision_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, SQL_DECISIONS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task);
    (void)sqlite3_bind_text(sql, 2, event, -1, SQLITE_STATIC);
    return each(store, sql, read_decision, &r, err);
}

segue_status segue_store_waiting(segue_store *store, int64_t learner, segue_decision_seen seen,
                                 void *context, segue_error *err)
{
    decision_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, SQL_WAITING, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    return each(store, sql, read_decision, &r, err);
}

/* ---- the journal and its snapshots ------------------------------------------------------- */

typedef struct event_reader {
    segue_event_seen seen;
    void *context;
} event_reader;

static segue_status read_event(void *reader, sqlite3_stmt *sql, segue_error *err)
{
    const event_reader *r = reader;
    const segue_stored_event event = {.seq = (uint64_t)sqlite3_column_int64(sql, 0),
                                      .learner = sqlite3_column_int64(sql, 1),
                                      .kind = (segue_event_kind)sqlite3_column_int(sql, 2),
                                      .subject = sqlite3_column_int64(sql, 3),
                                      .when = sqlite3_column_double(sql, 4)};
    return r->seen(r->context, &event, err);
}

segue_status segue_store_events(segue_store *store, int64_t learner, uint64_t after,
                                segue_event_seen seen, void *context, segue_error *err)
{
    event_reader r = {seen, context};
    sqlite3_stmt *sql = segue_sql(store, SQL_EVENTS, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)after);
    return each(store, sql, read_event, &r, err);
}

/* A copy of the blob in a column. */
static segue_status copy_blob(sqlite3_stmt *sql, int column, void **bytes, size_t *size,
                              segue_error *err)
{
    *size = (size_t)sqlite3_column_bytes(sql, column);
    *bytes = malloc(*size ? *size : 1);
    if (!*bytes)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a snapshot");
    if (*size)
        memcpy(*bytes, sqlite3_column_blob(sql, column), *size);
    return SEGUE_OK;
}

segue_status segue_store_snapshot(segue_store *store, int64_t learner, uint64_t *seq, void **bytes,
                                  size_t *size, segue_error *err)
{
    *seq = 0;
    *bytes = NULL;
    *size = 0;
    sqlite3_stmt *sql = segue_sql(store, SQL_SNAPSHOT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    if (code == SQLITE_ROW) {
        *seq = (uint64_t)sqlite3_column_int64(sql, 0);
        status = copy_blob(sql, 1, bytes, size, err);
    } else if (code != SQLITE_DONE) {
        status = segue_sql_fail(store, err);
    }
    (void)sqlite3_reset(sql);
    return status;
}
