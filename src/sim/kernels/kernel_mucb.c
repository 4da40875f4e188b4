/* kernel_mucb.c - mUCB by runs of pulls; see bandit/policies/mucb.c for the rule.
 *
 * The arm is that of a model, and stays while the same models agree with its rewards; where even
 * 64 pulls at once cannot change that, they are counted at once. Without a model the arm is UCB's,
 * and stays while its bound is the largest and no model returns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/arm_cursor.h"

/* Return the best arm of the remaining model with the largest value, the first of equals; n_arms:
 * no model remains. */
static size_t optimistic_arm(const kernel_run *run)
{
    double value = -INFINITY;
    size_t arm = run->in.view->n_arms;
    for (size_t k = 0; k < run->models->n_models; k++)
        if ((run->models_left >> k & 1) && segue_models_best_value(run->models, k) > value) {
            value = segue_models_best_value(run->models, k);
            arm = run->models->best_arm[k];
        }
    return arm;
}

/* Return UCB's arm, and the largest bound of another one; an arm without a reward has an infinite
 * bound. */
static size_t by_bound(const kernel_run *run, double *other)
{
    size_t best = 0;
    double value = upper_of(run, 0);
    *other = -INFINITY;
    for (size_t i = 1; i < run->in.view->n_arms; i++) {
        const double bound = run->in.pulls[i] ? upper_of(run, i) : INFINITY;
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return best;
}

/* Pull `arm` at least once, then while the same models agree and its bound is above `other`. */
static inline void pull_with(kernel_run *run, size_t arm, double other, bool bits)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    const band b = segue_kernel_band(run, arm);
    arm_cursor cursor = open_cursor(run, arm);
    const uint64_t last = cursor.pulls + run->left;
    double average = 0.0;
    do {
        average = draw(run, &cursor, arm, bits) * inverse[cursor.pulls];
        while (bits && cursor.pulls % 64 == 0 && cursor.pulls + 64 <= last &&
               can_jump(run->kernel, &cursor, 64, &b, average, 0.0, other))
            average = jump(&cursor) * inverse[cursor.pulls];
    } while (is_within(&b, average, radii[cursor.pulls]) && average + radii[cursor.pulls] > other &&
             cursor.pulls < last);
    close_cursor(run, &cursor, arm, bits);
    if (!run->models_left)
        *run->in.no_model_left += cursor.pulls - cursor.first;
}

void segue_kernel_mucb(kernel_run *run)
{
    const size_t n_arms = run->in.view->n_arms;
    arm_state *arms = run->kernel->arm;
    for (size_t i = 0; i < n_arms; i++)
        arms[i].agrees = segue_kernel_agreeing(run, i, 0.0);
    while (run->left > 0) {
        double other = -INFINITY;
        run->models_left = UINT64_MAX;
        for (size_t i = 0; i < n_arms; i++)
            run->models_left &= arms[i].agrees;
        const size_t arm = run->models_left ? optimistic_arm(run) : by_bound(run, &other);
        *run->in.last_reason = run->models_left ? SEGUE_BY_RULE : SEGUE_NO_MODEL_LEFT;
        if (run->bits)
            pull_with(run, arm, other, true);
        else
            pull_with(run, arm, other, false);
        arms[arm].agrees = segue_kernel_agreeing(run, arm, 0.0);
    }
}
