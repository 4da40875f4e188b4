/* op_checkpoint.c - wake the writer for a checkpoint of the WAL.
 *
 *   dequeue  the job may be enqueued again           writer, before the transaction
 *   store    nothing: it is responded to             writer, in the transaction
 *
 * The writer checkpoints after each group if it is due (jobs/wal_checkpoint.c).  This job gives it
 * a group when there are no requests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static void dequeue(segue_service *service, operation *op)
{
    (void)op;
    atomic_store(&service->checkpoint_pending, false);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)err;
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

const operation_kind op_checkpoint = {
    .name = "checkpoint", .dequeue = dequeue, .store = store, .is_alone = true};
