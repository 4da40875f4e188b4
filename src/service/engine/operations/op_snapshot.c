/* op_snapshot.c - store a learner as it is after an event, so that recovery starts from there.
 *
 *   store     serialize the learner, its statistics, its
 *             effect of transfer and its versions                                  writer, in the transaction, no lock
 *   apply     the recovery cost is zero again               writer, after COMMIT
 *   rollback  try again when the recovery cost has doubled  writer, after ROLLBACK
 *
 * No lock: only the writer changes what is serialized.  Alone, because it may be large: no request
 * fails with it.  During a refit there is no snapshot: it would not have the refit's begin event.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/internal.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/state/recovery/recovery.h"

segue_status segue_op_snapshot_add(segue_service *service, const learner_state *state,
                                   segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_recovery_serialize(state->learner, &state->stats, &state->effect, &state->versions,
                             &state->shadow, &b);
    segue_recovery_seal(&b, state->id, state->seq);
    const segue_status status =
        b.failed
            ? segue_fail_no_memory(err, "a snapshot")
            : segue_store_add_snapshot(service->store, state->id, state->seq, b.data, b.size, err);
    segue_bytes_fini(&b);
    return status;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    const learner_state *state = op->state;
    if (!state->refit && state->seq > 0 && state->recovery_cost > 0)
        return segue_op_snapshot_add(service, state, err);
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    op->state->recovery_cost = op->state->recovery_cost_refused = 0;
    (void)atomic_fetch_add(&service->metrics.snapshots, 1);
    return SEGUE_OK;
}

static void rollback(segue_service *service, operation *op)
{
    (void)service;
    if (op->state)
        op->state->recovery_cost_refused = op->state->recovery_cost;
}

const operation_kind op_snapshot = {.name = "snapshot",
                                    .store = store,
                                    .apply = apply,
                                    .rollback = rollback,
                                    .job = JOB_SNAPSHOT,
                                    .is_alone = true};
