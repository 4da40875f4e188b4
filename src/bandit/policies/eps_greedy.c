/* eps_greedy.c - epsilon-greedy: the best average, and now and then any arm.
 *
 * Every arm is pulled once. Then a step chooses any arm with probability eps, else the one
 * with the largest average. eps is constant (0.1, as in Sutton and Barto 1998), or falls as
 * min(1, c K / t), t the pulls so far: Auer, Cesa-Bianchi and Fischer (2002), figure 3, whose
 * c / d^2 is the option c here.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

enum { EPS, C, N_OPTIONS };

const segue_option segue_eps_greedy_options[N_OPTIONS] = {
    [EPS] = {.key = "eps",
             .help = "share of random pulls, 0 to 1 (default 0.1)",
             .min = 0.0,
             .max = 1.0,
             .default_value = 0.1},
    [C] = {.key = "c",
           .help = "above 0: the share is min(1, c K / t) instead (default 0)",
           .min = 0.0,
           .max = 1e9},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    (void)setting;
    fill_default(&option[EPS], segue_eps_greedy_options[EPS].default_value);
    fill_default(&option[C], 0.0);
}

/* Return true if every allowed arm has a reward. */
static bool all_pulled(const segue_task_view *view)
{
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm) && view->pulls[arm] == 0)
            return false;
    return true;
}

/* Return the probability that the next pull is random. */
static double share(const segue_task_view *view)
{
    if (!all_pulled(view))
        return 0.0;
    if (view->option[C] > 0.0)
        return fmin(1.0, view->option[C] * (double)view->n_arms / (double)view->step);
    return view->option[EPS];
}

static segue_choice any_arm(const segue_task_view *view, segue_rng *rng)
{
    size_t count = 0, arm = 0;
    for (size_t i = 0; i < view->n_arms; i++)
        count += is_allowed(view, i);
    size_t skip = (size_t)(segue_rng_uniform(rng) * (double)count);
    while (!is_allowed(view, arm) || skip-- > 0)
        arm++;
    return by_rule(arm);
}

static double index_of(const segue_task_view *view, size_t arm, double unused)
{
    (void)unused;
    return exact_average(view, arm);
}

static segue_choice best_arm(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(segue_choose_largest(view, index_of, 0.0));
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    const double random = share(view);
    return random > 0.0 && segue_rng_uniform(rng) < random ? any_arm(view, rng)
                                                           : best_arm(view, rng);
}

static const segue_split split = {.share = share, .drawn = any_arm, .deterministic = best_arm};

const segue_policy segue_policy_eps_greedy = {
    .name = "eps-greedy",
    .summary = "best average, and a share of random pulls; needs no n",
    .options = segue_eps_greedy_options,
    .n_options = N_OPTIONS,
    .fill_defaults = fill_defaults,
    .choose = choose,
    .split = &split,
};
