/* store_upgrade.c - bring a store of an older format to this one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite.h"

/* What each format has that the one before it had not. */
static const char *const steps[SEGUE_STORE_FORMAT + 1] = {
    [2] = "ALTER TABLE decision ADD COLUMN probability REAL;"
          "ALTER TABLE decision ADD COLUMN exact INTEGER;"
          "CREATE INDEX task_learner ON task (learner);",
    [3] = "ALTER TABLE task ADD COLUMN tag INTEGER;" SEGUE_SQL_EMPTY_DELETED,
};

static segue_status take_steps(segue_store *store, int64_t from, segue_error *err)
{
    segue_status status = segue_sqlite_execute(store, "DELETE FROM snapshot", err);
    for (int64_t to = from + 1; to <= SEGUE_STORE_FORMAT && status == SEGUE_OK; to++)
        status = segue_sqlite_execute(store, steps[to], err);
    return status == SEGUE_OK ? segue_sqlite_execute(store, SEGUE_SQL_SET_FORMAT, err) : status;
}

segue_status segue_store_upgrade(segue_store *store, int64_t *from, segue_error *err)
{
    segue_status status = segue_sqlite_query_integer(store, "PRAGMA user_version", from, err);
    if (status != SEGUE_OK || *from == SEGUE_STORE_FORMAT)
        return status;
    status = segue_store_begin(store, err);
    if (status == SEGUE_OK)
        status = take_steps(store, *from, err);
    if (status == SEGUE_OK)
        status = segue_store_commit(store, err);
    if (status != SEGUE_OK)
        segue_store_rollback(store);
    return status;
}
