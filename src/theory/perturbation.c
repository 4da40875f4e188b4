/* perturbation.c - Theorem 2: how far estimated means may be from the true ones after some tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "segue/theory.h"

segue_perturbation segue_perturbation_bound(const segue_models *models,
                                            const segue_spectrum *spectrum, double n_tasks,
                                            double delta, double c3, double c4)
{
    const double arms = (double)models->n_arms, m = (double)models->n_models;
    const double low = spectrum->sigma_min, high = spectrum->sigma_max;
    /* Without two distinct eigenvalues the gap does not limit the bound. */
    const double gap = isnan(low) ? NAN : isnan(spectrum->gap) ? INFINITY : spectrum->gap;
    const double smallest = isnan(low) ? NAN : fmin(low, gap);
    const double lambda = spectrum->lambda_min;
    const double log_arms = log(arms / delta), log_moment = log(2.0 * arms / delta);

    const double constant = c3 * spectrum->lambda_max * sqrt(high / (low * low * low)) *
                            (high / gap + 1.0 / low + 1.0 / high);
    return (segue_perturbation){
        .constant = constant,
        .error = constant * pow(arms, 2.5) * m * m * sqrt(log_arms / n_tasks),
        .min_tasks = c4 * pow(m, 5) * pow(arms, 6) * log_arms /
                     (smallest * smallest * low * low * low * lambda * lambda),
        .second_moment = 2.0 * arms * sqrt(log_moment / n_tasks),
        .third_moment = pow(arms, 1.5) * sqrt(6.0 * log_moment / n_tasks),
    };
}
