/* prior_policies.c - Thompson sampling (tts) and look-ahead (tla) with the shared prior of a
 * learner.
 *
 * Without a prior, before the first task is closed, they are `ts` and `la`.
 * Cost: O(n_components + n_arms) per step; lookahead.c gives that of look-ahead.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/policies/prior_policies.h"

#include <assert.h>

#include "bandit/belief_policy.h"
#include "bandit/reward_weights.h"

static size_t tts_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_belief_policy_state_size(SEGUE_MAX_COMPONENTS, setting->n_arms, false);
}

static size_t tla_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_belief_policy_state_size(SEGUE_MAX_COMPONENTS, setting->n_arms, true);
}

static segue_prior prior_of(const segue_task_view *view)
{
    return view->prior ? *view->prior : segue_belief_flat_prior(view->n_arms, view->precomputed);
}

static void begin(const segue_task_view *view)
{
    const segue_prior *prior = view->prior;
    assert(!prior ||
           (prior->n_components <= SEGUE_MAX_COMPONENTS && prior->n_arms == view->n_arms));
    (void)prior;
    segue_belief_policy_begin(view, prior_of(view));
}

static void rebind(const segue_task_view *view)
{
    segue_belief_policy_rebind(view, prior_of(view));
}

const segue_policy segue_policy_tts = {
    .name = "tts",
    .summary = "Thompson sampling by the prior of a learner",
    .weighs_rewards = true,
    .options = segue_reward_weights_option,
    .n_options = 1,
    .fill_defaults = segue_reward_weights_fill_defaults,
    .precomputed_size = segue_belief_policy_ones_size,
    .precompute = segue_belief_policy_ones,
    .state_size = tts_size,
    .begin = begin,
    .choose = segue_belief_policy_sharpened,
    .update = segue_belief_policy_update,
    .rebind = rebind,
    .takes_costs = true,
};

const segue_policy segue_policy_tla = {
    .name = "tla",
    .summary = "look-ahead by the prior of a learner",
    .weighs_rewards = true,
    .options = segue_reward_weights_option,
    .n_options = 1,
    .fill_defaults = segue_reward_weights_fill_defaults,
    .precomputed_size = segue_belief_policy_ones_size,
    .precompute = segue_belief_policy_ones,
    .state_size = tla_size,
    .begin = begin,
    .choose = segue_belief_policy_lookahead,
    .split = &segue_belief_policy_split,
    .update = segue_belief_policy_update,
    .rebind = rebind,
    .takes_costs = true,
};
