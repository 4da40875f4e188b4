/* kernel_ucb.c - UCB and UCB+ by runs of pulls; see bandit/policies/ucb.c and
 * bandit/policies/ucb_plus.c.
 *
 * An arm is pulled until its bound is no longer the largest; ties go to the lowest index, by a new
 * choice. Where rewards are bits, kernel_level.c first makes most pulls without a choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/arm_cursor.h"

/* Return the arm with the largest bound, and the bound of the best other one; excluded arms have a
 * bound of minus infinity. */
static size_t choose(const kernel_run *run, double *other)
{
    const arm_state *arms = run->kernel->arm;
    size_t best = 0;
    double value = arms[0].upper;
    *other = -INFINITY;
    for (size_t i = 1; i < run->in.view->n_arms; i++) {
        const double bound = arms[i].upper;
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return best;
}

/* Pull `arm` at least once, then while its bound is above `other`. */
static inline void pull_with(kernel_run *run, size_t arm, double other, bool bits)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    arm_cursor cursor = open_cursor(run, arm);
    const uint64_t last = cursor.pulls + run->left;
    double upper = 0.0;
    do {
        const double sum = draw(run, &cursor, arm, bits);
        upper = sum * inverse[cursor.pulls] + radii[cursor.pulls];
    } while (upper > other && cursor.pulls < last);
    close_cursor(run, &cursor, arm, bits);
    run->kernel->arm[arm].upper = upper;
}

void segue_kernel_ucb_from_bounds(kernel_run *run)
{
    if (run->bits && run->left > 0)
        segue_kernel_level(run);
    while (run->left > 0) {
        double other = 0.0;
        const size_t arm = choose(run, &other);
        if (run->bits)
            pull_with(run, arm, other, true);
        else
            pull_with(run, arm, other, false);
    }
    *run->in.last_reason = SEGUE_BY_RULE;
}

/* Pull each arm that takes part once, in order; then play by bounds. */
static void play(kernel_run *run, const bool *plays)
{
    arm_state *arms = run->kernel->arm;
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        arms[i].upper = -INFINITY;
        if ((plays && !plays[i]) || run->left == 0)
            continue;
        pull_once(run, i);
        arms[i].upper = upper_of(run, i);
    }
    segue_kernel_ucb_from_bounds(run);
}

void segue_kernel_ucb(kernel_run *run)
{
    play(run, NULL);
}

void segue_kernel_ucb_plus(kernel_run *run)
{
    play(run, run->in.view->precomputed);
}
