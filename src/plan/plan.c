/* plan.c - plan the use of transfer: from which task on it pays, and how to show that it does.
 *
 * The tasks to come are simulated, from a guess or from types that were fitted to a log
 * (plan_play.c).  From the same runs come the gains over each opponent (plan_gain.c) and the power
 * of control experiments (plan_power.c).  This file puts them into rows, one per number of tasks,
 * and chooses a share of control tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "plan/plan_internal.h"
#include "segue/internal.h"
#include "segue/simulation.h"

/* The recommended share needs at most this many times the tasks of the fastest one. */
#define MAX_DELAY 2.0

const char *segue_plan_opponent(size_t candidate)
{
    static const char *const names[SEGUE_PLAN_LEARNER] = {"ts", "la", "tla:cap=1"};
    return names[candidate];
}

double segue_plan_control_share(size_t i)
{
    static const double shares[SEGUE_N_PLAN_SHARES] = {0.02, 0.05, 0.1, 0.2, 0.5};
    return shares[i];
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Fill one row; returns true if every share has the power that is asked for. */
static bool fill_row(segue_plan_row *row, const plan_runs *runs, const plan_crossings *crossings)
{
    bool enough = true;
    for (size_t i = 0; i < SEGUE_PLAN_LEARNER; i++)
        row->total[i] = segue_plan_gain_total(runs, i, row->tasks);
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++) {
        row->power[i] = segue_plan_power_at(crossings, i, row->tasks);
        enough = enough && row->power[i].value >= SEGUE_PLAN_POWER;
    }
    return enough;
}

/* Rows end with the first round number at which every share has enough power. */
static void fill_rows(segue_plan_result *out, const segue_plan_config *config,
                      const plan_runs *runs, const plan_crossings *crossings)
{
    static const double mantissa[] = {1.0, 1.5, 2.0, 3.0, 5.0, 7.0};
    bool enough = false;
    for (size_t i = 0; out->n_rows < SEGUE_MAX_PLAN_ROWS && !enough; i++) {
        const double m = mantissa[i % 6];
        const size_t decade = i / 6;
        const double tasks = rint(10.0 * m * segue_decade_power((int)decade));
        if (tasks > (double)config->max_tasks)
            break;
        segue_plan_row *row = &out->row[out->n_rows++];
        *row =
            (segue_plan_row){.tasks = (uint64_t)tasks, .round = m == 1.0 || m == 2.0 || m == 5.0};
        enough = fill_row(row, runs, crossings) && row->round;
    }
}

/* ---- control shares ---------------------------------------------------------------------- */

static void fill_shares(segue_plan_result *out, const plan_runs *runs,
                        const plan_crossings *crossings)
{
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++) {
        segue_plan_share *share = &out->share[i];
        share->control = segue_plan_control_share(i);
        share->tasks = segue_plan_power_tasks(crossings, i);
        share->lost = NAN;
        if (isfinite(share->tasks.value))
            share->lost =
                share->control *
                segue_plan_gain_total(runs, SEGUE_PLAN_TS, (uint64_t)share->tasks.value).value;
    }
}

/* A smaller control group costs less reward, and takes longer. */
static void choose_share(segue_plan_result *out)
{
    out->fastest = out->recommended = SEGUE_N_PLAN_SHARES;
    double fewest = INFINITY;
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++)
        if (out->share[i].tasks.value < fewest) {
            out->fastest = i;
            fewest = out->share[i].tasks.value;
        }
    for (size_t i = SEGUE_N_PLAN_SHARES; i-- > 0 && isfinite(fewest);)
        if (out->share[i].tasks.value <= MAX_DELAY * fewest)
            out->recommended = i;
}

/* ---- the plan ---------------------------------------------------------------------------- */

static double mean_reward(const plan_runs *runs, size_t candidate)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < runs->runs * runs->tasks; i++)
        sum += runs->reward[candidate][i];
    return sum / (double)(runs->runs * runs->tasks);
}

static void fill_result(segue_plan_result *out, const segue_plan_config *config,
                        const plan_runs *runs, const plan_crossings *crossings, double *scratch)
{
    *out = (segue_plan_result){.ts_reward = config->range * (double)config->steps *
                                            mean_reward(runs, SEGUE_PLAN_TS)};
    for (size_t i = 0; i < SEGUE_PLAN_LEARNER; i++)
        segue_plan_gain_over(&out->gain[i], runs, i, scratch);
    out->without = out->gain[SEGUE_PLAN_LA].per_task.value < out->gain[SEGUE_PLAN_TS].per_task.value
                       ? SEGUE_PLAN_LA
                       : SEGUE_PLAN_TS;
    fill_rows(out, config, runs, crossings);
    fill_shares(out, runs, crossings);
    choose_share(out);
    segue_plan_describe(out, config);
}

static segue_status check_range(const char *name, uint64_t value, uint64_t min, uint64_t max,
                                segue_error *err)
{
    if (value >= min && value <= max)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN, "%s: %" PRIu64 "; need %" PRIu64 " to %" PRIu64, name,
                      value, min, max);
}

static segue_status check(const segue_plan_config *config, segue_error *err)
{
    SEGUE_TRY(check_range("runs of a plan", config->runs, 2 * config->n_populations,
                          SEGUE_MAX_PLAN_RUNS, err));
    SEGUE_TRY(check_range("simulated tasks of a plan", config->simulated, 2,
                          SEGUE_MAX_PLAN_SIMULATED, err));
    SEGUE_TRY(check_range("tasks of a plan", config->max_tasks, 10, SEGUE_MAX_PLAN_TASKS, err));
    const segue_learner_method *method = segue_learner_method_find(config->learner);
    if (method && !method->without_transfer)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME,
                      "'%.40s' does not learn from task to task; need a learner, such as tla: see "
                      "'segue help policies'",
                      config->learner);
}

segue_status segue_plan_compute(segue_plan_result *out, const segue_plan_config *config,
                                segue_error *err)
{
    plan_runs runs = {.runs = 0};
    plan_crossings crossings = {.runs = 0};
    SEGUE_TRY(check(config, err));
    double *scratch = calloc((size_t)config->runs, sizeof *scratch);
    segue_status status = scratch ? SEGUE_OK : segue_fail_no_memory(err, "a plan");
    if (status == SEGUE_OK)
        status = segue_plan_play(&runs, config, err);
    if (status == SEGUE_OK)
        status = segue_plan_power_find(&crossings, &runs, config, err);
    if (status == SEGUE_OK)
        fill_result(out, config, &runs, &crossings, scratch);
    segue_plan_power_fini(&crossings);
    segue_plan_play_fini(&runs);
    free(scratch);
    return status;
}
