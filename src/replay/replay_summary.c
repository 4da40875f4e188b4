/* replay_summary.c - summarise a log: counts, the spectrum of its second moment, and its types.
 *
 * Nothing is played: `segue replay --dry-run` prints this.  Types are those of the population that
 * a replay fits (population.h).  The text says what is missing for a verdict, as a replay would say
 * it after playing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "replay/replay_tasks.h"
#include "replay/urn/urn_log.h"
#include "segue/estimator.h"
#include "segue/stats.h"

/* ---- counts ------------------------------------------------------------------------------ */

static void count_log(segue_replay_summary *out, const segue_history *history)
{
    out->n_rows = history->n_rows;
    out->n_tasks = history->n_tasks;
    out->n_arms = history->n_arms;
    out->rewards_per_cell = (double)out->n_rows / ((double)out->n_tasks * (double)out->n_arms);
    out->constant = segue_replay_is_constant(history);
    out->has_time = history->time != NULL;
    out->has_probability = history->probability != NULL;
    for (size_t i = 0; i < history->n_rows; i++)
        out->mean += history->row[i].reward / (double)history->n_rows;
}

/* Deciles of rows per task. */
static segue_status count_rows(segue_replay_summary *out, const segue_history *history,
                               segue_error *err)
{
    double *rows = calloc(history->n_tasks, sizeof *rows);
    if (!rows)
        return segue_fail_no_memory(err, "the counts of a log");
    for (size_t i = 0; i < out->n_tasks; i++)
        rows[i] = segue_replay_tasks_rows(history, i);
    out->few_rows = segue_stats_quantile(rows, out->n_tasks, 0.1);
    out->median_rows = segue_stats_quantile(rows, out->n_tasks, 0.5);
    out->many_rows = segue_stats_quantile(rows, out->n_tasks, 0.9);
    free(rows);
    return SEGUE_OK;
}

static segue_status count_arms(segue_replay_summary *out, const segue_history *history,
                               segue_error *err)
{
    segue_replay_tasks tasks;
    SEGUE_TRY(segue_replay_tasks_init(&tasks, out->n_arms, err));
    for (size_t i = 0; i < out->n_tasks; i++)
        (void)segue_replay_tasks_add(&tasks, history, i, true);
    out->best_arm = segue_replay_tasks_best_arm(&tasks, &out->best_fixed);
    out->rarest = segue_replay_tasks_rarest_arm(&tasks, &out->rarest_rewards);
    segue_replay_tasks_fini(&tasks);
    return SEGUE_OK;
}

/* ---- the spectrum ------------------------------------------------------------------------ */

/* Make the three views of a task, each arm's rewards in turn; false if an arm has fewer than three
 * rewards. */
static bool make_views(const segue_history *history, size_t task, double *views, double *pulls)
{
    const size_t n_arms = history->n_arms;
    memset(views, 0, 3 * n_arms * sizeof *views);
    memset(pulls, 0, n_arms * sizeof *pulls);
    for (size_t i = history->start[task]; i < history->start[task + 1]; i++) {
        const size_t arm = history->row[i].arm, batch = (size_t)pulls[arm] % 3;
        views[batch * n_arms + arm] += history->row[i].reward;
        pulls[arm] += 1.0;
    }
    for (size_t arm = 0; arm < n_arms; arm++)
        for (size_t batch = 0; batch < 3; batch++) {
            const double of_batch = floor((pulls[arm] + 2.0 - (double)batch) / 3.0);
            if (of_batch < 1.0)
                return false;
            views[batch * n_arms + arm] /= of_batch;
        }
    return true;
}

static segue_status add_views(const segue_history *history, segue_moments *moments,
                              segue_error *err)
{
    const size_t n_arms = history->n_arms;
    double *views = calloc(4 * n_arms + 1, sizeof *views);
    if (!views)
        return segue_fail_no_memory(err, "the views of a task");
    segue_status status = SEGUE_OK;
    for (size_t task = 0; task < history->n_tasks && status == SEGUE_OK; task++)
        if (make_views(history, task, views, views + 3 * n_arms))
            status = segue_moments_add(moments, views, 1.0, err);
    free(views);
    return status;
}

static void store_spectrum(segue_replay_summary *out, const segue_estimate_info *info)
{
    out->n_spectrum = (size_t)info->n_tasks;
    out->noise = info->noise;
    for (size_t i = 0; i < info->n_eigenvalues && info->n_tasks; i++) {
        out->n_above_noise += info->eigenvalue[i] > info->noise;
        if (i < SEGUE_MAX_SHOWN_EIGENVALUES)
            out->eigenvalue[out->n_eigenvalues++] = info->eigenvalue[i];
    }
}

