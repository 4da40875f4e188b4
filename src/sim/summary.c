/* summary.c - the mean regret of many runs and its standard error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/summary.h"

#include <math.h>

segue_regret segue_summary_regret(const segue_stats *stats)
{
    return (segue_regret){.mean = stats->count ? stats->mean : NAN,
                          .se = segue_stats_standard_error(stats)};
}

segue_regret segue_summary_stratified(const double *weight, const segue_regret *by_model,
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

void segue_summary_ratio_add(segue_ratio *r, double sum, double count)
{
    r->runs += 1.0;
    r->sum += sum;
    r->count += count;
    r->sum_sum += sum * sum;
    r->sum_count += sum * count;
    r->count_count += count * count;
}

/* The error is by linearisation: the residual of a run is sum - mean count. */
segue_regret segue_summary_ratio_regret(const segue_ratio *r)
{
    if (r->count == 0.0)
        return (segue_regret){.mean = NAN, .se = NAN};
    const double mean = r->sum / r->count;
    const double squares =
        fmax(0.0, r->sum_sum - 2.0 * mean * r->sum_count + mean * mean * r->count_count);
    const double se = sqrt(squares * r->runs / (r->runs - 1.0)) / r->count;
    return (segue_regret){.mean = mean, .se = r->runs > 1.0 ? se : NAN};
}
