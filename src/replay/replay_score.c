/* replay_score.c - compute the metrics of all candidates, with intervals.
 *
 * The bootstrap is paired: each of RESAMPLES draws takes tasks with replacement, the same for all
 * candidates, and computes every metric from them.  An interval is from the 2.5 to the 97.5
 * percentile of the draws.  Cost: O(RESAMPLES x candidates x tasks), over threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "segue/internal.h"

#define RESAMPLES 1000

/* The scored tasks and the metrics of every draw. */
typedef struct bootstrap {
    replay_study *st;
    size_t *scored; /* n_scored: tasks that are scored in any run */
    size_t n_scored;
    double *weights; /* n_threads x n_places: how often a task was drawn */
    double *drawn;   /* RESAMPLES x (n_players x SEGUE_N_METRICS + 1) */
    size_t width;    /* numbers per draw */
} bootstrap;

/* ---- the metrics ------------------------------------------------------------------------- */

/* Return the average of a candidate's sums over weighted tasks. */
static double average(const replay_study *st, const double *sums, size_t candidate,
                      const double *weight)
{
    const double *sum = sums + candidate * st->result->n_played;
    double total = 0.0, count = 0.0;
    for (size_t task = 0; task < st->result->n_played; task++) {
        total += weight[task] * sum[task];
        count += weight[task] * st->count[task];
    }
    return total / count;
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

/* Compute all metrics: n_candidates x SEGUE_N_METRICS, then the reward of each task's best arm. */
static void compute(const replay_study *st, const double *weight, double *out)
{
    const segue_replay_result *result = st->result;
    const double width = result->highest - result->lowest, n = (double)result->steps;
    const double ts = average(st, st->reward_sum, result->ts, weight);
    const double ts_lost = average(st, st->regret_sum, result->ts, weight);
    const double prior = average(st, st->reward_sum, result->ts_prior, weight);
    const double fixed = average(st, st->reward_sum, result->fixed_arm, weight);
    const double alone = average(st, st->regret_sum, result->best_without_transfer, weight);
    const double simple = average(st, st->regret_sum, result->best_prior, weight);
    for (size_t p = 0; p < result->n_candidates; p++) {
        const double reward = average(st, st->reward_sum, p, weight);
        const double lost = average(st, st->regret_sum, p, weight);
        const double values[SEGUE_N_METRICS] = {
            [SEGUE_METRIC_REWARD] = result->lowest + width * reward,
            [SEGUE_METRIC_REGRET] = width * n * lost,
            [SEGUE_METRIC_GAIN_OVER_TS] = gain(result, reward, ts),
            [SEGUE_METRIC_GAIN_OVER_PRIOR] = gain(result, reward, prior),
            [SEGUE_METRIC_GAIN_OVER_FIXED] = gain(result, reward, fixed),
            [SEGUE_METRIC_GAP_CLOSED] = share_of(reward - ts, ts_lost),
            [SEGUE_METRIC_REGRET_SAVED] = share_of(alone - lost, alone),
            [SEGUE_METRIC_SAVED_OVER_PRIOR] = share_of(simple - lost, simple)};
        memcpy(out + p * SEGUE_N_METRICS, values, sizeof values);
    }
    out[result->n_candidates * SEGUE_N_METRICS] = result->lowest + width * (ts + ts_lost);
}

/* ---- draws ------------------------------------------------------------------------------- */

/* Draw n_scored tasks with replacement from the scored tasks. */
static void draw_tasks(const bootstrap *b, uint64_t time, double *weight)
{
    const double count = (double)b->n_scored;
    segue_rng rng;
    segue_rng_init(&rng, b->st->config->seed, 0, time, SEGUE_STREAM_BOOTSTRAP);
    memset(weight, 0, b->st->result->n_played * sizeof *weight);
    for (size_t i = 0; i < b->n_scored; i++)
        weight[b->scored[(size_t)(segue_rng_uniform(&rng) * count)]] += 1.0;
}

static segue_status draw_once(void *context, size_t worker, uint64_t item, segue_error *err)
{
    const bootstrap *b = context;
    double *weight = b->weights + worker * b->st->result->n_played;
    (void)err;
    draw_tasks(b, item, weight);
    compute(b->st, weight, b->drawn + item * b->width);
    return SEGUE_OK;
}

/* ---- the result -------------------------------------------------------------------------- */

/* Return a metric with its percentiles over the draws; without them if a draw is not finite. */
static segue_interval make_interval(const bootstrap *b, double value, size_t at, double *scratch)
{
    for (size_t i = 0; i < RESAMPLES; i++) {
        scratch[i] = b->drawn[i * b->width + at];
        if (!isfinite(scratch[i]))
            return (segue_interval){.value = value, .low = NAN, .high = NAN};
    }
    return (segue_interval){.value = value,
                            .low = segue_stats_quantile(scratch, RESAMPLES, 0.025),
                            .high = segue_stats_quantile(scratch, RESAMPLES, 0.975)};
}

static void store_intervals(const bootstrap *b, const double *values)
{
    segue_replay_result *result = b->st->result;
    double scratch[RESAMPLES];
    for (size_t p = 0; p < result->n_candidates; p++) {
        for (size_t k = 0; k < SEGUE_N_METRICS; k++)
            result->candidate[p].metric[k] =
                make_interval(b, values[p * SEGUE_N_METRICS + k], p * SEGUE_N_METRICS + k, scratch);
    }
    result->best_arms = make_interval(b, values[b->width - 1], b->width - 1, scratch);
}

/* Compute the rewards, rank the candidates by them, and compute all metrics, which need the ranks.
 */
static void rank(replay_study *st, const double *weight, double *values)
{
    compute(st, weight, values);
    for (size_t p = 0; p < st->result->n_candidates; p++)
        st->result->candidate[p].metric[SEGUE_METRIC_REWARD].value = values[p * SEGUE_N_METRICS];
    segue_replay_result_rank(st->result);
    compute(st, weight, values);
}

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

static segue_status store_curve(replay_study *st, size_t candidate, segue_error *err)
{
    segue_replay_result *result = st->result;
    segue_replay_candidate *c = &result->candidate[candidate];
    const double width = result->highest - result->lowest;
    double **const list[] = {&c->reward, &c->reward_se, &c->regret, &c->regret_se};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(*list[i] = calloc(result->n_played, sizeof **list[i])))
            return segue_fail_no_memory(err, "the curves");
    for (size_t position = 0; position < result->n_played; position++) {
        const segue_stats *reward = &st->reward_curve[candidate * result->n_played + position];
        const segue_stats *regret = &st->regret_curve[candidate * result->n_played + position];
        c->reward[position] = reward->count ? result->lowest + width * reward->mean : NAN;
        c->reward_se[position] = width * segue_stats_standard_error(reward);
        c->regret[position] = regret->count ? width * regret->mean : NAN;
        c->regret_se[position] = width * segue_stats_standard_error(regret);
    }
    c->runs_se = width * segue_stats_standard_error(&st->run[candidate]);
    c->ahead_from = ahead_from(st, candidate);
    return SEGUE_OK;
}

