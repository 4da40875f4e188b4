/* op_purge.c - delete rows of deleted learners, some per transaction.
 *
 *   store    delete a limited number of rows         writer, in the transaction
 *   apply    enqueue the job again if rows remain    writer, after COMMIT
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    return segue_store_purge(service->store, &op->more, err);
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    if (op->more)
        (void)segue_commit_queue_add_job(service, &op_purge, 0, 0);
    return SEGUE_OK;
}

const operation_kind op_purge = {.name = "purge", .store = store, .apply = apply};
