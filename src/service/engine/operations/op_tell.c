/* op_tell.c - store one reward and give it to its task.
 *
 *   validate  the decision id is ours                         any thread, no lock
 *   store     its learner and task exist, the reward is in
 *             range and in time; insert the reward; with
 *             the task's last reward its close event          writer, in the transaction
 *   apply     update the open task; learn from it if it
 *             closed                                          writer, after COMMIT, learner's lock
 *   respond   counted or duplicate; is the task closed?       writer, no lock
 *   rollback  the staged counts of the task
 *             (task_change_close.c)                           writer, after ROLLBACK
 *
 * A repeated tell finds its reward in `store`: the same value is a duplicate, another one a
 * conflict.  A learner with `aggregate` takes several rewards per decision (reward_part.c).  A reward that comes with an ask is this operation, followed by op_ask.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "service/api/decision_id.h"
#include "service/api/responses/response.h"
#include "service/engine/damage.h"
#include "service/engine/operations/task_change/reward_part.h"
#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"

static bool validate(segue_service *service, operation *op)
{
    if (segue_decision_id_decode(&op->decision, service->key, op->request.decision))
        return true;
    segue_response_fail(op->response, 400,
                        "'decision' is not an id of this service; need the id that ask returned");
    return false;
}

/* ---- store ------------------------------------------------------------------------------- */

/* The learner of a decision is damaged, was deleted, or was created after the backup that the store
 * was restored from: then this history of the store never issued its id. */
static segue_status reject_unserved(segue_service *service, operation *op, segue_error *err)
{
    char why[SEGUE_ERROR_SIZE];
    int64_t id = op->decision.learner, last = 0;
    if (segue_damage_find(service, NULL, &id, why)) {
        segue_operation_reject(op, 500,
                               "the learner of the decision is damaged and is not served: %s", why);
        return SEGUE_OK;
    }
    if (service->cluster && !op->response->is_absent) {
        op->result = OP_RESPONDED;
        segue_response_elsewhere(op->response);
        return SEGUE_OK;
    }
    SEGUE_TRY(segue_store_last_learner(service->store, &last, err));
    if (id > last)
        segue_operation_reject(op, 410,
                               "the learner of the decision is not in the store, which was "
                               "restored from a backup since then; create it again and ask again");
    else
        segue_operation_reject(op, 404, "the learner of the decision was deleted; drop the reward");
    return SEGUE_OK;
}

/* Check that the decision belongs to the task with its id: it may be of a history that was lost
 * when the store was restored.  `task`: NULL if it is not open. */
static segue_status check_identity(segue_service *service, operation *op, const task_state *task,
                                   segue_error *err)
{
    const decision *d = &op->decision;
    segue_stored_task row = {.tag = 0};
    bool found = true;
    if (task)
        row = (segue_stored_task){.learner = op->state->id, .tag = task->tag};
    else
        SEGUE_TRY(segue_store_read_task(service->store, d->task, &row, &found, err));
    if (!found || row.learner != d->learner || row.tag != d->tag)
        segue_operation_reject(
            op, 410,
            "the task of the decision is not in the store: it was erased, or the "
            "store was restored from a backup since then; ask again");
    return SEGUE_OK;
}

static bool aggregates(const operation *op)
{
    return op->state->settings.aggregate != SEGUE_AGGREGATE_FIRST;
}

static bool check_range(operation *op)
{
    const double x = op->request.reward;
    const learner_settings *settings = &op->state->settings;
    if (aggregates(op) || (x >= settings->lowest && x <= settings->highest))
        return true;
    segue_operation_reject(op, 400, "the reward is %.10g; need a number from %g to %g", x,
                           settings->lowest, settings->highest);
    return false;
}

/* The terms of the decision's task, open or closed. */
static const task_terms *terms_of(const operation *op)
{
    return segue_learner_settings_terms_of(&op->state->settings, op->decision.task);
}

/* Find what the store has of this tell. */
static segue_status find_stored(segue_service *service, operation *op, segue_stored_reward *out,
                                bool *found, segue_error *err)
{
    if (!aggregates(op))
        return segue_store_find_reward(service->store, op->decision.task, op->decision.number, out,
                                       found, err);
    SEGUE_TRY(segue_reward_part_read(service, op, err));
    return segue_reward_part_find(service, op, out, found, err);
}

