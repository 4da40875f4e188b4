/* summary.h - regrets of many runs, as a mean and its error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_SUMMARY_H
#define SEGUE_SIM_SUMMARY_H

#include "segue/simulate.h"
#include "segue/stats.h"

/** The mean of what was added up, and its error; NaN of nothing. */
segue_regret segue_regret_of(const segue_stats *stats);

/** The mean by the weights of `count` models, its error stratified by model; models of no weight
 * do not count.  NULL weights: there is one model only. */
segue_regret segue_regret_stratified(const double *weight, const segue_regret *by_model,
                                     size_t count);

#endif
