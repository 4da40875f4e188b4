/* postgresql_statements.h - the SQL of a store, prepared when it is first used.
 *
 * The columns of a SELECT are those of sqlite_statements.h, in that order: stored_read.c reads both.
 * Inserts are in postgresql_batch.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_POSTGRESQL_POSTGRESQL_STATEMENTS_H
#define SEGUE_STORE_POSTGRESQL_POSTGRESQL_STATEMENTS_H

#define SEGUE_POSTGRESQL_STATEMENTS(X)                                                             \
    X(BEGIN, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")                                    \
    X(BEGIN_READ, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")                               \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(LOCK_META, META_COLUMNS " FROM meta FOR UPDATE")                                             \
    X(META, META_COLUMNS " FROM meta")                                                             \
    X(LOCK_WRITER,                                                                                 \
      META_COLUMNS_AND(                                                                            \
          "writer.commits") " FROM writer, meta WHERE session = $1 FOR UPDATE OF writer")          \
    X(SET_WRITER, "UPDATE writer SET commits = $2 WHERE session = $1")                             \
    X(SET_META, "UPDATE meta SET key = $1, boot = $2, commits = $3, learner = $4, task = $5, "     \
                "event = $6, clock = $7")                                                          \
    X(FIND_REWARDS, "SELECT r.task, r.number FROM unnest($1::bigint[], $2::bigint[]) AS k (task, " \
                    "number) JOIN reward AS r ON r.task = k.task AND r.number = k.number")         \
    X(SET_CONFIG, "UPDATE learner SET config = $2 WHERE id = $1")                                  \
    X(DELETE_LEARNER, "UPDATE learner SET name = NULL, config = '' WHERE id = $1")                 \
    X(DELETED, "SELECT id FROM learner WHERE name IS NULL AND config = '' LIMIT 1 "                \
               "FOR UPDATE SKIP LOCKED")                                                           \
    X(PURGE_REWARDS,                                                                               \
      "DELETE FROM reward WHERE (task, number) IN (SELECT task, number FROM reward "               \
      "WHERE task IN (" FIRST_TASKS ") LIMIT $2)")                                                 \
    X(PURGE_DECISIONS, "DELETE FROM decision WHERE (task, number) IN (SELECT task, number FROM "   \
                       "decision WHERE task IN (" FIRST_TASKS ") LIMIT $2)")                       \
    X(PURGE_REWARD_PARTS,                                                                          \
      "DELETE FROM reward_part WHERE (task, number, event) IN (SELECT task, "                      \
      "number, event FROM reward_part WHERE task IN (" FIRST_TASKS ") LIMIT $2)")                  \
    X(PURGE_TASKS, "DELETE FROM task WHERE id IN (" FIRST_TASKS ")")                               \
    X(PURGE_EVENTS, "DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE "                 \
                    "learner = $1 ORDER BY seq LIMIT $2)")                                         \
    X(PURGE_ARMS, "DELETE FROM arm WHERE learner = $1")                                            \
    X(PURGE_SNAPSHOTS, "DELETE FROM snapshot WHERE learner = $1")                                  \
    X(PURGE_INITIAL, "DELETE FROM initial WHERE learner = $1")                                     \
    X(PURGE_CHAIN, "DELETE FROM chain WHERE learner = $1 AND seq IN (SELECT seq FROM chain WHERE " \
                   "learner = $1 ORDER BY seq LIMIT $2)")                                          \
    X(PURGE_REMOVED, "DELETE FROM removed WHERE task IN (SELECT task FROM removed WHERE "          \
                     "learner = $1 LIMIT $2)")                                                     \
    X(PURGE_BASE, "DELETE FROM base WHERE learner = $1")                                           \
    X(PURGE_MERGED, "DELETE FROM merged WHERE learner = $1")                                       \
    X(PURGE_LEASE, "DELETE FROM lease WHERE learner = $1")                                         \
    X(PURGE_LEARNER, "DELETE FROM learner WHERE id = $1")                                          \
    X(CHAIN, "SELECT learner, seq, bytes FROM chain WHERE learner = $1 AND seq >= $2 "             \
             "ORDER BY seq")                                                                       \
    X(LAST_LINK, "SELECT learner, seq, bytes FROM chain WHERE learner = $1 "                       \
                 "ORDER BY seq DESC LIMIT 1")                                                      \
    X(REMOVED, "SELECT task, learner, counts, bytes, erased FROM removed WHERE task = $1")         \
    X(BASE, "SELECT learner, seq, bytes FROM base WHERE learner = $1")                             \
    X(SET_BASE, "INSERT INTO base SELECT learner, seq, bytes FROM snapshot WHERE learner = $1 "    \
                "ORDER BY seq DESC LIMIT 1 ON CONFLICT (learner) DO UPDATE SET "                   \
                "seq = excluded.seq, bytes = excluded.bytes")                                      \
    X(LAST_TRIM,                                                                                   \
      "SELECT seq, learner, kind, subject, created, epoch FROM event WHERE learner = $1 AND "      \
      "kind = 10 ORDER BY seq DESC LIMIT 1")                                                       \
    X(TASKS_CLOSED_AFTER,                                                                          \
      TASK_COLUMNS "WHERE learner = $1 AND closed_seq IS NOT NULL AND closed_seq > $2 "            \
                   "ORDER BY closed_seq")                                                          \
    X(REMOVE_TASK, "DELETE FROM task WHERE id = $1")                                               \
    X(REMOVE_REWARDS, "DELETE FROM reward WHERE task = $1")                                        \
    X(REMOVE_PARTS, "DELETE FROM reward_part WHERE task = $1")                                     \
    X(REMOVE_DECISIONS, "DELETE FROM decision WHERE task = $1")                                    \
    X(RENAME_TASK, "UPDATE task SET key = $2, tag = $3, features = NULL WHERE id = $1")            \
    X(RETIRE_ARM, "UPDATE arm SET retired = $3 WHERE learner = $1 AND position = $2")              \
    X(CLOSE_TASK, "UPDATE task SET closed = $2, closed_seq = $3, rewards = $4, total = $5 "        \
                  "WHERE id = $1")                                                                 \
    X(ADD_PULLS, "UPDATE arm SET pulls = pulls + r.n, total = arm.total + r.s FROM "               \
                 "(SELECT arm AS a, count(*) AS n, sum(value ORDER BY number) AS s FROM reward "   \
                 "WHERE task = $1 GROUP BY arm) AS r "                                             \
                 "WHERE arm.learner = $2 AND arm.position = r.a")                                  \
    X(DELETE_DECISIONS, "DELETE FROM decision WHERE task = $1 AND event IS NULL")                  \
    X(SET_REWARD, "UPDATE reward SET value = $3 WHERE task = $1 AND number = $2")                  \
    X(REWARD_PARTS, PART_COLUMNS "WHERE task = $1 AND number = $2 ORDER BY position")              \
    X(TASK_PARTS, PART_COLUMNS "WHERE task = $1 ORDER BY number, event")                           \
    X(REWARD, REWARD_COLUMNS "WHERE task = $1 AND number = $2")                                    \
    X(INITIAL, "SELECT learner, bytes FROM initial WHERE learner = $1")                            \
    X(MERGES, "SELECT learner, number, origins FROM merged WHERE learner = $1 ORDER BY number")    \
    X(MERGED, "SELECT learner, number, origins, bytes FROM merged WHERE learner = $1 AND "         \
              "number = $2")                                                                       \
    X(DELETE_SNAPSHOTS, "DELETE FROM snapshot WHERE learner = $1 AND seq <> $2")                   \
    X(LEARNERS, "SELECT id, name, config, created FROM learner "                                   \
                "WHERE name IS NOT NULL OR config IS DISTINCT FROM '' ORDER BY id")                \
    X(LEARNER, "SELECT id, name, config, created FROM learner WHERE id = $1")                      \
    X(ARMS,                                                                                        \
      "SELECT learner, position, name, added, retired, pulls, total FROM arm WHERE learner = $1 "  \
      "ORDER BY position")                                                                         \
    X(TASKS_OPEN, TASK_COLUMNS "WHERE learner = $1 AND closed IS NULL ORDER BY id")                \
    X(TASKS_NEWEST_OPEN,                                                                           \
      TASK_COLUMNS "WHERE learner = $1 AND closed IS NULL ORDER BY id DESC LIMIT $2")              \
    X(TASKS_NEWEST_CLOSED, TASK_COLUMNS "WHERE learner = $1 AND closed_seq IS NOT NULL ORDER BY "  \
                                        "closed_seq DESC LIMIT $2")                                \
    X(TASKS_NEWEST, TASK_COLUMNS "WHERE learner = $1 ORDER BY id DESC LIMIT $2")                   \
    X(TASKS, TASK_COLUMNS "WHERE learner = $1 ORDER BY id")                                        \
    X(TASK_BY_KEY, TASK_COLUMNS "WHERE learner = $1 AND key = $2")                                 \
    X(TASK_BY_ID, TASK_COLUMNS "WHERE id = $1")                                                    \
    X(REWARDS, REWARD_COLUMNS "WHERE task = $1 ORDER BY position")                                 \
    X(DECISIONS, DECISION_COLUMNS "WHERE task = $1 AND event = $2 ORDER BY number")                \
    X(TASK_DECISIONS, DECISION_COLUMNS "WHERE task = $1 ORDER BY number")                          \
    X(WAITING, "SELECT d.task, d.number, d.arm, d.version, d.event, d.created, CASE WHEN "         \
               "d.segue_arm IS NOT NULL THEN d.probability END, NULL::bigint, d.segue_arm, "       \
               "d.segue_probability FROM decision AS d JOIN task AS t ON t.id = d.task WHERE "     \
               "t.learner = $1 AND t.closed IS NULL AND "                                          \
               "NOT EXISTS (SELECT 1 FROM reward AS r WHERE r.task = d.task AND "                  \
               "r.number = d.number) ORDER BY d.created, d.task, d.number")                        \
    X(EVENTS,                                                                                      \
      "SELECT seq, learner, kind, subject, created, epoch FROM event WHERE learner = $1 AND "      \
      "seq > $2 ORDER BY seq")                                                                     \
    X(SNAPSHOT,                                                                                    \
      "SELECT learner, seq, bytes FROM snapshot WHERE learner = $1 ORDER BY seq DESC LIMIT 1")

/* The row of table meta, and the settings that say what a commit promises. */
#define META_COLUMNS META_COLUMNS_AND("commits")
#define META_COLUMNS_AND(commits)                                                                  \
    "SELECT format, key, boot, " commits ", learner, task, event, clock, "                         \
    "current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), "        \
    "current_setting('fsync')"

#define FIRST_TASKS "SELECT id FROM task WHERE learner = $1 ORDER BY id LIMIT $2"

#define DECISION_COLUMNS                                                                           \
    "SELECT task, number, arm, version, event, created, probability, exact, segue_arm, "           \
    "segue_probability FROM decision "

#define REWARD_COLUMNS                                                                             \
    "SELECT task, number, position, arm, value, created, by_default, probability, asks, "          \
    "segue_arm, segue_probability FROM reward "

#define PART_COLUMNS "SELECT task, number, event, position, value, created FROM reward_part "

#define TASK_COLUMNS                                                                               \
    "SELECT id, learner, key, control, version, n_arms, opened, closed, rewards, total, "          \
    "closed_seq, tag, control_share, features FROM task "

typedef enum postgresql_statement {
#define SEGUE_STATEMENT_ENUM(name, text) PG_##name,
    SEGUE_POSTGRESQL_STATEMENTS(SEGUE_STATEMENT_ENUM)
#undef SEGUE_STATEMENT_ENUM
        N_POSTGRESQL_STATEMENTS
} postgresql_statement;

#endif
