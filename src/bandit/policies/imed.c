/* imed.c - IMED (Honda and Takemura 2015) for Bernoulli rewards.
 *
 * It pulls the arm with the smallest T kl(average, best average) + log T: asymptotically optimal,
 * without a confidence bound to solve for.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#include "core/math/ln.h"

/* kl between Bernoulli means p <= q. */
static double divergence(double p, double q)
{
    double sum = 0.0;
    if (p > 0.0)
        sum += p * segue_ln(p / q);
    if (p < 1.0)
        sum += q < 1.0 ? (1.0 - p) * segue_ln((1.0 - p) / (1.0 - q)) : INFINITY;
    return fmax(0.0, sum);
}

/* Return the largest average of the allowed arms. */
static double best_average(const segue_task_view *view)
{
    double best = 0.0;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm) && view->pulls[arm] > 0)
            best = fmax(best, exact_average(view, arm));
    return fmin(1.0, best);
}

/* Indices can be equal although averages differ: one failure, and 34 successes in 35 pulls, both
 * have log 35.  Rounded, the lower arm wins such a tie, not the last bit. */
static double index_of(const segue_task_view *view, size_t arm, double best)
{
    const double pulls = (double)view->pulls[arm] + pending_of(view, arm);
    const double index =
        -pulls * divergence(fmin(1.0, exact_average(view, arm)), best) - segue_ln(pulls);
    return rint(index * 1e9) * 1e-9;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    return by_rule(segue_choose_largest(view, index_of, best_average(view)));
}

const segue_policy segue_policy_imed = {
    .name = "imed",
    .summary = "IMED of Honda and Takemura for Bernoulli rewards; needs no n",
    .choose = choose,
};
