/* replay_bootstrap.c - intervals of row replay.
 *
 * The bootstrap is paired: each of RESAMPLES draws takes tasks with replacement, the same for all
 * candidates, and computes every metric from them.  An interval is from the 2.5 to the 97.5
 * percentile of the draws.  Cost: O(RESAMPLES x candidates x tasks), over threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "replay/replay_metrics.h"
#include "segue/internal.h"

#define RESAMPLES 1000

/* The scored tasks and the metrics of every draw. */
typedef struct bootstrap {
    replay_study *st;
    size_t *scored; /* n_scored: tasks that are scored in any run */
    size_t n_scored;
    double *weights; /* n_threads x n_played: how often a task was drawn */
    double *average; /* n_threads x 2 n_candidates: rewards, then regrets */
    double *drawn;   /* RESAMPLES x width */
    size_t width;    /* numbers per draw */
} bootstrap;

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
    const replay_study *st = b->st;
    const size_t n = st->result->n_candidates;
    double *weight = b->weights + worker * st->result->n_played;
    double *reward = b->average + worker * 2 * n, *regret = reward + n;
    (void)err;
    draw_tasks(b, item, weight);
    for (size_t c = 0; c < n; c++) {
        reward[c] = average(st, st->reward_sum, c, weight);
        regret[c] = average(st, st->regret_sum, c, weight);
    }
    segue_replay_metrics_compute(st->result, reward, regret, b->drawn + item * b->width);
    return SEGUE_OK;
}

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

static segue_status draw_all(bootstrap *b, const double *values, segue_error *err)
{
    replay_study *st = b->st;
    for (size_t task = 0; task < st->result->n_played; task++)
        if (st->count[task] > 0.0)
            b->scored[b->n_scored++] = task;
    SEGUE_TRY(segue_parallel_run(st->config->threads, RESAMPLES, draw_once, NULL, b, err));
    store_intervals(b, values);
    return SEGUE_OK;
}

segue_status segue_replay_bootstrap(replay_study *st, const double *values, segue_error *err)
{
    const size_t n_threads = st->config->threads, n_played = st->result->n_played;
    bootstrap b = {.st = st, .width = segue_replay_metrics_count(st->result)};
    b.weights = calloc(n_threads * n_played, sizeof *b.weights);
    b.average = calloc(n_threads * 2 * st->result->n_candidates, sizeof *b.average);
    b.drawn = calloc(RESAMPLES * b.width, sizeof *b.drawn);
    b.scored = calloc(n_played, sizeof *b.scored);
    const segue_status status = b.weights && b.average && b.drawn && b.scored
                                    ? draw_all(&b, values, err)
                                    : segue_fail_no_memory(err, "the bootstrap");
    free(b.weights);
    free(b.average);
    free(b.drawn);
    free(b.scored);
    return status;
}
