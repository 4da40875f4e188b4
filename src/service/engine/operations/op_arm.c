/* op_arm.c - add an arm to a learner, and retire one.
 *
 *   store    409 if the method's arms are fixed, the arm
 *            exists (add), or it is the last one (retire);
 *            else write the arm's row and an event           writer, in the transaction
 *   apply    change the learner and its list of arms         writer, after COMMIT, learner's lock
 *   respond  the learner: 201 added, 200 retired             writer, no lock
 *
 * Open tasks continue with the arms that they were opened with.  A retired arm stays in the list,
 * because stored rewards refer to arms by index.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static bool can_change_arms(operation *op)
{
    if (!segue_learner_method_find(op->state->method)->fixed_arms)
        return true;
    segue_operation_reject(
        op, 409, "the arms of %s cannot change: it learns only from tasks that pulled every arm",
        op->state->method);
    return false;
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

/* ---- add --------------------------------------------------------------------------------- */

static bool can_add(operation *op)
{
    const learner_state *state = op->state;
    size_t index;
    if (segue_learner_state_find_arm(state, op->request.arm, &index)) {
        segue_operation_reject(op, 409,
                               state->allowed[index]
                                   ? "arm '%.80s' already exists"
                                   : "the arm '%.80s' is retired, and does not come back; add it "
                                     "by another name",
                               op->request.arm);
        return false;
    }
    if (state->n_arms < SEGUE_MAX_SERVICE_ARMS)
        return true;
    segue_operation_reject(op, 409, "a learner has at most %d arms; create another learner",
                           SEGUE_MAX_SERVICE_ARMS);
    return false;
}

static segue_status store_added(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_learner(service, op) || !can_change_arms(op) || !can_add(op))
        return SEGUE_OK;
    const size_t index = op->state->n_arms;
    SEGUE_TRY(segue_store_add_arm(service->store, op->state->id, index, op->request.arm,
                                  segue_service_wall_time(service), err));
    return segue_operation_add_event(service, op, SEGUE_EVENT_ADD_ARM, (int64_t)index, err);
}

static segue_status add_to_learner(operation *op, segue_error *err)
{
    learner_state *state = op->state;
    SEGUE_TRY(segue_learner_add_arm(state->learner, err));
    SEGUE_TRY(segue_learner_state_add_arm(state, op->request.arm, false, err));
    return segue_model_history_add(&state->versions, state->learner, err);
}

static segue_status apply_added(segue_service *service, operation *op, segue_error *err)
{
    (void)service;
    (void)pthread_mutex_lock(&op->state->lock);
    const segue_status status = add_to_learner(op, err);
    (void)pthread_mutex_unlock(&op->state->lock);
    segue_operation_event_applied(op, 0);
    return status;
}

static void respond_added(segue_service *service, operation *op)
{
    (void)service;
    segue_response_learner(op->state, 201, op->response);
}

const operation_kind op_add_arm = {.name = "add arm",
                                   .store = store_added,
                                   .apply = apply_added,
                                   .respond = respond_added,
                                   .changes_memory_size = changes_memory_size,
                                   .is_alone = true};

/* ---- retire ------------------------------------------------------------------------------ */

static segue_status store_retired(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_learner(service, op) || !can_change_arms(op))
        return SEGUE_OK;
    const learner_state *state = op->state;
    size_t index = 0;
    if (!segue_learner_state_find_arm(state, op->request.arm, &index)) {
        segue_operation_reject(op, 404,
                               "the learner has no arm '%.80s'; GET the learner for its arms",
                               op->request.arm);
        return SEGUE_OK;
    }
    op->arm.index = index;
    op->arm.is_new = state->allowed[index];
    if (!op->arm.is_new)
        return SEGUE_OK;
    if (state->n_retired + 1 == state->n_arms) {
        segue_operation_reject(op, 409, "'%.80s' is the last arm; add another one first",
                               op->request.arm);
        return SEGUE_OK;
    }
    SEGUE_TRY(segue_store_retire_arm(service->store, state->id, index,
                                     segue_service_wall_time(service), err));
    return segue_operation_add_event(service, op, SEGUE_EVENT_RETIRE_ARM, (int64_t)index, err);
}

static segue_status apply_retired(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)service;
    if (!op->arm.is_new)
        return SEGUE_OK;
    (void)pthread_mutex_lock(&state->lock);
    segue_status status = segue_learner_retire_arm(state->learner, op->arm.index, err);
    segue_learner_state_retire_arm(state, op->arm.index);
    if (status == SEGUE_OK)
        status = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    segue_operation_event_applied(op, 0);
    return status;
}

static void respond_retired(segue_service *service, operation *op)
{
    (void)service;
    segue_response_learner(op->state, 200, op->response);
}

const operation_kind op_retire_arm = {.name = "retire arm",
                                      .store = store_retired,
                                      .apply = apply_retired,
                                      .respond = respond_retired,
                                      .changes_memory_size = changes_memory_size,
                                      .is_alone = true};
