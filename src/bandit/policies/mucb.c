/* mucb.c - optimism over a known, finite set of models.
 *
 * mUCB, figure 1 of Azar, Lazaric and Brunskill (2013). The set of compatible models is rebuilt at
 * every step, so that a model can return. It is empty only outside the event that every average is
 * within its radius; UCB then chooses, with reason SEGUE_NO_MODEL_LEFT.
 * Cost O(n_models n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

/* Among the models that no arm's average excludes, assume the one with the largest value; pull its
 * best arm. Ties go to the lower index. */
static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const segue_models *models = view->models;
    double largest = -INFINITY;
    size_t arm = view->n_arms;
    for (size_t k = 0; k < models->n_models; k++) {
        const size_t best = segue_choose_best_arm(view, k);
        const double value = segue_models_row(models, k)[best];
        if (value > largest && is_compatible(view, segue_models_row(models, k), 0.0)) {
            largest = value;
            arm = best;
        }
    }
    if (arm == view->n_arms)
        return (segue_choice){.arm = segue_ucb_arm(view), .reason = SEGUE_NO_MODEL_LEFT};
    return by_rule(arm);
}

const segue_policy segue_policy_mucb = {
    .name = "mucb",
    .summary = "optimism over a known, finite set of models",
    .needs = SEGUE_NEEDS_MODELS,
    .options = segue_ucb_options,
    .n_options = N_UCB_OPTIONS,
    .fill_defaults = segue_ucb_fill_defaults,
    .log_term = segue_ucb_log_term,
    .choose = choose,
};
