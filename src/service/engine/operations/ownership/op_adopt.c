/* op_adopt.c - serve a learner that this server took and recovered (cluster/keeper.c).
 *
 *   store     the lease is still this server's, in the epoch in
 *             which it was recovered; allocate its entries; its
 *             next event gets a larger number                        writer, in the transaction
 *   apply     enter the learner into the table, or list it as
 *             damaged; enqueue its jobs that are due                 writer, after COMMIT
 *
 * The transaction is fenced: so the session lives.  The fence does not see that a standby took over
 * which lacks the lease, that the learner was taken by others meanwhile, or that it was deleted: the
 * lease is read again, and stays locked until COMMIT.  Alone: requests do not wait in one group with it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/ownership/op_adopt.h"

#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "service/engine/damage.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"
#include "service/jobs/maintenance.h"

bool segue_op_adopt_push(segue_service *service, const segue_recovery_result *found,
                         const segue_session *session, uint64_t epoch, segue_completion done,
                         void *context)
{
    operation *op = segue_operation_create(&op_adopt);
    if (!op)
        return false;
    op->state = found->state;
    if (found->state)
        segue_learner_state_acquire(found->state);
    op->task_id = found->row->id; /* not learner_id: that is of a learner in the table */
    op->owner.session = *session;
    op->owner.epoch = epoch;
    op->owner.created = found->row->created;
    (void)snprintf(op->request.learner, sizeof op->request.learner, "%s", found->row->name);
    (void)snprintf(op->owner.why, sizeof op->owner.why, "%s", found->state ? "" : found->why);
    op->done = done;
    op->context = context;
    if (segue_commit_queue_push(&service->queue, op, false))
        return true;
    segue_operation_destroy(op);
    return false;
}

/* *is_current: the session is that of the writer and owns the learner, and no other one has the name. */
static segue_status check_current(segue_service *service, const operation *op, bool *is_current,
                                  segue_error *err)
{
    learner_state *other = segue_service_find(service, op->request.learner);
    segue_learner_state_release(other);
    *is_current =
        !other && strcmp(op->owner.session.id, segue_store_session(service->store)->id) == 0;
    return *is_current ? segue_store_hold_lease(service->store, op->task_id, op->owner.epoch,
                                                is_current, err)
                       : SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    bool is_current = false;
    SEGUE_TRY(check_current(service, op, &is_current, err));
    if (!is_current) {
        op->result = OP_RESPONDED;
        return SEGUE_OK;
    }
    if (!op->state)
        return SEGUE_OK;
    segue_store_skip_events(service->store, op->state->seq);
    return segue_service_reserve_entry(service, op->state) ? SEGUE_OK
                                                           : segue_fail_no_memory(err, "a learner");
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    const segue_stored_learner row = {
        .id = op->task_id, .name = op->request.learner, .created = op->owner.created};
    if (!op->state)
        return segue_damage_add(service, &row, op->owner.why, err);
    segue_learner_state_acquire(op->state); /* the table's */
    if (!segue_service_admit(service, op->state)) {
        segue_learner_state_release(op->state);
        return segue_fail_no_memory(err, "a learner");
    }
    segue_maintenance_enqueue(service, op->state);
    return SEGUE_OK;
}

const operation_kind op_adopt = {.name = "adopt", .store = store, .apply = apply, .is_alone = true};
