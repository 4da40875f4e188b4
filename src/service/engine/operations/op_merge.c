/* op_merge.c - merge a learner with a saved one, of another service or of a program.
 *
 *   validate  the service has memory                             any thread, no lock
 *   store     200 if these bytes were merged before; 409 if
 *             tasks would count twice, or the learners do not
 *             go together; 503 while a refit runs; else store
 *             the bytes and an event                             writer, in the transaction
 *   apply     merge the learners                                 writer, after COMMIT, learner's lock
 *   respond   merged or duplicate                                writer, no lock
 *
 * `store` merges into a copy first: what fails there is rejected, and nothing is stored.  The lock
 * is held for one refit, some milliseconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/merge_origins.h"
#include "service/api/responses/response.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"
#include "service/jobs/maintenance.h"
#include "service/state/merge.h"

static bool validate(segue_service *service, operation *op)
{
    return segue_service_has_memory(service, op->response);
}

/* ---- store ------------------------------------------------------------------------------- */

/* Tasks that the learner has already: the origin of some, or "" without one. */
static const char *find_known_origin(const operation *op, const merge_list *merges, const char *own)
{
    const json_t *origins = op->request.origins;
    for (size_t i = 0; i < json_array_size(origins); i++) {
        const char *one = json_string_value(json_array_get(origins, i));
        if (strcmp(one, own) == 0 || json_object_get(merges->origins, one))
            return one;
    }
    return "";
}

/* Reject tasks that would count twice, unless the request insists. */
static bool check_origins(segue_service *service, operation *op, const merge_list *merges)
{
    char own[SEGUE_ORIGIN_LENGTH + 1];
    if (op->request.force)
        return true;
    segue_merge_origins_own(op->state, service->key, own);
    const char *known = find_known_origin(op, merges, own);
    if (strcmp(op->request.settings.from, op->state->settings.from) == 0)
        segue_operation_reject(op, 409,
                               "'%.80s' was created from this saved learner: its tasks would count "
                               "twice; send \"force\": true to merge it all the same",
                               op->request.learner);
    else if (*known)
        segue_operation_reject(op, 409,
                               "'%.80s' has tasks of the origin %.8s... already, which would count "
                               "twice; merge all exports into a new learner, or send \"force\": "
                               "true to merge this one all the same",
                               op->request.learner, known);
    else
        return true;
    return false;
}

/* Two services that order the same arms differently would exchange their rewards. */
static bool check_arms(operation *op, const segue_learner *from)
{
    const learner_state *state = op->state;
    const size_t n_arms = segue_learner_get_config(from)->n_arms;
    if (n_arms != state->n_arms) {
        segue_operation_reject(op, 409, "the saved learner has %zu arms and '%.80s' has %zu",
                               n_arms, op->request.learner, state->n_arms);
        return false;
    }
    for (size_t i = 0; i < n_arms; i++) {
        const char *name = segue_learner_arm_name(from, i);
        if (name && strcmp(name, state->arm[i]->name) != 0) {
            segue_operation_reject(op, 409,
                                   "arm %zu is '%.60s' in the saved learner and '%.60s' in '%.60s'",
                                   i + 1, name, state->arm[i]->name, op->request.learner);
            return false;
        }
    }
    return true;
}

/* Reject what does not go together; the merge is tried on a copy. */
static bool can_merge(operation *op)
{
    const segue_bytes *saved = &op->request.settings.saved;
    segue_learner *from = NULL;
    segue_error why;
    if (segue_learner_deserialize(&from, saved->data, saved->size, "the saved learner", &why) !=
        SEGUE_OK) {
        segue_operation_reject(op, why.status == SEGUE_ENOMEM ? 503 : 400, "%s", why.message);
        return false;
    }
    op->merge.tasks = segue_learner_info(from).closed;
    const bool fits = check_arms(op, from);
    segue_learner_destroy(from);
    if (!fits)
        return false;
    const segue_status status = segue_merge_try(op->state->learner, saved->data, saved->size, &why);
    if (status != SEGUE_OK)
        segue_operation_reject(op, status == SEGUE_ENOMEM ? 503 : 409, "%s", why.message);
    return status == SEGUE_OK;
}

