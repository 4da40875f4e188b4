/* writer.c - the one thread that stores: a group in one transaction, then its answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "service/engine/commit_queue.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"
#include "service/engine/writer.h"
#include "service/jobs/read_pool.h"
#include "service/jobs/reads.h"
#include "service/jobs/timer.h"
#include "service/state/checkpoint.h"

/* `failed`: the operation that the store refused; NULL: none, or it was the whole. */
static segue_status stage_all(segue_service *service, operation *group, operation **failed,
                              segue_error *err)
{
    segue_status status = segue_checkpoint_allow_write(service, err);
    service->staged_open = 0;
    if (status == SEGUE_OK)
        status = segue_store_begin(service->store, err);
    for (operation *op = group; op && status == SEGUE_OK; op = op->next) {
        status = segue_stage(service, op, err);
        *failed = status == SEGUE_OK ? NULL : op;
    }
    if (status == SEGUE_OK)
        status = segue_clock_stage(&service->clock, service->store, err);
    if (status == SEGUE_OK)
        status = segue_store_commit(service->store, err);
    if (status == SEGUE_OK)
        segue_clock_commit(&service->clock);
    return status;
}

/* Nothing of it is stored. */
static void refuse_all(segue_service *service, operation *group, const segue_error *why)
{
    segue_store_rollback(service->store);
    segue_checkpoint_for_space(service);
    for (operation *op = group; op; op = op->next) {
        segue_stage_undo(service, op);
        op->again = false;
        if (op->response)
            segue_response_fail(op->response, 503,
                                op->resumed
                                    ? "it cannot be stored now: %s"
                                    : "it cannot be stored now, and nothing has changed: %s",
                                why->message);
    }
    if (!atomic_exchange(&service->failing, true))
        segue_service_report(service, "nothing can be stored, and asks go on: %s", why->message);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

/* The service ends: what is on the disk is known only when it is read again. */
static void abandon_all(segue_service *service, operation *group, const segue_error *why)
{
    segue_service_fail(service, why);
    segue_store_rollback(service->store);
    for (operation *op = group; op; op = op->next) {
        segue_stage_undo(service, op);
        op->again = false;
        if (op->response)
            segue_response_fail(
                op->response, 503,
                "it is not known whether this was stored: %.300s; the service must be "
                "started again; repeat it then: a reward counts once",
                why->message);
    }
    atomic_store(&service->failing, true);
    (void)atomic_fetch_add(&service->metrics.failures, 1);
}

void segue_writer_enqueue_due(segue_service *service)
{
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; all && i < count; i++) {
        segue_apply_enqueue_due(service, all[i]);
        segue_learner_state_release(all[i]);
    }
    free(all);
    (void)segue_commit_queue_add_job(service, OP_PURGE, 0, 0);
}

/* Whatever became of it: nobody waits for the default of this decision any more. */
static void leave_line(operation *op)
{
    (void)pthread_mutex_lock(&op->state->lock);
    segue_deadline_queue_pop_before(&op->state->deadlines, op->place + 1);
    (void)pthread_mutex_unlock(&op->state->lock);
}

static void apply_all(segue_service *service, operation *group)
{
    unsigned long long count = 0;
    for (operation *op = group; op; op = op->next, count++) {
        if (op->kind == OP_DEFAULT_REWARD && op->state)
            leave_line(op);
        if (!op->answered)
            segue_apply(service, op);
    }
    if (atomic_exchange(&service->failing, false)) { /* the disk is back */
        segue_service_report(service, "the store can be written again");
        segue_writer_enqueue_due(service);
    }
    (void)atomic_fetch_add(&service->metrics.groups, 1);
    (void)atomic_fetch_add(&service->metrics.grouped, count);
}

/* Its decisions take long: let the pool make them.  False: it cannot, and the reply says so. */
static bool give_to_pool(segue_service *service, operation *op)
{
    op->to_pool = op->answered = op->is_new = false;
    op->task = NULL;
    segue_reads_fini(op); /* it begins anew */
    if (segue_read_pool_push(service, op))
        return true;
    segue_response_busy(op->response);
    return false;
}

static void finish(segue_service *service, operation *op)
{
    if (op->to_pool && give_to_pool(service, op))
        return;
    if (op->again) {
        segue_learner_state_release(op->state);
        op->state = NULL;
        op->task = NULL;
        op->again = op->answered = op->is_new = op->closes = false;
        op->resumed = true;
        (void)segue_commit_queue_push(&service->queue, op, true);
        return;
    }
    if (op->response && op->response->status >= 400 && op->told.size > 0)
        segue_response_add_reward(op->response, &op->told);
    const segue_completion done = op->done;
    void *context = op->context;
    segue_operation_destroy(op);
    if (done)
        done(context);
}

/* It is taken up: from now on it may be wished again, also if it comes to nothing. */
static void take_up(segue_service *service, operation *op)
{
    learner_state *state = op->learner_id ? segue_service_find_id(service, op->learner_id) : NULL;
    if (state)
        atomic_store(&state->job_pending[op->kind], false);
    if (state && op->task_id)
        segue_timer_clear_close_pending(state, op->task_id);
    if (op->kind == OP_PROBE)
        atomic_store(&service->probes, false);
    if (op->kind == OP_CHECKPOINT)
        atomic_store(&service->checkpoints, false);
    segue_learner_state_release(state);
    if (op->kind == OP_EXPIRE) {
        operation *rest = op->next, **end = &op->next;
        for (*end = segue_timer_expired(service, op->learner_id); *end;)
            end = &(*end)->next;
        *end = rest;
    }
}

void segue_writer_commit(segue_service *service, operation *group)
{
    segue_error err;
    segue_status status = SEGUE_OK;
    operation *failed = NULL;
    for (operation *op = group; op; op = op->next)
        take_up(service, op);
    if (atomic_load(&service->broken))
        status = segue_fail(&err, SEGUE_EIO, "%s", service->why);
    if (service->memory.is_tight)
        segue_memory_free_spare(&service->memory);
    if (status == SEGUE_OK)
        status = stage_all(service, group, &failed, &err);
    if (status == SEGUE_OK)
        apply_all(service, group);
    else if (atomic_load(&service->broken) || segue_store_is_lost(service->store))
        abandon_all(service, group, &err);
    else if (status == SEGUE_EFILE && failed)
        segue_damage_refuse(service, group, failed, &err);
    else
        refuse_all(service, group, &err);
    const bool oversized = group->kind == OP_CHECKPOINT;
    service->memory.is_tight = service->memory.is_tight || status == SEGUE_ENOMEM;
    (void)segue_memory_restore_spare(&service->memory);
    for (operation *next = NULL; group; group = next) {
        next = group->next;
        finish(service, group);
    }
    if (!atomic_load(&service->broken))
        segue_checkpoint_if_due(service, oversized); /* nobody waits for it */
}

void *segue_writer_main(void *context)
{
    segue_service *service = context;
    for (operation *group; (group = segue_commit_queue_pop_group(&service->queue, true));)
        segue_writer_commit(service, group);
    return NULL;
}
