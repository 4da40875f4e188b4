/* bound.c - upper bounds on regret and on pulls: Theorems 1 and 3 of the paper.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "segue/policy.h"
#include "theory/complexity.h"

double segue_bound_regret(size_t n_arms, double log_term, double complexity)
{
    return (double)n_arms + 2.0 * log_term * complexity;
}

double segue_bound_regret_estimated(const segue_estimated_sets *sets, double log_term)
{
    double forced = 0.0;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        forced += SEGUE_FORCED_PULLS * sets->gap[arm];
    return segue_bound_regret(sets->n_arms, log_term, segue_complexity_tucb(sets)) + forced;
}

double segue_bound_pulls_mucb(const segue_known_sets *sets, double log_term, size_t arm)
{
    if (!sets->optimistic_arm[arm])
        return 0.0;
    if (!(sets->model_gap[arm] > 0.0))
        return INFINITY;
    return 2.0 * log_term / (sets->model_gap[arm] * sets->model_gap[arm]) + 1.0;
}

double segue_bound_pulls_umucb(const segue_estimated_sets *sets, double log_term, size_t arm)
{
    return fmax((double)SEGUE_FORCED_PULLS,
                2.0 * log_term * segue_complexity_pulls(sets, arm) + 1.0);
}
