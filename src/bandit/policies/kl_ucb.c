/* kl_ucb.c - KL-UCB (Garivier and Cappe 2011) for Bernoulli rewards.
 *
 * The index is the largest q with T kl(average, q) <= log t. Indices are close to 1, so the code
 * stores the lack c = 1 - q: the arm with the smallest lack is pulled. kl is decreasing and convex
 * in c below 1 - average, so that Newton's method from the left of the root converges to it from
 * below.
 * Cost O(n_arms) per step; only arms that beat the best so far are solved for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#include "core/math/exp.h"
#include "core/math/ln.h"

#define MAX_STEPS 50 /* Newton needs about six; this ends a stall by rounding */

/* kl between Bernoulli means p and 1 - lack; 0 < p < 1, 0 < lack < 1. */
static double divergence(double p, double lack)
{
    return p * (segue_ln(p) - segue_log1p(-lack)) +
           (1.0 - p) * (segue_ln(1.0 - p) - segue_ln(lack));
}

/* Return 1 - q for the largest q with kl(p, q) <= budget. */
static double solve_gap(double p, double budget)
{
    if (p >= 1.0)
        return 0.0;
    if (p <= 0.0)
        return segue_exp(-budget);
    /* Left of the root: kl(p, q) >= 2 (q - p)^2, and >= -entropy - (1 - p) log lack. */
    const double entropy = -p * segue_ln(p) - (1.0 - p) * segue_ln(1.0 - p);
    double lack = fmax(1.0 - p - sqrt(0.5 * budget), segue_exp(-(budget + entropy) / (1.0 - p)));
    for (int i = 0; i < MAX_STEPS && lack > 0.0 && lack < 1.0 - p; i++) {
        const double slope = (1.0 - p - lack) / (lack * (1.0 - lack));
        const double next = lack + (divergence(p, lack) - budget) / slope;
        if (!(next > lack))
            break;
        lack = fmin(next, 1.0 - p);
    }
    return lack;
}

/* Return true if the index of an arm lacks less than `lack`. */
static bool beats(double p, double budget, double lack)
{
    if (1.0 - p <= lack)
        return true;
    return lack > 0.0 && (p <= 0.0 ? -segue_ln(lack) : divergence(p, lack)) < budget;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const double log_t = segue_ln((double)view->step);
    size_t best = view->n_arms;
    double lack = INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        if (view->pulls[arm] == 0) {
            if (!is_outstanding(view, arm))
                return by_rule(arm);
            continue;
        }
        const double p = fmin(1.0, average(view, arm));
        const double budget = log_t / ((double)view->pulls[arm] + pending_of(view, arm));
        const double cost = cost_of(view, arm); /* lowers the index: adds to the lack */
        if (!beats(p, budget, lack - cost))
            continue;
        const double own = solve_gap(p, budget) + cost;
        if (own < lack) {
            lack = own;
            best = arm;
        }
    }
    return by_rule(best < view->n_arms ? best : segue_choose_fewest_asks(view));
}

const segue_policy segue_policy_kl_ucb = {
    .name = "kl-ucb",
    .summary = "KL-UCB of Garivier and Cappe for Bernoulli rewards; needs no n",
    .choose = choose,
    .takes_costs = true,
};
