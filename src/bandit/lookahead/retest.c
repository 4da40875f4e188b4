/* retest.c - the arm that look-ahead may have given up too early.
 *
 * Look-ahead compares blocks of pulls that are made to their end. After a few unlucky rewards no
 * block of an arm gains, and a long task ends with the second best arm. But a test of an arm can
 * stop at any reward; most stop soon. So where look-ahead would exploit e, an arm i is pulled once if
 *
 *     r (r / 300)^(1/2) S^(3/2) sum_q v_q h_q E_q(mu_i - mu_qe)+ > PRICE (V_e - V_i)
 *
 * where r pulls remain, at most REACH for each pull so far, and h_q = 1 / (a + b) of the arm in
 * component q: the test is as long as what is known of the arm. The power of r is there for the
 * worst tasks. S = sum_q v_q h_q / max_q h_q says how little is known of the arm, from 0 to 1, and is
 * 1 with a flat prior: where types are known, arms are rarely tested again. If there are several
 * such arms, the one with the largest ratio of both sides is pulled.
 *
 * With costs all means are net, and a pull also costs two switches.
 *
 * Arms that have more than a share of the pulls of e are left to look-ahead, and so are the first
 * steps of a task: with many arms, tests of all of them would cost too much.
 * Cost O(n_arms n_components), with a distribution function where a bound does not exclude the arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/lookahead/retest.h"

#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "core/random/beta.h"

#define FIRST_STEP           128 /* no such test before ... */
#define STEPS_PER_ARM        16  /* ... nor before this number of steps per arm */
#define FEWER                4 /* an arm that is tested has 1 / FEWER of the pulls of e, or less */
#define PRICE                0.35  /* pulls of a test, as a share of a + b */
#define SHORT_TASK           300.0 /* pulls, for which the mean alone counts */
#define REACH                3.0   /* pulls to come that count, for each pull so far */
#define MIN_COMPONENT_WEIGHT 1e-7
#define MIN_LACK             1e-12

double segue_retest_excess(double bar, double a, double b)
{
    const double mean = a / (a + b);
    if (bar <= 0.0 || bar >= 1.0)
        return fmax(0.0, mean - bar);
    const double above = segue_beta_cdf(1.0 - bar, b, a);
    const double density =
        segue_exp(a * segue_ln(bar) + b * segue_log1p(-bar) - segue_log_beta(a, b));
    return fmax(0.0, (mean - bar) * above + density / (a + b));
}

/* An arm compared with e, summed over the components. */
typedef struct comparison {
    double lack;    /* V_e - V_i */
    double unknown; /* S */
    double excess;  /* sum of v h E(mu_i - mu_e)+, or a bound of it */
} comparison;

/* Return an upper bound of segue_retest_excess by the variance. */
static double excess_bound(double bar, double mean, double step)
{
    const double lack = bar - mean, variance = mean * (1.0 - mean) * step / (1.0 + step);
    return 0.5 * (sqrt(variance + lack * lack) - lack);
}

static comparison examine(const segue_belief *belief, size_t best, size_t arm, bool exactly)
{
    comparison d = {.lack = 0.0};
    double widest = 0.0;
    const double dearer = belief->cost ? belief->cost[arm] - belief->cost[best] : 0.0;
    for (size_t q = 0; q < belief->prior.n_components; q++) {
        const double weight = belief->weight[q];
        if (weight < MIN_COMPONENT_WEIGHT)
            continue;
        const double mean = segue_belief_mean(belief, q, arm);
        const double bar = segue_belief_mean(belief, q, best) + dearer;
        const double step = segue_belief_step_size(belief, q, arm);
        d.lack += weight * (bar - mean);
        d.unknown += weight * step;
        d.excess += weight * step *
                    (exactly ? segue_retest_excess(bar, mean / step, (1.0 - mean) / step)
                             : excess_bound(bar, mean, step));
        widest = fmax(widest, step);
    }
    d.unknown /= widest;
    if (belief->cost) /* there and back */
        d.lack += 2.0 * belief->switch_cost;
    return d;
}

/* Return the ratio of what a test may gain to its price. */
static double ratio_of(const comparison *d, double remaining)
{
    const double gain =
        remaining * sqrt(remaining / SHORT_TASK) * d->unknown * sqrt(d->unknown) * d->excess;
    return gain / (PRICE * fmax(d->lack, MIN_LACK));
}

/* Return that ratio for an arm, or 0 where it is not above `min`. */
static double bounded_ratio(const segue_belief *belief, size_t best, size_t arm, double remaining,
                            double min)
{
    comparison d = examine(belief, best, arm, false);
    if (ratio_of(&d, remaining) <= min)
        return 0.0;
    d = examine(belief, best, arm, true);
    return ratio_of(&d, remaining);
}

size_t segue_retest_choose(const segue_belief *belief, size_t best, uint64_t step,
                           uint64_t remaining)
{
    size_t found = best;
    double max = 1.0;
    if (!belief->prior.b || step < FIRST_STEP || step / STEPS_PER_ARM < belief->prior.n_arms)
        return best;
    const double left = fmin((double)remaining, REACH * (double)step);
    for (size_t arm = 0; arm < belief->prior.n_arms; arm++) {
        if (arm == best || !segue_belief_allows(belief, arm) ||
            belief->pulls[arm] > belief->pulls[best] / FEWER)
            continue;
        const double ratio = bounded_ratio(belief, best, arm, left, max);
        if (ratio > max) {
            max = ratio;
            found = arm;
        }
    }
    return found;
}
