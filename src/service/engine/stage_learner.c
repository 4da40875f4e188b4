/* stage_learner.c - learners and their arms, as far as the store goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/engine/damage.h"
#include "service/engine/stage.h"

/* ---- learners ---------------------------------------------------------------------------- */

/* All that it needs in memory, before it is stored; false: there is none, and it is refused. */
static bool make_live(segue_service *service, operation *op)
{
    segue_error why;
    segue_learner *learner = op->learner;
    const segue_stored_learner row = {.created = segue_service_now(service)};
    op->learner = NULL;
    segue_status status = segue_learner_state_create(&op->state, &row, &op->request.settings,
                                                     learner, service->key, &why);
    for (size_t i = 0; status == SEGUE_OK && i < op->state->settings.n_arms; i++)
        status = segue_learner_state_add_arm(op->state, op->state->settings.arm[i], false, &why);
    if (status == SEGUE_OK && !segue_service_reserve_entry(service, op->state))
        status = segue_fail(&why, SEGUE_ENOMEM, "out of memory for a learner");
    if (status != SEGUE_OK)
        REFUSE(op, 503, "%s; close tasks, or allow the process more", why.message);
    return status == SEGUE_OK;
}

static segue_status store_live(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    segue_stored_learner row = {.name = state->settings.name,
                                .config = (char *)state->config.data,
                                .created = state->created};
    segue_status status = segue_store_add_learner(service->store, &row, err);
    state->id = row.id;
    for (size_t i = 0; i < state->settings.n_arms && status == SEGUE_OK; i++)
        status = segue_store_add_arm(service->store, row.id, i, state->settings.arm[i], row.created,
                                     err);
    return status;
}

static segue_status create(segue_service *service, operation *op, segue_error *err)
{
    op->answered = !segue_service_has_memory(service, op->response) || !make_live(service, op);
    op->is_new = !op->answered;
    return op->is_new ? store_live(service, op, err) : SEGUE_OK;
}

static bool is_damaged(segue_service *service, operation *op)
{
    int64_t id = 0;
    if (!segue_damage_find(service, op->request.settings.name, &id, NULL))
        return false;
    REFUSE(op, 409, "learner '%.80s' already exists and is damaged; delete it first",
           op->request.settings.name);
    return true;
}

segue_status segue_stage_create(segue_service *service, operation *op, segue_error *err)
{
    segue_bytes config = {.data = NULL};
    if (is_damaged(service, op))
        return SEGUE_OK;
    op->state = segue_service_find(service, op->request.settings.name);
    segue_learner_settings_write(&op->request.settings, &config);
    segue_bytes_append(&config, "", 1);
    if (config.failed) {
        segue_bytes_fini(&config);
        return segue_fail_no_memory(err, "a learner");
    }
    segue_status status = SEGUE_OK;
    if (op->state && strcmp((char *)config.data, (char *)op->state->config.data) != 0) {
        char difference[160];
        segue_learner_settings_difference(&op->state->settings, &op->request.settings, difference,
                                          sizeof difference);
        REFUSE(op, 409, "learner '%.80s' already exists with different settings (%s)",
               op->request.settings.name, difference);
    } else if (!op->state) {
        status = create(service, op, err);
    }
    segue_bytes_fini(&config);
    return status;
}

segue_status segue_stage_delete(segue_service *service, operation *op, segue_error *err)
{
    op->state = segue_service_find(service, op->request.learner);
    if (op->state)
        return segue_store_delete_learner(service->store, op->state->id, err);
    if (segue_damage_find(service, op->request.learner, &op->damaged, NULL))
        return segue_store_delete_learner(service->store, op->damaged, err);
    op->answered = true;
    segue_damage_respond_missing(service, op->request.learner, op->response);
    return SEGUE_OK;
}

/* ---- arms -------------------------------------------------------------------------------- */

static bool cannot_change_arms(operation *op)
{
    if (!segue_learner_method_find(op->state->method)->fixed_arms)
        return false;
    REFUSE(op, 409, "the arms of %s cannot change: it learns only from tasks that pulled every arm",
           op->state->method);
    return true;
}

segue_status segue_stage_add_arm(segue_service *service, operation *op, segue_error *err)
{
    size_t place;
    if (!segue_stage_find(service, op) || cannot_change_arms(op))
        return SEGUE_OK;
    if (segue_learner_state_find_arm(op->state, op->request.arm, &place)) {
        REFUSE(op, 409,
               !op->state->allowed[place]
                   ? "the arm '%.80s' is retired, and does not come back; add it by another name"
                   : "there is an arm '%.80s' already",
               op->request.arm);
        return SEGUE_OK;
    }
    if (op->state->n_arms >= SEGUE_MAX_SERVICE_ARMS) {
        REFUSE(op, 409, "a learner has at most %d arms", SEGUE_MAX_SERVICE_ARMS);
        return SEGUE_OK;
    }
    const segue_status status =
        segue_store_add_arm(service->store, op->state->id, op->state->n_arms, op->request.arm,
                            segue_service_now(service), err);
    return status == SEGUE_OK ? segue_stage_event(service, op, SEGUE_EVENT_ADD_ARM,
                                                  (int64_t)op->state->n_arms, err)
                              : status;
}

segue_status segue_stage_retire_arm(segue_service *service, operation *op, segue_error *err)
{
    size_t place = 0;
    if (!segue_stage_find(service, op) || cannot_change_arms(op))
        return SEGUE_OK;
    if (!segue_learner_state_find_arm(op->state, op->request.arm, &place)) {
        REFUSE(op, 404, "the learner has no arm '%.80s'", op->request.arm);
        return SEGUE_OK;
    }
    op->arm = place;
    op->is_new = op->state->allowed[place];
    if (!op->is_new)
        return SEGUE_OK;
    if (op->state->n_retired + 1 == op->state->n_arms) {
        REFUSE(op, 409, "'%.80s' is the last arm that is left", op->request.arm);
        return SEGUE_OK;
    }
    const segue_status status = segue_store_retire_arm(service->store, op->state->id, place,
                                                       segue_service_now(service), err);
    return status == SEGUE_OK
               ? segue_stage_event(service, op, SEGUE_EVENT_RETIRE_ARM, (int64_t)place, err)
               : status;
}
