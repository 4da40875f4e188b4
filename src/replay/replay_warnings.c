/* replay_warnings.c - what in a log should make one doubt what it says: warnings.
 *
 * Each test warns of a sound log once in a million (ALARM is the normal quantile), where its
 * statistic is normal: that holds for thousands of rows, and for repeats of arms also for few.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "io/utf8.h"
#include "replay/replay_internal.h"

#define ALARM       4.9  /* standard errors: two-sided, 1e-6 */
#define ROUNDED     5e-3 /* relative error of a number told to three digits, at most */
#define SHOWN       40   /* bytes of a name */
#define FEW         30   /* tasks: with fewer, intervals are rough */
#define FEW_REWARDS 10   /* of an arm in a task: the best of averages of fewer is luck */

/* How far a sum of squares of `freedom` normal numbers is above its law, in standard errors (Wilson
 * and Hilferty). */
static double chi_square_deviation(double square, double freedom)
{
    const double variance = 2.0 / (9.0 * freedom);
    return (cbrt(square / freedom) - (1.0 - variance)) / sqrt(variance);
}

segue_status segue_replay_is_uniform(const segue_history *history, bool *alike,
                                     segue_arm_share *most, segue_error *err)
{
    double *count = calloc(history->n_arms, sizeof *count), square = 0.0;
    if (!count)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", history->n_arms);
    const double expected = (double)history->n_rows / (double)history->n_arms;
    *most = (segue_arm_share){.arm = 0};
    for (size_t i = 0; i < history->n_rows; i++)
        count[history->row[i].arm] += 1.0;
    for (size_t arm = 0; arm < history->n_arms; arm++) {
        square += (count[arm] - expected) * (count[arm] - expected) / expected;
        if (count[arm] > count[most->arm])
            most->arm = arm;
    }
    most->share = count[most->arm] / (double)history->n_rows;
    *alike = chi_square_deviation(square, (double)history->n_arms - 1.0) <= ALARM;
    free(count);
    return SEGUE_OK;
}

/* Were all arms pulled alike? */
static segue_status warn_of_shares(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    segue_arm_share most;
    bool alike = true;
    const segue_status status = segue_replay_is_uniform(history, &alike, &most, err);
    if (status == SEGUE_OK && !alike)
        segue_replay_result_warn(
            st->found,
            "the log did not draw its arms alike ('%.*s' has %.3g %% of the rows, "
            "not %.3g %%), and tells no probabilities: replay is biased here; log a "
            "column 'probability', or resample",
            (int)segue_utf8_prefix_length(history->arm_name[most.arm], SHOWN),
            history->arm_name[most.arm], 100.0 * most.share, 100.0 / (double)history->n_arms);
    return status;
}

/* Does an arm depend on the one before, as it does where arms take turns, stick, or are chosen by
 * earlier rewards?  Rare repeats have a law like Poisson's, those of an arm with nearly all rows
 * come and go in twos: Cornish and Fisher's term for the skewness of twice a Poisson number is
 * added to the bar. */
static segue_status warn_of_repeats(replay_study *st, segue_error *err)
{
    segue_repeats r;
    const segue_status status = segue_replay_repeats(st->config->history, &r, err);
    if (status != SEGUE_OK)
        return status;
    const double bar = ALARM * sqrt(fmax(r.variance, 0.0)) + (ALARM * ALARM - 1.0) / 3.0;
    if (fabs(r.same - r.expected) > bar)
        segue_replay_result_warn(
            st->found,
            "%.3g %% of the rows repeat the arm before, and of arms drawn at random, "
            "each as often as in its task, %.3g %% would: the log's arms were not "
            "drawn at random, and replay is biased here; resample",
            100.0 * r.same / r.pairs, 100.0 * r.expected / r.pairs);
    return SEGUE_OK;
}

/* Of right probabilities the inverses have, on average, the number of arms; they may be rounded. */
static void warn_of_probabilities(replay_study *st)
{
    const segue_history *history = st->config->history;
    segue_stats inverse = {.count = 0};
    for (size_t i = 0; i < history->n_rows; i++)
        segue_stats_add(&inverse, 1.0 / history->probability[i]);
    const double n_arms = (double)history->n_arms, error = segue_stats_standard_error(&inverse);
    if (fabs(inverse.mean - n_arms) > ALARM * error + ROUNDED * n_arms)
        segue_replay_result_warn(
            st->found,
            "the column 'probability' cannot be right: 1 / probability is %.4g on "
            "average, and %.4g arms that can all be drawn make it %.4g; replay is "
            "biased here",
            inverse.mean, n_arms, n_arms);
}

segue_status segue_replay_add_warnings(replay_study *st, segue_error *err)
{
    segue_replay_result *found = st->found;
    const size_t scored = found->n_places + 1 - found->from;
    const double rewards = (double)found->n_rows / (double)found->n_tasks / (double)found->n_arms;
    segue_status status = SEGUE_OK;
    if (2 * found->n_left_out > found->n_tasks)
        segue_replay_result_warn(
            found,
            "%zu of %zu tasks are left out, with fewer than %" PRIu64
            " rewards of some arm: those that are played may be of another kind "
            "(--play replay takes all, if the log's arms were drawn at random)",
            found->n_left_out, found->n_tasks, found->least);
    if (found->resampled && found->least < 3)
        segue_replay_result_warn(found,
                                 "averages of one or two rewards are luck, and the best arm of a "
                                 "task is then too good: take --least 3 or more if you can");
    if (scored < FEW)
        segue_replay_result_warn(found, "only %zu tasks are scored: intervals are rough", scored);
    if (found->resampled)
        return SEGUE_OK;
    if (rewards < FEW_REWARDS)
        segue_replay_result_warn(
            found,
            "an arm has %.2g rewards a task, and the best of such averages is too "
            "good: regrets are less, and ways longer, than told; rewards are right",
            rewards);
    if (found->thinned) {
        warn_of_probabilities(st);
    } else {
        status = warn_of_shares(st, err);
        if (status == SEGUE_OK)
            status = warn_of_repeats(st, err);
    }
    return status;
}
