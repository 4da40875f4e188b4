/* writer.c - the one thread that stores: a group of operations per transaction.
 *
 *   dequeue   each operation
 *   BEGIN     store each operation
 *   COMMIT    one wait for the disk, shared by the whole group
 *   apply     each operation: memory is never ahead of the disk
 *   respond   each operation: an acknowledged change is on the disk
 *
 * If the store fails, the group is rolled back and each request gets 503: nothing has changed.  If
 * the connection to a database was lost during COMMIT, the writer finds out whether the group is
 * stored, for RESOLVE_SECONDS.  If it is not known what the disk has, the service stops serving
 * changes until it is started again.
 * If one operation meets a damaged row, that one fails and the others run again (damage.c).
 *
 * The writer alone changes learners and uses service->store; other threads only call
 * segue_store_is_present, _durability and _wal_info.  It takes a learner's lock for the
 * moments in which it changes what other threads read, and never holds one while it waits for the
 * disk.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/writer.h"

#include <time.h>

#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/operations/ownership/op_session.h"
#include "service/engine/service_internal.h"
#include "service/jobs/maintenance.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/reads.h"
#include "service/jobs/wal_checkpoint.h"

#define RESOLVE_SECONDS 30.0 /* a database that restarts is back before */

/* A job that is dequeued may be enqueued again, also if it turns out not to be due. */
static void dequeue(segue_service *service, operation *op)
{
    learner_state *state = op->learner_id ? segue_service_find_id(service, op->learner_id) : NULL;
    if (state)
        atomic_store(&state->job_pending[op->kind->job], false);
    segue_learner_state_release(state);
    if (op->kind->dequeue)
        op->kind->dequeue(service, op);
}

/* ---- the transaction --------------------------------------------------------------------- */

/* `failed`: the operation whose `store` failed; NULL: none, or the transaction itself failed. */
static segue_status store_group(segue_service *service, operation *group, operation **failed,
                                segue_error *err)
{
    service->staged_open = 0;
    SEGUE_TRY(segue_wal_checkpoint_allow_write(service, err));
    SEGUE_TRY(segue_store_begin(service->store, err));
    for (const operation *op = group; op; op = op->next)
        if (op->kind->expect)
            op->kind->expect(service, op);
    for (operation *op = group; op; op = op->next) {
        *failed = op;
        SEGUE_TRY(op->kind->store(service, op, err));
    }
    *failed = NULL;
    if (!service->cluster) /* its renewals store the clock */
        SEGUE_TRY(segue_clock_stage(&service->clock, service->store, err));
    SEGUE_TRY(segue_store_commit(service->store, err));
    if (!service->cluster)
        segue_clock_commit(&service->clock);
    return SEGUE_OK;
}

/* The connection to the store was lost during COMMIT: find out whether the group was stored.  Other
 * changes wait meanwhile. */
static segue_status resolve_group(segue_service *service, segue_error *err)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    const double seconds = service->cluster ? service->config.lease : RESOLVE_SECONDS;
    const double until = segue_clock_steady() + seconds;
    bool stored = false;
    segue_status status = SEGUE_EIO;
    segue_service_report(service, "%s; finding out", err->message);
    atomic_store(&service->store_unwritable, true);
    while ((status = segue_store_resolve(service->store, &stored, err)) != SEGUE_OK &&
           !segue_store_is_lost(service->store) && !segue_store_is_fenced(service->store) &&
           segue_clock_steady() < until)
        (void)nanosleep(&pause, NULL);
    SEGUE_TRY(status);
    if (!stored)
        return segue_fail(err, SEGUE_EIO,
                          "the connection to the store was lost during COMMIT, before it was done");
    if (!service->cluster)
        segue_clock_commit(&service->clock);
    return SEGUE_OK;
}

static void apply_group(segue_service *service, operation *group)
{
    unsigned long long count = 0;
    for (operation *op = group; op; op = op->next, count++)
        if (op->result == OP_DONE)
            segue_operation_apply(service, op);
    if (atomic_exchange(&service->store_unwritable, false)) {
        segue_service_report(service, "the store can be written again");
        segue_maintenance_enqueue_all(service);
    }
    (void)atomic_fetch_add(&service->metrics.groups, 1);
    (void)atomic_fetch_add(&service->metrics.grouped, count);
}

/* ---- a transaction that failed ----------------------------------------------------------- */

