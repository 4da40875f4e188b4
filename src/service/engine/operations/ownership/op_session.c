/* op_session.c - begin a session of this server, after it has forgotten what it owned before.
 *
 *   dequeue  forget all learners; from now on transactions
 *            check this session; continue its service time    writer, before BEGIN
 *   store    nothing: the fence finds out that it lives       writer, in the transaction
 *   apply    learners may be taken                            writer, after COMMIT
 *
 * Requests in the queue then find no learner and are routed again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/ownership/op_session.h"

#include "service/cluster/cluster.h"
#include "service/engine/damage.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

bool segue_op_session_push(segue_service *service, const segue_session *session,
                           unsigned long long number, double clock)
{
    operation *op = segue_operation_create(&op_session);
    if (!op)
        return false;
    op->owner.session = *session;
    op->owner.number = number;
    op->owner.clock = clock;
    if (segue_commit_queue_push(&service->queue, op, false))
        return true;
    segue_operation_destroy(op);
    return false;
}

static void forget_learners(segue_service *service)
{
    size_t index = 0;
    const hash_map_entry *within = NULL;
    learner_state *state = NULL;
    /* only this thread changes the table, and what was given may be removed */
    while ((state = segue_hash_map_next(&service->by_id, &index, &within)))
        segue_service_drop(service, state);
    segue_damage_fini(service);
}

void segue_op_session_lose(segue_service *service)
{
    atomic_store(&service->cluster->served, 0);
    atomic_store(&service->cluster->lost, service->cluster->writing);
    forget_learners(service);
    segue_cluster_wake(service->cluster);
}

static void dequeue(segue_service *service, operation *op)
{
    atomic_store(&service->cluster->served, 0);
    service->cluster->writing = op->owner.number;
    forget_learners(service);
    segue_store_set_session(service->store, &op->owner.session);
    segue_clock_continue(&service->clock, op->owner.clock);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)op;
    (void)err;
    return SEGUE_OK;
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    atomic_store(&service->cluster->served, op->owner.number);
    segue_cluster_wake(service->cluster);
    (void)segue_commit_queue_add_job(service, &op_purge, 0, 0); /* of a server that ended early */
    return SEGUE_OK;
}

static void rollback(segue_service *service, operation *op)
{
    atomic_store(&service->cluster->lost, op->owner.number); /* register again */
}

const operation_kind op_session = {.name = "session",
                                   .dequeue = dequeue,
                                   .store = store,
                                   .apply = apply,
                                   .rollback = rollback,
                                   .is_alone = true};