static segue_status draw_all(bootstrap *b, double *values, segue_error *err)
{
    replay_study *st = b->st;
    for (size_t task = 0; task < st->result->n_played; task++) {
        b->weights[task] = 1.0;
        if (st->count[task] > 0.0)
            b->scored[b->n_scored++] = task;
    }
    rank(st, b->weights, values);
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < b->width; i++)
        b->drawn[i] = NAN; /* without draws there is no interval */
    if (!st->config->values_only)
        status = segue_parallel_run(st->config->threads, RESAMPLES, draw_once, NULL, b, err);
    if (status == SEGUE_OK)
        store_intervals(b, values);
    return status;
}

segue_status segue_replay_score(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    bootstrap b = {.st = st, .width = result->n_candidates * SEGUE_N_METRICS + 1};
    double *values = calloc(b.width, sizeof *values);
    b.weights = calloc(st->config->threads * result->n_played, sizeof *b.weights);
    b.drawn = calloc(RESAMPLES * b.width, sizeof *b.drawn);
    b.scored = calloc(result->n_played, sizeof *b.scored);
    segue_status status = values && b.weights && b.drawn && b.scored
                              ? draw_all(&b, values, err)
                              : segue_fail_no_memory(err, "the bootstrap");
    free(values);
    free(b.weights);
    free(b.drawn);
    free(b.scored);
    for (size_t p = 0; p < result->n_candidates && status == SEGUE_OK; p++)
        status = store_curve(st, p, err);
    result->logged = result->lowest + (result->highest - result->lowest) * result->logged;
    result->complete = st->complete.mean;
    return status;
}
