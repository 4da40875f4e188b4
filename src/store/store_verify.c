/* store_verify.c - the check of one learner: every row is read, and validated as when it is served;
 * then the backend counts rows that contradict each other.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_backend.h"

#include "segue/internal.h"

/* Read all rows of a cursor: each is validated on the way. */
static segue_status read_rows(segue_store *store, const segue_query *query, segue_error *err)
{
    segue_rows rows;
    union {
        segue_stored_arm arm;
        segue_stored_event event;
        segue_stored_reward reward;
        segue_stored_decision decision;
        segue_stored_reward_part part;
    } row;
    bool more = true;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, query, err);
    for (; more && status == SEGUE_OK && rows.status == SEGUE_OK && rows.cursor; rows.count++)
        status = store->backend->rows_next(&rows, &row, &more, err);
    return segue_rows_close(&rows, status);
}

static segue_status read_task_rows(segue_store *store, int64_t task, segue_error *err)
{
    SEGUE_TRY(read_rows(store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task}, err));
    SEGUE_TRY(read_rows(store, &(segue_query){.kind = SEGUE_QUERY_TASK_PARTS, .id = task}, err));
    return read_rows(store, &(segue_query){.kind = SEGUE_QUERY_DECISIONS, .id = task}, err);
}

/* Cursors nest: that of the tasks stays open while the rows of each task are read. */
static segue_status read_tasks(segue_store *store, int64_t learner, segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    segue_status status = SEGUE_OK;
    segue_rows_open(
        &rows, store,
        &(segue_query){.kind = SEGUE_QUERY_NEWEST_TASKS, .id = learner, .number = UINT64_MAX}, err);
    while (status == SEGUE_OK && segue_rows_next_task(&rows, &task))
        status = read_task_rows(store, task.id, err);
    return segue_rows_close(&rows, status);
}

segue_status segue_store_verify_learner(segue_store *store, int64_t learner, segue_error *err)
{
    SEGUE_TRY(read_rows(store, &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = learner}, err));
    SEGUE_TRY(read_rows(store, &(segue_query){.kind = SEGUE_QUERY_EVENTS, .id = learner}, err));
    SEGUE_TRY(read_tasks(store, learner, err));
    return store->backend->verify_learner(store, learner, err);
}
