/* bench.h - speed on this machine, as ratios measured side by side.
 *
 * The rounds are interleaved, all benchmarks in turn, so that a busy moment of the machine hits all
 * alike; CPU time of the process is taken.  What counts is the ratio of a fast form to its plain
 * one, and its share of the random-number limit, in the same run.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BENCH_BENCH_H
#define SEGUE_BENCH_BENCH_H

#include <stdbool.h>

#include "segue/models.h"
#include "segue/status.h"

#define SEGUE_MAX_ROUNDS 25

/** What was measured of one benchmark. */
typedef struct segue_bench_result {
    const char *name;
    const char *unit;    /* of which the time is told: "draw", "step", "task" */
    double median;       /* nanoseconds a unit */
    double spread;       /* between the quartiles, as a share of the median */
    double ratio;        /* how many times as long the plain form, or what else it is timed beside,
                            takes; NaN: there is none */
    double ratio_spread; /* between the quartiles of the rounds' ratios, as a share of the median */
    double of_limit; /* random draws a second that it makes use of, as a share of the limit; NaN */
    double must;     /* the least ratio that is asked for; 0: none */
} segue_bench_result;

/**
 * Run the suite on the paper's models, `rounds` times (1 .. SEGUE_MAX_ROUNDS), with or without
 * what takes seconds a round; `tell` is called with each round that begins.  *out has *count
 * entries; free it.
 *
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_bench_run(segue_bench_result **out, size_t *count,
                                              const segue_models *models, size_t rounds, bool slow,
                                              void (*tell)(void *context, size_t round),
                                              void *context, segue_error *err);

#endif
