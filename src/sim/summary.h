/* summary.h - the mean regret of many runs and its standard error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_SUMMARY_H
#define SEGUE_SIM_SUMMARY_H

#include "segue/simulation.h"
#include "segue/stats.h"

/** Return mean and standard error; NaN of no numbers. */
segue_regret segue_summary_regret(const segue_stats *stats);

/** Return the weighted mean over `count` models, its error stratified by model; models of weight 0
 * do not count. NULL weights: there is one model. */
segue_regret segue_summary_stratified(const double *weight, const segue_regret *by_model,
                                      size_t count);

/** Regret by model over runs of several tasks: a ratio of two sums, the regret of the tasks with
 * that model and their number; each run adds to both. All zeros: no runs yet. */
typedef struct segue_ratio {
    double runs, sum, count;
    double sum_sum, sum_count, count_count; /* sums of products, for the error */
} segue_ratio;

void segue_summary_ratio_add(segue_ratio *ratio, double sum, double count);

/** Return the ratio and its standard error; NaN if no task had the model. */
segue_regret segue_summary_ratio_regret(const segue_ratio *ratio);

#endif
