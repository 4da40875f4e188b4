/* replay_score.c - compute the metrics of all candidates, with intervals, and their curves.
 *
 * A metric is computed from the average reward and regret of each candidate over runs and scored
 * tasks.  Its interval comes from replicates of the log (replay_replicates.c) or, for row replay,
 * from a bootstrap over tasks (replay_bootstrap.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "replay/replay_internal.h"
#include "replay/replay_metrics.h"
#include "segue/internal.h"

/* ---- metrics ----------------------------------------------------------------------------- */

/* Average rewards and regrets over runs. */
static void average_runs(const replay_study *st, double *reward, double *regret)
{
    const size_t n = st->result->n_candidates;
    const double runs = (double)st->result->runs;
    for (size_t i = 0; i < st->result->runs * n; i++) {
        reward[i % n] += st->run_reward[i] / runs;
        regret[i % n] += st->run_regret[i] / runs;
    }
}

/* Store metrics without intervals. */
static void store_values(segue_replay_result *result, const double *values)
{
    for (size_t p = 0; p < result->n_candidates; p++)
        for (size_t k = 0; k < SEGUE_N_METRICS; k++)
            result->candidate[p].metric[k] =
                (segue_interval){.value = values[p * SEGUE_N_METRICS + k], .low = NAN, .high = NAN};
    result->best_arms = (segue_interval){
        .value = values[result->n_candidates * SEGUE_N_METRICS], .low = NAN, .high = NAN};
}

/* Compute the rewards, rank the candidates by them, and compute all metrics, which need the ranks.
 */
static void rank(replay_study *st, double *average, double *values)
{
    segue_replay_result *result = st->result;
    double *reward = average, *regret = average + result->n_candidates;
    average_runs(st, reward, regret);
    for (size_t p = 0; p < result->n_candidates; p++)
        result->candidate[p].metric[SEGUE_METRIC_REWARD].value = reward[p];
    segue_replay_result_rank(result);
    segue_replay_metrics_compute(result, reward, regret, values);
    store_values(result, values);
}

static segue_status find_intervals(replay_study *st, const double *values, segue_error *err)
{
    if (st->config->values_only)
        return SEGUE_OK;
    return st->result->urn ? segue_replay_replicates(st, values, err)
                           : segue_replay_bootstrap(st, values, err);
}

/* ---- curves ------------------------------------------------------------------------------ */

/* Return the position from which the total reward stays above that of ts, or 0.  Positions at which
 * either had no step do not count. */
static size_t ahead_from(const replay_study *st, size_t candidate)
{
    const segue_stats *reward = st->reward_curve + candidate * st->result->n_played;
    const segue_stats *ts = st->reward_curve + st->result->ts * st->result->n_played;
    double total = 0.0;
    size_t from = 0;
    for (size_t position = 0; position < st->result->n_played; position++) {
        if (!reward[position].count || !ts[position].count)
            continue;
        total += reward[position].mean - ts[position].mean;
        from = total <= 0.0 ? 0 : from ? from : position + 1;
    }
    return from;
}

/* Return the standard error of the reward per step over runs. */
static double runs_error(const replay_study *st, size_t candidate)
{
    segue_stats runs = {.count = 0};
    for (size_t i = 0; i < st->result->runs; i++)
        segue_stats_add(&runs, st->run_reward[i * st->result->n_candidates + candidate]);
    return segue_stats_standard_error(&runs);
}

static segue_status store_curve(replay_study *st, size_t candidate, segue_error *err)
{
    segue_replay_result *result = st->result;
    segue_replay_candidate *c = &result->candidate[candidate];
    const double width = result->highest - result->lowest;
    double **const list[] = {&c->reward, &c->reward_se, &c->regret, &c->regret_se};
    const bool hidden = !isfinite(c->metric[SEGUE_METRIC_REGRET].value);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(*list[i] = calloc(result->n_played, sizeof **list[i])))
            return segue_fail_no_memory(err, "the curves");
    for (size_t position = 0; position < result->n_played; position++) {
        const segue_stats *reward = &st->reward_curve[candidate * result->n_played + position];
        const segue_stats *regret = &st->regret_curve[candidate * result->n_played + position];
        c->reward[position] = reward->count ? result->lowest + width * reward->mean : NAN;
        c->reward_se[position] = width * segue_stats_standard_error(reward);
        c->regret[position] = regret->count && !hidden ? width * regret->mean : NAN;
        c->regret_se[position] = hidden ? NAN : width * segue_stats_standard_error(regret);
    }
    c->runs_se = width * runs_error(st, candidate);
    c->logged = st->logged[candidate] / fmax(st->pulls[candidate], 1.0);
    c->ahead_from = ahead_from(st, candidate);
    return SEGUE_OK;
}

segue_status segue_replay_score(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    double *values = calloc(segue_replay_metrics_count(result), sizeof *values);
    double *average = calloc(2 * result->n_candidates, sizeof *average);
    segue_status status = SEGUE_OK;
    if (!values || !average) {
        status = segue_fail_no_memory(err, "the metrics");
        goto done;
    }
    rank(st, average, values);
    status = find_intervals(st, values, err);
    for (size_t p = 0; p < result->n_candidates && status == SEGUE_OK; p++)
        status = store_curve(st, p, err);
    result->logged = result->lowest + (result->highest - result->lowest) * result->logged;
    result->complete = st->complete.mean;
done:
    free(values);
    free(average);
    return status;
}