/* Nothing is stored: reject the whole group. */
static void reject_group(segue_service *service, operation *group, const segue_error *why)
{
    segue_store_rollback(service->store);
    segue_wal_checkpoint_for_space(service);
    for (operation *op = group; op; op = op->next) {
        segue_operation_rollback(service, op);
        segue_operation_reject(
            op, 503,
            op->requeued
                ? "the request cannot be stored now; retry later: %s"
                : "the request cannot be stored now, and nothing has changed; retry later: %s",
            why->message);
    }
    if (!atomic_exchange(&service->store_unwritable, true))
        segue_service_report(service,
                             "nothing can be stored; asks continue and writes are retried: %s",
                             why->message);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

/* Only a restart finds out what the disk has: fail the service. */
static void abandon_group(segue_service *service, operation *group, const segue_error *why)
{
    segue_service_fail(service, why);
    segue_store_rollback(service->store);
    for (operation *op = group; op; op = op->next) {
        segue_operation_rollback(service, op);
        segue_operation_reject(
            op, 503,
            "it is not known whether the request was stored: %.300s; restart the "
            "service, then repeat the request: a reward counts once",
            why->message);
    }
    atomic_store(&service->store_unwritable, true);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

/* Respond that another server may own the learner; `unknown`: the change may be stored. */
static void respond_lost(operation *op, bool unknown)
{
    op->result = OP_RESPONDED;
    if (!op->response)
        return;
    segue_response_elsewhere(op->response);
    if (!unknown)
        return;
    segue_response_fail(op->response, 503,
                        "the connection to the database was lost, and it is not known whether the "
                        "request was stored; look, then repeat it if it was not: a reward counts "
                        "once");
    op->response->is_unknown = true;
}

/* The session was ended, or what became of its last transaction is unknown: forget all learners.
 * Requests are routed again. */
static void lose_session(segue_service *service, operation *group)
{
    const bool unknown =
        segue_store_is_unresolved(service->store) || segue_store_is_lost(service->store);
    segue_store_rollback(service->store);
    for (operation *op = group; op; op = op->next) {
        segue_operation_rollback(service, op);
        respond_lost(op, unknown);
    }
    segue_op_session_lose(service);
}

static bool is_session_lost(const segue_service *service)
{
    return service->cluster &&
           (segue_store_is_fenced(service->store) || segue_store_is_lost(service->store) ||
            segue_store_is_unresolved(service->store));
}

/* ---- the end of an operation ------------------------------------------------------------- */

/* Let the pool make decisions that take long; false: it is full, and the response says so. */
static bool move_to_pool(segue_service *service, operation *op)
{
    op->result = OP_DONE;
    op->task = NULL;
    segue_reads_fini(op); /* it starts from the beginning */
    if (segue_read_pool_push(service, op))
        return true;
    segue_response_busy(op->response);
    return false;
}

static void requeue(segue_service *service, operation *op, const operation_kind *kind)
{
    segue_operation_restart(op, kind);
    (void)segue_commit_queue_push(&service->queue, op, true);
}

static void complete(operation *op)
{
    if (op->response && op->response->status >= 400 && op->reward_result.size > 0)
        segue_response_add_reward(op->response, &op->reward_result);
    const segue_completion done = op->done;
    void *context = op->context;
    segue_operation_destroy(op);
    if (done)
        done(context);
}

static void finish(segue_service *service, operation *op)
{
    if (op->result == OP_TO_POOL && move_to_pool(service, op))
        return;
    if (op->result == OP_REQUEUE)
        requeue(service, op, op->kind);
    else if (op->result == OP_DONE && op->follow_up)
        requeue(service, op, op->follow_up);
    else
        complete(op);
}

/* ---- a group ----------------------------------------------------------------------------- */

static segue_status store_and_apply(segue_service *service, operation *group)
{
    segue_error err;
    operation *failed = NULL;
    segue_status status = SEGUE_OK;
    if (atomic_load(&service->needs_restart))
        status = segue_fail(&err, SEGUE_EIO, "%s", service->why);
    if (service->memory.is_tight)
        segue_memory_free_spare(&service->memory);
    if (status == SEGUE_OK)
        status = store_group(service, group, &failed, &err);
    if (status != SEGUE_OK && segue_store_is_unresolved(service->store))
        status = resolve_group(service, &err);
    if (status == SEGUE_OK)
        apply_group(service, group);
    else if (is_session_lost(service))
        lose_session(service, group);
    else if (atomic_load(&service->needs_restart) || segue_store_is_lost(service->store) ||
             segue_store_is_unresolved(service->store))
        abandon_group(service, group, &err);
    else if (status == SEGUE_EFILE && failed)
        segue_damage_refuse(service, group, failed, &err);
    else
        reject_group(service, group, &err);
    return status;
}

void segue_writer_commit(segue_service *service, operation *group)
{
    const bool checkpoint_requested = group->kind == &op_checkpoint;
    for (operation *op = group; op; op = op->next)
        dequeue(service, op);
    const segue_status status = store_and_apply(service, group);
    service->memory.is_tight = service->memory.is_tight || status == SEGUE_ENOMEM;
    (void)segue_memory_restore_spare(&service->memory);
    for (operation *next = NULL; group; group = next) {
        next = group->next;
        finish(service, group);
    }
    if (!atomic_load(&service->needs_restart))
        segue_wal_checkpoint_if_due(service, checkpoint_requested); /* no request waits for it */
}

void *segue_writer_main(void *context)
{
    segue_service *service = context;
    for (operation *group; (group = segue_commit_queue_pop_group(&service->queue, true));)
        segue_writer_commit(service, group);
    return NULL;
}
