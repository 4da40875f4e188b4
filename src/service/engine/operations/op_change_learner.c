/* op_change_learner.c - change settings of a learner, pause it, resume it.
 *
 *   store    400 if a value is wrong, 409 after too many changes or if they are too large;
 *            else replace the learner's settings, and append
 *            an event per kind of change                        writer, in the transaction
 *   apply    show the new settings; a resumed task is active     writer, after COMMIT, learner's lock
 *   respond  200 with the learner                                writer, no lock
 *
 * Open tasks have the terms that they were opened with: the change stores the largest id of a task
 * before it.  A change after which the learner opened no task is replaced by the next one.  A request
 * that changes nothing stores nothing, so that it can be repeated.  All memory is allocated in
 * `store`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/api/responses/response.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

/* ---- store ------------------------------------------------------------------------------- */

static bool knows(const void *state, const char *arm)
{
    size_t index = 0;
    return segue_learner_state_find_arm(state, arm, &index);
}

/* Settings name arms that the learner has; false: the request is rejected. */
static bool has_arms(operation *op, const task_terms *terms)
{
    const char *field = NULL, *arm = segue_task_terms_unknown_arm(terms, knows, op->state, &field);
    if (arm)
        segue_operation_reject(op, 400, "'%s' names '%.60s'; need an arm of the learner", field,
                               arm);
    return !arm;
}

static bool is_offered(const void *state, const char *arm)
{
    const learner_state *s = state;
    size_t index = 0;
    return segue_learner_state_find_arm(s, arm, &index) && s->allowed[index];
}

/* A share of a retired arm would go to the policy in silence.  Shares that stay are not checked. */
static bool has_offered_arms(operation *op, const task_terms *terms)
{
    const task_terms *now = segue_learner_settings_terms(&op->state->settings);
    const char *arm = segue_arm_numbers_equal(terms->shares, now->shares)
                          ? NULL
                          : segue_arm_numbers_unknown(terms->shares, is_offered, op->state);
    if (arm)
        segue_operation_reject(op, 400,
                               "'shares' names '%.60s', which is retired and has no share; "
                               "leave it out",
                               arm);
    return !arm;
}

/* The requested terms; false: the request is rejected. */
static bool merge(operation *op, task_terms *terms)
{
    const learner_settings *s = &op->state->settings;
    segue_error why;
    *terms = *segue_learner_settings_terms(s);
    if (segue_task_terms_merge(terms, op->request.change, s->lowest, s->highest,
                               &op->change.numbers, &why) != SEGUE_OK)
        segue_operation_reject(op, why.status == SEGUE_ENOMEM ? 503 : 400, "%s", why.message);
    else if (terms->steps == 0 && segue_learner_method_find(op->state->method)->needs_horizon)
        segue_operation_reject(op, 400, "'steps' is 0; %s must know the steps of a task",
                               op->state->method);
    else if (segue_learner_settings_check_costs(terms, op->state->method, &why) != SEGUE_OK)
        segue_operation_reject(op, 400, "%s", why.message);
    else
        return has_arms(op, terms) && has_offered_arms(op, terms);
    return false;
}

/* Equal lists of numbers are one list. */
static void share_lists(const learner_settings *s, task_terms *terms)
{
    terms->shares = segue_arm_numbers_shared(s->numbers, terms->shares);
    terms->costs = segue_arm_numbers_shared(s->numbers, terms->costs);
}

/* Settings of all changes stay, for the tasks that were opened with them. */
static bool can_append(operation *op)
{
    if (op->change.count <= SEGUE_MAX_CHANGES)
        return true;
    segue_operation_reject(
        op, 409,
        "the settings of '%.80s' have changed %d times, and cannot change again; "
        "create another learner",
        op->request.learner, SEGUE_MAX_CHANGES);
    return false;
}

static bool is_small(operation *op, size_t size)
{
    if (!op->change.list || size <= SEGUE_MAX_SETTINGS_SIZE)
        return true;
    segue_operation_reject(op, 409,
                           "all settings that '%.80s' has had would have %zu bytes, with their "
                           "costs and shares; need at most %zu; create another learner",
                           op->request.learner, size, SEGUE_MAX_SETTINGS_SIZE);
    return false;
}

/* The learner has a task that was opened after its last change. */
static segue_status has_task(segue_service *service, const learner_state *state, bool *found,
                             segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    const learner_settings *s = &state->settings;
    *found = false;
    segue_rows_open(&rows, service->store,
                    &(segue_query){.kind = SEGUE_QUERY_NEWEST_TASKS, .id = state->id, .number = 1},
                    err);
    if (segue_rows_next_task(&rows, &task))
        *found = task.id > s->change[s->n_changes - 1].after;
    return segue_rows_close(&rows, SEGUE_OK);
}

