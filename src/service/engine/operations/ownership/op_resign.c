/* op_resign.c - hand a learner back, so that another server can take it.
 *
 *   store     no thread decides on it any more; store its
 *             pending decisions and a snapshot; free its lease        writer, in the transaction
 *   apply     drop the learner                                        writer, after COMMIT
 *   rollback  it is served as before                                  writer, after ROLLBACK
 *
 * A request that comes later, or waits in the queue, finds no learner and is routed again.  While a
 * refit runs it is not resigned: its begin event has no end yet.  Alone: no request fails with it.
 * When the service stops, many learners are resigned in one transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/ownership/op_resign.h"

#include "segue/internal.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/engine/writer.h"

#define TOGETHER 256 /* learners of one transaction when the service stops */

static void set_leaving(learner_state *state, bool is_leaving)
{
    (void)pthread_mutex_lock(&state->lock);
    state->is_leaving = is_leaving;
    (void)pthread_mutex_unlock(&state->lock);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    learner_state *state = op->state;
    if (state->refit) {
        op->result = OP_RESPONDED;
        return SEGUE_OK;
    }
    set_leaving(state, true);
    SEGUE_TRY(segue_op_persist_pending_all(service, state, err));
    if (state->seq > 0 && state->recovery_cost > 0)
        SEGUE_TRY(segue_op_snapshot_add(service, state, err));
    return segue_store_free_lease(service->store, state->id, err);
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    segue_service_drop(service, op->state);
    return SEGUE_OK;
}

static void rollback(segue_service *service, operation *op)
{
    (void)service;
    if (op->state)
        set_leaving(op->state, false);
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_resign = {.name = "resign",
                                  .store = store,
                                  .apply = apply,
                                  .rollback = rollback,
                                  .changes_memory_size = changes_memory_size,
                                  .is_alone = true};

/* The next learners, without refits, as a group of operations; *count: how many. */
static operation *create_group(segue_service *service, size_t *count)
{
    size_t index = 0;
    const hash_map_entry *within = NULL;
    operation *group = NULL;
    *count = 0;
    for (learner_state *state;
         *count < TOGETHER && (state = segue_hash_map_next(&service->by_id, &index, &within));) {
        operation *op = segue_operation_create(&op_resign);
        if (!op)
            break;
        segue_refit_destroy(state->refit); /* it begins again where the learner is recovered */
        state->refit = NULL;
        op->learner_id = state->id;
        op->next = group;
        group = op;
        ++*count;
    }
    return group;
}

void segue_op_resign_all(segue_service *service)
{
    size_t count = 0;
    do {
        operation *group = create_group(service, &count);
        if (group)
            segue_writer_commit(service, group);
    } while (count > 0 && !atomic_load(&service->store_unwritable) &&
             !atomic_load(&service->needs_restart));
}
