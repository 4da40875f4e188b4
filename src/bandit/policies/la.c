/* la.c - look-ahead with a flat Beta prior on each arm.
 *
 * Every step compares the expected gain of a few pulls of an arm with their cost (lookahead.c);
 * belief_policy.c adds Thompson steps.
 * Cost O(n_arms) times the number of arms that are evaluated, per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"
#include "bandit/reward_weights.h"

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_belief_policy_state_size(1, setting->n_arms, true);
}

static void begin(const segue_task_view *view)
{
    segue_belief_policy_begin(view, segue_belief_flat_prior(view->n_arms, view->precomputed));
}

static void rebind(const segue_task_view *view)
{
    segue_belief_policy_rebind(view, segue_belief_flat_prior(view->n_arms, view->precomputed));
}

const segue_policy segue_policy_la = {
    .name = "la",
    .summary = "look-ahead with flat Beta priors: weighs what a pull reveals",
    .weighs_rewards = true,
    .options = segue_reward_weights_option,
    .n_options = 1,
    .fill_defaults = segue_reward_weights_fill_defaults,
    .precomputed_size = segue_belief_policy_ones_size,
    .precompute = segue_belief_policy_ones,
    .state_size = state_size,
    .begin = begin,
    .choose = segue_belief_policy_lookahead,
    .split = &segue_belief_policy_split,
    .update = segue_belief_policy_update,
    .rebind = rebind,
    .takes_costs = true,
};
