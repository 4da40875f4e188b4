/* replay_metrics.h - the metrics of all candidates from their average rewards and regrets.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_METRICS_H
#define SEGUE_REPLAY_REPLAY_METRICS_H

#include "replay/replay_result.h"

/** Return how many numbers the metrics are: SEGUE_N_METRICS per candidate, then the reward of each
 * task's best arm. */
size_t segue_replay_metrics_count(const segue_replay_result *result);

/** Compute all metrics from the reward and the regret per step of each candidate, in [0, 1].  Needs
 * the ranks of the candidates.  Metrics of regret are NaN if the log does not show it. */
void segue_replay_metrics_compute(const segue_replay_result *result, const double *reward,
                                  const double *regret, double *out);

/** Is number `at` of the metrics the same for every log: the gain of a candidate over itself, or any
 * number where all rewards are equal? */
bool segue_replay_metrics_is_fixed(const segue_replay_result *result, size_t at);

/** Return the smallest half width of an interval around a metric: no fitted population is exact,
 * and replicates do not show how far it is off. */
double segue_replay_metrics_floor(const segue_replay_result *result, size_t metric, double value);

/** Return the half width of an interval around a metric, of which replicates show `shown`: not below
 * the floor, and wider for a log with less than SEGUE_MIN_REWARDS_PER_CELL rewards per arm and task. */
double segue_replay_metrics_half_width(const segue_replay_result *result, size_t metric,
                                       double value, double shown);

#endif
