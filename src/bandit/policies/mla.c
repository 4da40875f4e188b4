/* mla.c - look-ahead over known models.
 *
 * The posterior over the models is that of mts. Every step compares the information of a few pulls
 * of an arm with their cost, so that an arm that is best for no model may be pulled (lookahead.c,
 * belief_policy.c). If no model can give the rewards seen, Thompson sampling without models
 * chooses, with reason SEGUE_NO_MODEL_LEFT.
 * Cost O(n_models n_arms) times the number of arms that are evaluated, per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_belief_policy_state_size(setting->models->n_models, setting->n_arms, true);
}

static void begin(const segue_task_view *view)
{
    segue_belief_policy_begin(view, segue_belief_point_prior(view->models));
}

const segue_policy segue_policy_mla = {
    .name = "mla",
    .summary = "look-ahead over a known set of models",
    .needs = SEGUE_NEEDS_MODELS,
    .state_size = state_size,
    .begin = begin,
    .choose = segue_belief_policy_lookahead,
    .split = &segue_belief_policy_split,
    .update = segue_belief_policy_update,
    .takes_costs = true,
};
