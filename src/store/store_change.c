/* store_change.c - changes of rows, with types; the backend inserts by table.
 *
 * Only the writer calls these functions, inside a transaction.  A backend inserts a row by its
 * table, as untyped memory; here each table gets its own type, so that a caller cannot mix them.
 * The backend fills in ids: learner, task and event are not const.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "segue/internal.h"
#include "store/store_backend.h"

segue_status segue_store_start(segue_store *store, unsigned char key[SEGUE_STORE_KEY_SIZE],
                               uint64_t *boot, segue_error *err)
{
    segue_store_meta meta;
    SEGUE_TRY(store->backend->start(store, &meta, err));
    memcpy(key, meta.key, sizeof meta.key);
    *boot = meta.starts;
    return SEGUE_OK;
}

segue_status segue_store_set_clock(segue_store *store, double seconds, segue_error *err)
{
    return store->backend->set_clock(store, seconds, err);
}

segue_status segue_store_add_learner(segue_store *store, segue_stored_learner *learner,
                                     segue_error *err)
{
    SEGUE_TRY(store->backend->insert(store, SEGUE_TABLE_LEARNER, learner, NULL, err));
    return segue_store_chain_begin(store, learner, err);
}

segue_status segue_store_add_initial(segue_store *store, int64_t learner, const void *data,
                                     size_t size, segue_error *err)
{
    segue_stored_initial row = {.learner = learner, .bytes = data, .size = size};
    return store->backend->insert(store, SEGUE_TABLE_INITIAL, &row, NULL, err);
}

segue_status segue_store_add_merged(segue_store *store, const segue_stored_merged *merged,
                                    segue_error *err)
{
    segue_stored_merged row = *merged;
    return store->backend->insert(store, SEGUE_TABLE_MERGED, &row, NULL, err);
}

segue_status segue_store_set_config(segue_store *store, int64_t learner, const char *config,
                                    segue_error *err)
{
    return store->backend->set_config(store, learner, config, err);
}

segue_status segue_store_delete_learner(segue_store *store, int64_t learner, segue_error *err)
{
    return store->backend->delete_learner(store, learner, err);
}

/* Remove some rows of deleted learners: *more until all are gone. */
segue_status segue_store_purge(segue_store *store, bool *more, segue_error *err)
{
    return store->backend->purge(store, more, err);
}

segue_status segue_store_add_arm(segue_store *store, int64_t learner, size_t position,
                                 const char *name, double when, segue_error *err)
{
    segue_stored_arm arm = {.learner = learner, .position = position, .name = name, .added = when};
    return store->backend->insert(store, SEGUE_TABLE_ARM, &arm, NULL, err);
}

segue_status segue_store_retire_arm(segue_store *store, int64_t learner, size_t position,
                                    double when, segue_error *err)
{
    return store->backend->retire_arm(store, learner, position, when, err);
}

segue_status segue_store_add_task(segue_store *store, segue_stored_task *task, segue_error *err)
{
    return store->backend->insert(store, SEGUE_TABLE_TASK, task, NULL, err);
}

segue_status segue_store_close_task(segue_store *store, const segue_stored_task *task, uint64_t seq,
                                    segue_error *err)
{
    SEGUE_TRY(store->backend->close_task(store, task, seq, err));
    assert(store->closing.seq == seq);
    return segue_store_chain_append(store, &store->closing, err);
}

segue_status segue_store_add_decision(segue_store *store, const segue_stored_decision *decision,
                                      segue_error *err)
{
    segue_stored_decision row = *decision;
    return store->backend->insert(store, SEGUE_TABLE_DECISION, &row, NULL, err);
}

void segue_store_expect_reward(segue_store *store, int64_t task, uint64_t number)
{
    if (store->backend->expect_reward)
        store->backend->expect_reward(store, task, number);
}

/* A reward of a decision that has one is not stored: *is_new is false. */
segue_status segue_store_add_reward(segue_store *store, const segue_stored_reward *reward,
                                    bool *is_new, segue_error *err)
{
    segue_stored_reward row = *reward;
    return store->backend->insert(store, SEGUE_TABLE_REWARD, &row, is_new, err);
}

segue_status segue_store_set_reward(segue_store *store, int64_t task, uint64_t number, double value,
                                    segue_error *err)
{
    return store->backend->set_reward(store, task, number, value, err);
}

segue_status segue_store_add_reward_part(segue_store *store, const segue_stored_reward_part *part,
                                         segue_error *err)
{
    segue_stored_reward_part row = *part;
    return store->backend->insert(store, SEGUE_TABLE_REWARD_PART, &row, NULL, err);
}

segue_status segue_store_add_event(segue_store *store, segue_stored_event *event, segue_error *err)
{
    SEGUE_TRY(store->backend->insert(store, SEGUE_TABLE_EVENT, event, NULL, err));
    if (event->kind != SEGUE_EVENT_CLOSE)
        return segue_store_chain_append(store, event, err);
    store->closing = *event; /* its link covers the closed task */
    return SEGUE_OK;
}

segue_status segue_store_add_snapshot(segue_store *store, int64_t learner, uint64_t seq,
                                      const void *data, size_t size, segue_error *err)
{
    segue_stored_snapshot row = {.learner = learner, .seq = seq, .bytes = data, .size = size};
    return store->backend->insert(store, SEGUE_TABLE_SNAPSHOT, &row, NULL, err);
}
