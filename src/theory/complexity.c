/* complexity.c - the sums over arms that govern regret: UCB, UCB+, mUCB (section 3) and tUCB (4.3).
 * SPDX-License-Identifier: Apache-2.0 */
#include "theory/complexity.h"

#include <math.h>

double segue_complexity_ucb(const segue_known_sets *sets)
{
    double sum = 0.0;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->gap[arm] > 0.0)
            sum += 1.0 / sets->gap[arm];
    return sum;
}

double segue_complexity_ucb_plus(const segue_known_sets *sets)
{
    double sum = 0.0;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->best_for_some[arm] && sets->gap[arm] > 0.0)
            sum += 1.0 / sets->gap[arm];
    return sum;
}

double segue_complexity_mucb(const segue_known_sets *sets)
{
    double sum = 0.0;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->optimistic_arm[arm] && sets->gap[arm] > 0.0)
            sum += sets->gap[arm] / (sets->model_gap[arm] * sets->model_gap[arm]);
    return sum;
}

double segue_complexity_mucb_second(const segue_known_sets *sets)
{
    double sum = 0.0;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->optimistic_arm[arm] && sets->gap[arm] > 0.0)
            sum += 1.0 / sets->model_gap[arm];
    return sum;
}

double segue_complexity_pulls(const segue_estimated_sets *sets, size_t arm)
{
    const double gap = sets->gap[arm], model_gap = sets->model_gap[arm];
    if (!sets->first_arm[arm] && !sets->second_arm[arm])
        return 0.0;
    const double as_ucb = 1.0 / (gap * gap);
    if (sets->second_arm[arm] || !(model_gap > 0.0))
        return as_ucb;
    return fmin(as_ucb, 1.0 / (4.0 * model_gap * model_gap));
}

double segue_complexity_tucb(const segue_estimated_sets *sets)
{
    double sum = 0.0;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->gap[arm] > 0.0)
            sum += sets->gap[arm] * segue_complexity_pulls(sets, arm);
    return sum;
}
