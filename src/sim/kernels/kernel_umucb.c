/* kernel_umucb.c - umUCB by runs of pulls; see bandit/policies/umucb.c for the rule.
 *
 * An arm is pulled until its bound is no longer the largest or the set of models that agree with
 * it changes. Where 64 or 8 pulls cannot change either, they are made at once.
 * Cost: O(n_arms) per change of arm, O(n_models n_arms) per change of the remaining models.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/arm_cursor.h"

/* Update the models that agree with an arm. */
static void update_arm(const kernel_run *run, size_t arm)
{
    arm_state *state = &run->kernel->arm[arm];
    state->agrees = segue_kernel_agreeing(run, arm, run->eps);
    state->band = segue_kernel_band(run, arm);
}

/* Update the remaining models, and the largest mean of each arm among them. */
static void update_models(kernel_run *run)
{
    arm_state *arms = run->kernel->arm;
    uint64_t left = UINT64_MAX;
    for (size_t i = 0; i < run->in.view->n_arms; i++)
        left &= arms[i].agrees;
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        arms[i].promise = left ? -INFINITY : INFINITY; /* without a model: UCB */
        for (size_t k = 0; left && k < run->models->n_models; k++)
            if (left >> k & 1)
                arms[i].promise = larger(arms[i].promise, mean_of(run, k, i) + run->eps);
    }
    run->models_left = left;
}

static double bound_of(const arm_state *state)
{
    return lesser(state->promise, state->upper);
}

/* Return the first arm with this bound of the first model that has it, as the plain form does. */
static size_t first_of_equals(const kernel_run *run, double value)
{
    const arm_state *arms = run->kernel->arm;
    for (size_t k = 0; k < run->models->n_models; k++)
        for (size_t i = 0; (run->models_left >> k & 1) && i < run->in.view->n_arms; i++)
            if (lesser(mean_of(run, k, i) + run->eps, arms[i].upper) == value)
                return i;
    return 0; /* not reached: some model has that value */
}

/* Return the arm to pull, and the bound of the best other one. */
static size_t choose(const kernel_run *run, double *other)
{
    const arm_state *arms = run->kernel->arm;
    size_t best = 0;
    double value = bound_of(&arms[0]);
    *other = -INFINITY;
    for (size_t i = 1; i < run->in.view->n_arms; i++) {
        const double bound = bound_of(&arms[i]);
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return *other == value && run->models_left ? first_of_equals(run, value) : best;
}

/* Pull 64 or 8 times at once while that cannot change the choice; returns the average. */
static inline double jump_on(const kernel_run *run, arm_cursor *cursor, const band *b,
                             double average, double other, uint64_t last)
{
    const segue_kernel *kernel = run->kernel;
    while (cursor->pulls % 8 == 0) {
        if (cursor->pulls % 64 == 0 && cursor->pulls + 64 <= last &&
            can_jump(kernel, cursor, 64, b, average, run->eps, other))
            (void)jump(cursor);
        else if (cursor->pulls + 8 <= last &&
                 can_jump(kernel, cursor, 8, b, average, run->eps, other))
            draw_eight(cursor);
        else
            break;
        average = (double)(int64_t)cursor->ones * kernel->inverse[cursor->pulls];
    }
    return average;
}

/* Pull `arm` at least once, then while its bound stays above `other` and the same models agree;
 * returns true if they still do. */
static inline bool pull_with(kernel_run *run, size_t arm, double other, bool bits)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    const double eps = run->eps;
    const band b = run->kernel->arm[arm].band;
    arm_cursor cursor = open_cursor(run, arm);
    const uint64_t last = cursor.pulls + run->left;
    bool same = true, ahead = true;
    do {
        double average = draw(run, &cursor, arm, bits) * inverse[cursor.pulls];
        if (bits)
            average = jump_on(run, &cursor, &b, average, other, last);
        const double radius = radii[cursor.pulls];
        same = is_within(&b, average, radius + eps);
        ahead = average + radius > other;
    } while (same && ahead && cursor.pulls < last);
    close_cursor(run, &cursor, arm, bits);
    if (!run->models_left)
        *run->in.no_model_left += cursor.pulls - cursor.first;
    return same;
}

static bool pull(kernel_run *run, size_t arm, double other)
{
    return run->bits ? pull_with(run, arm, other, true) : pull_with(run, arm, other, false);
}

/* Return true if models never matter: none disagrees with an average from 0 to 1, and none limits
 * a bound. */
static bool is_ucb(const kernel_run *run)
{
    for (size_t k = 0; run->models && k < run->models->n_models; k++)
        for (size_t i = 0; i < run->models->n_arms; i++)
            if (!(fabs(mean_of(run, k, i)) + 1.0 + run->kernel->radius[1] <= run->eps))
                return false;
    return true;
}

void segue_kernel_umucb(kernel_run *run)
{
    const size_t n_arms = run->in.view->n_arms;
    run->eps = run->in.view->option[1];
    for (size_t i = 0; i < SEGUE_FORCED_PULLS * n_arms && run->left > 0; i++)
        pull_once(run, i % n_arms);
    *run->in.last_reason = SEGUE_FORCED;
    if (run->left == 0)
        return;
    for (size_t i = 0; i < n_arms; i++)
        run->kernel->arm[i].upper = upper_of(run, i);
    if (is_ucb(run)) {
        segue_kernel_ucb_from_bounds(run);
        return;
    }
    for (size_t i = 0; i < n_arms; i++)
        update_arm(run, i);
    update_models(run);
    while (run->left > 0) {
        double other = 0.0;
        const size_t arm = choose(run, &other);
        *run->in.last_reason = run->models_left == 0 ? SEGUE_NO_MODEL_LEFT : SEGUE_BY_RULE;
        const bool same = pull(run, arm, other);
        run->kernel->arm[arm].upper = upper_of(run, arm);
        if (!same) {
            update_arm(run, arm);
            update_models(run);
        }
    }
}
