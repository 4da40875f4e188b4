/* kernel_tts.c - Thompson sampling by the prior of a learner, on words of rewards and by faster
 * numbers; see bandit/taught.c for the rule.
 *
 * The rule is the plain form's own code (bandit/belief.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/player.h"
#include "sim/game.h"

void segue_play_tts(game *g)
{
    const segue_view *view = g->in.view;
    const segue_belief belief = segue_player_belief(view);
    segue_rng rng = *g->in.rng;
    while (g->left > 0) {
        const size_t arm = segue_belief_thompson(&belief, &g->kernel->normal, &rng);
        const double before = g->in.sum[arm];
        pull_once(g, arm);
        segue_player_update(view, arm, g->in.sum[arm] - before);
    }
    *g->in.rng = rng;
    *g->in.last_reason = SEGUE_BY_RULE;
}
