/* belief_policy.h - what the policies that go by a belief share.
 *
 * `la`, `mla`, `tts` and `tla` are one code: they differ in the prior they begin a task with, and
 * in whether they look ahead.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_BELIEF_POLICY_H
#define SEGUE_BANDIT_BELIEF_POLICY_H

#include "bandit/belief.h"
#include "bandit/choose.h"

/* Facts of n_arms times 1, of which a flat prior is made. */
size_t segue_belief_policy_ones_size(const segue_setting *setting, const double *option);
void segue_belief_policy_ones(const segue_setting *setting, const double *option,
                              void *precomputed);

/* Bytes of the state, for a prior of at most so many components; more of them to look ahead. */
size_t segue_belief_policy_state_size(size_t n_components, size_t n_arms, bool looks_ahead);

/* Begin a task with a prior whose arrays outlive it. */
void segue_belief_policy_begin(const segue_view *view, segue_prior prior);

/* The state was copied with its task, whose prior is `prior`: point there, and at its arms. */
void segue_belief_policy_rebind(const segue_view *view, segue_prior prior);

/* Take in a reward. */
void segue_belief_policy_update(const segue_view *view, size_t arm, double reward);

/* What is believed now. */
segue_belief segue_belief_policy_belief(const segue_view *view);

/* Thompson sampling: a draw of a component, and of its means. */
segue_choice segue_belief_policy_thompson(const segue_view *view, segue_rng *rng);

/* Look-ahead, with a Thompson step now and then; and these taken apart. */
segue_choice segue_belief_policy_lookahead(const segue_view *view, segue_rng *rng);
double segue_belief_policy_draw_share(const segue_view *view);
segue_choice segue_belief_policy_deterministic(const segue_view *view, segue_rng *rng);
extern const segue_split segue_belief_policy_split;

#endif
