/* kernel_tts.c - Thompson sampling by the prior of a learner, on blocks of rewards and with fewer
 * random bits; see bandit/policies/prior_policies.c for the rule.
 *
 * Belief and draw are the code of the plain form (bandit/belief.c). The numbers are those of
 * core/random/ziggurat.h, so that the choices differ but have the same distribution.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"
#include "sim/kernels/arm_cursor.h"

/* All points may be contradicted; the plain form handles that. */
bool segue_kernel_tts_fits(const segue_task_view *view)
{
    return !view->prior || view->prior->b;
}

void segue_kernel_tts(kernel_run *run)
{
    const segue_task_view *view = run->in.view;
    segue_belief belief = segue_belief_policy_belief(view);
    const uint64_t end = view->step + run->left;
    segue_rng rng = *run->in.rng;
    belief.power = segue_belief_policy_power(view);
    while (run->left > 0) {
        belief.sharpness = segue_belief_policy_sharpness(view, end - run->left);
        const size_t arm = segue_belief_thompson(&belief, &run->kernel->normal, &rng);
        const double before = run->in.sum[arm];
        pull_once(run, arm);
        segue_belief_policy_update(view, arm, run->in.sum[arm] - before);
    }
    *run->in.rng = rng;
    *run->in.last_reason = SEGUE_BY_RULE;
}
