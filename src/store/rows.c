/* rows.c - cursors over the rows of a store.
 *
 * A failure ends a cursor: it gives no more rows, and segue_rows_close returns the failure.  A
 * backend fills a row as untyped memory; each query has one type of row, which is asserted here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/rows.h"

#include <assert.h>

#include "store/store_backend.h"

/* The table whose rows a query gives. */
static const segue_store_table table_of[SEGUE_N_QUERIES] = {
    [SEGUE_QUERY_LEARNERS] = SEGUE_TABLE_LEARNER,
    [SEGUE_QUERY_LEARNER] = SEGUE_TABLE_LEARNER,
    [SEGUE_QUERY_ARMS] = SEGUE_TABLE_ARM,
    [SEGUE_QUERY_OPEN_TASKS] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_NEWEST_OPEN_TASKS] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_NEWEST_CLOSED_TASKS] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_NEWEST_TASKS] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_TASKS] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_TASK_BY_KEY] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_TASK_BY_ID] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_REWARDS] = SEGUE_TABLE_REWARD,
    [SEGUE_QUERY_REWARD] = SEGUE_TABLE_REWARD,
    [SEGUE_QUERY_DECISIONS] = SEGUE_TABLE_DECISION,
    [SEGUE_QUERY_EVENT_DECISIONS] = SEGUE_TABLE_DECISION,
    [SEGUE_QUERY_PENDING_DECISIONS] = SEGUE_TABLE_DECISION,
    [SEGUE_QUERY_EVENTS] = SEGUE_TABLE_EVENT,
    [SEGUE_QUERY_SNAPSHOT] = SEGUE_TABLE_SNAPSHOT,
    [SEGUE_QUERY_INITIAL] = SEGUE_TABLE_INITIAL,
    [SEGUE_QUERY_CHAIN] = SEGUE_TABLE_CHAIN,
    [SEGUE_QUERY_LAST_LINK] = SEGUE_TABLE_CHAIN,
    [SEGUE_QUERY_REMOVED] = SEGUE_TABLE_REMOVED,
    [SEGUE_QUERY_BASE] = SEGUE_TABLE_BASE,
    [SEGUE_QUERY_LAST_TRIM] = SEGUE_TABLE_EVENT,
    [SEGUE_QUERY_CLOSED_AFTER] = SEGUE_TABLE_TASK,
    [SEGUE_QUERY_REWARD_PARTS] = SEGUE_TABLE_REWARD_PART,
    [SEGUE_QUERY_TASK_PARTS] = SEGUE_TABLE_REWARD_PART,
    [SEGUE_QUERY_MERGES] = SEGUE_TABLE_MERGED,
    [SEGUE_QUERY_MERGED] = SEGUE_TABLE_MERGED,
    [SEGUE_QUERY_TABLE] = SEGUE_TABLE_ANY,
};

void segue_rows_open(segue_rows *rows, segue_store *store, const segue_query *query,
                     segue_error *err)
{
    *rows = (segue_rows){.store = store, .query = *query, .err = err};
    rows->status = store->backend->rows_open(rows, err);
}

/* Fill `out`, which is a row of `table`. */
static bool next(segue_rows *rows, segue_store_table table, void *out)
{
    bool more = false;
    assert(table_of[rows->query.kind] == table);
    (void)table; /* without assertions */
    (void)table_of;
    if (rows->status == SEGUE_OK && rows->cursor)
        rows->status = rows->store->backend->rows_next(rows, out, &more, rows->err);
    rows->count += more;
    return more && rows->status == SEGUE_OK;
}

bool segue_rows_next_learner(segue_rows *rows, segue_stored_learner *out)
{
    return next(rows, SEGUE_TABLE_LEARNER, out);
}

bool segue_rows_next_arm(segue_rows *rows, segue_stored_arm *out)
{
    return next(rows, SEGUE_TABLE_ARM, out);
}

bool segue_rows_next_task(segue_rows *rows, segue_stored_task *out)
{
    return next(rows, SEGUE_TABLE_TASK, out);
}

bool segue_rows_next_decision(segue_rows *rows, segue_stored_decision *out)
{
    return next(rows, SEGUE_TABLE_DECISION, out);
}

bool segue_rows_next_reward(segue_rows *rows, segue_stored_reward *out)
{
    return next(rows, SEGUE_TABLE_REWARD, out);
}

bool segue_rows_next_event(segue_rows *rows, segue_stored_event *out)
{
    return next(rows, SEGUE_TABLE_EVENT, out);
}

bool segue_rows_next_snapshot(segue_rows *rows, segue_stored_snapshot *out)
{
    return next(rows, SEGUE_TABLE_SNAPSHOT, out);
}

bool segue_rows_next_initial(segue_rows *rows, segue_stored_initial *out)
{
    return next(rows, SEGUE_TABLE_INITIAL, out);
}

bool segue_rows_next_link(segue_rows *rows, segue_stored_link *out)
{
    return next(rows, SEGUE_TABLE_CHAIN, out);
}

bool segue_rows_next_removed(segue_rows *rows, segue_stored_removed *out)
{
    return next(rows, SEGUE_TABLE_REMOVED, out);
}

bool segue_rows_next_base(segue_rows *rows, segue_stored_snapshot *out)
{
    return next(rows, SEGUE_TABLE_BASE, out);
}

bool segue_rows_next_reward_part(segue_rows *rows, segue_stored_reward_part *out)
{
    return next(rows, SEGUE_TABLE_REWARD_PART, out);
}

bool segue_rows_next_merged(segue_rows *rows, segue_stored_merged *out)
{
    return next(rows, SEGUE_TABLE_MERGED, out);
}

bool segue_rows_next_values(segue_rows *rows, segue_table_row *out)
{
    return next(rows, SEGUE_TABLE_ANY, out);
}

/* May be called for a cursor that could not be opened. */
segue_status segue_rows_close(segue_rows *rows, segue_status status)
{
    if (rows->cursor)
        rows->store->backend->rows_close(rows);
    rows->cursor = NULL;
    return status != SEGUE_OK ? status : rows->status;
}
