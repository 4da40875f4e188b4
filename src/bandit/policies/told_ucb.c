/* told_ucb.c - UCB that is given the model index of each task.
 *
 * It has one set of counts per model: the reference of Azar, Lazaric and Brunskill (2013), regret
 * of order log(n J) if the task were revealed. A baseline, not a competitor.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return setting->n_model_indices * 2 * setting->n_arms * sizeof(double);
}

const segue_policy segue_policy_told_ucb = {
    .name = "told-ucb",
    .summary = "ucb that is told each task's model: a reference line",
    .needs = SEGUE_NEEDS_MODEL_INDEX,
    .carries = true,
    .options = segue_ucb_options,
    .n_options = N_UCB_OPTIONS,
    .fill_defaults = segue_carried_ucb_fill_defaults,
    .log_term = segue_carried_ucb_log_term,
    .state_size = state_size,
    .choose = segue_carried_ucb_choose,
    .update = segue_carried_ucb_update,
};
