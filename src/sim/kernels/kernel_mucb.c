/* kernel_mucb.c - mUCB by runs of pulls; see bandit/policies/mucb.c for the rule.
 *
 * The arm is that of a model, and stays while the same models agree with its rewards; where even 64
 * pulls at once could not change that, they are counted at once.  Without any,
 * the arm is UCB's, and stays while its bound is the largest and no model comes back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel_run.h"

/* The kindest of the models that are left, the first of equals; n_arms: there is none. */
static size_t kindest(const game *g)
{
    double hope = -INFINITY;
    size_t arm = g->in.view->n_arms;
    for (size_t k = 0; k < g->models->n_models; k++)
        if ((g->models_left >> k & 1) && segue_models_best_value(g->models, k) > hope) {
            hope = segue_models_best_value(g->models, k);
            arm = g->models->best_arm[k];
        }
    return arm;
}

/* UCB's arm, and the largest bound of another; an arm without a reward has an infinite one. */
static size_t by_bound(const game *g, double *other)
{
    size_t best = 0;
    double value = upper_of(g, 0);
    *other = -INFINITY;
    for (size_t i = 1; i < g->in.view->n_arms; i++) {
        const double bound = g->in.pulls[i] ? upper_of(g, i) : INFINITY;
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return best;
}

/* Pull `arm` at least once, then on while the same models agree and its bound is above `other`. */
static inline void pull_with(game *g, size_t arm, double other, bool bits)
{
    const double *inverse = g->kernel->inverse, *radii = g->kernel->radius;
    const band b = segue_kernel_band(g, arm);
    hand h = open_cursor(g, arm);
    const uint64_t last = h.pulls + g->left;
    double average = 0.0;
    do {
        average = draw(g, &h, arm, bits) * inverse[h.pulls];
        while (bits && h.pulls % 64 == 0 && h.pulls + 64 <= last &&
               can_jump(g->kernel, &h, 64, &b, average, 0.0, other))
            average = jump(&h) * inverse[h.pulls];
    } while (is_within(&b, average, radii[h.pulls]) && average + radii[h.pulls] > other &&
             h.pulls < last);
    close_cursor(g, &h, arm, bits);
    if (!g->models_left)
        *g->in.no_model_left += h.pulls - h.first;
}

void segue_kernel_mucb(game *g)
{
    const size_t n_arms = g->in.view->n_arms;
    arm_state *arms = g->kernel->arm;
    for (size_t i = 0; i < n_arms; i++)
        arms[i].agrees = segue_kernel_agreeing(g, i, 0.0);
    while (g->left > 0) {
        double other = -INFINITY;
        g->models_left = UINT64_MAX;
        for (size_t i = 0; i < n_arms; i++)
            g->models_left &= arms[i].agrees;
        const size_t arm = g->models_left ? kindest(g) : by_bound(g, &other);
        *g->in.last_reason = g->models_left ? SEGUE_BY_RULE : SEGUE_NO_MODEL_LEFT;
        if (g->bits)
            pull_with(g, arm, other, true);
        else
            pull_with(g, arm, other, false);
        arms[arm].agrees = segue_kernel_agreeing(g, arm, 0.0);
    }
}
