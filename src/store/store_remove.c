/* store_remove.c - remove the rewards of closed tasks, and what identifies a task.
 *
 * A removal is small: at most MAX_TASKS tasks and, beyond the first, MAX_REWARDS rewards, since all
 * other operations wait for its transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_remove.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_backend.h"
#include "store/store_digest.h"

#define MAX_TASKS   100
#define MAX_REWARDS 1000

segue_status segue_store_set_base(segue_store *store, int64_t learner, segue_error *err)
{
    return store->backend->set_base(store, learner, err);
}

static segue_status add_removed(segue_store *store, segue_stored_removed *row, segue_error *err)
{
    return store->backend->insert(store, SEGUE_TABLE_REMOVED, row, NULL, err);
}

/* ---- one task ---------------------------------------------------------------------------- */

/* The rewards are gone already: only the key is marked as gone, too. */
static segue_status mark_erased(segue_store *store, const segue_stored_task *task, bool *found,
                                segue_error *err)
{
    segue_rows rows;
    segue_stored_removed row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REMOVED, .id = task->id}, err);
    *found = segue_rows_next_removed(&rows, &row);
    if (*found) {
        segue_digest_key(task, row.key);
        row.erased = true;
        status = add_removed(store, &row, err);
    }
    return segue_rows_close(&rows, status);
}

/* Store what remains of a task's rewards and key. */
static segue_status add_remains(segue_store *store, const segue_stored_task *task, bool erased,
                                segue_error *err)
{
    segue_reward_digest rewards;
    segue_stored_removed row = {.task = task->id, .learner = task->learner, .erased = erased};
    segue_status status = segue_digest_rewards(store, task->id, task->n_arms, &rewards, err);
    row.counts = (const char *)rewards.counts.data;
    memcpy(row.rewards, rewards.rows, sizeof row.rewards);
    segue_digest_key(task, row.key);
    if (!erased)
        memset(row.key, 0, sizeof row.key); /* the task's row has the key */
    if (status == SEGUE_OK)
        status = add_removed(store, &row, err);
    segue_bytes_fini(&rewards.counts);
    return status;
}

static segue_status add_task_remains(segue_store *store, int64_t id, bool erased, segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    segue_status status = SEGUE_OK;
    bool found = false;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_TASK_BY_ID, .id = id}, err);
    if (segue_rows_next_task(&rows, &task)) {
        if (erased)
            status = mark_erased(store, &task, &found, err);
        if (status == SEGUE_OK && !found)
            status = add_remains(store, &task, erased, err);
    }
    return segue_rows_close(&rows, status);
}

segue_status segue_store_remove_rewards(segue_store *store, int64_t task, segue_error *err)
{
    SEGUE_TRY(add_task_remains(store, task, false, err));
    return store->backend->remove_task(store, task, NULL, 0, err);
}

segue_status segue_store_erase_task(segue_store *store, int64_t task, const char *key, uint64_t tag,
                                    segue_error *err)
{
    SEGUE_TRY(add_task_remains(store, task, true, err));
    return store->backend->remove_task(store, task, key, tag, err);
}

segue_status segue_store_discard_task(segue_store *store, int64_t task, segue_error *err)
{
    return store->backend->remove_task(store, task, "", 0, err);
}

/* ---- many tasks -------------------------------------------------------------------------- */

segue_status segue_store_trim_limits(segue_store *store, int64_t learner, segue_trim_limits *out,
                                     segue_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    segue_rows rows;
    segue_stored_event event;
    *out = (segue_trim_limits){.trimmed = 0};
    SEGUE_TRY(segue_store_read_base(store, learner, &out->base, &bytes, &size, err));
    free(bytes);
    SEGUE_TRY(segue_store_read_snapshot(store, learner, &out->snapshot, &bytes, &size, err));
    free(bytes);
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_LAST_TRIM, .id = learner},
                    err);
    if (segue_rows_next_event(&rows, &event))
        out->trimmed = (uint64_t)event.subject;
    return segue_rows_close(&rows, SEGUE_OK);
}

typedef struct chosen {
    int64_t task[MAX_TASKS];
    size_t n;
} chosen;

/* Find the closing event of the last old task, or of one that more than MAX_TASKS go before; 0: no
 * task is old.  Tasks from the future say nothing about the age of those before them. */
static segue_status find_last(segue_store *store, const segue_query *query,
                              const segue_trim_limits *limits, uint64_t *last, segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    *last = 0;
    segue_rows_open(&rows, store, query, err);
    for (size_t n = 0; n <= MAX_TASKS && segue_rows_next_task(&rows, &task);) {
        if (task.closed > limits->now)
            continue;
        if (task.closed >= limits->before)
            break;
        *last = task.closed_seq;
        n++;
    }
    return segue_rows_close(&rows, SEGUE_OK);
}

/* Choose tasks: `out` says what happens with them. */
static segue_status choose(segue_store *store, const segue_query *query,
                           const segue_trim_limits *limits, chosen *c, segue_trimmed *out,
                           segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    uint64_t last = 0;
    SEGUE_TRY(find_last(store, query, limits, &last, err));
    segue_rows_open(&rows, store, query, err);
    while (segue_rows_next_task(&rows, &task)) {
        out->oldest = task.closed;
        if (task.closed_seq > last)
            break;
        out->need_snapshot = task.closed_seq > limits->snapshot && task.closed_seq > limits->base;
        out->more = !out->need_snapshot &&
                    (c->n == MAX_TASKS || (c->n > 0 && out->rewards + task.rewards > MAX_REWARDS));
        if (out->need_snapshot || out->more)
            break;
        c->task[c->n++] = task.id;
        out->rewards += task.rewards;
        out->last = task.closed_seq;
        out->oldest = 0.0;
    }
    return segue_rows_close(&rows, SEGUE_OK);
}

segue_status segue_store_trim(segue_store *store, int64_t learner, const segue_trim_limits *limits,
                              segue_trimmed *out, segue_error *err)
{
    chosen c = {.n = 0};
    *out = (segue_trimmed){.tasks = 0};
    const segue_query query = {
        .kind = SEGUE_QUERY_CLOSED_AFTER, .id = learner, .number = limits->trimmed};
    SEGUE_TRY(choose(store, &query, limits, &c, out, err));
    for (size_t i = 0; i < c.n; i++) {
        bool removed = false, erased = false;
        SEGUE_TRY(segue_store_is_removed(store, c.task[i], &removed, &erased, err));
        if (!removed) {
            SEGUE_TRY(segue_store_remove_rewards(store, c.task[i], err));
            out->tasks++;
        }
    }
    return out->last > limits->base ? segue_store_set_base(store, learner, err) : SEGUE_OK;
}
