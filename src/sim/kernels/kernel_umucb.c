/* kernel_umucb.c - umUCB by runs of pulls; see bandit/policies/umucb.c for the rule.
 *
 * Cost: O(n_arms) a change of arm, O(n_models n_arms) a change of the models that are left.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel_run.h"

/* Which models agree with an arm. */
static void update_arm(const game *g, size_t arm)
{
    arm_state *state = &g->kernel->arm[arm];
    state->agrees = segue_kernel_agreeing(g, arm, g->eps);
    state->band = segue_kernel_band(g, arm);
}

/* Which models are left, and what they promise. */
static void update_models(game *g)
{
    arm_state *arms = g->kernel->arm;
    uint64_t left = UINT64_MAX;
    for (size_t i = 0; i < g->in.view->n_arms; i++)
        left &= arms[i].agrees;
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        arms[i].promise = left ? -INFINITY : INFINITY; /* without models, UCB */
        for (size_t k = 0; left && k < g->models->n_models; k++)
            if (left >> k & 1)
                arms[i].promise = larger(arms[i].promise, mean_of(g, k, i) + g->eps);
    }
    g->models_left = left;
}

static double bound_of(const arm_state *state)
{
    return lesser(state->promise, state->upper);
}

/* Of arms whose bounds are equal the plain form takes the first of the first model that has it. */
static size_t first_of_equals(const game *g, double value)
{
    const arm_state *arms = g->kernel->arm;
    for (size_t k = 0; k < g->models->n_models; k++)
        for (size_t i = 0; (g->models_left >> k & 1) && i < g->in.view->n_arms; i++)
            if (lesser(mean_of(g, k, i) + g->eps, arms[i].upper) == value)
                return i;
    return 0; /* not reached: some model has that value */
}

/* The arm to pull, and the bound of the best other one. */
static size_t choose(const game *g, double *other)
{
    const arm_state *arms = g->kernel->arm;
    size_t best = 0;
    double value = bound_of(&arms[0]);
    *other = -INFINITY;
    for (size_t i = 1; i < g->in.view->n_arms; i++) {
        const double bound = bound_of(&arms[i]);
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return *other == value && g->models_left ? first_of_equals(g, value) : best;
}

/* Pull on, 64 or 8 at once, while that can change nothing; returns the average. */
static inline double jump_on(const game *g, hand *h, const band *b, double average, double other,
                             uint64_t last)
{
    const segue_kernel *kernel = g->kernel;
    while (h->pulls % 8 == 0) {
        if (h->pulls % 64 == 0 && h->pulls + 64 <= last &&
            can_jump(kernel, h, 64, b, average, g->eps, other))
            (void)jump(h);
        else if (h->pulls + 8 <= last && can_jump(kernel, h, 8, b, average, g->eps, other))
            draw_eight(h);
        else
            break;
        average = (double)(int64_t)h->ones * kernel->inverse[h->pulls];
    }
    return average;
}

/* Pull `arm` at least once, then on while its bound stays above `other` and the same models agree;
 * returns whether they do. */
static inline bool pull_with(game *g, size_t arm, double other, bool bits)
{
    const double *inverse = g->kernel->inverse, *radii = g->kernel->radius;
    const double eps = g->eps;
    const band b = g->kernel->arm[arm].band;
    hand h = open_cursor(g, arm);
    const uint64_t last = h.pulls + g->left;
    bool same = true, ahead = true;
    do {
        double average = draw(g, &h, arm, bits) * inverse[h.pulls];
        if (bits)
            average = jump_on(g, &h, &b, average, other, last);
        const double radius = radii[h.pulls];
        same = is_within(&b, average, radius + eps);
        ahead = average + radius > other;
    } while (same && ahead && h.pulls < last);
    close_cursor(g, &h, arm, bits);
    if (!g->models_left)
        *g->in.no_model_left += h.pulls - h.first;
    return same;
}

static bool pull(game *g, size_t arm, double other)
{
    return g->bits ? pull_with(g, arm, other, true) : pull_with(g, arm, other, false);
}

/* Whether there is nothing to go by but the bounds: no model ever disagrees with an average, from 0
 * to 1, and none promises less than a bound. */
static bool is_ucb(const game *g)
{
    for (size_t k = 0; g->models && k < g->models->n_models; k++)
        for (size_t i = 0; i < g->models->n_arms; i++)
            if (!(fabs(mean_of(g, k, i)) + 1.0 + g->kernel->radius[1] <= g->eps))
                return false;
    return true;
}

void segue_kernel_umucb(game *g)
{
    const size_t n_arms = g->in.view->n_arms;
    g->eps = g->in.view->option[1];
    for (size_t i = 0; i < SEGUE_FORCED_PULLS * n_arms && g->left > 0; i++)
        pull_once(g, i % n_arms);
    *g->in.last_reason = SEGUE_FORCED;
    if (g->left == 0)
        return;
    for (size_t i = 0; i < n_arms; i++)
        g->kernel->arm[i].upper = upper_of(g, i);
    if (is_ucb(g)) {
        segue_kernel_ucb_from_bounds(g);
        return;
    }
    for (size_t i = 0; i < n_arms; i++)
        update_arm(g, i);
    update_models(g);
    while (g->left > 0) {
        double other = 0.0;
        const size_t arm = choose(g, &other);
        *g->in.last_reason = g->models_left == 0 ? SEGUE_NO_MODEL_LEFT : SEGUE_BY_RULE;
        const bool same = pull(g, arm, other);
        g->kernel->arm[arm].upper = upper_of(g, arm);
        if (!same) {
            update_arm(g, arm);
            update_models(g);
        }
    }
}
