/* kernel_tts.c - Thompson sampling by the prior of a learner, on words of rewards and by fewer
 * random bits; see bandit/policies/prior_policies.c for the rule.
 *
 * What is believed and which arm a draw leads to is the plain form's own code (bandit/belief.c): a
 * rule of that code is one of both.  The numbers are those of core/random/ziggurat.h, so that the
 * choices are others, of the same law. SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"
#include "sim/kernels/kernel_run.h"

/* Points may all be contradicted, which is left to the plain form. */
bool segue_kernel_tts_fits(const segue_view *view)
{
    return !view->prior || view->prior->b;
}

void segue_kernel_tts(game *g)
{
    const segue_view *view = g->in.view;
    const segue_belief belief = segue_belief_policy_belief(view);
    segue_rng rng = *g->in.rng;
    while (g->left > 0) {
        const size_t arm = segue_belief_thompson(&belief, &g->kernel->normal, &rng);
        const double before = g->in.sum[arm];
        pull_once(g, arm);
        segue_belief_policy_update(view, arm, g->in.sum[arm] - before);
    }
    *g->in.rng = rng;
    *g->in.last_reason = SEGUE_BY_RULE;
}
