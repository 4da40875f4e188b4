/* replay_warnings.c - tests of a log; a failed test adds a warning to the result.
 *
 * Row replay is unbiased only if the log drew its arms at random, with the probabilities that it
 * states.  Each test raises a false alarm once in a million (ALARM is the normal quantile) where
 * its statistic is normal: for thousands of rows, and for repeats of arms also for few.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "io/utf8.h"
#include "replay/replay_internal.h"

#define ALARM          SEGUE_ALARM
#define ROUNDING_ERROR 5e-3 /* relative, of a number with three digits */
#define MAX_ARM_BYTES  40   /* of an arm's name */
#define FEW_TASKS      30   /* with fewer, intervals are rough */
#define FEW_REWARDS    10   /* per arm and task: the best of averages of fewer is luck */
#define MAX_DEPENDENCE 3.5  /* standard errors: above, a policy may have chosen the arms */

/* Return how far a chi-square statistic is above its expectation, in standard errors (Wilson and
 * Hilferty). */
static double chi_square_deviation(double square, double freedom)
{
    const double variance = 2.0 / (9.0 * freedom);
    return (segue_pow(square / freedom, 1.0 / 3.0) - (1.0 - variance)) / sqrt(variance);
}

segue_status segue_replay_is_uniform(const segue_history *history, bool *uniform,
                                     segue_arm_share *frequent, segue_error *err)
{
    double *count = calloc(history->n_arms, sizeof *count), square = 0.0;
    if (!count)
        return segue_fail_no_memory(err, "the shares of arms");
    const double expected = (double)history->n_rows / (double)history->n_arms;
    *frequent = (segue_arm_share){.arm = 0};
    for (size_t i = 0; i < history->n_rows; i++)
        count[history->row[i].arm] += 1.0;
    for (size_t arm = 0; arm < history->n_arms; arm++) {
        square += (count[arm] - expected) * (count[arm] - expected) / expected;
        if (count[arm] > count[frequent->arm])
            frequent->arm = arm;
    }
    frequent->share = count[frequent->arm] / (double)history->n_rows;
    *uniform = chi_square_deviation(square, (double)history->n_arms - 1.0) <= ALARM;
    free(count);
    return SEGUE_OK;
}

static segue_status warn_of_shares(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    segue_arm_share frequent;
    bool uniform = true;
    SEGUE_TRY(segue_replay_is_uniform(history, &uniform, &frequent, err));
    if (!uniform)
        segue_replay_result_warn(
            st->result,
            "the log did not draw its arms uniformly ('%.*s' has %.3g %% of the rows, "
            "not %.3g %%), and has no probabilities: row replay is biased here; log a "
            "column 'probability', or give --play urn",
            (int)segue_utf8_prefix_length(history->arm_name[frequent.arm], MAX_ARM_BYTES),
            history->arm_name[frequent.arm], 100.0 * frequent.share,
            100.0 / (double)history->n_arms);
    return SEGUE_OK;
}

/* Return how far the repeats of arms may be from their expectation.  Rare repeats are nearly Poisson, and those of an arm with nearly all
 * rows appear in pairs: so the limit includes Cornish and Fisher's term for the skewness of twice a
 * Poisson number. */
static double repeats_limit(const segue_repeats *r)
{
    return ALARM * sqrt(fmax(r->variance, 0.0)) + (ALARM * ALARM - 1.0) / 3.0;
}

/* Warn if an arm depends on the one before, as it does if arms take turns, stick, or are chosen by
 * earlier rewards. */
static segue_status warn_of_repeats(replay_study *st, segue_error *err)
{
    segue_repeats r;
    SEGUE_TRY(segue_replay_repeats(st->config->history, &r, err));
    if (fabs(r.same - r.expected) > repeats_limit(&r))
        segue_replay_result_warn(
            st->result,
            "%.3g %% of the rows repeat the arm before; if each task had drawn its arms "
            "at random, %.3g %% would: row replay is biased here; give --play urn",
            100.0 * r.same / r.pairs, 100.0 * r.expected / r.pairs);
    return SEGUE_OK;
}

