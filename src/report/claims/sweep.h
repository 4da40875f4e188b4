/* sweep.h - how the error of estimated models grows with their number and with arms.
 *
 * Experiment `sweep` has an environment per model set; sets of equal size and weights are repeated
 * draws of one setting.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_SWEEP_H
#define SEGUE_REPORT_SWEEP_H

#include "io/results/results.h"

#define SEGUE_MAX_SWEEP 64

/** A model set of the sweep. */
typedef struct segue_sweep_set {
    const segue_cell *cell;
    json_t *models; /* borrowed from the results */
    size_t n_models, n_arms;
    bool equal; /* the weights */
    bool drawn; /* at random; else the paper's set */
} segue_sweep_set;

/** Find the sets with errors over tasks; `sets` has SEGUE_MAX_SWEEP elements.  Return how many. */
size_t segue_sweep_find(const segue_results *results, segue_sweep_set *sets);

/** True for two draws of one setting. */
bool segue_sweep_is_repeat(const segue_sweep_set *a, const segue_sweep_set *b);

/** Return the tasks from which on the median error over runs is at most `error`; NaN: never. */
double segue_sweep_tasks_to(const segue_cell *cell, double error);

/** Return the largest Euclidean error of a model after the last task, median over runs. */
double segue_sweep_distance(const segue_cell *cell);

/** Exponents of distance = c m^exponent[0] K^exponent[1], by least squares of logarithms, with half
 * the widths of their 95 % intervals.  NaN where the points do not determine them. */
typedef struct segue_sweep_growth {
    size_t n_sets;
    double exponent[2], half_width[2];
} segue_sweep_growth;

/** Fit `n` points: log m, log K and log distance each.  At least four are needed. */
segue_sweep_growth segue_sweep_fit(const double (*points)[3], size_t n);

/** Fit the sets that were drawn, with equal weights. */
segue_sweep_growth segue_sweep_fit_sets(const segue_sweep_set *sets, size_t n);

#endif
