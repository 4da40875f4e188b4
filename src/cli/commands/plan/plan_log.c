/* plan_log.c - the tasks that a log shows: types that are fitted to it.
 *
 * A fit is one distribution of tasks; a log of few tasks, or of few rewards per task, allows many.
 * Runs are of N_DRAWS of them (replay/population), so that the intervals of the plan include what
 * the log does not tell.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands/plan/plan.h"
#include "cli/log/log_tally.h"
#include "replay/replay.h"
#include "replay/replay_tasks.h"
#include "replay/urn/urn_log.h"
#include "segue/internal.h"

#define N_DRAWS        10
#define MAX_PATH_CHARS 200 /* of the log's name in a sentence */

/* ---- the fit ----------------------------------------------------------------------------- */

static segue_status fit(cli_plan *plan, const segue_counts *counts, segue_error *err)
{
    const segue_population_config config = {.seed = plan->set.seed};
    segue_population best = {.weight = NULL};
    segue_status status = segue_population_fit(&best, counts, &config, err);
    if (status == SEGUE_OK) {
        plan->config.n_types = best.n_types;
        status = segue_population_sample(plan->population, N_DRAWS, counts, &best, &config, err);
    }
    segue_population_fini(&best);
    if (status == SEGUE_OK)
        plan->n_populations = N_DRAWS;
    return status;
}

static segue_status count_and_fit(cli_plan *plan, const segue_history *history, segue_error *err)
{
    segue_urn_log log;
    SEGUE_TRY(segue_urn_log_init(&log, history, err));
    const segue_counts counts = segue_urn_log_counts(&log);
    const segue_status status = fit(plan, &counts, err);
    segue_urn_log_fini(&log);
    return status;
}

/* ---- the log ----------------------------------------------------------------------------- */

static segue_status check_options(const cli_plan *plan, segue_error *err)
{
    const cli_plan_settings *set = &plan->set;
    const char *extra = set->types              ? "types"
                        : set->arms             ? "arms"
                        : isfinite(set->effect) ? "effect"
                        : isfinite(set->base)   ? "base"
                        : isfinite(set->spread) ? "spread"
                                                : NULL;
    if (!extra)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE,
                      "--%s is part of a guess, and the log shows it; give a log or a guess",
                      extra);
}

static segue_status check_log(const cli_plan *plan, const segue_history *history, segue_error *err)
{
    if (history->n_tasks < SEGUE_MIN_TYPED_TASKS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s has %zu tasks; need %d or more to fit types: log more tasks, or plan "
                          "from a guess ('segue help plan')",
                          plan->path, history->n_tasks, SEGUE_MIN_TYPED_TASKS);
    if (history->n_arms < SEGUE_MIN_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s has one arm; need rewards of %d or more to choose", plan->path,
                          SEGUE_MIN_ARMS);
    if (segue_replay_is_constant(history))
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "%s: all rewards are equal; log rewards that differ, or plan from a guess", plan->path);
    return SEGUE_OK;
}

/* Return the median number of rewards of a task. */
static segue_status find_steps(const segue_history *history, uint64_t *steps, segue_error *err)
{
    double *rows = calloc(history->n_tasks, sizeof *rows);
    if (!rows)
        return segue_fail_no_memory(err, "the counts of a log");
    for (size_t i = 0; i < history->n_tasks; i++)
        rows[i] = segue_replay_tasks_rows(history, i);
    *steps = (uint64_t)fmax(1.0, segue_stats_quantile(rows, history->n_tasks, 0.5));
    free(rows);
    return SEGUE_OK;
}

static void describe(cli_plan *plan, const segue_history *history)
{
    (void)snprintf(plan->tasks, sizeof plan->tasks,
                   "Tasks as in %.*s: %zu type%s fitted to %zu rewards of %zu tasks and %zu arms; "
                   "%" PRIu64 " steps per task. Runs are of %d distributions of tasks that the log "
                   "allows.",
                   MAX_PATH_CHARS, plan->path, plan->config.n_types,
                   plan->config.n_types == 1 ? "" : "s", history->n_rows, history->n_tasks,
                   history->n_arms, plan->set.steps, N_DRAWS);
}

static segue_status use_log(cli_plan *plan, const segue_history *history, segue_error *err)
{
    SEGUE_TRY(check_log(plan, history, err));
    if (plan->set.steps == 0)
        SEGUE_TRY(find_steps(history, &plan->set.steps, err));
    SEGUE_TRY(count_and_fit(plan, history, err));
    describe(plan, history);
    return SEGUE_OK;
}

segue_status cli_plan_read_log(cli_plan *plan, segue_error *err)
{
    segue_history history;
    log_read_options reading;
    SEGUE_TRY(check_options(plan, err));
    SEGUE_TRY(cli_log_options_parse(&plan->set.log, &reading, err));
    segue_status status = cli_log_tally_read_history(&history, plan->path, &plan->set.log, &reading,
                                                     plan->set.seed, err);
    if (status == SEGUE_OK) {
        cli_log_tally_report(plan->path, &history);
        plan->config.range = reading.highest - reading.lowest;
        status = use_log(plan, &history, err);
    }
    segue_history_fini(&history);
    return status;
}
