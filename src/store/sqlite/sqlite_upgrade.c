/* sqlite_upgrade.c - bring a store of an older format to this one.
 *
 * A step holds the statements from its format to the next.  They must lead to the tables, columns
 * and indices of sqlite_schema.c; an empty text if only what learners compute from the event log
 * has changed.  All steps are one transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite_upgrade.h"

#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

/* Formats 1 to 3 were written before the first release: there are no steps from them.  In 5 learners
 * number their types.  In 6 they may start from a saved one, and a reward may have the probability
 * of its arm.  In 7 graded rewards count by their dispersion.  In 8 types are sampled, and methods have no
 * option hint=N: it is cut out, with a comma or colon that is left over.  In 9 a task has the control
 * share that was in force when it opened: until then that of its learner's settings.  Settings of
 * learners can change.  In 10 a task may have features, a decision may have several rewards that add
 * up to one, a caller may choose in shadow mode, and learners can be merged.  The event log has a hash
 * chain, which begins with the upgrade: it says nothing about changes of rows before.  In 11 learners
 * compute with functions whose bits do not depend on the processor, and an event has the epoch of its
 * writer; the chain stays. */
#define FIRST_CHAIN 10
#define METHOD      "json_extract(config, '$.method')"
#define WITHOUT_HINT                                                                               \
    "rtrim(substr(" METHOD ", 1, instr(" METHOD ", 'hint=') - 1) || ltrim(ltrim(substr(" METHOD    \
    ", instr(" METHOD ", 'hint=') + 5), '0123456789'), ','), ',:')"
#define ADD_CONTROL_SHARE                                                                          \
    "ALTER TABLE task ADD COLUMN control_share REAL NOT NULL DEFAULT 0;"                           \
    "UPDATE task SET control_share = min(max(coalesce((SELECT CAST(json_extract(config, "          \
    "'$.control') AS REAL) FROM learner WHERE id = task.learner AND json_valid(config)), 0.0), "   \
    "0.0), 1.0);"
#define CREATE_REWARD_PART                                                                         \
    "CREATE TABLE reward_part (task INTEGER, number INTEGER, event TEXT, position INTEGER NOT "    \
    "NULL, value REAL NOT NULL, created REAL NOT NULL, PRIMARY KEY (task, number, event)) "        \
    "WITHOUT ROWID;"
#define ADD_SHADOW(table)                                                                          \
    "ALTER TABLE " table " ADD COLUMN segue_arm INTEGER;"                                          \
    "ALTER TABLE " table " ADD COLUMN segue_probability REAL;"
#define ADD_MERGED                                                                                 \
    "CREATE TABLE merged (learner INTEGER, number INTEGER, origins TEXT NOT NULL, bytes BLOB NOT " \
    "NULL, PRIMARY KEY (learner, number));"
static const sqlite_upgrade_step steps[] = {
    {4, ""},
    {5, "CREATE TABLE initial (learner INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        "ALTER TABLE reward ADD COLUMN probability REAL;"},
    {6, ""},
    {7, "UPDATE learner SET config = json_set(config, '$.method', " WITHOUT_HINT ")"
        " WHERE instr(" METHOD ", 'hint=') > 0;"},
    {8, ADD_CONTROL_SHARE},
    {9, "ALTER TABLE task ADD COLUMN features TEXT;" SEGUE_SQL_AUDIT_TABLES
        "ALTER TABLE reward ADD COLUMN asks TEXT;" CREATE_REWARD_PART ADD_SHADOW("decision")
            ADD_SHADOW("reward") ADD_MERGED},
    {10, "ALTER TABLE event ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;"},
};
enum { N_STEPS = sizeof steps / sizeof *steps };

/* The steps are consecutive and end at the current format. */
static bool has_step(size_t n, int64_t from)
{
    return from < SEGUE_STORE_FORMAT && from >= SEGUE_STORE_FORMAT - (int64_t)n;
}

bool segue_sqlite_can_upgrade(int64_t from)
{
    return has_step(N_STEPS, from);
}

/* Run the steps from a format on, and commit. */
static segue_status run_steps(sqlite_store *store, const sqlite_upgrade_step *step, size_t n,
                              int64_t from, segue_error *err)
{
    SEGUE_TRY(
        segue_sqlite_execute(store, "DELETE FROM snapshot", err)); /* the event log replaces them */
    for (size_t i = 0; i < n; i++)
        if (step[i].from >= from)
            SEGUE_TRY(segue_sqlite_execute(store, step[i].sql, err));
    if (from < FIRST_CHAIN)
        SEGUE_TRY(segue_store_chain_build(&store->base, err));
    SEGUE_TRY(segue_sqlite_execute(store, SEGUE_SQL_SET_FORMAT, err));
    return segue_store_commit(&store->base, err);
}

segue_status segue_sqlite_upgrade_by(segue_store *base, const sqlite_upgrade_step *step, size_t n,
                                     int64_t *from, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    SEGUE_TRY(segue_sqlite_query_integer(store, "PRAGMA user_version", from, err));
    if (*from == SEGUE_STORE_FORMAT)
        return SEGUE_OK;
    if (!has_step(n, *from))
        return segue_sqlite_fail_format(store, *from, err);
    SEGUE_TRY(segue_store_begin(base, err));
    const segue_status status = run_steps(store, step, n, *from, err);
    if (status != SEGUE_OK)
        segue_store_rollback(base);
    return status;
}

segue_status segue_sqlite_upgrade(segue_store *base, int64_t *from, segue_error *err)
{
    return segue_sqlite_upgrade_by(base, steps, N_STEPS, from, err);
}
