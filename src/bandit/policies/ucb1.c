/* ucb1.c - UCB1 (Auer, Cesa-Bianchi, Fischer 2002): average + sqrt(2 log t / T).
 *
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#include "core/math/ln.h"

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(largest_bound(view, task_counts, 2.0 * segue_ln((double)view->step)));
}

const segue_policy segue_policy_ucb1 = {
    .name = "ucb1",
    .summary = "UCB1 of Auer et al.: radius sqrt(2 log t / T); needs no n",
    .choose = choose,
    .takes_costs = true,
};
