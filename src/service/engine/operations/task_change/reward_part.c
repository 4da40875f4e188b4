/* reward_part.c - several rewards of one decision, each with an event id.
 *
 * A tell is stored as a part of its decision's reward, and the reward becomes the aggregate of the
 * parts.  A repeated tell finds its part by the event id and does not count again, also after a
 * restart.  So `sum` and `last` need an id.  `max` does not: a tell without one is named by its value,
 * and the same value cannot raise the maximum twice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/operations/task_change/reward_part.h"

#include <math.h>
#include <string.h>

#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"

static segue_aggregate aggregate_of(const operation *op)
{
    return op->state->settings.aggregate;
}

bool segue_reward_part_check_event(operation *op)
{
    char *event_id = op->request.tell_event_id;
    const segue_aggregate aggregate = aggregate_of(op);
    if (aggregate == SEGUE_AGGREGATE_FIRST && event_id[0])
        segue_operation_reject(op, 400,
                               "the learner takes one reward per decision ('aggregate' is "
                               "\"first\"); leave out 'event'");
    else if (aggregate != SEGUE_AGGREGATE_FIRST && aggregate != SEGUE_AGGREGATE_MAX && !event_id[0])
        segue_operation_reject(op, 400,
                               "'event' is missing; the learner takes several rewards per "
                               "decision ('aggregate' is \"%s\"), each with an id of its own, so "
                               "that a repeated one counts once",
                               segue_aggregate_name(aggregate));
    else if (aggregate == SEGUE_AGGREGATE_MAX && !event_id[0])
        (void)snprintf(event_id, sizeof op->request.tell_event_id, "=%.17g", op->request.reward);
    return op->result != OP_RESPONDED;
}

/* Find the part of this tell among those of its decision; *count: all of them. */
static segue_status find_part(segue_service *service, const operation *op, double *value,
                              bool *found, uint64_t *count, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward_part part;
    *found = false;
    *count = 0;
    segue_rows_open(&rows, service->store,
                    &(segue_query){.kind = SEGUE_QUERY_REWARD_PARTS,
                                   .id = op->decision.task,
                                   .number = op->decision.number},
                    err);
    for (; segue_rows_next_reward_part(&rows, &part); ++*count)
        if (strcmp(part.event_id, op->request.tell_event_id) == 0) {
            *found = true;
            *value = part.value;
        }
    return segue_rows_close(&rows, SEGUE_OK);
}

static segue_status find_reward(segue_service *service, const operation *op,
                                segue_stored_reward *out, bool *found, segue_error *err)
{
    return segue_store_find_reward(service->store, op->decision.task, op->decision.number, out,
                                   found, err);
}

segue_status segue_reward_part_find(segue_service *service, const operation *op,
                                    segue_stored_reward *out, bool *found, segue_error *err)
{
    double value = 0.0;
    uint64_t count = 0;
    bool is_repeated = false;
    SEGUE_TRY(find_part(service, op, &value, &is_repeated, &count, err));
    SEGUE_TRY(find_reward(service, op, out, found, err));
    *found = is_repeated || (*found && out->by_default);
    if (is_repeated)
        out->value = value;
    return SEGUE_OK;
}

segue_status segue_reward_part_read(segue_service *service, operation *op, segue_error *err)
{
    segue_stored_reward reward;
    bool found = false;
    SEGUE_TRY(find_reward(service, op, &reward, &found, err));
    op->reward.value = reward.value;
    return SEGUE_OK;
}

/* ---- store ------------------------------------------------------------------------------- */

/* A sum that rounding put just outside the range is its end: 0.3 - 0.1 - 0.2 is 0. */
static double without_rounding(const operation *op, double value)
{
    const double low = op->state->settings.lowest, high = op->state->settings.highest;
    const double nearest = fmin(fmax(value, low), high);
    return fabs(value - nearest) <= 1e-9 * (high - low) ? nearest : value;
}

/* A refund may come before its purchase, so a sum outside the range may fit later: 409.  A reward
 * that is wider than the range never fits: 400. */
static void reject_sum(operation *op, double value)
{
    const learner_settings *s = &op->state->settings;
    const bool fits_later = fabs(op->request.reward) <= segue_learner_settings_range(s);
    segue_operation_reject(op, fits_later ? 409 : 400,
                           "the rewards of the decision would add up to %g; need a number "
                           "from %g to %g%s",
                           value, s->lowest, s->highest,
                           fits_later ? "; tell this one again after those that come before it"
                                      : "");
}

static bool check_value(operation *op, double value)
{
    const learner_settings *settings = &op->state->settings;
    if (value >= settings->lowest && value <= settings->highest)
        return true;
    if (aggregate_of(op) == SEGUE_AGGREGATE_SUM)
        reject_sum(op, value);
    else
        segue_operation_reject(op, 400, "the reward is %.10g; need a number from %g to %g", value,
                               settings->lowest, settings->highest);
    return false;
}

static bool check_count(operation *op, uint64_t count)
{
    if (count < SEGUE_MAX_REWARD_PARTS)
        return true;
    segue_operation_reject(op, 409, "the decision has %d rewards already, and takes no more",
                           SEGUE_MAX_REWARD_PARTS);
    return false;
}

static segue_status add_part(segue_service *service, const operation *op, uint64_t position,
                             segue_error *err)
{
    const segue_stored_reward_part part = {.task = op->decision.task,
                                           .number = op->decision.number,
                                           .position = position,
                                           .event_id = op->request.tell_event_id,
                                           .value = op->request.reward,
                                           .created = segue_service_wall_time(service)};
    return segue_store_add_reward_part(service->store, &part, err);
}

segue_status segue_reward_part_store(segue_service *service, operation *op, task_state *task,
                                     segue_error *err)
{
    segue_stored_reward reward;
    double value = op->request.reward;
    uint64_t count = 0;
    bool is_repeated = false, found = false;
    SEGUE_TRY(find_part(service, op, &value, &is_repeated, &count, err));
    SEGUE_TRY(find_reward(service, op, &reward, &found, err));
    if (is_repeated || (found && reward.by_default))
        return SEGUE_OK;
    if (found)
        value = without_rounding(op, segue_aggregate_add(aggregate_of(op), reward.value, value));
    if (!check_value(op, aggregate_of(op) == SEGUE_AGGREGATE_SUM ? value : op->request.reward) ||
        !check_count(op, count))
        return SEGUE_OK;
    SEGUE_TRY(add_part(service, op, count, err));
    op->reward.value = value;
    return found ? segue_task_change_store_correction(service, op, task, &reward, err)
                 : segue_task_change_store_reward(service, op, task, false, err);
}
