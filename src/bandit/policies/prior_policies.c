/* prior_policies.c - Thompson sampling (tts) and look-ahead (tla) with the shared prior of a
 * learner.
 *
 * Without a prior both are Thompson sampling with a flat Beta on each arm: the tasks from which a
 * learner fits its first types must try all arms.
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

static segue_choice choose_tla(const segue_task_view *view, segue_rng *rng)
{
    return view->prior ? segue_belief_policy_lookahead(view, rng)
                       : segue_belief_policy_thompson(view, rng);
}

static double share_tla(const segue_task_view *view)
{
    return view->prior ? segue_belief_policy_draw_share(view) : 1.0;
}

static const segue_split split_tla = {.share = share_tla,
                                      .drawn = segue_belief_policy_thompson,
                                      .deterministic = segue_belief_policy_deterministic};

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
    .choose = segue_belief_policy_thompson,
    .update = segue_belief_policy_update,
    .rebind = rebind,
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
    .choose = choose_tla,
    .split = &split_tla,
    .update = segue_belief_policy_update,
    .rebind = rebind,
};
