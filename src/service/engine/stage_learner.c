/* stage_learner.c - learners and their arms, as far as the store goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/engine/damage.h"
#include "service/engine/stage.h"

/* ---- learners ---------------------------------------------------------------------------- */

/* All that it needs in memory, before it is stored; false: there is none, and it is refused. */
static bool make_live(segue_service *service, op *o)
{
    segue_error why;
    segue_learner *learner = o->learner;
    const segue_stored_learner row = {.created = segue_service_now(service)};
    o->learner = NULL;
    segue_status status =
        segue_learner_state_create(&o->live, &row, &o->call.words, learner, service->key, &why);
    for (size_t i = 0; status == SEGUE_OK && i < o->live->words.n_arms; i++)
        status = segue_learner_state_add_arm(o->live, o->live->words.arm[i], false, &why);
    if (status == SEGUE_OK && !segue_service_reserve_entry(service, o->live))
        status = segue_fail(&why, SEGUE_ENOMEM, "out of memory for a learner");
    if (status != SEGUE_OK)
        REFUSE(o, 503, "%s; close tasks, or allow the process more", why.message);
    return status == SEGUE_OK;
}

static segue_status store_live(segue_service *service, op *o, segue_error *err)
{
    learner_state *live = o->live;
    segue_stored_learner row = {
        .name = live->words.name, .config = (char *)live->config.data, .created = live->created};
    segue_status status = segue_store_add_learner(service->store, &row, err);
    live->id = row.id;
    for (size_t i = 0; i < live->words.n_arms && status == SEGUE_OK; i++)
        status =
            segue_store_add_arm(service->store, row.id, i, live->words.arm[i], row.created, err);
    return status;
}

static segue_status create(segue_service *service, op *o, segue_error *err)
{
    o->answered = !segue_service_has_memory(service, o->reply) || !make_live(service, o);
    o->is_new = !o->answered;
    return o->is_new ? store_live(service, o, err) : SEGUE_OK;
}

static bool is_damaged(segue_service *service, op *o)
{
    int64_t id = 0;
    if (!segue_damage_find(service, o->call.words.name, &id, NULL))
        return false;
    REFUSE(o, 409, "there is a learner '%.80s' already, and it is damaged; delete it first",
           o->call.words.name);
    return true;
}

segue_status segue_stage_create(segue_service *service, op *o, segue_error *err)
{
    segue_bytes config = {.data = NULL};
    if (is_damaged(service, o))
        return SEGUE_OK;
    o->live = segue_service_find(service, o->call.words.name);
    if (o->live && !o->call.words.has_idle) /* an older program had another default */
        o->call.words.idle = o->live->words.idle;
    segue_learner_settings_write(&o->call.words, &config);
    segue_bytes_append(&config, "", 1);
    if (config.failed) {
        segue_bytes_fini(&config);
        return segue_fail_no_memory(err, "a learner");
    }
    segue_status status = SEGUE_OK;
    if (o->live && strcmp((char *)config.data, (char *)o->live->config.data) != 0) {
        REFUSE(o, 409, "there is a learner '%.80s' already, made with other words",
               o->call.words.name);
    } else if (!o->live) {
        status = create(service, o, err);
    }
    segue_bytes_fini(&config);
    return status;
}

segue_status segue_stage_delete(segue_service *service, op *o, segue_error *err)
{
    o->live = segue_service_find(service, o->call.learner);
    if (o->live)
        return segue_store_delete_learner(service->store, o->live->id, err);
    if (segue_damage_find(service, o->call.learner, &o->damaged, NULL))
        return segue_store_delete_learner(service->store, o->damaged, err);
    o->answered = true;
    segue_damage_respond_missing(service, o->call.learner, o->reply);
    return SEGUE_OK;
}

/* ---- arms -------------------------------------------------------------------------------- */

static bool cannot_change_arms(op *o)
{
    if (strcmp(o->live->method, "tucb") != 0)
        return false;
    REFUSE(o, 409,
           "the arms of tucb cannot change: it learns only from tasks that pulled every arm");
    return true;
}

segue_status segue_stage_add_arm(segue_service *service, op *o, segue_error *err)
{
    size_t place;
    if (!segue_stage_find(service, o) || cannot_change_arms(o))
        return SEGUE_OK;
    if (segue_learner_state_find_arm(o->live, o->call.arm, &place)) {
        REFUSE(o, 409,
               !o->live->allowed[place]
                   ? "the arm '%.80s' is retired, and does not come back; add it by another name"
                   : "there is an arm '%.80s' already",
               o->call.arm);
        return SEGUE_OK;
    }
    if (o->live->n_arms >= SEGUE_MAX_SERVICE_ARMS) {
        REFUSE(o, 409, "a learner has at most %d arms", SEGUE_MAX_SERVICE_ARMS);
        return SEGUE_OK;
    }
    const segue_status status = segue_store_add_arm(service->store, o->live->id, o->live->n_arms,
                                                    o->call.arm, segue_service_now(service), err);
    return status == SEGUE_OK
               ? segue_stage_event(service, o, SEGUE_EVENT_ADD_ARM, (int64_t)o->live->n_arms, err)
               : status;
}

segue_status segue_stage_retire_arm(segue_service *service, op *o, segue_error *err)
{
    size_t place = 0;
    if (!segue_stage_find(service, o) || cannot_change_arms(o))
        return SEGUE_OK;
    if (!segue_learner_state_find_arm(o->live, o->call.arm, &place)) {
        REFUSE(o, 404, "the learner has no arm '%.80s'", o->call.arm);
        return SEGUE_OK;
    }
    o->arm = place;
    o->is_new = o->live->allowed[place];
    if (!o->is_new)
        return SEGUE_OK;
    if (o->live->n_retired + 1 == o->live->n_arms) {
        REFUSE(o, 409, "'%.80s' is the last arm that is left", o->call.arm);
        return SEGUE_OK;
    }
    const segue_status status =
        segue_store_retire_arm(service->store, o->live->id, place, segue_service_now(service), err);
    return status == SEGUE_OK
               ? segue_stage_event(service, o, SEGUE_EVENT_RETIRE_ARM, (int64_t)place, err)
               : status;
}