/* The refit worker has a copy of the learner without the merged tasks. */
static bool is_idle(operation *op)
{
    if (!op->state->refit)
        return true;
    segue_operation_reject(op, 503, "a refit of '%.80s' is running; retry in 1 s",
                           op->request.learner);
    op->response->retry = 1;
    return false;
}

static bool check(segue_service *service, operation *op, const merge_list *merges)
{
    if (merges->count >= SEGUE_MAX_MERGES) {
        segue_operation_reject(op, 409, "'%.80s' has been merged %d times; create another learner",
                               op->request.learner, SEGUE_MAX_MERGES);
        return false;
    }
    return check_origins(service, op, merges) && is_idle(op) && can_merge(op);
}

static segue_status insert(segue_service *service, operation *op, segue_error *err)
{
    const segue_bytes *saved = &op->request.settings.saved;
    segue_bytes about = {.data = NULL};
    segue_merge_origins_write(op->request.settings.from, op->request.origins, &about);
    segue_bytes_append(&about, "", 1);
    const segue_stored_merged row = {.learner = op->state->id,
                                     .number = op->merge.number,
                                     .origins = (const char *)about.data,
                                     .bytes = saved->data,
                                     .size = saved->size};
    const segue_status status = about.failed ? segue_fail_no_memory(err, "the origins of a learner")
                                             : segue_store_add_merged(service->store, &row, err);
    segue_bytes_fini(&about);
    SEGUE_TRY(status);
    return segue_operation_add_event(service, op, SEGUE_EVENT_MERGE, (int64_t)op->merge.number,
                                     err);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    merge_list merges = {.count = 0};
    if (!segue_operation_find_learner(service, op))
        return SEGUE_OK;
    segue_status status = segue_merge_origins_list(service->store, op->state->id, &merges, err);
    const bool is_known =
        segue_merge_origins_has(merges.hashes, op->request.settings.from) && !op->request.force;
    if (status == SEGUE_OK && !is_known && check(service, op, &merges)) {
        op->merge.is_new = true;
        op->merge.number = merges.count + 1;
        status = insert(service, op, err);
    } else if (status == SEGUE_OK && is_known) {
        op->merge.number = merges.count;
    }
    segue_merge_origins_fini(&merges);
    return status;
}

/* ---- apply, respond ---------------------------------------------------------------------- */

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    const segue_bytes *saved = &op->request.settings.saved;
    if (!op->merge.is_new)
        return SEGUE_OK;
    (void)pthread_mutex_lock(&state->lock);
    segue_status status = segue_merge_bytes(state->learner, saved->data, saved->size, err);
    if (status == SEGUE_OK)
        status = segue_model_history_add(&state->versions, state->learner, err);
    (void)pthread_mutex_unlock(&state->lock);
    segue_operation_event_applied(op, 0);
    if (status == SEGUE_OK)
        segue_maintenance_enqueue(service, state);
    return status;
}

static void respond(segue_service *service, operation *op)
{
    segue_bytes *b = &op->response->body;
    (void)service;
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "status", op->merge.is_new ? "merged" : "duplicate");
    segue_json_write_text(b, "learner", op->request.learner);
    segue_json_write_integer(b, "tasks", op->merge.tasks);
    segue_json_write_integer(b, "merges", op->merge.number);
    segue_json_write_raw(b, "}");
}

static bool changes_memory_size(const operation *op)
{
    return op->merge.is_new;
}

const operation_kind op_merge = {.name = "merge",
                                 .validate = validate,
                                 .store = store,
                                 .apply = apply,
                                 .respond = respond,
                                 .changes_memory_size = changes_memory_size,
                                 .is_alone = true};
