/* summary.c - regrets of many runs, as a mean and its error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/summary.h"

#include <math.h>

segue_regret segue_regret_of(const segue_stats *stats)
{
    return (segue_regret){.mean = stats->count ? stats->mean : NAN, .se = segue_stats_error(stats)};
}

segue_regret segue_regret_stratified(const double *weight, const segue_regret *by_model,
                                     size_t count)
{
    if (!weight)
        return by_model[0];
    double mean = 0.0, variance = 0.0;
    for (size_t k = 0; k < count; k++) {
        if (weight[k] == 0.0)
            continue;
        mean += weight[k] * by_model[k].mean;
        variance += weight[k] * weight[k] * by_model[k].se * by_model[k].se;
    }
    return (segue_regret){.mean = mean, .se = sqrt(variance)};
}
