/* d_ucb.c - discounted UCB over the whole stream of tasks.
 *
 * Garivier and Moulines (2011): a reward s steps old counts discount^s; radius
 * 2 sqrt(xi log(n_t) / N), n_t the sum of all discounted counts N.  It does not know when a task
 * ends.  discount = 1 - 1 / (4 sqrt n), their choice for J changes in n J steps, and xi = 0.6.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#include "core/math/ln.h"

static const segue_option options[] = {
    {.key = "discount",
     .help = "weight a reward keeps per step (default 1 - 1/(4 sqrt n))",
     .min = 0.0,
     .max = 1.0,
     .open = true},
    {.key = "xi",
     .help = "width of the radius, > 0 (default 0.6)",
     .min = 0.0,
     .max = 1e6,
     .open = true},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    fill_default(&option[0], 1.0 - 0.25 / sqrt((double)setting->horizon));
    fill_default(&option[1], 0.6);
}

/* The state: the discounted counts of all together, then of each arm, then the sums. */
static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return (1 + 2 * setting->n_arms) * sizeof(double);
}

static void update(const segue_task_view *view, size_t arm, double reward)
{
    double *state = view->state;
    for (size_t i = 0; i < 1 + 2 * view->n_arms; i++)
        state[i] *= view->option[0];
    state[0] += 1.0;
    state[1 + arm] += 1.0;
    state[1 + view->n_arms + arm] += reward;
}

static arm_counts counts(const segue_task_view *view, size_t arm)
{
    const double *state = view->state;
    return (arm_counts){.pulls = state[1 + arm], .sum = state[1 + view->n_arms + arm]};
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const double *state = view->state;
    return by_rule(largest_bound(view, counts, 4.0 * view->option[1] * segue_ln(state[0])));
}

const segue_policy segue_policy_d_ucb = {
    .name = "d-ucb",
    .summary = "UCB with discounted rewards over the whole stream of tasks",
    .carries = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .fill_defaults = fill_defaults,
    .state_size = state_size,
    .choose = choose,
    .update = update,
};
