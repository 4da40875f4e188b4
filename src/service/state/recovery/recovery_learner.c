/* recovery_learner.c - recover one learner of a store, with its arms, open tasks and decisions.
 *
 *   learner    from its snapshot and the events after it, or from all events (recovery.c)
 *   arms       names and counts, which must match the settings and the learner
 *   tasks      the open ones, each with its stored rewards
 *   decisions  those that get a default reward at their deadline
 *
 * The store validates each row; this file checks that rows fit together.  No other thread knows the
 * learner yet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/recovery/recovery_learner.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "segue/internal.h"
#include "service/state/recovery/recovery.h"

typedef struct recovering {
    const segue_recovery_source *from;
    learner_state *state;
    task_state *task;
} recovering;

/* ---- arms -------------------------------------------------------------------------------- */

static segue_status arm_damaged(const learner_state *state, const segue_stored_arm *arm,
                                const char *what, segue_error *err)
{
    return segue_store_fail_damaged(err, "table arm, learner %" PRId64 ", position %zu, %s",
                                    state->id, arm->position, what);
}

/* The settings list the first arms; the learner knows which are retired. */
static segue_status check_arm(const learner_state *state, const segue_stored_arm *arm,
                              segue_error *err)
{
    size_t other = 0;
    if (arm->position != state->n_arms)
        return arm_damaged(state, arm, "column position: an arm before it is missing", err);
    if (segue_learner_state_find_arm(state, arm->name, &other))
        return arm_damaged(state, arm, "column name: another arm has this name", err);
    if (arm->position < state->settings.n_arms &&
        strcmp(arm->name, state->settings.arm[arm->position]) != 0)
        return arm_damaged(state, arm, "column name: the learner was created with another", err);
    if (arm->retired != segue_learner_is_retired(state->learner, arm->position))
        return arm_damaged(state, arm, "column retired: the event log says otherwise", err);
    return SEGUE_OK;
}

static segue_status recover_arm(learner_state *state, const segue_stored_arm *arm, segue_error *err)
{
    SEGUE_TRY(check_arm(state, arm, err));
    SEGUE_TRY(segue_learner_state_add_arm(state, arm->name, arm->retired, err));
    state->arm[state->n_arms - 1]->pulls = arm->pulls;
    state->arm[state->n_arms - 1]->total = arm->total;
    state->rewards += arm->pulls;
    state->reward_sum += arm->total;
    return SEGUE_OK;
}

static segue_status recover_arms(recovering *r, segue_error *err)
{
    segue_rows rows;
    segue_stored_arm arm;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, r->from->store,
                    &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = r->state->id}, err);
    while (status == SEGUE_OK && segue_rows_next_arm(&rows, &arm))
        status = recover_arm(r->state, &arm, err);
    return segue_rows_close(&rows, status);
}

/* ---- open tasks -------------------------------------------------------------------------- */

/* Open tasks play their rewards again; the learner learns them when the task closes. */
static segue_status recover_reward(recovering *r, const segue_stored_reward *reward,
                                   segue_error *err)
{
    const learner_settings *settings = &r->state->settings;
    if (reward->arm >= r->task->n_arms)
        return segue_store_fail_damaged(
            err,
            "table reward, task %" PRId64 ", number %" PRId64 ", column arm: %zu; need 0 to %zu",
            reward->task, (int64_t)reward->number, reward->arm, r->task->n_arms - 1);
    if (!(reward->value >= settings->lowest && reward->value <= settings->highest))
        return segue_store_fail_damaged(err,
                                        "table reward, task %" PRId64 ", number %" PRId64
                                        ", column value: %g; need a number from %g to %g",
                                        reward->task, (int64_t)reward->number, reward->value,
                                        settings->lowest, settings->highest);
    bool grows = false;
    SEGUE_TRY(
        segue_learner_state_reserve_given(r->state, r->task, reward->position + 1, &grows, err));
    segue_learner_state_tell(r->state, r->task, reward->arm, reward->value);
    return SEGUE_OK;
}

static segue_status recover_rewards(recovering *r, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, r->from->store,
                    &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = r->task->id}, err);
    while (status == SEGUE_OK && segue_rows_next_reward(&rows, &reward))
        status = recover_reward(r, &reward, err);
    return segue_rows_close(&rows, status);
}

/* Arms are only added: a task has at least the first, and at most all. */
static segue_status check_task(const learner_state *state, const segue_stored_task *row,
                               segue_error *err)
{
    if (row->n_arms < state->settings.n_arms || row->n_arms > state->n_arms)
        return segue_store_fail_damaged(err,
                                        "table task, id %" PRId64 ", column n_arms: %zu; need %zu "
                                        "to %zu",
                                        row->id, row->n_arms, state->settings.n_arms,
                                        state->n_arms);
    if (segue_learner_state_task_by_key(state, row->key) ||
        segue_learner_state_task_by_id(state, row->id))
        return segue_store_fail_damaged(err,
                                        "table task, id %" PRId64 ", column key: another open task "
                                        "has it",
                                        row->id);
    return SEGUE_OK;
}

static segue_status recover_task(recovering *r, const segue_stored_task *row, segue_error *err)
{
    SEGUE_TRY(check_task(r->state, row, err));
    SEGUE_TRY(segue_learner_state_open_task(r->state, row, row->key,
                                            r->from->draw(r->from->context), err));
    r->task = segue_learner_state_task_by_id(r->state, row->id);
    const segue_status status = recover_rewards(r, err);
    r->task->active = r->from->now; /* asks are not stored: one may just have come */
    r->task->staged_rewards = r->task->rewards;
    r->task->staged_total = r->task->total;
    return status;
}

