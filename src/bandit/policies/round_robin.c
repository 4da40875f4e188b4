/* round_robin.c - every arm in turn: to look, not to earn.
 *
 * A learner that identifies the models first plays its first tasks so.  Cost O(n_arms) a step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

static segue_choice choose(const segue_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(segue_choose_fewest_asks(view));
}

const segue_policy segue_policy_round_robin = {
    .name = "round-robin",
    .summary = "every arm in turn: to look, not to earn",
    .choose = choose,
};
