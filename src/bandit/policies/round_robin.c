/* round_robin.c - every arm in turn: exploration only.
 *
 * A learner that identifies the models first uses it in its first tasks. Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(segue_choose_fewest_asks(view));
}

const segue_policy segue_policy_round_robin = {
    .name = "round-robin",
    .summary = "every arm in turn: exploration only",
    .choose = choose,
};
