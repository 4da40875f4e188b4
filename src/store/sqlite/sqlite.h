/* sqlite.h - a store in one file of SQLite: the handle, and its statements.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_SQLITE_H
#define SEGUE_STORE_SQLITE_SQLITE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "store/store.h"

/* A number of the preprocessor inside of a statement. */
#define SEGUE_SQL_TEXT(number)  SEGUE_SQL_TEXT_(number)
#define SEGUE_SQL_TEXT_(number) #number

/* Let a file be of this program's format. */
#define SEGUE_SQL_SET_FORMAT "PRAGMA user_version = " SEGUE_SQL_TEXT(SEGUE_STORE_FORMAT) ";"

/* A learner that is being removed has neither name nor settings; up to format 2 it had settings. */
#define SEGUE_SQL_EMPTY_DELETED "UPDATE learner SET config = '' WHERE name IS NULL;"

/* Statements, prepared when they are first used. */
#define SEGUE_STATEMENTS(X)                                                                        \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(LOOK, "BEGIN")                                                                               \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(META, "SELECT value FROM meta WHERE name = ?1")                                              \
    X(SET_META, "INSERT OR REPLACE INTO meta VALUES (?1, ?2)")                                     \
    X(ADD_LEARNER, "INSERT INTO learner (name, config, created) VALUES (?1, ?2, ?3)")              \
    X(DELETE_LEARNER, "UPDATE learner SET name = NULL, config = '' WHERE id = ?1")                 \
    X(DELETED, "SELECT id FROM learner WHERE name IS NULL AND config = '' LIMIT 1")                \
    X(PURGE_REWARDS,                                                                               \
      "DELETE FROM reward WHERE (task, number) IN (SELECT task, number FROM reward "               \
      "WHERE task IN (" FIRST_TASKS ") LIMIT ?2)")                                                 \
    X(PURGE_DECISIONS, "DELETE FROM decision WHERE (task, number) IN (SELECT task, number FROM "   \
                       "decision WHERE task IN (" FIRST_TASKS ") LIMIT ?2)")                       \
    X(PURGE_TASKS, "DELETE FROM task WHERE id IN (" FIRST_TASKS ")")                               \
    X(PURGE_EVENTS, "DELETE FROM journal WHERE seq IN (SELECT seq FROM journal WHERE "             \
                    "learner = ?1 ORDER BY seq LIMIT ?2)")                                         \
    X(PURGE_ARMS, "DELETE FROM arm WHERE learner = ?1")                                            \
    X(PURGE_SNAPSHOTS, "DELETE FROM snapshot WHERE learner = ?1")                                  \
    X(PURGE_LEARNER, "DELETE FROM learner WHERE id = ?1")                                          \
    X(ADD_ARM, "INSERT INTO arm (learner, place, name, added) VALUES (?1, ?2, ?3, ?4)")            \
    X(RETIRE_ARM, "UPDATE arm SET retired = ?3 WHERE learner = ?1 AND place = ?2")                 \
    X(ADD_TASK, "INSERT INTO task (learner, key, control, version, n_arms, opened, tag) "          \
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                             \
    X(CLOSE_TASK, "UPDATE task SET closed = ?2, closed_seq = ?3, rewards = ?4, total = ?5 "        \
                  "WHERE id = ?1")                                                                 \
    X(ADD_PULLS, "UPDATE arm SET pulls = pulls + r.n, total = arm.total + r.s FROM "               \
                 "(SELECT arm AS a, count(*) AS n, sum(value) AS s FROM reward WHERE task = ?1 "   \
                 "GROUP BY arm) AS r WHERE arm.learner = ?2 AND arm.place = r.a")                  \
    X(FORGET_DECISIONS, "DELETE FROM decision WHERE task = ?1 AND event IS NULL")                  \
    X(ADD_DECISION, "INSERT OR IGNORE INTO decision VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")      \
    X(ADD_REWARD, "INSERT OR IGNORE INTO reward VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")              \
    X(REWARD, "SELECT task, number, place, arm, value, told, by_default FROM reward "              \
              "WHERE task = ?1 AND number = ?2")                                                   \
    X(ADD_EVENT, "INSERT INTO journal (learner, kind, subject, at) VALUES (?1, ?2, ?3, ?4)")       \
    X(ADD_SNAPSHOT, "INSERT OR REPLACE INTO snapshot VALUES (?1, ?2, ?3)")                         \
    X(FORGET_SNAPSHOTS, "DELETE FROM snapshot WHERE learner = ?1 AND seq <> ?2")                   \
    X(LEARNERS, "SELECT id, name, config, created FROM learner "                                   \
                "WHERE name IS NOT NULL OR config IS NOT '' ORDER BY id")                          \
    X(ARMS,                                                                                        \
      "SELECT learner, place, name, added, retired, pulls, total FROM arm WHERE learner = ?1 "     \
      "ORDER BY place")                                                                            \
    X(TASKS_OPEN, TASK_COLUMNS "WHERE learner = ?1 AND closed IS NULL ORDER BY id LIMIT ?2")       \
    X(TASKS_NEWEST_OPEN,                                                                           \
      TASK_COLUMNS "WHERE learner = ?1 AND closed IS NULL ORDER BY id DESC LIMIT ?2")              \
    X(TASKS_NEWEST_CLOSED, TASK_COLUMNS "WHERE learner = ?1 AND closed_seq IS NOT NULL ORDER BY "  \
                                        "closed_seq DESC LIMIT ?2")                                \
    X(TASKS_NEWEST, TASK_COLUMNS "WHERE learner = ?1 ORDER BY id DESC LIMIT ?2")                   \
    X(TASK_BY_KEY, TASK_COLUMNS "WHERE learner = ?1 AND key = ?2")                                 \
    X(TASK_BY_ID, TASK_COLUMNS "WHERE id = ?1")                                                    \
    X(REWARDS, "SELECT task, number, place, arm, value, told, by_default FROM reward "             \
               "WHERE task = ?1 ORDER BY place")                                                   \
    X(DECISIONS, "SELECT task, number, arm, version, event, asked, probability, exact FROM "       \
                 "decision WHERE task = ?1 AND event = ?2 ORDER BY number")                        \
    X(TASK_DECISIONS, "SELECT task, number, arm, version, event, asked, probability, exact FROM "  \
                      "decision WHERE task = ?1 ORDER BY number")                                  \
    X(WAITING, "SELECT d.task, d.number, d.arm, d.version, d.event, d.asked, NULL, NULL FROM "     \
               "decision AS d JOIN task AS t ON t.id = d.task WHERE t.learner = ?1 AND t.closed "  \
               "IS NULL AND "                                                                      \
               "NOT EXISTS (SELECT 1 FROM reward AS r WHERE r.task = d.task AND "                  \
               "r.number = d.number) ORDER BY d.asked, d.task, d.number")                          \
    X(EVENTS, "SELECT seq, learner, kind, subject, at FROM journal WHERE learner = ?1 AND "        \
              "seq > ?2 ORDER BY seq")                                                             \
    X(SNAPSHOT,                                                                                    \
      "SELECT learner, seq, bytes FROM snapshot WHERE learner = ?1 ORDER BY seq DESC LIMIT 1")

#define FIRST_TASKS "SELECT id FROM task WHERE learner = ?1 ORDER BY id LIMIT ?2"

#define TASK_COLUMNS                                                                               \
    "SELECT id, learner, key, control, version, n_arms, opened, closed, rewards, total, "          \
    "closed_seq, tag "                                                                             \
    "FROM task "

typedef enum statement {
#define SEGUE_STATEMENT_ENUM(name, text) SQL_##name,
    SEGUE_STATEMENTS(SEGUE_STATEMENT_ENUM)
#undef SEGUE_STATEMENT_ENUM
        N_STATEMENTS
} statement;

#define SEGUE_BUSY_MILLISECONDS 2000 /* that another process may hold a lock */

struct stat;
typedef struct segue_wal segue_wal;

struct segue_store {
    sqlite3 *db;
    sqlite3_stmt *prepared[N_STATEMENTS];
    char *path;
    int claim;    /* the file again, locked by the one that serves it; or -1 */
    dev_t device; /* of that file */
    ino_t inode;
    bool is_new;     /* this process made it */
    segue_wal *wal;  /* NULL: the files are not watched */
    bool lost;       /* nothing more may be stored ... */
    bool files_lost; /* ... because another program touched the files ... */
    bool rescued;    /* ... and all that they held is in the main file */
};

/* Whether the file that was claimed still has its name. */
bool segue_sqlite_has_name(const segue_store *store, struct stat *named);

/* A statement, ready to be bound; NULL: the database refuses it, and `err` tells why. */
sqlite3_stmt *segue_sqlite_statement(segue_store *store, statement which, segue_error *err);

/* Run a bound statement that gives no rows, and leave it ready. */
SEGUE_MUST_CHECK segue_status segue_sqlite_run(segue_store *store, sqlite3_stmt *sql,
                                               segue_error *err);

/* Run statements that take nothing and give nothing; the number that one gives. */
SEGUE_MUST_CHECK segue_status segue_sqlite_execute(segue_store *store, const char *text,
                                                   segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_query_integer(segue_store *store, const char *text,
                                                         int64_t *out, segue_error *err);

/* Whether the tables and indices are those of this format. */
SEGUE_MUST_CHECK segue_status segue_sqlite_check_schema(segue_store *store, segue_error *err);

/* The failure of the last call. */
segue_status segue_sqlite_fail(const segue_store *store, segue_error *err);

/* ---- sqlite_row.c ------------------------------------------------------------------------ */

#define SEGUE_MAX_LEARNER_ID UINT32_MAX         /* the largest id of a learner */
#define SEGUE_MAX_ROW_ID     (INT64_C(1) << 62) /* of a task or an event: others must follow it */
#define SEGUE_MAX_ROW_ARMS   65536              /* arms that a decision can name */
#define SEGUE_MAX_ROW_TEXT   ((size_t)1 << 28)  /* bytes of a learner's settings */

/* A row that a statement stands on. */
typedef struct sql_row {
    sqlite3_stmt *sql;
    const char *table;
    int keys;            /* so many columns, the first, name the row */
    segue_status status; /* of the first column that failed; then `err` has the sentence */
    segue_error *err;
} sql_row;

bool segue_sqlite_row_is_null(const sql_row *row, int column);
int64_t segue_sqlite_row_integer(sql_row *row, int column, int64_t least, int64_t most);
uint64_t segue_sqlite_row_count(sql_row *row,
                                int column); /* at most 2^53, where doubles are exact */
bool segue_sqlite_row_flag(sql_row *row, int column);
double segue_sqlite_row_real(sql_row *row, int column); /* finite */
/* Well-formed UTF-8 of 1 to `most` bytes, none of them 0; SQLite's until the next step. */
const char *segue_sqlite_row_text(sql_row *row, int column, size_t most);
const void *segue_sqlite_row_blob(sql_row *row, int column, size_t *size);
/* A column that is possible alone, but not beside the others. */
void segue_sqlite_row_fail(sql_row *row, int column, const char *need);

#endif
