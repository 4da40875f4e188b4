/* postgresql_verify.c - the check of a store.
 *
 * verify           tables and indices, the key, the counters of ids, and rows whose learner or task
 *                  does not exist; pg_amcheck checks pages, which PostgreSQL does not show here
 * verify_learner   counts of rows of one learner that contradict each other, each by one SELECT that
 *                  must give 0
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

/* A SELECT that counts damaged rows, and what to call them. */
typedef struct damage {
    const char *count, *what;
} damage;

/* ---- the store as a whole ---------------------------------------------------------------- */

#define WITHOUT(table, owner, key)                                                                 \
    "(SELECT count(*) FROM " table " AS x WHERE NOT EXISTS (SELECT 1 FROM " owner                  \
    " WHERE id = x." key "))"

static const damage of_store[] =
    {
        {"SELECT " WITHOUT("reward", "task", "task"), "rewards of no task or arm"},
        {"SELECT " WITHOUT("decision", "task", "task"), "decisions of no task or arm"},
        {"SELECT " WITHOUT("removed", "task", "task"), "removed rewards of no task"},
        {"SELECT " WITHOUT("reward_part", "task", "task"), "parts of rewards of no task"},
        {"SELECT " WITHOUT("task", "learner", "learner") " + " WITHOUT("arm", "learner", "learner") " + " WITHOUT("event", "learner", "learner") " + " WITHOUT(
             "initial", "learner",
             "learner") " + " WITHOUT("chain", "learner",
                                      "learner") " + " WITHOUT("removed", "learner",
                                                               "learner") " + " WITHOUT("base",
                                                                                        "learne"
                                                                                        "r",
                                                                                        "learne"
                                                                                        "r") " "
                                                                                             "+"
                                                                                             " " WITHOUT(
                                                                                                 "m"
                                                                                                 "e"
                                                                                                 "r"
                                                                                                 "g"
                                                                                                 "e"
                                                                                                 "d",
                                                                                                 "l"
                                                                                                 "e"
                                                                                                 "a"
                                                                                                 "r"
                                                                                                 "n"
                                                                                                 "e"
                                                                                                 "r",
                                                                                                 "l"
                                                                                                 "e"
                                                                                                 "a"
                                                                                                 "r"
                                                                                                 "n"
                                                                                                 "e"
                                                                                                 "r") " + " WITHOUT("snapshot",
                                                                                                                    "learner",
                                                                                                                    "learner"),
         "tasks, arms, events, initial states, merged learners, snapshots or links of a "
         "learner that "
         "does not exist"},
};

/* Report the first count that is not 0. */
static segue_status count_damage(postgresql_store *store, const damage *list, size_t n,
                                 int64_t learner, segue_error *err)
{
    for (size_t i = 0; i < n; i++) {
        int64_t found = 0;
        SEGUE_TRY(segue_postgresql_pipeline_count(store, list[i].count, learner, &found, err));
        if (found != 0)
            return segue_store_fail_damaged(err, "%s: %" PRId64, list[i].what, found);
    }
    return SEGUE_OK;
}

segue_status segue_postgresql_verify(segue_store *base, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_schema_check_tables(store, err));
    SEGUE_TRY(segue_postgresql_meta_verify(store, err));
    return count_damage(store, of_store, sizeof of_store / sizeof *of_store, 0, err);
}

/* ---- one learner ------------------------------------------------------------------------- */

#define IS_CLOSE "kind = 1"
#define IS_MERGE "kind = 12"
_Static_assert(SEGUE_EVENT_CLOSE == 1 && SEGUE_EVENT_MERGE == 12, "IS_... has another number");
_Static_assert(SEGUE_EVENT_TRIM == 10 && SEGUE_EVENT_ERASE == 11, "kinds of removals");

#define AGGREGATE   "coalesce(l.config::json ->> 'aggregate', 'first')"
#define THEIR_PARTS "FROM reward_part AS p WHERE p.task = r.task AND p.number = r.number"

