/* carried_ucb.c - UCB with averages that continue from task to task.
 *
 * It pools the rewards of all tasks, as the related work of Azar, Lazaric and Brunskill (2013)
 * suggests. told-ucb follows the same rule with one set of counts per model index; carried-ucb has
 * no index, and all its tasks share one set.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */

#include "bandit/choose.h"
#include "core/math/ln.h"

/* The state: for each model index, n_arms counts, then n_arms sums. */
static double *pulls_of(const segue_task_view *view)
{
    double *pulls = view->state;
    return pulls + 2 * view->n_arms * view->model_index;
}

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return 2 * setting->n_arms * sizeof(double);
}

void segue_carried_ucb_update(const segue_task_view *view, size_t arm, double reward)
{
    double *pulls = pulls_of(view);
    pulls[arm] += 1.0;
    pulls[view->n_arms + arm] += reward;
}

static arm_counts counts(const segue_task_view *view, size_t arm)
{
    const double *pulls = pulls_of(view);
    return (arm_counts){.pulls = pulls[arm], .sum = pulls[view->n_arms + arm]};
}

/* The averages last for all n J steps, so the confidence does too: L = log(m (n J)^2 / delta) with
 * delta = 1/(n J), where plain UCB has n. */
static double all_steps(const segue_setting *setting)
{
    return (double)setting->horizon * (double)setting->n_tasks;
}

void segue_carried_ucb_fill_defaults(const segue_setting *setting, double *option)
{
    fill_default(&option[0], 1.0 / all_steps(setting));
    fill_default(&option[1], 0.0);
}

double segue_carried_ucb_log_term(const segue_setting *setting, const double *option)
{
    return segue_ucb_log_term(setting, option) + 2.0 * segue_ln((double)setting->n_tasks);
}

segue_choice segue_carried_ucb_choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(largest_bound(view, counts, 0.5 * view->log_term));
}

const segue_policy segue_policy_carried_ucb = {
    .name = "carried-ucb",
    .summary = "ucb that carries its averages over from task to task",
    .carries = true,
    .options = segue_ucb_options,
    .n_options = N_UCB_OPTIONS,
    .fill_defaults = segue_carried_ucb_fill_defaults,
    .log_term = segue_carried_ucb_log_term,
    .state_size = state_size,
    .choose = segue_carried_ucb_choose,
    .update = segue_carried_ucb_update,
};
