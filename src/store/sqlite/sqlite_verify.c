/* sqlite_verify.c - the check of a store.
 *
 * verify           pages and indices (PRAGMA integrity_check), the key, the counters of ids, and
 *                  rows whose learner or task does not exist
 * verify_learner   counts of rows of one learner that contradict each other, each by one SELECT that
 *                  must give 0
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

/* ---- the file as a whole ----------------------------------------------------------------- */

/* A SELECT that counts damaged rows, and what to call them. */
typedef struct damage {
    const char *count, *what;
} damage;

#define NO_LEARNER "learner NOT IN (SELECT id FROM learner)"

static const damage of_file[] = {
    {"SELECT count(*) FROM reward WHERE task NOT IN (SELECT id FROM task)",
     "rewards of no task or arm"},
    {"SELECT count(*) FROM decision WHERE task NOT IN (SELECT id FROM task)",
     "decisions of no task or arm"},
    {"SELECT count(*) FROM removed WHERE task NOT IN (SELECT id FROM task)",
     "removed rewards of no task"},
    {"SELECT count(*) FROM reward_part WHERE task NOT IN (SELECT id FROM task)",
     "parts of rewards of no task"},
    {"SELECT (SELECT count(*) FROM task WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM arm WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM event WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM initial WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM chain WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM removed WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM base WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM merged WHERE " NO_LEARNER
     ") + (SELECT count(*) FROM snapshot WHERE " NO_LEARNER ")",
     "tasks, arms, events, initial states, merged learners, snapshots or links of a learner that "
     "does not exist"},
    {"SELECT count(*) FROM sqlite_sequence WHERE (name = 'learner' AND seq < (SELECT max(id) FROM "
     "learner)) OR (name = 'task' AND seq < (SELECT max(id) FROM task)) OR (name = 'event' AND "
     "seq < (SELECT max(seq) FROM event))",
     "counters smaller than the ids they count"},
};

/* Run one SELECT; its parameter ?1, if it has one, is the learner. */
static segue_status count_rows(sqlite_store *store, const char *select, int64_t learner,
                               int64_t *out, segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    segue_status status = SEGUE_OK;
    if (sqlite3_prepare_v2(store->db, select, -1, &sql, NULL) != SQLITE_OK ||
        (sqlite3_bind_parameter_count(sql) > 0 &&
         sqlite3_bind_int64(sql, 1, learner) != SQLITE_OK) ||
        sqlite3_step(sql) != SQLITE_ROW)
        status = segue_sqlite_fail(store, err);
    else
        *out = sqlite3_column_int64(sql, 0);
    (void)sqlite3_finalize(sql);
    return status;
}

/* Report the first count that is not 0. */
static segue_status count_damage(sqlite_store *store, const damage *list, size_t n, int64_t learner,
                                 segue_error *err)
{
    for (size_t i = 0; i < n; i++) {
        int64_t found = 0;
        SEGUE_TRY(count_rows(store, list[i].count, learner, &found, err));
        if (found != 0)
            return segue_store_fail_damaged(err, "%s: %" PRId64, list[i].what, found);
    }
    return SEGUE_OK;
}

/* The pragma stops at the first problem; its text goes into the error. */
static segue_status check_pages(sqlite_store *store, segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    segue_status status = SEGUE_OK;
    const char *text = NULL;
    if (sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1, &sql, NULL) != SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW)
        status = segue_sqlite_fail(store, err);
    else if (!(text = (const char *)sqlite3_column_text(sql, 0)))
        status = segue_fail(err, SEGUE_ENOMEM, "out of memory to check %s",
                            segue_path_tail(store->base.location));
    else if (strcmp(text, "ok") != 0)
        status = segue_store_fail_damaged(err, "%.200s", text);
    (void)sqlite3_finalize(sql);
    return status;
}

segue_status segue_sqlite_verify(segue_store *base, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    SEGUE_TRY(segue_sqlite_check_schema(store, err));
    SEGUE_TRY(check_pages(store, err));
    SEGUE_TRY(segue_sqlite_verify_start(store, err));
    return count_damage(store, of_file, sizeof of_file / sizeof *of_file, 0, err);
}

/* ---- one learner ------------------------------------------------------------------------- */

#define IS_CLOSE "kind = 1"
#define IS_MERGE "kind = 12"
_Static_assert(SEGUE_EVENT_CLOSE == 1, "IS_CLOSE has another number");
_Static_assert(SEGUE_EVENT_TRIM == 10 && SEGUE_EVENT_ERASE == 11, "kinds of removals");

#define AGGREGATE                                                                                  \
    "coalesce(CASE WHEN json_valid(l.config) THEN json_extract(l.config, '$.aggregate') END, "     \
    "'first')"
#define THEIR_PARTS "FROM reward_part AS p WHERE p.task = r.task AND p.number = r.number"
_Static_assert(SEGUE_EVENT_MERGE == 12, "IS_MERGE has another number");

