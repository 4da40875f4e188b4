/* bayes_ucb.c - Bayes-UCB (Kaufmann, Cappe and Garivier 2012) for Bernoulli rewards.
 *
 * The index of an arm in step t = 1, 2, ... is the quantile 1 - 1 / (t (log n)^c) of its posterior,
 * Beta(1 + S, 1 + T - S). Their proof needs c >= 5; they recommend c = 0, the default here, which
 * needs no n. Indices are close to 1, so the code stores the lack 1 - index, a quantile of
 * Beta(1 + T - S, 1 + S): the arm with the smallest lack is pulled.
 * Cost O(n_arms) per step, microseconds: one value of the distribution function for each arm, and a
 * quantile for those that beat the best so far.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/random/beta.h"

#define ROUNDING 1e-9 /* relative, of the distribution function */

enum { C, N_OPTIONS };

const segue_option segue_bayes_ucb_options[N_OPTIONS] = {
    [C] = {.key = "c",
           .help = "of the quantile 1 - 1 / (t (log n)^c) (default 0)",
           .min = 0.0,
           .max = 100.0},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    (void)setting;
    fill_default(&option[C], 0.0);
}

/* Return the probability above the index, at most 1. */
static double tail_of(const segue_task_view *view)
{
    const double log_n = fmax(1.0, segue_ln((double)view->horizon));
    return 1.0 / (((double)view->step + 1.0) * segue_pow(log_n, view->option[C]));
}

/* The best arm so far: its lack is the quantile `tail` of Beta(1 + T - S, 1 + S). */
typedef struct search {
    double tail, lack;
    size_t arm;
} search;

/* Compare an arm with the best so far; ties go to the lower index. */
static void challenge(search *best, const segue_task_view *view, size_t arm)
{
    double a = 1.0 + fmax(0.0, (double)view->pulls[arm] - view->sum[arm]);
    double b = 1.0 + view->sum[arm];
    const double more = 1.0 + pending_of(view, arm) / (a + b);
    a *= more;
    b *= more;
    const double cost = cost_of(view, arm), bar = best->lack - cost;
    if (bar < 1.0 && (bar <= 0.0 || segue_beta_cdf(bar, a, b) < best->tail * (1.0 - ROUNDING)))
        return; /* its lack is larger */
    const double own = segue_beta_quantile(best->tail, a, b) + cost;
    if (own < best->lack || (own <= best->lack && arm < best->arm)) {
        best->lack = own;
        best->arm = arm;
    }
}

/* Return the allowed arm with the most rewards, which is likely to win. */
static size_t largest_sample(const segue_task_view *view)
{
    size_t best = view->n_arms;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm) && (best == view->n_arms || view->pulls[arm] > view->pulls[best]))
            best = arm;
    return best;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const size_t first = largest_sample(view);
    search best = {.tail = tail_of(view), .lack = INFINITY, .arm = view->n_arms};
    challenge(&best, view, first);
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm) && arm != first)
            challenge(&best, view, arm);
    return by_rule(best.arm);
}

const segue_policy segue_policy_bayes_ucb = {
    .name = "bayes-ucb",
    .summary = "quantile 1 - 1/t of each arm's posterior; c = 0 needs no n",
    .options = segue_bayes_ucb_options,
    .n_options = N_OPTIONS,
    .fill_defaults = fill_defaults,
    .choose = choose,
    .takes_costs = true,
};
