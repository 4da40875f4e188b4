/* rows.h - cursors over the rows of a store.
 *
 *     segue_rows rows;
 *     segue_stored_arm arm;
 *     segue_status status = SEGUE_OK;
 *     segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = learner}, err);
 *     while (status == SEGUE_OK && segue_rows_next_arm(&rows, &arm))
 *         status = use(&arm, err);
 *     return segue_rows_close(&rows, status);
 *
 * A cursor reports a failure once, when it is closed.  Texts and bytes of a row are valid until the
 * next row.  Cursors of different queries may be nested; two cursors of the same query may not.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_ROWS_H
#define SEGUE_STORE_ROWS_H

#include "store/stored.h"

/** The rows that a cursor reads, and their order. */
typedef enum segue_query_kind {
    SEGUE_QUERY_LEARNERS,            /* all, by id; a damaged row too, with the reason */
    SEGUE_QUERY_LEARNER,             /* learner `id`, as those */
    SEGUE_QUERY_ARMS,                /* of learner `id`, by index */
    SEGUE_QUERY_OPEN_TASKS,          /* of learner `id`, in the order of opening */
    SEGUE_QUERY_NEWEST_OPEN_TASKS,   /* at most `number` of learner `id`, by id, descending */
    SEGUE_QUERY_NEWEST_CLOSED_TASKS, /* ... by closing, descending */
    SEGUE_QUERY_NEWEST_TASKS,        /* ... by id, descending */
    SEGUE_QUERY_TASKS,               /* all of learner `id`, by id */
    SEGUE_QUERY_TASK_BY_KEY,         /* the task `key` of learner `id` */
    SEGUE_QUERY_TASK_BY_ID,
    SEGUE_QUERY_REWARDS,           /* of task `id`, in the order of arrival, without a gap */
    SEGUE_QUERY_REWARD,            /* of decision `number` of task `id` */
    SEGUE_QUERY_DECISIONS,         /* of task `id`, by number */
    SEGUE_QUERY_EVENT_DECISIONS,   /* of event `key` of task `id`, by number */
    SEGUE_QUERY_PENDING_DECISIONS, /* without a reward, of the open tasks of learner `id`, oldest
                                      first */
    SEGUE_QUERY_EVENTS,            /* of learner `id`, after event `number`, in order */
    SEGUE_QUERY_SNAPSHOT,          /* the newest of learner `id` */
    SEGUE_QUERY_INITIAL,           /* of learner `id`: none, or one */
    SEGUE_QUERY_CHAIN,             /* of learner `id`, from event `number` on, in order */
    SEGUE_QUERY_LAST_LINK,         /* the newest of learner `id` */
    SEGUE_QUERY_REMOVED,           /* of task `id`: none, or one */
    SEGUE_QUERY_BASE,              /* of learner `id`: none, or one */
    SEGUE_QUERY_LAST_TRIM,         /* the newest removal of rewards of learner `id` */
    SEGUE_QUERY_CLOSED_AFTER,      /* tasks of learner `id` closed after event `number`, in order */
    SEGUE_QUERY_REWARD_PARTS,      /* of decision `number` of task `id`, in the order of arrival,
                                      without a gap */
    SEGUE_QUERY_TASK_PARTS,        /* of task `id` */
    SEGUE_QUERY_MERGES,            /* of learner `id`, by number, without their bytes */
    SEGUE_QUERY_MERGED,            /* merge `number` of learner `id` */
    SEGUE_QUERY_TABLE,             /* all rows of table `id`, unchecked; for exports */
    SEGUE_N_QUERIES
} segue_query_kind;

typedef struct segue_query {
    segue_query_kind kind;
    int64_t id;
    uint64_t number;
    const char *key;
} segue_query;

/** A cursor, in the caller's storage. */
typedef struct segue_rows {
    segue_store *store;
    segue_query query;
    void *cursor;        /* the backend's; NULL: there are no more rows */
    uint64_t count;      /* rows so far */
    segue_status status; /* of the first failure */
    segue_error *err;    /* the caller's */
} segue_rows;

void segue_rows_open(segue_rows *rows, segue_store *store, const segue_query *query,
                     segue_error *err);

/** Read the next row.  @retval false  there is none, or it cannot be read */
bool segue_rows_next_learner(segue_rows *rows, segue_stored_learner *out);
bool segue_rows_next_arm(segue_rows *rows, segue_stored_arm *out);
bool segue_rows_next_task(segue_rows *rows, segue_stored_task *out);
bool segue_rows_next_decision(segue_rows *rows, segue_stored_decision *out);
bool segue_rows_next_reward(segue_rows *rows, segue_stored_reward *out);
bool segue_rows_next_event(segue_rows *rows, segue_stored_event *out);
bool segue_rows_next_snapshot(segue_rows *rows, segue_stored_snapshot *out);
bool segue_rows_next_initial(segue_rows *rows, segue_stored_initial *out);
bool segue_rows_next_link(segue_rows *rows, segue_stored_link *out);
bool segue_rows_next_removed(segue_rows *rows, segue_stored_removed *out);
bool segue_rows_next_base(segue_rows *rows, segue_stored_snapshot *out);
bool segue_rows_next_reward_part(segue_rows *rows, segue_stored_reward_part *out);
bool segue_rows_next_merged(segue_rows *rows, segue_stored_merged *out);

/**
 * Close a cursor.  Returns `status` if that is a failure, else the failure of the cursor, if any.
 *
 * @retval SEGUE_EFILE   a row is damaged; the sentence names table, row and column
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_rows_close(segue_rows *rows, segue_status status);

#endif
