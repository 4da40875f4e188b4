/* ucb.c - optimism: the largest average plus radius.
 *
 * UCB with the confidence of Azar, Lazaric and Brunskill (2013): radius sqrt(L / 2T) with
 * L = log(m n^2 / delta) where a set of m models is compared on, else log(K n^2 / delta).
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

const segue_option segue_ucb_options[N_UCB_OPTIONS] = {DELTA_OPTION, LOG_OPTION};

void segue_ucb_fill_defaults(const segue_setting *setting, double *option)
{
    fill_default(&option[0], 1.0 / (double)setting->horizon);
    fill_default(&option[1], 0.0);
}

double segue_ucb_log_term(const segue_setting *setting, const double *option)
{
    const size_t arms = setting->n_arms;
    const size_t terms = setting->models ? setting->models->n_models : arms;
    const bool lesser = option[1] == 1.0; /* log=min */
    return segue_policy_log_term(lesser && arms < terms ? arms : terms, setting->horizon,
                                 option[0]);
}

size_t segue_ucb_arm(const segue_task_view *view)
{
    return largest_bound(view, task_counts, 0.5 * view->log_term);
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(segue_ucb_arm(view));
}

const segue_policy segue_policy_ucb = {
    .name = "ucb",
    .summary = "largest average plus radius; knows nothing of models",
    .options = segue_ucb_options,
    .n_options = N_UCB_OPTIONS,
    .fill_defaults = segue_ucb_fill_defaults,
    .log_term = segue_ucb_log_term,
    .choose = choose,
    .takes_costs = true,
};
