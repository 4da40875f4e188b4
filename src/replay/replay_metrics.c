/* replay_metrics.c - the metrics of all candidates from their average rewards and regrets.
 *
 * Point estimates, replicates and draws of a bootstrap all pass through here, so that an interval
 * is of the same quantity as its number.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_metrics.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "replay/replay.h"

#define REWARD_FLOOR 0.003 /* of a reward */
#define GAIN_FLOOR   0.005 /* a share */
#define SAVING_FLOOR 0.01  /* a share */
#define FEW_REWARDS  1.2   /* times as wide: intervals of a log with few rewards per arm and task */

size_t segue_replay_metrics_count(const segue_replay_result *result)
{
    return result->n_candidates * SEGUE_N_METRICS + 1;
}

/* Return a share; 0 of nothing. */
static double share_of(double part, double whole)
{
    return whole > 0.0 ? part / whole : 0.0;
}

/* Return the gain over a base as a share of the base.  The base is measured from 0, or from the
 * lowest reward if that is negative, since shares of negative rewards mean nothing. */
static double gain(const segue_replay_result *result, double reward, double base)
{
    const double zero = fmax(0.0, result->lowest) / (result->highest - result->lowest);
    return share_of(reward - base, base + zero);
}

static void hide(const segue_replay_result *result, const segue_replay_metric *hidden, size_t count,
                 double *out)
{
    for (size_t p = 0; p < result->n_candidates; p++)
        for (size_t i = 0; i < count; i++)
            out[p * SEGUE_N_METRICS + hidden[i]] = NAN;
}

/* Few rewards per arm and task do not show each task's best arm. */
static void hide_regret(const segue_replay_result *result, double *out)
{
    static const segue_replay_metric hidden[] = {SEGUE_METRIC_REGRET, SEGUE_METRIC_GAP_CLOSED,
                                                 SEGUE_METRIC_REGRET_SAVED,
                                                 SEGUE_METRIC_SAVED_OVER_PRIOR};
    hide(result, hidden, sizeof hidden / sizeof *hidden, out);
    out[result->n_candidates * SEGUE_N_METRICS] = NAN;
}

/* Where all rewards are equal, candidates differ by noise alone. */
static void hide_gains(const segue_replay_result *result, double *out)
{
    static const segue_replay_metric hidden[] = {
        SEGUE_METRIC_GAIN_OVER_TS, SEGUE_METRIC_GAIN_OVER_PRIOR, SEGUE_METRIC_GAIN_OVER_FIXED};
    hide(result, hidden, sizeof hidden / sizeof *hidden, out);
}

void segue_replay_metrics_compute(const segue_replay_result *result, const double *reward,
                                  const double *regret, double *out)
{
    const double width = result->highest - result->lowest, n = (double)result->steps;
    const double ts = reward[result->ts], ts_lost = regret[result->ts];
    const double alone = regret[result->best_without_transfer];
    const double prior = regret[result->best_prior];
    for (size_t p = 0; p < result->n_candidates; p++) {
        const double values[SEGUE_N_METRICS] = {
            [SEGUE_METRIC_REWARD] = result->lowest + width * reward[p],
            [SEGUE_METRIC_REGRET] = width * n * regret[p],
            [SEGUE_METRIC_GAIN_OVER_TS] = gain(result, reward[p], ts),
            [SEGUE_METRIC_GAIN_OVER_PRIOR] = gain(result, reward[p], reward[result->ts_prior]),
            [SEGUE_METRIC_GAIN_OVER_FIXED] = gain(result, reward[p], reward[result->fixed_arm]),
            [SEGUE_METRIC_GAP_CLOSED] = share_of(reward[p] - ts, ts_lost),
            [SEGUE_METRIC_REGRET_SAVED] = share_of(alone - regret[p], alone),
            [SEGUE_METRIC_SAVED_OVER_PRIOR] = share_of(prior - regret[p], prior)};
        memcpy(out + p * SEGUE_N_METRICS, values, sizeof values);
    }
    out[result->n_candidates * SEGUE_N_METRICS] = result->lowest + width * (ts + ts_lost);
    if (result->rewards_per_cell < SEGUE_MIN_REWARDS_PER_CELL || result->constant)
        hide_regret(result, out);
    if (result->constant)
        hide_gains(result, out);
}

bool segue_replay_metrics_is_fixed(const segue_replay_result *result, size_t at)
{
    const size_t none = SIZE_MAX;
    const size_t base[SEGUE_N_METRICS] = {[SEGUE_METRIC_REWARD] = none,
                                          [SEGUE_METRIC_REGRET] = none,
                                          [SEGUE_METRIC_GAIN_OVER_TS] = result->ts,
                                          [SEGUE_METRIC_GAIN_OVER_PRIOR] = result->ts_prior,
                                          [SEGUE_METRIC_GAIN_OVER_FIXED] = result->fixed_arm,
                                          [SEGUE_METRIC_GAP_CLOSED] = result->ts,
                                          [SEGUE_METRIC_REGRET_SAVED] =
                                              result->best_without_transfer,
                                          [SEGUE_METRIC_SAVED_OVER_PRIOR] = result->best_prior};
    return result->constant || base[at % SEGUE_N_METRICS] == at / SEGUE_N_METRICS;
}

double segue_replay_metrics_floor(const segue_replay_result *result, size_t metric, double value)
{
    switch (metric) {
    case SEGUE_METRIC_REWARD:
        return REWARD_FLOOR * fabs(value - result->lowest);
    case SEGUE_METRIC_REGRET:
        return SAVING_FLOOR * fabs(value);
    case SEGUE_METRIC_GAIN_OVER_TS:
    case SEGUE_METRIC_GAIN_OVER_PRIOR:
    case SEGUE_METRIC_GAIN_OVER_FIXED:
        return GAIN_FLOOR;
    default:
        return SAVING_FLOOR;
    }
}

/* With few rewards the fit finds fewer types than there are, and so do the fits of replicates: rewards
 * come out too small in all of them. */
double segue_replay_metrics_half_width(const segue_replay_result *result, size_t metric,
                                       double value, double shown)
{
    const bool is_wider = result->rewards_per_cell < SEGUE_MIN_REWARDS_PER_CELL;
    return fmax(is_wider ? FEW_REWARDS * shown : shown,
                segue_replay_metrics_floor(result, metric, value));
}
