/* ts.c - Thompson sampling with a flat Beta prior on each arm.
 *
 * Each step draws a mean for every arm from Beta(1 + S, 1 + T - S) and pulls the largest. Graded
 * rewards have a weight F, by how little they vary (reward_weights.c): then Beta(1 + F S, 1 + F (T -
 * S)). The cost of a pull is subtracted from its mean.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"
#include "bandit/reward_weights.h"

size_t segue_ts_arm(const segue_task_view *view, segue_rng *rng)
{
    size_t best = 0;
    double value = -INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        const double weight = view->reward_weight ? view->reward_weight[arm] : 1.0;
        const double successes = weight * view->sum[arm];
        const double failures = fmax(0.0, weight * (double)view->pulls[arm] - successes);
        const double x = segue_rng_beta(rng, 1.0 + successes, 1.0 + failures) - cost_of(view, arm);
        if (x > value) {
            value = x;
            best = arm;
        }
    }
    return best;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    return by_rule(segue_ts_arm(view, rng));
}

const segue_policy segue_policy_ts = {
    .name = "ts",
    .summary = "Thompson sampling with flat Beta priors; needs no n",
    .weighs_rewards = true,
    .options = segue_reward_weights_option,
    .n_options = 1,
    .fill_defaults = segue_reward_weights_fill_defaults,
    .choose = choose,
    .takes_costs = true,
};
