/* operation.c - the life of an operation, and the steps that all kinds share.
 *
 * An operation belongs to one thread at a time: to the thread that handles the request until it is
 * queued, then to the writer (or to a thread of the read pool) until it is destroyed.  Its learner
 * stays acquired from `store` to the end of the operation.
 *
 * An error of `apply` is serious: the change is stored, and memory lacks it.  Damaged rows
 * quarantine the learner; any other error stops the service, and a restart recovers from the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine/damage.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"
#include "service/jobs/reads.h"
#include "service/state/learn.h"

operation *segue_operation_create(const operation_kind *kind)
{
    operation *op = calloc(1, sizeof *op);
    if (op)
        op->kind = kind;
    return op;
}

static void free_data(operation *op)
{
    if (op->kind->fini)
        op->kind->fini(op);
}

void segue_operation_destroy(operation *op)
{
    if (!op)
        return;
    segue_reads_fini(op);
    if (op->opened)
        segue_learner_state_discard_task(op->state, op->opened);
    free_data(op);
    segue_bytes_fini(&op->reward_result);
    segue_learner_state_release(op->state);
    segue_request_fini(&op->request);
    free(op);
}

void segue_operation_restart(operation *op, const operation_kind *kind)
{
    operation fresh = {.kind = kind,
                       .requeued = true,
                       .tries = op->tries,
                       .request = op->request,
                       .response = op->response,
                       .done = op->done,
                       .context = op->context,
                       .decision = op->decision,
                       .reward_result = op->reward_result,
                       .read = op->read};
    if (kind == op->kind)
        fresh.follow_up = op->follow_up;
    free_data(op);
    segue_learner_state_release(op->state);
    *op = fresh;
}

/* ---- steps of several kinds -------------------------------------------------------------- */

bool segue_operation_find_learner(segue_service *service, operation *op)
{
    op->state = segue_service_find(service, op->request.learner);
    if (op->state)
        return true;
    op->result = OP_RESPONDED;
    segue_damage_respond_missing(service, op->request.learner, op->response);
    return false;
}

bool segue_operation_find_job_learner(segue_service *service, operation *op)
{
    op->state = segue_service_find_id(service, op->learner_id);
    if (!op->state)
        op->result = OP_RESPONDED;
    return op->state != NULL;
}

void segue_operation_reject(operation *op, int status, const char *format, ...)
{
    char message[SEGUE_ERROR_SIZE];
    va_list args;
    op->result = OP_RESPONDED;
    if (!op->response)
        return;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    segue_response_fail(op->response, status, "%s", message);
}

segue_status segue_operation_add_event(segue_service *service, operation *op, segue_event_kind kind,
                                       int64_t subject, segue_error *err)
{
    segue_stored_event event = {.learner = op->state->id,
                                .kind = kind,
                                .subject = subject,
                                .epoch = op->state->epoch,
                                .created = segue_service_wall_time(service)};
    SEGUE_TRY(segue_store_add_event(service->store, &event, err));
    op->event_kind = kind;
    op->seq = event.seq;
    return SEGUE_OK;
}

void segue_operation_expect_reward(segue_service *service, const operation *op)
{
    segue_store_expect_reward(service->store, op->decision.task, op->decision.number);
}

void segue_operation_event_applied(operation *op, uint64_t rewards)
{
    op->state->seq = op->seq;
    op->state->recovery_cost += segue_learn_recovery_cost(op->event_kind, rewards);
}

/* ---- after COMMIT ------------------------------------------------------------------------ */

/* An earlier operation of the group found the learner damaged: this change is stored all the same.
 */
static void respond_damaged(segue_service *service, operation *op)
{
    char why[SEGUE_ERROR_SIZE] = "";
    int64_t id = op->state->id;
    segue_task_change_discard_opened(service, op);
    op->result = OP_RESPONDED;
    if (!op->response)
        return;
    (void)segue_damage_find(service, NULL, &id, why);
    segue_response_fail(op->response, 500,
                        "the request is stored, but the learner is damaged: %s; restore a backup",
                        why);
}

/* Memory lacks a change that is on the disk. */
static void fail_apply(segue_service *service, operation *op, const segue_error *why)
{
    op->result = OP_RESPONDED;
    if (why->status == SEGUE_EFILE && op->state) {
        segue_damage_quarantine(service, op->state, why);
        if (op->response)
            segue_response_fail(
                op->response, 500,
                "the request is stored, but the learner is damaged: %s; restore a backup",
                why->message);
        return;
    }
    segue_service_fail(service, why);
    if (op->response)
        segue_response_fail(op->response, 503, "the service failed, restart it: %s", why->message);
}

/* Count the learner's memory again, and take back the spare memory that `apply` could use. */
static void count_memory(segue_service *service, const operation *op)
{
    (void)pthread_mutex_lock(&op->state->lock);
    segue_service_count_memory(service, op->state);
    (void)pthread_mutex_unlock(&op->state->lock);
    segue_service_reserve_memory(service, op->state);
    (void)segue_memory_restore_spare(&service->memory);
}

static segue_status apply_and_respond(segue_service *service, operation *op, segue_error *err)
{
    if (op->kind->apply)
        SEGUE_TRY(op->kind->apply(service, op, err));
    if (op->kind->respond && op->response && op->result == OP_DONE)
        op->kind->respond(service, op);
    return SEGUE_OK;
}

void segue_operation_apply(segue_service *service, operation *op)
{
    segue_error err;
    if (op->state && op->state->is_gone) {
        respond_damaged(service, op);
        return;
    }
    const bool counts =
        op->state && op->kind->changes_memory_size && op->kind->changes_memory_size(op);
    if (counts)
        segue_memory_free_spare(&service->memory);
    const segue_status status = apply_and_respond(service, op, &err);
    if (counts)
        count_memory(service, op);
    if (status != SEGUE_OK)
        fail_apply(service, op, &err);
}

/* ---- after ROLLBACK ---------------------------------------------------------------------- */

void segue_operation_rollback(segue_service *service, operation *op)
{
    segue_task_change_discard_opened(service, op);
    if (op->task)
        segue_task_change_rollback(op);
    if (op->kind->rollback)
        op->kind->rollback(service, op);
}
