/* op_refit.c - a background refit: begin it on a copy of the learner, publish what it found.
 *
 *   begin    store     copy the learner; an event          writer, learner's lock for the copy
 *            apply     give the copy to the refit worker   writer, after COMMIT
 *            rollback  free the copy                       writer, learner's lock
 *   publish  store     an event                            writer, in the transaction
 *            apply     the learner uses the new types      writer, after COMMIT, learner's lock
 *
 * Both are events: recovery begins and publishes the refit at the same points of the event log, and
 * so computes the same learner.  A learner has one refit at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/internal.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"
#include "service/jobs/maintenance.h"
#include "service/jobs/refit_worker.h"

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

static segue_status add_event(segue_service *service, operation *op, segue_event_kind kind,
                              segue_error *err)
{
    op->state->refit_staged = true;
    return segue_operation_add_event(service, op, kind, 0, err);
}

static segue_status add_version(learner_state *state, segue_error *err)
{
    return segue_model_history_add(&state->versions, state->learner, err);
}

/* ---- begin ------------------------------------------------------------------------------- */

/* Copy the learner: state->refit.  False: no refit is due, or there is no memory; it is tried again
 * when the next task closes. */
static bool copy_learner(learner_state *state)
{
    if (state->refit_staged || state->refit || !segue_learner_refit_due(state->learner))
        return false;
    (void)pthread_mutex_lock(&state->lock);
    const segue_status status = segue_learner_refit_begin(state->learner, &state->refit, NULL);
    (void)pthread_mutex_unlock(&state->lock);
    return status == SEGUE_OK;
}

static segue_status store_begin(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    if (copy_learner(op->state))
        return add_event(service, op, SEGUE_EVENT_REFIT_BEGIN, err);
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

static segue_status apply_begin(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)pthread_mutex_lock(&state->lock);
    const segue_status status = add_version(state, err);
    (void)pthread_mutex_unlock(&state->lock);
    segue_operation_event_applied(op, 0);
    state->refit_staged = false;
    atomic_store(&state->refit_finished, false);
    segue_refit_worker_enqueue(service, state);
    return status;
}

static void rollback_begin(segue_service *service, operation *op)
{
    learner_state *state = op->state;
    (void)service;
    if (!state)
        return;
    state->refit_staged = false;
    if (op->result != OP_DONE)
        return; /* state->refit is not of this operation */
    (void)pthread_mutex_lock(&state->lock);
    segue_refit_destroy(state->refit);
    state->refit = NULL;
    (void)pthread_mutex_unlock(&state->lock);
}

/* Alone: the copy is of the learner before the transaction. */
const operation_kind op_refit_begin = {.name = "begin refit",
                                       .store = store_begin,
                                       .apply = apply_begin,
                                       .rollback = rollback_begin,
                                       .changes_memory_size = changes_memory_size,
                                       .job = JOB_REFIT_BEGIN,
                                       .is_alone = true};

/* ---- publish ----------------------------------------------------------------------------- */

static segue_status store_publish(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    learner_state *state = op->state;
    if (!state->refit_staged && state->refit && atomic_load(&state->refit_finished))
        return add_event(service, op, SEGUE_EVENT_REFIT_PUBLISH, err);
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

static segue_status apply_publish(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)pthread_mutex_lock(&state->lock);
    segue_status status = segue_learner_refit_publish(state->learner, &state->refit, err);
    if (status == SEGUE_OK)
        status = add_version(state, err);
    (void)pthread_mutex_unlock(&state->lock);
    atomic_store(&state->refit_finished, false);
    state->refit_staged = false;
    segue_operation_event_applied(op, 0);
    (void)atomic_fetch_add(&service->metrics.refits, 1);
    if (status == SEGUE_OK)
        segue_maintenance_enqueue(service, state);
    return status;
}

static void rollback_publish(segue_service *service, operation *op)
{
    (void)service;
    if (op->state)
        op->state->refit_staged = false;
}

const operation_kind op_refit_publish = {.name = "publish refit",
                                         .store = store_publish,
                                         .apply = apply_publish,
                                         .rollback = rollback_publish,
                                         .changes_memory_size = changes_memory_size,
                                         .job = JOB_REFIT_PUBLISH};
