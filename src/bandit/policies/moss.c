/* moss.c - MOSS (Audibert and Bubeck 2009): minimax optimal in the stochastic case.
 *
 * The index of an arm with T pulls is its average + sqrt(max(0, log(n / (K T))) / T).
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#include "core/math/ln.h"

static double index_of(const segue_task_view *view, size_t arm, double share)
{
    const double pulls = (double)view->pulls[arm] + pending_of(view, arm);
    return exact_average(view, arm) + sqrt(fmax(0.0, segue_ln(share / pulls)) / pulls);
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const double share = (double)view->horizon / (double)view->n_arms;
    return by_rule(segue_choose_largest(view, index_of, share));
}

const segue_policy segue_policy_moss = {
    .name = "moss",
    .summary = "MOSS of Audibert and Bubeck: radius sqrt(log+(n / (K T)) / T)",
    .choose = choose,
    .takes_costs = true,
};