static segue_status recover_tasks(recovering *r, segue_error *err)
{
    segue_rows rows;
    segue_stored_task row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, r->from->store,
                    &(segue_query){.kind = SEGUE_QUERY_OPEN_TASKS, .id = r->state->id}, err);
    while (status == SEGUE_OK && segue_rows_next_task(&rows, &row))
        status = recover_task(r, &row, err);
    return segue_rows_close(&rows, status);
}

static segue_status recover_decision(const recovering *r, const segue_stored_decision *row,
                                     segue_error *err)
{
    learner_state *state = r->state;
    const task_state *task = segue_learner_state_task_by_id(state, row->task);
    decision d = segue_decision_id_from_row(state->id, task ? task->tag : 0, row);
    d.asked_at = fmin(d.asked_at, r->from->now); /* a kill or a backup set it back */
    if (!task || d.arm >= task->n_arms)
        return segue_store_fail_damaged(err,
                                        "table decision, task %" PRId64 ", number %" PRId64
                                        ", column arm: %zu is no arm of an open task",
                                        d.task, (int64_t)d.number, d.arm);
    return task->terms.has_default_reward
               ? segue_deadline_queue_push(&state->deadlines, &d, true, &state->by_id, err)
               : SEGUE_OK;
}

static segue_status recover_decisions(recovering *r, segue_error *err)
{
    segue_rows rows;
    segue_stored_decision row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, r->from->store,
                    &(segue_query){.kind = SEGUE_QUERY_PENDING_DECISIONS, .id = r->state->id}, err);
    while (status == SEGUE_OK && segue_rows_next_decision(&rows, &row))
        status = recover_decision(r, &row, err);
    return segue_rows_close(&rows, status);
}

/* ---- one learner ------------------------------------------------------------------------- */

/* The settings in a snapshot must be those of the row, except for arms that were added. */
static segue_status check_settings(const recovering *r, const segue_stored_learner *row,
                                   segue_error *err)
{
    const learner_state *state = r->state;
    segue_learner *fresh = NULL;
    if (strcmp(state->settings.name, row->name) != 0)
        return segue_store_fail_damaged(err,
                                        "table learner, id %" PRId64 ", column name: its settings "
                                        "call it '%.60s'",
                                        row->id, state->settings.name);
    SEGUE_TRY(segue_recovery_create(r->from->store, row, &fresh, err));
    const bool same = segue_learner_config_equal(segue_learner_get_config(fresh),
                                                 segue_learner_get_config(state->learner));
    segue_learner_destroy(fresh);
    return same ? SEGUE_OK
                : segue_store_fail_damaged(err,
                                           "table learner, id %" PRId64 ", column config: its "
                                           "snapshot has other settings",
                                           row->id);
}

/* In this order: tasks refer to arms, and decisions to tasks. */
static segue_status recover_rows(recovering *r, const segue_stored_learner *row, segue_error *err)
{
    learner_state *state = r->state;
    const size_t n_arms = segue_learner_get_config(state->learner)->n_arms;
    SEGUE_TRY(check_settings(r, row, err));
    SEGUE_TRY(recover_arms(r, err));
    if (state->n_arms != n_arms)
        return segue_store_fail_damaged(err, "'%.60s' lacks arms: it has %zu; need %zu",
                                        state->settings.name, state->n_arms, n_arms);
    SEGUE_TRY(recover_tasks(r, err));
    return segue_learner_settings_has_defaults(&state->settings) ? recover_decisions(r, err)
                                                                 : SEGUE_OK;
}

/* Move what was rebuilt into a state; `rebuilt` then has what was not moved. */
static segue_status create_state(recovering *r, const segue_stored_learner *row, segue_error *err,
                                 segue_recovered_learner *rebuilt)
{
    learner_settings settings;
    SEGUE_TRY(segue_learner_settings_parse(&settings, row->config, err));
    const segue_status status =
        segue_learner_state_create(&r->state, row, &settings, rebuilt->learner, r->from->key, err);
    rebuilt->learner = NULL;                /* it is the state's */
    segue_learner_settings_fini(&settings); /* unless they are, too */
    SEGUE_TRY(status);
    r->state->stats = rebuilt->stats;
    r->state->effect = rebuilt->effect;
    r->state->shadow = rebuilt->shadow;
    r->state->versions = rebuilt->versions;
    rebuilt->versions.count = 0;
    r->state->seq = rebuilt->seq;
    r->state->recovery_cost = rebuilt->recovery_cost;
    return recover_rows(r, row, err);
}

segue_status segue_recovery_learner(const segue_recovery_source *from,
                                    const segue_stored_learner *row, segue_recovery_result *out,
                                    segue_error *err)
{
    recovering r = {.from = from};
    segue_recovered_learner rebuilt;
    if (row->damage)
        return segue_fail(err, SEGUE_EFILE, "%s", row->damage);
    SEGUE_TRY(segue_recovery_run(from->store, row, true, &rebuilt, err));
    out->snapshot_damaged = rebuilt.snapshot_damaged;
    const segue_status status = create_state(&r, row, err, &rebuilt);
    segue_recovery_fini(&rebuilt);
    if (status == SEGUE_OK)
        out->state = r.state;
    else
        segue_learner_state_release(r.state);
    return status;
}
