/* postgresql_change.c - update and remove rows; nothing waits for an answer.
 *
 * A change is queued after the rows that wait, since it may be about them.  Its failure is that of
 * the next read or of the commit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

segue_status segue_postgresql_write_ids(postgresql_store *store, postgresql_statement which,
                                        int64_t a, const int64_t *b, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, a);
    if (b)
        segue_postgresql_pipeline_integer(&p, *b);
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    return segue_postgresql_pipeline_queue(store, which, &p, err);
}

static segue_status change(segue_store *base, postgresql_statement which,
                           const postgresql_parameters *p, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    return segue_postgresql_pipeline_queue(store, which, p, err);
}

segue_status segue_postgresql_change_config(segue_store *base, int64_t learner, const char *config,
                                            segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, learner);
    segue_postgresql_pipeline_text(&p, config);
    return change(base, PG_SET_CONFIG, &p, err);
}

segue_status segue_postgresql_change_retire_arm(segue_store *base, int64_t learner, size_t position,
                                                double when, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, learner);
    segue_postgresql_pipeline_integer(&p, (int64_t)position);
    segue_postgresql_pipeline_real(&p, when);
    return change(base, PG_RETIRE_ARM, &p, err);
}

segue_status segue_postgresql_change_reward(segue_store *base, int64_t task, uint64_t number,
                                            double value, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, task);
    segue_postgresql_pipeline_integer(&p, (int64_t)number);
    segue_postgresql_pipeline_real(&p, value);
    return change(base, PG_SET_REWARD, &p, err);
}

/* Closing adds the pulls of the task to its arms, and deletes its decisions: their rewards would
 * come too late.  Decisions with an event id stay, so that a repeated ask gets them again. */
segue_status segue_postgresql_change_close_task(segue_store *base, const segue_stored_task *task,
                                                uint64_t seq, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, task->id);
    segue_postgresql_pipeline_real(&p, task->closed);
    segue_postgresql_pipeline_integer(&p, (int64_t)seq);
    segue_postgresql_pipeline_integer(&p, (int64_t)task->rewards);
    segue_postgresql_pipeline_real(&p, task->total);
    SEGUE_TRY(change(base, PG_CLOSE_TASK, &p, err));
    SEGUE_TRY(segue_postgresql_write_ids(store, PG_ADD_PULLS, task->id, &task->learner, err));
    return segue_postgresql_write_ids(store, PG_DELETE_DECISIONS, task->id, NULL, err);
}

segue_status segue_postgresql_change_set_base(segue_store *base, int64_t learner, segue_error *err)
{
    return segue_postgresql_write_ids(segue_postgresql_of(base), PG_SET_BASE, learner, NULL, err);
}

/* Give an erased task another key and tag: decision ids of before match it no more. */
static segue_status rename_task(segue_store *base, int64_t task, const char *key, uint64_t tag,
                                segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, task);
    segue_postgresql_pipeline_text(&p, key);
    segue_postgresql_pipeline_integer(&p, (int64_t)tag);
    return change(base, PG_RENAME_TASK, &p, err);
}

/* The database overwrites what is deleted when it vacuums the table (docs/postgresql.md). */
segue_status segue_postgresql_change_remove_task(segue_store *base, int64_t task, const char *key,
                                                 uint64_t tag, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_write_ids(store, PG_REMOVE_PARTS, task, NULL, err));
    SEGUE_TRY(segue_postgresql_write_ids(store, PG_REMOVE_REWARDS, task, NULL, err));
    SEGUE_TRY(segue_postgresql_write_ids(store, PG_REMOVE_DECISIONS, task, NULL, err));
    segue_postgresql_known_clear(&store->known);
    if (!key)
        return SEGUE_OK;
    return *key ? rename_task(base, task, key, tag, err)
                : segue_postgresql_write_ids(store, PG_REMOVE_TASK, task, NULL, err);
}