static segue_status find_spectrum(segue_replay_summary *out, const segue_history *history,
                                  segue_error *err)
{
    segue_moments *moments = NULL;
    segue_estimator *estimator = NULL;
    segue_estimator_config config = segue_estimator_defaults();
    config.n_arms = history->n_arms;
    config.n_models = 1;
    out->noise = NAN;
    if (config.n_arms > SEGUE_MAX_SPECTRUM_ARMS)
        return SEGUE_OK;
    SEGUE_TRY(segue_moments_create(&moments, config.n_arms, SEGUE_VIEWS_SYMMETRIC, err));
    segue_status status = segue_estimator_create(&estimator, &config, err);
    if (status != SEGUE_OK)
        goto done;
    status = add_views(history, moments, err);
    if (status != SEGUE_OK)
        goto done;
    status = segue_estimator_fit(estimator, moments, err);
    if (status != SEGUE_OK)
        goto done;
    const segue_estimate_info info = segue_estimator_info(estimator);
    store_spectrum(out, &info);
done:
    segue_estimator_destroy(estimator);
    segue_moments_destroy(moments);
    return status;
}

/* ---- types ------------------------------------------------------------------------------- */

/* Find the arm with the largest mean over types.  A policy that chose the arms of the log by earlier
 * rewards drops an arm early after a few low rewards, so that averages of tasks are too low, and
 * pulls it often where it is good, so that averages of rows are too high; a fit is right in both. */
static void find_best_arm(segue_replay_summary *out, const segue_population *population)
{
    out->best_fixed = -1.0; /* below every reward */
    for (size_t arm = 0; arm < population->n_arms; arm++) {
        double mean = 0.0;
        for (size_t q = 0; q < population->n_types; q++)
            mean += population->weight[q] * population->mean[q * population->n_arms + arm];
        if (mean > out->best_fixed) {
            out->best_fixed = mean;
            out->best_arm = arm;
        }
    }
}

static segue_status find_types(segue_replay_summary *out, const segue_history *history,
                               uint64_t seed, segue_error *err)
{
    const segue_population_config config = {.seed = seed};
    segue_population population = {.weight = NULL};
    segue_urn_log log;
    SEGUE_TRY(segue_urn_log_init(&log, history, err));
    const segue_counts counts = segue_urn_log_counts(&log);
    const segue_status status = segue_population_fit(&population, &counts, &config, err);
    out->n_types = population.n_types;
    for (size_t q = 0; q < population.n_types; q++)
        out->weight[q] = population.weight[q];
    if (status == SEGUE_OK)
        find_best_arm(out, &population);
    segue_population_fini(&population);
    segue_urn_log_fini(&log);
    return status;
}

/* ---- the summary ------------------------------------------------------------------------- */

/* The order matters: the reason that decides comes first. */
static void describe(segue_replay_summary *out, double lowest, double highest)
{
    char *text = out->missing;
    const size_t size = sizeof out->missing;
    if (out->constant)
        (void)snprintf(
            text, size,
            "All rewards of the log are equal, %.3g: nothing can be learned from it. Log "
            "rewards that differ.",
            lowest + (highest - lowest) * out->mean);
    else if (out->n_tasks < SEGUE_MIN_TYPED_TASKS)
        (void)snprintf(text, size, "Too few tasks to find types: %zu; log at least %zu more.",
                       out->n_tasks, SEGUE_MIN_TYPED_TASKS - out->n_tasks);
    else if (out->rewards_per_cell < SEGUE_MIN_REWARDS_PER_CELL)
        (void)snprintf(text, size,
                       "This log cannot tell if transfer pays: it has %.2g rewards per arm and "
                       "task, and %.0f or more are needed to see each task's best arm, so %.0f "
                       "rewards per task.",
                       segue_replay_round_down(out->rewards_per_cell), SEGUE_MIN_REWARDS_PER_CELL,
                       SEGUE_MIN_REWARDS_PER_CELL * (double)out->n_arms);
    else
        (void)snprintf(text, size,
                       "Nothing is missing for a verdict: segue replay can play this log.");
}

segue_status segue_replay_summarise(segue_replay_summary *out, const segue_history *history,
                                    double lowest, double highest, uint64_t seed, segue_error *err)
{
    segue_arm_share frequent;
    *out = (segue_replay_summary){.noise = NAN};
    count_log(out, history);
    SEGUE_TRY(count_rows(out, history, err));
    SEGUE_TRY(count_arms(out, history, err));
    SEGUE_TRY(segue_replay_is_uniform(history, &out->uniform, &frequent, err));
    SEGUE_TRY(find_spectrum(out, history, err));
    if (!out->constant && out->n_tasks >= SEGUE_MIN_TYPED_TASKS)
        SEGUE_TRY(find_types(out, history, seed, err));
    describe(out, lowest, highest);
    return SEGUE_OK;
}