static void reject_other_value(operation *op, double stored)
{
    segue_operation_reject(
        op, 409, "the %s already has the reward %.17g, request has %.17g; a reward cannot change",
        aggregates(op) ? "event of the decision" : "decision", stored, op->request.reward);
}

/* The task is closed, and the store has no such reward; it may have had it. */
static segue_status reject_closed(segue_service *service, operation *op, segue_error *err)
{
    bool removed = false, erased = false;
    SEGUE_TRY(segue_store_is_removed(service->store, op->decision.task, &removed, &erased, err));
    segue_operation_reject(op, 410,
                           removed
                               ? "the task is closed and its rewards were removed (--keep): one "
                                 "that was told before has counted, another one does not count"
                               : "the task is closed and the reward does not count; tell rewards "
                                 "before a task closes");
    return SEGUE_OK;
}

/* A reward that cannot count: 200 if the store has the same one (a duplicate), 409 if it has
 * another one, 410 if the task is closed or the deadline has passed. */
static segue_status store_uncounted(segue_service *service, operation *op, bool closed,
                                    segue_error *err)
{
    segue_stored_reward stored;
    bool found = false;
    SEGUE_TRY(find_stored(service, op, &stored, &found, err));
    const double x = op->request.reward;
    const bool by_request = found && !stored.by_default;
    op->reward.is_closed = closed;
    if (by_request && !(stored.value < x || stored.value > x))
        return closed ? segue_store_task_key(service->store, op->decision.task, op->reward.key, err)
                      : SEGUE_OK;
    if (by_request)
        reject_other_value(op, stored.value);
    else if (closed && !found)
        return reject_closed(service, op, err);
    else
        segue_operation_reject(
            op, 410, "the reward deadline of %g s has passed and %s", terms_of(op)->reward_deadline,
            found ? "the default reward was counted" : "the reward does not count");
    return SEGUE_OK;
}

/* The deadline has passed.  A decision with a later time than now is not late. */
static bool is_late(const segue_service *service, const operation *op)
{
    const double wait = terms_of(op)->reward_deadline;
    return wait > 0.0 && segue_service_time(service) - op->decision.asked_at > wait;
}

/* Store the reward, or a part of it. */
static segue_status store_reward(segue_service *service, operation *op, task_state *task,
                                 segue_error *err)
{
    SEGUE_TRY(aggregates(op) ? segue_reward_part_store(service, op, task, err)
                             : segue_task_change_store_reward(service, op, task, false, err));
    return op->reward.is_new || op->result == OP_RESPONDED
               ? SEGUE_OK
               : store_uncounted(service, op, false, err);
}

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    op->state = segue_service_find_id(service, op->decision.learner);
    if (!op->state)
        return reject_unserved(service, op, err);
    task_state *task = segue_learner_state_task_by_id(op->state, op->decision.task);
    SEGUE_TRY(check_identity(service, op, task, err));
    if (op->result == OP_RESPONDED || !segue_reward_part_check_event(op) || !check_range(op))
        return SEGUE_OK;
    if (!task || task->staged_closed)
        return store_uncounted(service, op, true, err);
    if (op->decision.arm >= task->n_arms) {
        segue_operation_reject(op, 400,
                               "the decision is for an arm that the task does not have; ask again");
        return SEGUE_OK;
    }
    memcpy(op->reward.key, task->key, strlen(task->key) + 1);
    if (is_late(service, op))
        return store_uncounted(service, op, false, err);
    return store_reward(service, op, task, err);
}

/* ---- apply, respond ---------------------------------------------------------------------- */

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    if (op->reward.is_new)
        return segue_task_change_apply_reward(service, op, err);
    (void)atomic_fetch_add(&service->metrics.duplicates, 1);
    return SEGUE_OK;
}

static void respond(segue_service *service, operation *op)
{
    (void)service;
    segue_bytes *out = op->follow_up ? &op->reward_result : &op->response->body;
    segue_response_reward(out, op->reward.is_new, op->reward.key,
                          op->reward.closes || op->reward.is_closed,
                          aggregates(op) ? &op->reward.value : NULL);
}

static bool changes_memory_size(const operation *op)
{
    return op->reward.closes || op->reward.grows;
}

const operation_kind op_tell = {.name = "tell",
                                .validate = validate,
                                .expect = segue_operation_expect_reward,
                                .store = store,
                                .apply = apply,
                                .respond = respond,
                                .changes_memory_size = changes_memory_size};