static const damage of_learner[] = {
    {"SELECT count(*) FROM task AS t WHERE learner = $1 AND closed_seq IS NOT NULL AND NOT EXISTS "
     "(SELECT 1 FROM event WHERE seq = t.closed_seq AND " IS_CLOSE
     " AND subject = t.id AND learner = t.learner)",
     "tasks whose closed state disagrees with the event log"},
    {"SELECT count(*) FROM event AS j WHERE learner = $1 AND " IS_CLOSE
     " AND NOT EXISTS (SELECT 1 FROM task WHERE id = j.subject AND closed_seq = j.seq)",
     "close events that do not match their task"},
    {"SELECT count(*) FROM task AS t JOIN decision AS d ON d.task = t.id WHERE t.learner = $1 AND "
     "d.arm NOT BETWEEN 0 AND t.n_arms - 1",
     "decisions of no task or arm"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = $1 AND "
     "r.arm NOT BETWEEN 0 AND t.n_arms - 1",
     "rewards of no task or arm"},
    {"SELECT count(*) FROM removed AS x JOIN reward AS r ON r.task = x.task WHERE x.learner = $1",
     "rewards that were removed, and are there"},
    {"SELECT count(*) FROM removed AS x JOIN task AS t ON t.id = x.task WHERE x.learner = $1 AND "
     "NOT EXISTS (SELECT 1 FROM event AS e WHERE e.learner = $1 AND ((e.kind = 10 AND x.erased = 0 "
     "AND e.subject >= t.closed_seq) OR (e.kind = 11 AND x.erased = 1 AND e.subject = t.id)))",
     "removed rewards without an event that removed them"},
    {"SELECT count(*) FROM (SELECT epoch, max(epoch) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED "
     "PRECEDING AND 1 PRECEDING) AS before FROM event WHERE learner = $1 AND epoch <> 0) AS e "
     "WHERE "
     "epoch < before",
     "events of an owner after those of a later one"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = $1 AND "
     "(r.segue_arm NOT BETWEEN 0 AND t.n_arms - 1 OR (r.segue_arm IS NULL) <> "
     "(r.segue_probability IS NULL))",
     "rewards in shadow mode whose columns disagree"},
    {"SELECT count(*) FROM merged AS m WHERE learner = $1 AND NOT EXISTS (SELECT 1 FROM event "
     "WHERE "
     "learner = m.learner AND " IS_MERGE " AND subject = m.number)",
     "merged learners that the event log lacks"},
    {"SELECT count(*) FROM (SELECT t.rewards AS rewards, t.total AS total, count(r.task) AS n, "
     "coalesce(sum(r.value), 0) AS s, coalesce(sum(abs(r.value)), 0) AS m FROM task AS t LEFT JOIN "
     "reward AS r ON r.task = t.id WHERE t.learner = $1 AND t.closed_seq IS NOT NULL AND "
     "NOT EXISTS (SELECT 1 FROM removed WHERE task = t.id) GROUP BY t.id) AS d WHERE rewards <> n "
     "OR abs(total - s) > 1e-9 * m",
     "tasks whose reward counts differ from their rewards"},
    {"SELECT count(*) FROM arm LEFT JOIN (SELECT a AS arm_, sum(k) AS n FROM (SELECT r.arm AS a, "
     "count(*) AS k FROM task AS t JOIN reward AS r ON r.task = t.id WHERE t.learner = $1 AND "
     "t.closed_seq IS NOT NULL GROUP BY 1 UNION ALL SELECT c.key::bigint, "
     "(c.value ->> 0)::bigint FROM removed AS x CROSS JOIN json_each(x.counts::json) AS c WHERE "
     "x.learner = $1) AS k GROUP BY 1) AS p "
     "ON arm_ = position WHERE learner = $1 AND pulls <> coalesce(n, 0)",
     "arms whose pull counts differ from their rewards"},
    {"SELECT count(*) FROM (SELECT p.task, p.number, count(*) AS n, max(p.position) AS last FROM "
     "task AS t JOIN reward_part AS p ON p.task = t.id WHERE t.learner = $1 GROUP BY 1, 2) AS d "
     "LEFT JOIN reward AS r ON r.task = d.task AND r.number = d.number WHERE d.n <> d.last + 1 OR "
     "r.by_default IS DISTINCT FROM 0",
     "parts of rewards that are missing, or of no reward"},
    {"SELECT count(*) FROM task AS t JOIN reward AS r ON r.task = t.id JOIN learner AS l ON l.id = "
     "t.learner WHERE t.learner = $1 AND r.by_default = 0 AND CASE " AGGREGATE
     " WHEN 'first' THEN EXISTS (SELECT 1 " THEIR_PARTS
     ") WHEN 'sum' THEN NOT coalesce((SELECT abs(sum(p.value) - r.value) <= 1e-9 * "
     "sum(abs(p.value)) " THEIR_PARTS
     "), false) WHEN 'max' THEN r.value IS DISTINCT FROM (SELECT max(p.value) " THEIR_PARTS
     ") ELSE r.value IS DISTINCT FROM (SELECT p.value " THEIR_PARTS
     " ORDER BY p.position DESC LIMIT 1) END",
     "rewards that differ from their parts"},
};

segue_status segue_postgresql_verify_learner(segue_store *base, int64_t learner, segue_error *err)
{
    return count_damage(segue_postgresql_of(base), of_learner,
                        sizeof of_learner / sizeof *of_learner, learner, err);
}
