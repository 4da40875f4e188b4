/* op_create_learner.c - create a learner, or find that it exists with these settings.
 *
 *   validate  the settings make a learner; the service has memory   any thread, no lock
 *   store     409 if the name has other settings or is damaged;
 *             else allocate the learner's state, insert its rows    writer, in the transaction
 *   apply     enter the learner into the table                      writer, after COMMIT
 *   respond   201 with the learner, or 200 if it existed            writer, no lock
 *   rollback  free the state, which no other thread has seen        writer, after ROLLBACK
 *
 * All memory is allocated in `store`, so that `apply` cannot fail for lack of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/damage.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static bool validate(segue_service *service, operation *op)
{
    segue_error err;
    if (!segue_service_has_memory(service, op->response))
        return false;
    if (segue_learner_settings_create_learner(&op->request.settings, &op->create.learner, &err) ==
        SEGUE_OK)
        return true;
    segue_response_fail_status(op->response, &err);
    return false;
}

static bool is_damaged(segue_service *service, operation *op)
{
    int64_t id = 0;
    if (!segue_damage_find(service, op->request.settings.name, &id, NULL))
        return false;
    segue_operation_reject(op, 409,
                           "learner '%.80s' already exists and is damaged; delete it first",
                           op->request.settings.name);
    return true;
}

static void reject_settings(operation *op)
{
    char difference[160];
    segue_learner_settings_difference(&op->state->settings, &op->request.settings, difference,
                                      sizeof difference);
    segue_operation_reject(op, 409, "learner '%.80s' already exists with different settings (%s)",
                           op->request.settings.name, difference);
}

/* Reject other settings than those that the learner was created with, or has now. */
static segue_status compare_settings(operation *op, segue_error *err)
{
    segue_bytes wanted = {.data = NULL}, now = {.data = NULL};
    segue_learner_settings_write(&op->request.settings, &wanted);
    segue_learner_settings_write(&op->state->settings, &now);
    segue_bytes_append(&wanted, "", 1);
    segue_bytes_append(&now, "", 1);
    const segue_status status =
        wanted.failed || now.failed ? segue_fail_no_memory(err, "a learner") : SEGUE_OK;
    if (status == SEGUE_OK && strcmp((char *)wanted.data, (char *)op->state->config.data) != 0 &&
        strcmp((char *)wanted.data, (char *)now.data) != 0)
        reject_settings(op);
    segue_bytes_fini(&wanted);
    segue_bytes_fini(&now);
    return status;
}

/* Allocate op->state with its arms and its entries in the table. */
static segue_status allocate(segue_service *service, operation *op, segue_error *err)
{
    const segue_stored_learner row = {.created = segue_service_wall_time(service)};
    segue_learner *learner = op->create.learner;
    op->create.saved = op->request.settings.saved;
    op->request.settings.saved = (segue_bytes){.data = NULL};
    op->create.learner = NULL; /* the state owns it, also after a failure */
    SEGUE_TRY(segue_learner_state_create(&op->state, &row, &op->request.settings, learner,
                                         service->key, err));
    const learner_settings *settings = &op->state->settings;
    for (size_t i = 0; i < settings->n_arms; i++)
        SEGUE_TRY(segue_learner_state_add_arm(op->state, settings->arm[i],
                                              segue_learner_is_retired(learner, i), err));
    if (segue_learner_version(learner) > 0)
        SEGUE_TRY(segue_model_history_add(&op->state->versions, learner, err));
    return segue_service_reserve_entry(service, op->state) ? SEGUE_OK
                                                           : segue_fail_no_memory(err, "a learner");
}

static segue_status insert_arms(segue_service *service, const learner_state *state,
                                segue_error *err)
{
    for (size_t i = 0; i < state->settings.n_arms; i++) {
        SEGUE_TRY(segue_store_add_arm(service->store, state->id, i, state->settings.arm[i],
                                      state->created, err));
        if (segue_learner_is_retired(state->learner, i)) /* in the saved learner */
            SEGUE_TRY(segue_store_retire_arm(service->store, state->id, i, state->created, err));
    }
    return SEGUE_OK;
}

static segue_status insert_rows(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    segue_stored_learner row = {.name = state->settings.name,
                                .config = (char *)state->config.data,
                                .created = state->created};
    SEGUE_TRY(segue_store_add_learner(service->store, &row, err));
    state->id = row.id;
    if (service->cluster) {
        SEGUE_TRY(segue_store_add_lease(service->store, row.id, err));
        state->epoch = 1;
    }
    if (op->create.saved.data)
        SEGUE_TRY(segue_store_add_initial(service->store, row.id, op->create.saved.data,
                                          op->create.saved.size, err));
    return insert_arms(service, state, err);
}

/* One of several servers: find out in this transaction that no other one adds the name. */
static segue_status claim_name(segue_service *service, operation *op, segue_error *err)
{
    bool is_free = op->response->is_absent;
    if (is_free)
        SEGUE_TRY(segue_store_claim_name(service->store, op->request.settings.name, &is_free, err));
    if (!is_free) {
        op->result = OP_RESPONDED;
        segue_response_elsewhere(op->response);
    }
    return SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    segue_error why;
    if (is_damaged(service, op))
        return SEGUE_OK;
    op->state = segue_service_find(service, op->request.settings.name);
    if (op->state)
        return compare_settings(op, err);
    if (service->cluster)
        SEGUE_TRY(claim_name(service, op, err));
    if (op->result == OP_RESPONDED)
        return SEGUE_OK;
    if (!segue_service_has_memory(service, op->response)) {
        op->result = OP_RESPONDED;
        return SEGUE_OK;
    }
    if (allocate(service, op, &why) != SEGUE_OK) {
        segue_operation_reject(op, 503, "%s; close tasks or raise --max-memory", why.message);
        return SEGUE_OK;
    }
    op->create.is_new = true;
    return insert_rows(service, op, err);
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    if (!op->create.is_new)
        return SEGUE_OK;
    if (!segue_service_register(service, op->state))
        return segue_fail_no_memory(err, "a learner");
    segue_learner_state_acquire(op->state); /* for the table; the operation has its own */
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    segue_response_learner(op->state, op->create.is_new ? 201 : 200, op->response);
}

static void rollback(segue_service *service, operation *op)
{
    (void)service;
    if (!op->create.is_new)
        return;
    segue_learner_state_release(op->state);
    op->state = NULL;
}

static void fini(operation *op)
{
    segue_learner_destroy(op->create.learner);
    segue_bytes_fini(&op->create.saved);
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_create_learner = {.name = "create learner",
                                          .validate = validate,
                                          .store = store,
                                          .apply = apply,
                                          .respond = respond,
                                          .rollback = rollback,
                                          .fini = fini,
                                          .changes_memory_size = changes_memory_size,
                                          .is_alone = true};