/* The list of changes with the new one: op->change.list. */
static segue_status add_change(segue_service *service, operation *op, const task_terms *terms,
                               segue_error *err)
{
    const learner_settings *s = &op->state->settings;
    bool appends = true;
    if (s->n_changes > 0)
        SEGUE_TRY(has_task(service, op->state, &appends, err));
    terms_change *list = calloc(s->n_changes + 1, sizeof *list);
    if (!list)
        return segue_fail_no_memory(err, "the settings of a learner");
    if (s->n_changes > 0)
        memcpy(list, s->change, s->n_changes * sizeof *list);
    op->change.list = list;
    op->change.count = s->n_changes + appends;
    terms_change *last = &list[op->change.count - 1];
    last->time = segue_service_wall_time(service);
    last->terms = *terms;
    return appends ? segue_store_last_task(service->store, &last->after, err) : SEGUE_OK;
}

static segue_status store_settings(segue_service *service, operation *op, segue_error *err)
{
    const learner_settings *s = &op->state->settings;
    segue_bytes b = {.data = NULL};
    segue_learner_settings_write_stored(s, op->change.list ? op->change.list : s->change,
                                        op->change.list ? op->change.count : s->n_changes,
                                        op->change.paused, &b);
    segue_bytes_append(&b, "", 1);
    segue_status status = SEGUE_OK;
    if (b.failed)
        status = segue_fail_no_memory(err, "the settings of a learner");
    else if (is_small(op, b.size))
        status = segue_store_set_config(service->store, op->state->id, (char *)b.data, err);
    segue_bytes_fini(&b);
    return status;
}

static segue_status add_events(segue_service *service, operation *op, segue_error *err)
{
    const learner_settings *s = &op->state->settings;
    if (op->change.list)
        SEGUE_TRY(segue_operation_add_event(service, op, SEGUE_EVENT_SETTINGS,
                                            (int64_t)op->change.count, err));
    return op->change.paused != s->paused
               ? segue_operation_add_event(service, op, SEGUE_EVENT_PAUSE, op->change.paused, err)
               : SEGUE_OK;
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    task_terms terms;
    if (!segue_operation_find_learner(service, op) || !merge(op, &terms))
        return SEGUE_OK;
    const learner_settings *s = &op->state->settings;
    share_lists(s, &terms);
    const json_t *paused = json_object_get(op->request.change, "paused");
    op->change.paused = paused ? json_is_true(paused) : s->paused;
    if (!segue_task_terms_equal(segue_learner_settings_terms(s), &terms)) {
        SEGUE_TRY(add_change(service, op, &terms, err));
        if (!can_append(op))
            return SEGUE_OK;
    }
    op->change.is_new = op->change.list || op->change.paused != s->paused;
    if (!op->change.is_new)
        return SEGUE_OK;
    SEGUE_TRY(store_settings(service, op, err));
    return op->result == OP_RESPONDED ? SEGUE_OK : add_events(service, op, err);
}

/* ---- apply, respond ---------------------------------------------------------------------- */

/* The time of a pause does not count as idle.  Deadlines of open tasks may now differ from those of
 * new ones. */
static void update_tasks(learner_state *state, bool resumed, double now)
{
    size_t index = 0;
    const hash_map_entry *within = NULL;
    for (task_state *task; (task = segue_hash_map_next(&state->by_id, &index, &within));) {
        segue_learner_state_check_deadlines(state, task);
        if (resumed)
            task->active = now;
    }
}

/* Lists of a change that was replaced are freed: no task has its terms. */
static void show_terms(operation *op, learner_settings *s)
{
    free(s->change);
    s->change = op->change.list;
    s->n_changes = op->change.count;
    op->change.list = NULL;
    segue_arm_numbers_move(&op->change.numbers, &s->numbers);
    segue_terms_changes_free_unused(s->change, s->n_changes, &s->terms, &s->numbers);
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    learner_settings *s = &state->settings;
    (void)err;
    if (!op->change.is_new)
        return SEGUE_OK;
    (void)pthread_mutex_lock(&state->lock);
    if (op->change.list)
        show_terms(op, s);
    const bool resumed = s->paused && !op->change.paused;
    s->paused = op->change.paused;
    update_tasks(state, resumed, segue_service_time(service));
    (void)pthread_mutex_unlock(&state->lock);
    segue_operation_event_applied(op, 0);
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    segue_response_learner(op->state, 200, op->response);
}

static void fini(operation *op)
{
    free(op->change.list);
    segue_arm_numbers_free(&op->change.numbers);
}

static bool changes_memory_size(const operation *op)
{
    (void)op;
    return true;
}

const operation_kind op_change_learner = {.name = "change learner",
                                          .store = store,
                                          .apply = apply,
                                          .respond = respond,
                                          .fini = fini,
                                          .changes_memory_size = changes_memory_size,
                                          .is_alone = true};
