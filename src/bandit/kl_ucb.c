/* kl_ucb.c - KL-UCB (Garivier and Cappe 2011) for Bernoulli rewards.
 *
 * The index is the largest q with T kl(average, q) <= log t.  kl(p, .) is convex above p, so that
 * Newton's method from the right of the root falls towards it and never past it.
 * Cost O(n_arms) a step; only arms that beat the best so far are solved for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#define MOST_STEPS 50 /* Newton needs about six; this ends a stall by rounding */

/* kl between Bernoulli means, 0 <= p <= q < 1, p < 1. */
static double divergence(double p, double q)
{
    const double low = p > 0.0 ? p * log(p / q) : 0.0;
    return low + (1.0 - p) * log((1.0 - p) / (1.0 - q));
}

/* The largest q with kl(p, q) <= budget. */
static double upper(double p, double budget)
{
    if (p >= 1.0)
        return 1.0;
    if (p <= 0.0)
        return -expm1(-budget);
    /* To the right of the root: kl(p, q) >= 2 (q - p)^2, and >= -h(p) - (1 - p) log(1 - q). */
    const double entropy = -p * log(p) - (1.0 - p) * log1p(-p);
    double q = fmin(p + sqrt(0.5 * budget), -expm1(-(budget + entropy) / (1.0 - p)));
    for (int i = 0; i < MOST_STEPS && q > p && q < 1.0; i++) {
        const double slope = (q - p) / (q * (1.0 - q));
        const double next = q - (divergence(p, q) - budget) / slope;
        if (!(next < q))
            break;
        q = fmax(next, p);
    }
    return q;
}

/* Whether the index of an arm is above `value`. */
static bool beats(double p, double budget, double value)
{
    if (p >= value)
        return true;
    return value < 1.0 && divergence(p, value) < budget;
}

static segue_choice choose(const segue_view *view, segue_rng *rng)
{
    (void)rng;
    const double log_t = log((double)view->step);
    size_t best = view->n_arms;
    double value = -INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (view->pulls[arm] == 0) {
            if (!is_outstanding(view, arm))
                return by_rule(arm);
            continue;
        }
        const double p = fmin(1.0, average(view, arm));
        const double budget = log_t / (double)view->pulls[arm];
        if (!beats(p, budget, value))
            continue;
        const double x = upper(p, budget);
        if (x > value) {
            value = x;
            best = arm;
        }
    }
    return by_rule(best < view->n_arms ? best : segue_least_asked(view));
}

const segue_policy segue_policy_kl_ucb = {
    .name = "kl-ucb",
    .summary = "KL-UCB of Garivier and Cappe for Bernoulli rewards; needs no n",
    .choose = choose,
};