static const damage of_learner[] = {
    {"SELECT count(*) FROM task AS t WHERE learner = ?1 AND closed_seq IS NOT NULL AND NOT EXISTS "
     "(SELECT 1 FROM event WHERE seq = t.closed_seq AND " IS_CLOSE
     " AND subject = t.id AND learner = t.learner)",
     "tasks whose closed state disagrees with the event log"},
    {"SELECT count(*) FROM event AS j WHERE learner = ?1 AND " IS_CLOSE
     " AND NOT EXISTS (SELECT 1 FROM task WHERE id = j.subject AND closed_seq = j.seq)",
     "close events that do not match their task"},
    {"SELECT count(*) FROM task AS t JOIN decision AS d ON d.task = t.id WHERE t.learner = ?1 AND "
     "d.arm NOT BETWEEN 0 AND t.n_arms - 1",
     "decisions of no task or arm"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = ?1 AND "
     "r.arm NOT BETWEEN 0 AND t.n_arms - 1",
     "rewards of no task or arm"},
    {"SELECT count(*) FROM removed AS x JOIN reward AS r ON r.task = x.task WHERE x.learner = ?1",
     "rewards that were removed, and are there"},
    {"SELECT count(*) FROM removed AS x JOIN task AS t ON t.id = x.task WHERE x.learner = ?1 AND "
     "NOT EXISTS (SELECT 1 FROM event AS e WHERE e.learner = ?1 AND ((e.kind = 10 AND NOT x.erased "
     "AND e.subject >= t.closed_seq) OR (e.kind = 11 AND x.erased AND e.subject = t.id)))",
     "removed rewards without an event that removed them"},
    {"SELECT count(*) FROM (SELECT epoch, max(epoch) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED "
     "PRECEDING AND 1 PRECEDING) AS before FROM event WHERE learner = ?1 AND epoch <> 0) AS e "
     "WHERE "
     "epoch < before",
     "events of an owner after those of a later one"},
    {"SELECT count(*) FROM removed AS x WHERE learner = ?1 AND NOT json_valid(counts)",
     "removed rewards whose counts are not JSON"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = ?1 AND "
     "(r.segue_arm NOT BETWEEN 0 AND t.n_arms - 1 OR (r.segue_arm IS NULL) <> "
     "(r.segue_probability IS NULL))",
     "rewards in shadow mode whose columns disagree"},
    {"SELECT count(*) FROM merged AS m WHERE learner = ?1 AND NOT EXISTS (SELECT 1 FROM event "
     "WHERE "
     "learner = m.learner AND " IS_MERGE " AND subject = m.number)",
     "merged learners that the event log lacks"},
    {"SELECT count(*) FROM (SELECT t.rewards AS rewards, t.total AS total, count(r.task) AS n, "
     "coalesce(sum(r.value), 0) AS s, coalesce(sum(abs(r.value)), 0) AS m FROM task AS t LEFT JOIN "
     "reward AS r ON r.task = t.id WHERE t.learner = ?1 AND t.closed_seq IS NOT NULL AND "
     "t.id NOT IN (SELECT task FROM removed) GROUP BY t.id) WHERE rewards <> n OR abs(total - s) > "
     "1e-9 * m",
     "tasks whose reward counts differ from their rewards"},
    {"SELECT count(*) FROM arm LEFT JOIN (SELECT a AS arm_, sum(k) AS n FROM (SELECT r.arm AS a, "
     "count(*) AS k FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = ?1 AND "
     "t.closed_seq IS NOT NULL GROUP BY 1 UNION ALL SELECT CAST(c.key AS INTEGER), "
     "json_extract(c.value, '$[0]') FROM removed AS x JOIN json_each(x.counts) AS c WHERE "
     "x.learner = ?1) GROUP BY 1) "
     "ON arm_ = position WHERE learner = ?1 AND pulls <> coalesce(n, 0)",
     "arms whose pull counts differ from their rewards"},
    {"SELECT count(*) FROM (SELECT p.task, p.number, count(*) AS n, max(p.position) AS last FROM "
     "task AS t JOIN reward_part AS p ON p.task = t.id WHERE t.learner = ?1 GROUP BY 1, 2) AS d "
     "LEFT JOIN reward AS r ON r.task = d.task AND r.number = d.number WHERE d.n <> d.last + 1 OR "
     "r.by_default IS NOT 0",
     "parts of rewards that are missing, or of no reward"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id JOIN learner AS l ON l.id = "
     "t.learner WHERE t.learner = ?1 AND r.by_default = 0 AND CASE " AGGREGATE
     " WHEN 'first' THEN EXISTS (SELECT 1 " THEIR_PARTS
     ") WHEN 'sum' THEN NOT coalesce((SELECT abs(sum(p.value) - r.value) <= 1e-9 * "
     "sum(abs(p.value)) " THEIR_PARTS
     "), 0) WHEN 'max' THEN r.value IS NOT (SELECT max(p.value) " THEIR_PARTS
     ") ELSE r.value IS NOT (SELECT p.value " THEIR_PARTS " ORDER BY p.position DESC LIMIT 1) END",
     "rewards that differ from their parts"},
};

segue_status segue_sqlite_verify_learner(segue_store *base, int64_t learner, segue_error *err)
{
    return count_damage(segue_sqlite_of(base), of_learner, sizeof of_learner / sizeof *of_learner,
                        learner, err);
}
