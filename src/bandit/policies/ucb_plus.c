/* ucb_plus.c - UCB on the arms that are best for at least one model of the known set.
 *
 * Azar, Lazaric and Brunskill (2013), section 5.  Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

/* Precomputed: for each arm, true if it is the best of some model. */
static size_t precomputed_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return setting->n_arms * sizeof(bool);
}

static void precompute(const segue_setting *setting, const double *option, void *precomputed)
{
    (void)option;
    bool *candidate = precomputed;
    for (size_t k = 0; k < setting->models->n_models; k++)
        candidate[setting->models->best_arm[k]] = true;
}

/* The other arms need no first pull and have no bound. */
static arm_counts counts(const segue_task_view *view, size_t arm)
{
    const bool *candidate = view->precomputed;
    return candidate[arm] ? task_counts(view, arm) : (arm_counts){.pulls = 1.0, .sum = -INFINITY};
}

/* Return the candidate with the fewest asks, for the time in which each waits for its first
 * reward; n_arms: there is none. */
static size_t candidate_with_fewest_asks(const segue_task_view *view)
{
    const bool *candidate = view->precomputed;
    size_t best = view->n_arms;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (candidate[arm] && is_allowed(view, arm) &&
            (best == view->n_arms || view->asked[arm] < view->asked[best]))
            best = arm;
    return best;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const bool *candidate = view->precomputed;
    const size_t arm = largest_bound(view, counts, 0.5 * view->log_term);
    const size_t other = candidate[arm] ? arm : candidate_with_fewest_asks(view);
    return by_rule(other < view->n_arms ? other : segue_ucb_arm(view));
}

const segue_policy segue_policy_ucb_plus = {
    .name = "ucb+",
    .summary = "ucb on the arms that are best for some known model",
    .needs = SEGUE_NEEDS_MODELS,
    .options = segue_ucb_options,
    .n_options = N_UCB_OPTIONS,
    .fill_defaults = segue_ucb_fill_defaults,
    .log_term = segue_ucb_log_term,
    .precomputed_size = precomputed_size,
    .precompute = precompute,
    .choose = choose,
};
