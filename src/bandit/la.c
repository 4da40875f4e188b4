/* la.c - look-ahead with a flat Beta prior on each arm.
 *
 * Every step weighs what a few pulls of an arm would teach against what they cost; see
 * lookahead.c, and player.c for its Thompson steps.
 * Cost O(n_arms) times the arms that may be worth a look, a step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/player.h"

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_player_size(1, setting->n_arms, true);
}

static void begin(const segue_view *view)
{
    segue_player_begin(view, segue_prior_flat(view->n_arms, view->facts));
}

static void rebind(const segue_view *view)
{
    segue_player_rebind(view, segue_prior_flat(view->n_arms, view->facts));
}

const segue_policy segue_policy_la = {
    .name = "la",
    .summary = "look-ahead with flat Beta priors: what would a pull teach?",
    .facts_size = segue_player_ones_size,
    .prepare = segue_player_ones,
    .state_size = state_size,
    .begin = begin,
    .choose = segue_player_look_ahead,
    .split = &segue_player_split,
    .update = segue_player_update,
    .rebind = rebind,
};
