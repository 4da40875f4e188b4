/* belief_policy.h - the parts that the policies with a belief share.
 *
 * `la`, `mla`, `tts` and `tla` share one code. They differ in the prior of a task and in whether
 * they look ahead.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_BELIEF_POLICY_H
#define SEGUE_BANDIT_BELIEF_POLICY_H

#include "bandit/belief.h"
#include "bandit/choose.h"
#include "bandit/lookahead/lookahead.h"

/* Precompute n_arms times 1, the parameters of a flat prior. */
size_t segue_belief_policy_ones_size(const segue_setting *setting, const double *option);
void segue_belief_policy_ones(const segue_setting *setting, const double *option,
                              void *precomputed);

/* Return the bytes of the state for a prior of at most `n_components`. */
size_t segue_belief_policy_state_size(size_t n_components, size_t n_arms, bool looks_ahead);

/* Begin a task with a prior, whose arrays outlive it. */
void segue_belief_policy_begin(const segue_task_view *view, segue_prior prior);

/* After a copy of the task: use the prior and the arms of the copy. */
void segue_belief_policy_rebind(const segue_task_view *view, segue_prior prior);

/* Update the belief by a reward. */
void segue_belief_policy_update(const segue_task_view *view, size_t arm, double reward);

/* Return the current belief. */
segue_belief segue_belief_policy_belief(const segue_task_view *view);

/* Choose by Thompson sampling. */
segue_choice segue_belief_policy_thompson(const segue_task_view *view, segue_rng *rng);

/* Choose by Thompson sampling, with sharpened posteriors if the prior says so; the factor of their
 * parameters at a step. */
double segue_belief_policy_sharpness(const segue_task_view *view, uint64_t step);

/* Return the power of the weights of types in a draw. */
double segue_belief_policy_power(const segue_task_view *view);
segue_choice segue_belief_policy_sharpened(const segue_task_view *view, segue_rng *rng);

/* Return the pull of look-ahead, or of an arm that it may have given up too early (retest.h), whose
 * gain and block are 0. `memory` is segue_lookahead_scratch_size bytes. */
segue_lookahead segue_belief_policy_next(const segue_task_view *view, const segue_belief *belief,
                                         void *memory);

/* Choose by look-ahead with Thompson steps and test pulls; then its parts: the share of these, one
 * of them, and the deterministic choice. */
segue_choice segue_belief_policy_lookahead(const segue_task_view *view, segue_rng *rng);
double segue_belief_policy_draw_share(const segue_task_view *view);
segue_choice segue_belief_policy_explore(const segue_task_view *view, segue_rng *rng);
segue_choice segue_belief_policy_deterministic(const segue_task_view *view, segue_rng *rng);
extern const segue_split segue_belief_policy_split;

#endif
