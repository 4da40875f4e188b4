/* op_trim.c - remove rewards and decisions of closed tasks that are older than --keep, some per
 * transaction.
 *
 *   store    tasks in the order of closing: counts and digests instead of their rewards; the newest
 *            snapshot becomes the base if the one before does not cover them; an event with the
 *            closing event of the last one             writer, in the transaction
 *   apply    enqueue the job again if tasks remain; a
 *            snapshot if the next one needs it; forget
 *            old recent rewards; the age of the others                       writer, after COMMIT, learner's lock
 *
 * Nothing that was learned changes: recovery starts from the base or a newer snapshot.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operation.h"
#include "service/engine/service_internal.h"

static segue_status store(segue_service *service, operation *op, segue_error *err)
{
    segue_trim_limits limits;
    if (!segue_operation_find_job_learner(service, op))
        return SEGUE_OK;
    SEGUE_TRY(segue_store_trim_limits(service->store, op->state->id, &limits, err));
    limits.now = segue_service_wall_time(service);
    limits.before = limits.now - service->config.keep;
    SEGUE_TRY(segue_store_trim(service->store, op->state->id, &limits, &op->trimmed, err));
    return op->trimmed.last > 0 ? segue_operation_add_event(service, op, SEGUE_EVENT_TRIM,
                                                            (int64_t)op->trimmed.last, err)
                                : SEGUE_OK;
}

/* The recent rewards have times by the system's clock, as tasks have. */
static void apply_to_memory(const segue_service *service, operation *op)
{
    learner_state *state = op->state;
    const double before = segue_service_wall_time(service) - service->config.keep;
    (void)pthread_mutex_lock(&state->lock);
    segue_recent_rewards_forget(&state->recent, before);
    state->oldest_stored = op->trimmed.oldest;
    (void)pthread_mutex_unlock(&state->lock);
}

static segue_status apply(segue_service *service, operation *op, segue_error *err)
{
    (void)err;
    apply_to_memory(service, op);
    if (op->trimmed.last > 0)
        segue_operation_event_applied(op, 0);
    if (op->trimmed.more)
        segue_commit_queue_add_job_once(service, op->state, &op_trim);
    if (op->trimmed.need_snapshot)
        segue_commit_queue_add_job_once(service, op->state, &op_snapshot);
    return SEGUE_OK;
}

const operation_kind op_trim = {
    .name = "trim", .store = store, .apply = apply, .job = JOB_TRIM, .is_alone = true};