/* Warn if rewards change within tasks.  A reward moves the sum by less than 1, so that the limit
 * has the term of Bernstein's inequality for few rewards.  Where a policy seems to have chosen the arms by their
 * rewards, halves differ without drift, and the test does not apply. */
static segue_status warn_of_drift(replay_study *st, segue_error *err)
{
    const segue_replay_result *result = st->result;
    segue_repeats r;
    segue_drift d;
    SEGUE_TRY(segue_replay_repeats(st->config->history, &r, err));
    SEGUE_TRY(segue_replay_drift(st->config->history, &d, err));
    st->chosen = r.same - r.expected > repeats_limit(&r) || d.dependence > MAX_DEPENDENCE;
    if (!st->chosen && fabs(d.sum) > ALARM * sqrt(d.variance) + ALARM * ALARM / 3.0)
        segue_replay_result_warn(
            st->result,
            "rewards change within tasks: the second half of an arm's rewards in a task is "
            "%.3g %s the first, on average; the urn takes them as constant, and what is said of "
            "late steps may be wrong",
            (result->highest - result->lowest) * fabs(d.sum) / d.weight,
            d.sum > 0.0 ? "above" : "below");
    return SEGUE_OK;
}

/* Warn that the order of a tally's rewards is not the logged one. */
static void warn_of_tally(segue_replay_result *result)
{
    if (!result->is_tally)
        return;
    segue_replay_result_warn(result,
                             "a tally has no order of rewards, so they were taken in random order: "
                             "if a policy chose the arms by earlier rewards, give the log itself");
}

static void warn_of_sample(segue_replay_result *result)
{
    if (result->drawn_from)
        segue_replay_result_warn(result, "%zu of the %zu tasks of the %s were drawn at random",
                                 result->n_tasks, result->drawn_from,
                                 result->is_tally ? "tally" : "log");
}

/* The urn takes rewards in the order of the rows. */
static void warn_of_times(replay_study *st)
{
    const segue_history *history = st->config->history;
    size_t count = 0;
    for (size_t task = 0; history->time && task < history->n_tasks; task++)
        for (size_t i = history->start[task] + 1; i < history->start[task + 1]; i++)
            if (history->time[i] < history->time[i - 1]) {
                count++;
                break;
            }
    if (count)
        segue_replay_result_warn(st->result,
                                 "the rows of %zu tasks are not in the order of their times, and "
                                 "the urn takes rewards in the order of the rows: sort the log by "
                                 "time",
                                 count);
}

/* The mean of 1 / probability is the number of arms if the probabilities are right; they may be
 * rounded. */
static void warn_of_probabilities(replay_study *st)
{
    const segue_history *history = st->config->history;
    segue_stats inverse = {.count = 0};
    for (size_t i = 0; i < history->n_rows; i++)
        segue_stats_add(&inverse, 1.0 / history->probability[i]);
    const double n_arms = (double)history->n_arms, error = segue_stats_standard_error(&inverse);
    if (fabs(inverse.mean - n_arms) > ALARM * error + ROUNDING_ERROR * n_arms)
        segue_replay_result_warn(
            st->result,
            "the column 'probability' cannot be right: 1 / probability is %.4g on "
            "average, and should be %.4g, the number of arms; replay is biased here",
            inverse.mean, n_arms);
}

static void warn_of_few_tasks(segue_replay_result *result)
{
    const size_t n_scored = result->n_played + 1 - result->first_scored;
    if (n_scored < FEW_TASKS)
        segue_replay_result_warn(result, "only %zu tasks are scored: intervals are rough",
                                 n_scored);
}

segue_status segue_replay_add_warnings(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    warn_of_tally(result);
    warn_of_sample(result);
    warn_of_few_tasks(result);
    if (result->urn) {
        warn_of_times(st);
        return warn_of_drift(st, err);
    }
    if (result->rewards_per_cell < FEW_REWARDS)
        segue_replay_result_warn(
            result,
            "an arm has %.2g rewards per task, and the best of such averages is too "
            "good: regrets and gaps are smaller than shown; rewards are right",
            result->rewards_per_cell);
    if (result->thinned) {
        warn_of_probabilities(st);
        return SEGUE_OK;
    }
    SEGUE_TRY(warn_of_shares(st, err));
    return warn_of_repeats(st, err);
}
