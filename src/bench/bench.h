/* bench.h - speed on this machine, as ratios measured side by side.
 *
 * The rounds are interleaved, all benchmarks in turn, so that load of the machine affects all
 * alike; times are CPU times of the process. The results are the ratio of a fast form to its plain
 * one, and its share of the random-number limit, in the same run.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BENCH_BENCH_H
#define SEGUE_BENCH_BENCH_H

#include <stdbool.h>

#include "segue/models.h"
#include "segue/status.h"

#define SEGUE_MAX_ROUNDS 25

/** The result of one benchmark. */
typedef struct segue_bench_result {
    const char *name;
    const char *unit; /* of the time: "draw", "step", "task" */
    double median;    /* nanoseconds per unit */
    double spread;    /* distance of the quartiles, as a share of the median */
    double ratio; /* time of the baseline (the plain form) divided by this time; NaN: no baseline */
    double ratio_spread; /* distance of the quartiles of the rounds' ratios, as a share of the
                            median */
    double of_limit;     /* share of the limit's random draws per second; NaN */
    double must;         /* required ratio; 0: none */
} segue_bench_result;

/**
 * Run the suite on the paper's models, `rounds` times (1 .. SEGUE_MAX_ROUNDS), with or without
 * contests that take seconds per round; `tell` is called at the start of each round. *out has
 * *count entries; the caller frees it.
 *
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_bench_run(segue_bench_result **out, size_t *count,
                                              const segue_models *models, size_t rounds, bool slow,
                                              void (*tell)(void *context, size_t round),
                                              void *context, segue_error *err);

#endif
