/* store_find.c - reads of one row: a cursor, its first row, and a copy of what the caller keeps.
 *
 * The texts and bytes of a row belong to its cursor, which is closed before these functions return.
 * So a key is dropped or copied to the caller's storage, and a snapshot to memory that the caller
 * frees.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "store/store_backend.h"

static segue_status find_task(segue_store *store, const segue_query *query, segue_stored_task *out,
                              bool *found, segue_error *err)
{
    segue_rows rows;
    segue_rows_open(&rows, store, query, err);
    *found = segue_rows_next_task(&rows, out);
    out->key = out->features = NULL; /* the cursor's */
    return segue_rows_close(&rows, SEGUE_OK);
}

segue_status segue_store_find_task(segue_store *store, int64_t learner, const char *key,
                                   segue_stored_task *out, bool *found, segue_error *err)
{
    return find_task(store,
                     &(segue_query){.kind = SEGUE_QUERY_TASK_BY_KEY, .id = learner, .key = key},
                     out, found, err);
}

segue_status segue_store_read_task(segue_store *store, int64_t id, segue_stored_task *out,
                                   bool *found, segue_error *err)
{
    return find_task(store, &(segue_query){.kind = SEGUE_QUERY_TASK_BY_ID, .id = id}, out, found,
                     err);
}

segue_status segue_store_task_key(segue_store *store, int64_t id,
                                  char key[SEGUE_MAX_STORE_NAME + 1], segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_TASK_BY_ID, .id = id}, err);
    const bool found = segue_rows_next_task(&rows, &task);
    (void)snprintf(key, SEGUE_MAX_STORE_NAME + 1, "%s", found ? task.key : "");
    SEGUE_TRY(segue_rows_close(&rows, SEGUE_OK));
    return found ? SEGUE_OK
                 : segue_store_fail_damaged(
                       err, "a reward belongs to task %" PRId64 ", which does not exist", id);
}

segue_status segue_store_task_features(segue_store *store, int64_t id, char **out, segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    segue_status status = SEGUE_OK;
    *out = NULL;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_TASK_BY_ID, .id = id}, err);
    if (segue_rows_next_task(&rows, &task) && task.features) {
        *out = strdup(task.features);
        status = *out ? SEGUE_OK : segue_fail_no_memory(err, "features");
    }
    return segue_rows_close(&rows, status);
}

segue_status segue_store_find_reward(segue_store *store, int64_t task, uint64_t number,
                                     segue_stored_reward *out, bool *found, segue_error *err)
{
    segue_rows rows;
    *out = (segue_stored_reward){.task = task};
    segue_rows_open(&rows, store,
                    &(segue_query){.kind = SEGUE_QUERY_REWARD, .id = task, .number = number}, err);
    *found = segue_rows_next_reward(&rows, out);
    return segue_rows_close(&rows, SEGUE_OK);
}

/* Copy bytes of a cursor for the caller to free; an empty copy is not NULL. */
static segue_status copy_bytes(const void *data, size_t n, void **bytes, size_t *size,
                               segue_error *err)
{
    *bytes = malloc(n ? n : 1);
    if (!*bytes)
        return segue_fail_no_memory(err, "the state of a learner");
    if (n > 0)
        memcpy(*bytes, data, n);
    *size = n;
    return SEGUE_OK;
}

/* *bytes is NULL if there is none; else the caller frees it. */
static segue_status read_state(segue_store *store, const segue_query *query, uint64_t *seq,
                               void **bytes, size_t *size, segue_error *err)
{
    segue_rows rows;
    segue_stored_snapshot row;
    segue_status status = SEGUE_OK;
    *seq = 0;
    *bytes = NULL;
    *size = 0;
    segue_rows_open(&rows, store, query, err);
    if (query->kind == SEGUE_QUERY_BASE ? segue_rows_next_base(&rows, &row)
                                        : segue_rows_next_snapshot(&rows, &row)) {
        *seq = row.seq;
        status = copy_bytes(row.bytes, row.size, bytes, size, err);
    }
    return segue_rows_close(&rows, status);
}

segue_status segue_store_read_snapshot(segue_store *store, int64_t learner, uint64_t *seq,
                                       void **bytes, size_t *size, segue_error *err)
{
    return read_state(store, &(segue_query){.kind = SEGUE_QUERY_SNAPSHOT, .id = learner}, seq,
                      bytes, size, err);
}

segue_status segue_store_read_base(segue_store *store, int64_t learner, uint64_t *seq, void **bytes,
                                   size_t *size, segue_error *err)
{
    return read_state(store, &(segue_query){.kind = SEGUE_QUERY_BASE, .id = learner}, seq, bytes,
                      size, err);
}

segue_status segue_store_is_removed(segue_store *store, int64_t task, bool *removed, bool *erased,
                                    segue_error *err)
{
    segue_rows rows;
    segue_stored_removed row = {.erased = false};
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_REMOVED, .id = task}, err);
    *removed = segue_rows_next_removed(&rows, &row);
    *erased = *removed && row.erased;
    return segue_rows_close(&rows, SEGUE_OK);
}

segue_status segue_store_read_key(segue_store *store, unsigned char key[SEGUE_STORE_KEY_SIZE],
                                  segue_error *err)
{
    segue_store_meta meta;
    SEGUE_TRY(store->backend->read_meta(store, &meta, err));
    memcpy(key, meta.key, sizeof meta.key);
    return SEGUE_OK;
}

/* *bytes is NULL if the learner was created without a saved one; else the caller frees it. */
segue_status segue_store_read_initial(segue_store *store, int64_t learner, void **bytes,
                                      size_t *size, segue_error *err)
{
    segue_rows rows;
    segue_stored_initial row;
    segue_status status = SEGUE_OK;
    *bytes = NULL;
    *size = 0;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_INITIAL, .id = learner}, err);
    if (segue_rows_next_initial(&rows, &row))
        status = copy_bytes(row.bytes, row.size, bytes, size, err);
    return segue_rows_close(&rows, status);
}

segue_status segue_store_read_merged(segue_store *store, int64_t learner, uint64_t number,
                                     void **bytes, size_t *size, segue_error *err)
{
    segue_rows rows;
    segue_stored_merged row;
    segue_status status = SEGUE_OK;
    *bytes = NULL;
    *size = 0;
    segue_rows_open(&rows, store,
                    &(segue_query){.kind = SEGUE_QUERY_MERGED, .id = learner, .number = number},
                    err);
    if (segue_rows_next_merged(&rows, &row))
        status = copy_bytes(row.bytes, row.size, bytes, size, err);
    return segue_rows_close(&rows, status);
}

/* A new store has no service time: *seconds then stays as it is. */
segue_status segue_store_read_clock(segue_store *store, double *seconds, segue_error *err)
{
    segue_store_meta meta;
    SEGUE_TRY(store->backend->read_meta(store, &meta, err));
    if (meta.clock >= 0.0)
        *seconds = meta.clock;
    return SEGUE_OK;
}

segue_status segue_store_last_learner(segue_store *store, int64_t *id, segue_error *err)
{
    segue_store_meta meta;
    SEGUE_TRY(store->backend->read_meta(store, &meta, err));
    *id = meta.last_learner;
    return SEGUE_OK;
}

segue_status segue_store_last_task(segue_store *store, int64_t *id, segue_error *err)
{
    segue_store_meta meta;
    SEGUE_TRY(store->backend->read_meta(store, &meta, err));
    *id = meta.last_task;
    return SEGUE_OK;
}
