/* advise.c - summarise a log: counts, the spectrum of its second moment, and its types.
 *
 * Full tasks and rewards per arm are counted as a replay counts them (replay_tasks.c).  Two numbers
 * say what types could save.  Tasks simulated from the fitted types flatter the types.  So full
 * tasks of the log itself are replayed too, once and without intervals, if they are enough and it
 * takes seconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "replay/replay_tasks.h"
#include "segue/estimator.h"
#include "segue/stats.h"

#define MAX_STEPS 200     /* of a simulated task */
#define MAX_PULLS 1000000 /* of a candidate: more take too long */

/* ---- counts ------------------------------------------------------------------------------ */

static void count_log(segue_advise_result *out, const segue_history *history)
{
    out->n_rows = history->n_rows;
    out->n_tasks = history->n_tasks;
    out->n_arms = history->n_arms;
    out->constant = segue_replay_is_constant(history);
    out->has_time = history->time != NULL;
    out->has_probability = history->probability != NULL;
    for (size_t i = 0; i < history->n_rows; i++)
        out->mean += history->row[i].reward / (double)history->n_rows;
}

/* Deciles of rows per task; the steps of simulated tasks are the median of full tasks, or of all.
 * `rows` is scratch. */
static void count_rows(segue_advise_result *out, const segue_history *history, const size_t *full,
                       double *rows)
{
    for (size_t i = 0; i < out->n_tasks; i++)
        rows[i] = segue_replay_tasks_rows(history, i);
    out->few_rows = segue_stats_quantile(rows, out->n_tasks, 0.1);
    out->median_rows = segue_stats_quantile(rows, out->n_tasks, 0.5);
    out->many_rows = segue_stats_quantile(rows, out->n_tasks, 0.9);
    for (size_t i = 0; i < out->n_full; i++)
        rows[i] = segue_replay_tasks_rows(history, full[i]);
    const double median =
        out->n_full ? segue_stats_quantile(rows, out->n_full, 0.5) : out->median_rows;
    out->steps = (uint64_t)fmin(MAX_STEPS, fmax(2.0, median));
}

static segue_status count_arms(segue_advise_result *out, const segue_history *history,
                               const size_t *full, segue_error *err)
{
    segue_replay_tasks all, of_full;
    double best_sum = 0.0;
    SEGUE_TRY(segue_replay_tasks_init(&all, out->n_arms, err));
    const segue_status status = segue_replay_tasks_init(&of_full, out->n_arms, err);
    if (status != SEGUE_OK)
        goto done;
    for (size_t i = 0; i < out->n_tasks; i++)
        (void)segue_replay_tasks_add(&all, history, i, true);
    for (size_t i = 0; i < out->n_full; i++)
        best_sum += segue_replay_tasks_add(&of_full, history, full[i], true);
    out->best_known = out->n_full ? best_sum / (double)out->n_full : NAN;
    out->best_arm = segue_replay_tasks_best_arm(&all, &out->best_fixed);
    out->rarest = segue_replay_tasks_rarest_arm(
        out->n_full >= SEGUE_REPLAY_MIN_FULL_TASKS ? &of_full : &all, &out->rarest_rewards);
done:
    segue_replay_tasks_fini(&of_full);
    segue_replay_tasks_fini(&all);
    return status;
}

static segue_status count(segue_advise_result *out, const segue_advise_config *config,
                          segue_error *err)
{
    const segue_history *history = config->history;
    size_t *full = calloc(history->n_tasks, sizeof *full);
    double *scratch = calloc(history->n_tasks + 2 * history->n_arms, sizeof *scratch);
    segue_status status = SEGUE_OK;
    if (!full || !scratch) {
        status = segue_fail_no_memory(err, "the counts of a log");
        goto done;
    }
    count_log(out, history);
    out->n_full = segue_replay_tasks_select_full(history, out->min_rewards, full, scratch);
    count_rows(out, history, full, scratch);
    status = count_arms(out, history, full, err);
done:
    free(full);
    free(scratch);
    return status;
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

static void store_spectrum(segue_advise_result *out, const segue_estimate_info *info)
{
    out->n_spectrum = (size_t)info->n_tasks;
    out->noise = info->noise;
    for (size_t i = 0; i < info->n_eigenvalues && info->n_tasks; i++) {
        out->n_above_noise += info->eigenvalue[i] > info->noise;
        if (i < SEGUE_MAX_SHOWN_EIGENVALUES)
            out->eigenvalue[out->n_eigenvalues++] = info->eigenvalue[i];
    }
}

static segue_status find_spectrum(segue_advise_result *out, const segue_history *history,
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

static segue_status find_types(segue_advise_result *out, const segue_advise_config *config,
                               segue_error *err)
{
    segue_types *types = NULL;
    segue_status status =
        segue_replay_fit_types(&types, config->history, SEGUE_MAX_TYPES, config->seed, err);
    if (status != SEGUE_OK)
        goto done;
    out->n_types = segue_types_count(types);
    out->no_type = segue_types_weights(types)[0];
    if (out->n_types > 0)
        status = segue_replay_explained_variance(types, config->history, config->seed, NULL,
                                                 &out->explained, err);
    if (status == SEGUE_OK && out->n_types > 1)
        status = segue_advise_simulate(out, config, types, err);
done:
    segue_types_destroy(types);
    return status;
}

static bool is_playable(const segue_advise_result *out)
{
    return out->n_types > 1 && out->n_full >= SEGUE_REPLAY_MIN_FULL_TASKS &&
           (double)out->n_full * (double)out->steps <= MAX_PULLS;
}

/* Replay the full tasks once with tla, and with tla of one type, which every replay adds. */
static segue_status replay_full_tasks(segue_advise_result *out, const segue_advise_config *config,
                                      segue_error *err)
{
    segue_policy_list policies;
    segue_replay_result result;
    SEGUE_TRY(segue_policy_list_parse(&policies, "tla", err));
    const segue_replay_config replay = {.path = "the log",
                                        .history = config->history,
                                        .highest = 1.0,
                                        .policies = &policies,
                                        .method = SEGUE_REPLAY_METHOD_URN,
                                        .order = SEGUE_REPLAY_ORDER_SHUFFLE,
                                        .steps = out->steps,
                                        .runs = 1,
                                        .seed = config->seed,
                                        .threads = config->threads,
                                        .values_only = true};
    const segue_status status = segue_replay_evaluate(&result, &replay, err);
    if (status == SEGUE_OK)
        out->saved_over_prior =
            result.candidate[result.best_types].metric[SEGUE_METRIC_SAVED_OVER_PRIOR].value;
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    return status;
}

segue_status segue_advise(segue_advise_result *out, const segue_advise_config *config,
                          segue_error *err)
{
    segue_arm_share frequent;
    *out = (segue_advise_result){.min_rewards = config->min_rewards,
                                 .explained = NAN,
                                 .saved = NAN,
                                 .saved_by_prior = NAN,
                                 .saved_over_prior = NAN};
    SEGUE_TRY(count(out, config, err));
    SEGUE_TRY(segue_replay_is_uniform(config->history, &out->uniform, &frequent, err));
    SEGUE_TRY(find_spectrum(out, config->history, err));
    if (!out->constant)
        SEGUE_TRY(find_types(out, config, err));
    return is_playable(out) ? replay_full_tasks(out, config, err) : SEGUE_OK;
}
