/* ucb_test.c - UCB until a test can tell the models apart, then the best arm of the nearest one.
 *
 * Azar, Lazaric and Brunskill (2013), appendix B: once some arm has more than
 * 2 log(2 / delta) / Gmin^2 pulls, Gmin being the smallest distance of two models on any arm, all
 * models but the nearest on that arm are ruled out with probability 1 - delta.  (The paper prints
 * a product for the quotient.)  With Gmin = 0 it is UCB; with one model it commits at once.
 * Cost O(n_arms) per step, O(n_arms n_models log n_models) once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bandit/choose.h"
#include "core/math/ln.h"

typedef struct test_precomputed {
    double threshold; /* pulls of one arm after which it commits */
    double column[];  /* n_models: scratch of precompute */
} test_precomputed;

typedef struct test_state {
    bool committed;
    size_t arm;
} test_state;

static size_t precomputed_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return sizeof(test_precomputed) + setting->models->n_models * sizeof(double);
}

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)setting;
    (void)option;
    return sizeof(test_state);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest distance of two models on one arm: that of neighbours in order. */
static double smallest_gap(const segue_models *models, size_t arm, double *column)
{
    double gap = INFINITY;
    for (size_t k = 0; k < models->n_models; k++)
        column[k] = segue_models_row(models, k)[arm];
    qsort(column, models->n_models, sizeof *column, ascending);
    for (size_t k = 1; k < models->n_models; k++)
        gap = fmin(gap, column[k] - column[k - 1]);
    return gap;
}

static void precompute(const segue_setting *setting, const double *option, void *precomputed)
{
    test_precomputed *test = precomputed;
    double gap = INFINITY;
    for (size_t arm = 0; arm < setting->n_arms; arm++)
        gap = fmin(gap, smallest_gap(setting->models, arm, test->column));
    test->threshold = 2.0 * segue_ln(2.0 / option[0]) / (gap * gap);
}

static size_t nearest_model(const segue_task_view *view, size_t arm)
{
    size_t nearest = 0;
    double distance = INFINITY;
    for (size_t k = 0; k < view->models->n_models; k++) {
        const double d = fabs(segue_models_row(view->models, k)[arm] - average(view, arm));
        if (d < distance) {
            distance = d;
            nearest = k;
        }
    }
    return nearest;
}

static void update(const segue_task_view *view, size_t arm, double reward)
{
    (void)reward;
    const test_precomputed *test = view->precomputed;
    test_state *state = view->state;
    if (state->committed || !((double)view->pulls[arm] > test->threshold))
        return;
    state->committed = true;
    state->arm = view->models->best_arm[nearest_model(view, arm)];
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const test_state *state = view->state;
    const bool follows = state->committed && is_allowed(view, state->arm);
    return by_rule(follows ? state->arm : segue_ucb_arm(view));
}

const segue_policy segue_policy_ucb_test = {
    .name = "ucb-test",
    .summary = "ucb until a test finds the model, then that model's best arm",
    .needs = SEGUE_NEEDS_MODELS,
    .options = segue_ucb_options,
    .n_options = N_UCB_OPTIONS,
    .fill_defaults = segue_ucb_fill_defaults,
    .log_term = segue_ucb_log_term,
    .precomputed_size = precomputed_size,
    .precompute = precompute,
    .state_size = state_size,
    .choose = choose,
    .update = update,
};
