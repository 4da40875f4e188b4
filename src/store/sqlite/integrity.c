/* integrity.c - whether the rows of a store fit together.
 *
 * The rows of a learner are read one by one, as they are read at work, and then compared with each
 * other.  What belongs to no learner is the whole file's: pages, indices, the key, the counters of
 * ids, and rows without an owner.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

/* ---- the file as a whole ----------------------------------------------------------------- */

/* What must not be there: how many of it, and what it is called. */
typedef struct damage {
    const char *count, *what;
} damage;

#define NO_LEARNER "learner NOT IN (SELECT id FROM learner)"

static const damage of_file[] = {
    {"SELECT count(*) FROM reward WHERE task NOT IN (SELECT id FROM task)",
     "rewards that are of no task or arm"},
    {"SELECT count(*) FROM decision WHERE task NOT IN (SELECT id FROM task)",
     "decisions that are of no task or arm"},
    {"SELECT (SELECT count(*) FROM task WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM arm WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM journal WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM snapshot WHERE " NO_LEARNER ")",
     "tasks, arms, events or snapshots of a learner that is not there"},
    {"SELECT count(*) FROM sqlite_sequence WHERE (name = 'learner' AND seq < (SELECT max(id) FROM "
     "learner)) OR (name = 'task' AND seq < (SELECT max(id) FROM task)) OR (name = 'journal' AND "
     "seq < (SELECT max(seq) FROM journal))",
     "counters that are behind the ids they count"},
};

/* Run counts, which may be about a learner (?1); the first that is not 0 is damage. */
static segue_status count_damage(segue_store *store, const damage *list, size_t n, int64_t learner,
                                 segue_error *err)
{
    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *sql = NULL;
        int64_t found = 0;
        segue_status status = SEGUE_OK;
        if (sqlite3_prepare_v2(store->db, list[i].count, -1, &sql, NULL) != SQLITE_OK ||
            (sqlite3_bind_parameter_count(sql) > 0 &&
             sqlite3_bind_int64(sql, 1, learner) != SQLITE_OK) ||
            sqlite3_step(sql) != SQLITE_ROW)
            status = segue_sqlite_fail(store, err);
        else
            found = sqlite3_column_int64(sql, 0);
        (void)sqlite3_finalize(sql);
        if (status == SEGUE_OK && found != 0)
            status = segue_store_fail_damaged(err, "%" PRId64 " %s", found, list[i].what);
        if (status != SEGUE_OK)
            return status;
    }
    return SEGUE_OK;
}

static segue_status check_pages(segue_store *store, segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    segue_status status = SEGUE_OK;
    const char *text = NULL;
    if (sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1, &sql, NULL) != SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW)
        status = segue_sqlite_fail(store, err);
    else if (!(text = (const char *)sqlite3_column_text(sql, 0)))
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory to check %s",
                            segue_path_tail(store->path));
    else if (strcmp(text, "ok") != 0)
        status = segue_store_fail_damaged(err, "%.200s", text);
    (void)sqlite3_finalize(sql);
    return status;
}

segue_status segue_store_verify_file(segue_store *store, segue_error *err)
{
    segue_status status = segue_sqlite_check_schema(store, err);
    if (status == SEGUE_OK)
        status = check_pages(store, err);
    if (status == SEGUE_OK)
        status = segue_store_verify_start(store, err);
    return status == SEGUE_OK
               ? count_damage(store, of_file, sizeof of_file / sizeof *of_file, 0, err)
               : status;
}

/* ---- one learner ------------------------------------------------------------------------- */

#define IS_CLOSE "kind = 1"
_Static_assert(SEGUE_EVENT_CLOSE == 1, "IS_CLOSE has another number");

static const damage of_learner[] = {
    {"SELECT count(*) FROM task AS t WHERE learner = ?1 AND closed_seq IS NOT NULL AND NOT EXISTS "
     "(SELECT 1 FROM journal WHERE seq = t.closed_seq AND " IS_CLOSE
     " AND subject = t.id AND learner = t.learner)",
     "tasks of which the journal does not say whether they are closed as they do"},
    {"SELECT count(*) FROM journal AS j WHERE learner = ?1 AND " IS_CLOSE
     " AND NOT EXISTS (SELECT 1 FROM task WHERE id = j.subject AND closed_seq = j.seq)",
     "ends of tasks where the journal does not say what the task does"},
    {"SELECT count(*) FROM task AS t JOIN decision AS d ON d.task = t.id WHERE t.learner = ?1 AND "
     "d.arm NOT BETWEEN 0 AND t.n_arms - 1",
     "decisions that are of no task or arm"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = ?1 AND "
     "r.arm NOT BETWEEN 0 AND t.n_arms - 1",
     "rewards that are of no task or arm"},
    {"SELECT count(*) FROM (SELECT t.rewards AS rewards, t.total AS total, count(r.task) AS n, "
     "coalesce(sum(r.value), 0) AS s, coalesce(sum(abs(r.value)), 0) AS m FROM task AS t LEFT JOIN "
     "reward AS r ON r.task = t.id WHERE t.learner = ?1 AND t.closed_seq IS NOT NULL GROUP BY "
     "t.id) WHERE rewards <> n OR abs(total - s) > 1e-9 * m",
     "tasks that count other rewards than there are"},
    {"SELECT count(*) FROM arm LEFT JOIN (SELECT r.arm AS arm_, count(*) AS n FROM task AS t JOIN "
     "reward AS r ON r.task = t.id WHERE t.learner = ?1 AND t.closed_seq IS NOT NULL GROUP BY 1) "
     "ON arm_ = place WHERE learner = ?1 AND pulls <> coalesce(n, 0)",
     "arms that count other rewards than there are"},
};

static segue_status pass_arm(void *context, const segue_stored_arm *arm, segue_error *err)
{
    (void)context;
    (void)arm;
    (void)err;
    return SEGUE_OK;
}

static segue_status pass_reward(void *context, const segue_stored_reward *reward, segue_error *err)
{
    (void)context;
    (void)reward;
    (void)err;
    return SEGUE_OK;
}

static segue_status pass_decision(void *context, const segue_stored_decision *decision,
                                  segue_error *err)
{
    (void)context;
    (void)decision;
    (void)err;
    return SEGUE_OK;
}

static segue_status pass_event(void *context, const segue_stored_event *event, segue_error *err)
{
    (void)context;
    (void)event;
    (void)err;
    return SEGUE_OK;
}

/* The rows of a task. */
static segue_status read_task(void *context, const segue_stored_task *task, segue_error *err)
{
    segue_store *store = context;
    const segue_status status = segue_store_each_reward(store, task->id, pass_reward, NULL, err);
    return status == SEGUE_OK
               ? segue_store_each_decision(store, task->id, NULL, pass_decision, NULL, err)
               : status;
}

segue_status segue_store_verify_learner(segue_store *store, int64_t learner, segue_error *err)
{
    segue_status status = segue_store_each_arm(store, learner, pass_arm, NULL, err);
    if (status == SEGUE_OK)
        status = segue_store_each_event(store, learner, 0, pass_event, NULL, err);
    if (status == SEGUE_OK)
        status = segue_store_each_task(store, learner, SEGUE_TASKS_NEWEST, UINT64_MAX, read_task,
                                       store, err);
    return status == SEGUE_OK ? count_damage(store, of_learner,
                                             sizeof of_learner / sizeof *of_learner, learner, err)
                              : status;
}
