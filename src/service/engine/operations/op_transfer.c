/* op_transfer.c - stop transfer because it harms, as a job; resume it, as a request.
 *
 *   stop     store    the interval is below 0: an event    writer, in the transaction
 *            apply    new tasks are control tasks          writer, after COMMIT, learner's lock
 *            rollback try again after the next task        writer, after ROLLBACK
 *   resume   store    an event with the last open task;
 *                     nothing if it is not stopped         writer, in the transaction
 *            apply    the comparison starts anew           writer, after COMMIT, learner's lock
 *            respond  the learner, 200                     writer, no lock
 *
 * Both are alone in their transaction: memory then has all events before theirs.  Open tasks
 * continue as they were opened, and the learner learns from all tasks, as before.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/responses/response.h"
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"
#include "service/state/effect/effect.h"

/* ---- stop -------------------------------------------------------------------------------- */

static segue_status store_stop(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    if (segue_effect_stop_due(op->state))
        return segue_operation_add_event(service, op, SEGUE_EVENT_STOP_TRANSFER, 0, err);
    op->result = OP_RESPONDED;
    return SEGUE_OK;
}

static segue_status apply_stop(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    const double range = segue_learner_settings_range(&state->settings);
    segue_confseq now = {.difference = 0.0};
    (void)err;
    (void)pthread_mutex_lock(&state->lock);
    (void)segue_effect_state_stop(&state->effect);
    (void)segue_effect_compute(&state->effect, range, &now);
    (void)pthread_mutex_unlock(&state->lock);
    segue_operation_event_applied(op, 0);
    segue_service_report(service,
                         "learner '%.60s': transfer harms and is stopped; its effect is %.4g "
                         "(95 %% interval %.4g to %.4g); POST /v1/learners/%.60s/resume starts "
                         "it again",
                         state->settings.name, now.difference, now.low, now.high,
                         state->settings.name);
    return SEGUE_OK;
}

static void rollback_stop(segue_service *service, operation *op)
{
    (void)service;
    if (op->state)
        op->state->stop_refused = segue_trial_count(&op->state->effect.trial);
}

const operation_kind op_stop_transfer = {.name = "stop transfer",
                                         .store = store_stop,
                                         .apply = apply_stop,
                                         .rollback = rollback_stop,
                                         .job = JOB_STOP_TRANSFER,
                                         .is_alone = true};

/* ---- resume ------------------------------------------------------------------------------ */

/* The largest id of an open task: only these can close later and have opened before. */
static int64_t last_open_task(const learner_state *state)
{
    int64_t last = 0;
    size_t index = 0;
    const hash_map_entry *within = NULL;
    for (const task_state *task; (task = segue_hash_map_next(&state->by_id, &index, &within));)
        last = task->id > last ? task->id : last;
    return last;
}

static segue_status store_resume(segue_service *service, operation *op, segue_error *err)
{
    if (!segue_operation_find_learner(service, op))
        return SEGUE_OK;
    op->transfer.is_new = op->state->effect.is_stopped;
    op->transfer.last_task = last_open_task(op->state);
    return op->transfer.is_new ? segue_operation_add_event(service, op, SEGUE_EVENT_RESUME_TRANSFER,
                                                           op->transfer.last_task, err)
                               : SEGUE_OK;
}

static segue_status apply_resume(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    (void)err;
    if (!op->transfer.is_new)
        return SEGUE_OK;
    (void)pthread_mutex_lock(&state->lock);
    (void)segue_effect_state_resume(&state->effect, op->transfer.last_task);
    state->stop_refused = 0; /* the count starts anew */
    (void)pthread_mutex_unlock(&state->lock);
    segue_operation_event_applied(op, 0);
    segue_service_report(service, "learner '%.60s': transfer is resumed", state->settings.name);
    return SEGUE_OK;
}

static void respond_resume(segue_service *service, operation *op)
{
    (void)service;
    segue_response_learner(op->state, 200, op->response);
}

const operation_kind op_resume_transfer = {.name = "resume transfer",
                                           .store = store_resume,
                                           .apply = apply_resume,
                                           .respond = respond_resume,
                                           .is_alone = true};
