/* kernel_ucb.c - UCB and UCB+ by runs of pulls; see bandit/policies/ucb.c and
 * bandit/policies/ucb_plus.c.
 *
 * An arm is pulled until its bound is no longer the largest; ties go to the lowest index, and are
 * left to the choice.  Where rewards are bits, most pulls are made before without a choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel_run.h"

/* The arm with the largest bound, and the bound of the best other one; arms that do not play have a
 * bound of minus infinity. */
static size_t choose(const game *g, double *other)
{
    const arm_state *arms = g->kernel->arm;
    size_t best = 0;
    double value = arms[0].upper;
    *other = -INFINITY;
    for (size_t i = 1; i < g->in.view->n_arms; i++) {
        const double bound = arms[i].upper;
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return best;
}

/* Pull `arm` at least once, then on while its bound is above `other`. */
static inline void pull_with(game *g, size_t arm, double other, bool bits)
{
    const double *inverse = g->kernel->inverse, *radii = g->kernel->radius;
    hand h = open_cursor(g, arm);
    const uint64_t last = h.pulls + g->left;
    double upper = 0.0;
    do {
        const double sum = draw(g, &h, arm, bits);
        upper = sum * inverse[h.pulls] + radii[h.pulls];
    } while (upper > other && h.pulls < last);
    close_cursor(g, &h, arm, bits);
    g->kernel->arm[arm].upper = upper;
}

void segue_kernel_ucb_from_bounds(game *g)
{
    if (g->bits && g->left > 0)
        segue_kernel_level(g);
    while (g->left > 0) {
        double other = 0.0;
        const size_t arm = choose(g, &other);
        if (g->bits)
            pull_with(g, arm, other, true);
        else
            pull_with(g, arm, other, false);
    }
    *g->in.last_reason = SEGUE_BY_RULE;
}

/* The arms that play first once each, in their order. */
static void play(game *g, const bool *plays)
{
    arm_state *arms = g->kernel->arm;
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        arms[i].upper = -INFINITY;
        if ((plays && !plays[i]) || g->left == 0)
            continue;
        pull_once(g, i);
        arms[i].upper = upper_of(g, i);
    }
    segue_kernel_ucb_from_bounds(g);
}

void segue_kernel_ucb(game *g)
{
    play(g, NULL);
}

void segue_kernel_ucb_plus(game *g)
{
    play(g, g->in.view->precomputed);
}
