/* op_probe.c - a test write: store the service time.
 *
 *   dequeue  the job may be enqueued again           writer, before the transaction
 *   store    write the service time                  writer, in the transaction
 *
 * The timer enqueues it while the store fails, when the store's files are missing (the commit then
 * says so), and once a minute while tasks are open, whose deadlines depend on the service time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static void dequeue(segue_service *service, operation *op)
{
    (void)op;
    atomic_store(&service->probe_pending, false);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    (void)op;
    if (service->cluster) /* the fence is a write */
        return SEGUE_OK;
    return segue_store_set_clock(service->store, segue_service_time(service), err);
}

const operation_kind op_probe = {.name = "probe", .dequeue = dequeue, .store = store};
