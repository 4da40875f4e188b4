/* kernel.c - run-length fusion of umUCB.
 *
 * While one arm is pulled nothing else changes: neither the other arms' bounds nor which models
 * agree with them.  So choose once, then pull until the choice could change, which takes a few
 * comparisons a step, however many arms and models there are.  Every number is computed by the same
 * operations as in the plain form (bandit/umucb.c), which is also the test of this one.
 *
 * Cost: O(n_arms) a change of arm, O(n_models n_arms) a change of the models that are left.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/batches.h"
#include "bandit/choose.h"
#include "bandit/task.h"
#include "sim/world.h"

#define MOST_STEPS  ((uint64_t)1 << 20) /* of a task: two tables of so many numbers */
#define MOST_MODELS 64                  /* one bit each */

/* What follows from the rewards of one arm. */
typedef struct arm_state {
    double upper;    /* average + radius */
    double promise;  /* the largest mean + eps of a model that is left */
    uint64_t agrees; /* models whose mean is within radius + eps of the average */
} arm_state;

/* While the average c of an arm and its reach r (radius + eps) stay within these, the same models
 * agree with it: high - c <= r, c - low <= r, above - c > r, c - below > r. */
typedef struct band {
    double high, low;    /* the largest and smallest mean of those that agree */
    double above, below; /* the nearest means of those that do not */
} band;

struct segue_kernel {
    size_t n_arms;
    uint64_t steps;  /* the most that a task may have */
    double log_term; /* of the tables; 0: they are not filled yet */
    double *inverse; /* 1 / T, for T = 1 .. steps */
    double *radius;  /* of T rewards */
    arm_state *arm;  /* n_arms */
};

/* One task that is being played. */
typedef struct game {
    const segue_kernel *kernel;
    task_inside in;
    segue_world *world;
    const segue_models *models;
    double eps;
    uint64_t left;        /* steps */
    uint64_t models_left; /* one bit a model: those that agree with every arm */
} game;

/* ---- tables ------------------------------------------------------------------------------ */

segue_status segue_kernel_create(segue_kernel **out, size_t n_arms, uint64_t steps,
                                 segue_error *err)
{
    *out = NULL;
    segue_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a run");
    kernel->n_arms = n_arms;
    kernel->steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    kernel->arm = calloc(n_arms, sizeof *kernel->arm);
    kernel->inverse = calloc(kernel->steps + 1, sizeof *kernel->inverse);
    kernel->radius = calloc(kernel->steps + 1, sizeof *kernel->radius);
    if (!kernel->arm || !kernel->inverse || !kernel->radius) {
        segue_kernel_destroy(kernel);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a run");
    }
    *out = kernel;
    return SEGUE_OK;
}

void segue_kernel_destroy(segue_kernel *kernel)
{
    if (!kernel)
        return;
    free(kernel->inverse);
    free(kernel->radius);
    free(kernel->arm);
    free(kernel);
}

/* Fill the tables, unless they are. */
static void prepare(segue_kernel *kernel, double log_term)
{
    if (kernel->log_term == log_term)
        return;
    for (uint64_t t = 1; t <= kernel->steps; t++) {
        kernel->inverse[t] = 1.0 / (double)t;
        kernel->radius[t] = radius(log_term, (double)t);
    }
    kernel->log_term = log_term;
}

/* ---- choosing ---------------------------------------------------------------------------- */

static double mean_of(const game *g, size_t model, size_t arm)
{
    return segue_models_row(g->models, model)[arm];
}

/* Bring an arm up to date with its counts. */
static void look_at_arm(const game *g, size_t arm)
{
    const uint64_t pulls = g->in.pulls[arm];
    const double average = g->in.sum[arm] * g->kernel->inverse[pulls];
    const double reach = g->kernel->radius[pulls] + g->eps;
    arm_state *state = &g->kernel->arm[arm];
    state->upper = average + g->kernel->radius[pulls];
    state->agrees = 0;
    for (size_t k = 0; g->models && k < g->models->n_models; k++)
        if (!(fabs(mean_of(g, k, arm) - average) > reach))
            state->agrees |= (uint64_t)1 << k;
}

/* Which models are left, and what they promise. */
static void look_at_models(game *g)
{
    arm_state *arms = g->kernel->arm;
    uint64_t left = g->models ? UINT64_MAX : 0;
    for (size_t i = 0; i < g->in.view->n_arms; i++)
        left &= arms[i].agrees;
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        arms[i].promise = left ? -INFINITY : INFINITY; /* without models, UCB */
        for (size_t k = 0; left && k < g->models->n_models; k++)
            if (left >> k & 1)
                arms[i].promise = fmax(arms[i].promise, mean_of(g, k, i) + g->eps);
    }
    g->models_left = left;
}

static double bound_of(const arm_state *state)
{
    return fmin(state->promise, state->upper);
}

/* Of arms whose bounds are equal the plain form takes the first of the first model that has it. */
static size_t first_of_equals(const game *g, double value)
{
    const arm_state *arms = g->kernel->arm;
    for (size_t k = 0; k < g->models->n_models; k++)
        for (size_t i = 0; (g->models_left >> k & 1) && i < g->in.view->n_arms; i++)
            if (fmin(mean_of(g, k, i) + g->eps, arms[i].upper) == value)
                return i;
    return 0; /* not reached: some model has that value */
}

/* The arm to pull, and the bound of the best other one. */
static size_t choose(const game *g, double *other)
{
    const arm_state *arms = g->kernel->arm;
    size_t best = 0, equals = 1;
    double value = bound_of(&arms[0]);
    for (size_t i = 1; i < g->in.view->n_arms; i++) {
        const double bound = bound_of(&arms[i]);
        equals = bound > value ? 1 : equals + (bound == value);
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    if (equals > 1 && g->models_left)
        best = first_of_equals(g, value);
    *other = -INFINITY;
    for (size_t i = 0; i < g->in.view->n_arms; i++)
        if (i != best)
            *other = fmax(*other, bound_of(&arms[i]));
    return best;
}

/* ---- pulling ----------------------------------------------------------------------------- */

static band band_of(const game *g, size_t arm)
{
    band b = {.high = -INFINITY, .low = INFINITY, .above = INFINITY, .below = -INFINITY};
    const double average = g->in.sum[arm] * g->kernel->inverse[g->in.pulls[arm]];
    for (size_t k = 0; g->models && k < g->models->n_models; k++) {
        const double mean = mean_of(g, k, arm);
        if (g->kernel->arm[arm].agrees >> k & 1) {
            b.high = fmax(b.high, mean);
            b.low = fmin(b.low, mean);
        } else if (mean > average) {
            b.above = fmin(b.above, mean);
        } else {
            b.below = fmax(b.below, mean);
        }
    }
    return b;
}

/* Pull `arm` at least once, then on while its bound stays above `other` and the same models agree;
 * returns whether they do. */
static bool pull(game *g, size_t arm, double other)
{
    const double *inverse = g->kernel->inverse, *radii = g->kernel->radius;
    const band b = band_of(g, arm);
    const bool always = isinf(g->eps); /* every model agrees with everything */
    arm_stream *stream = segue_world_stream(g->world, arm);
    const segue_rewards *rewards = segue_world_rewards(g->world);
    double sum = g->in.sum[arm];
    uint64_t pulls = g->in.pulls[arm];
    const uint64_t first = pulls;
    bool same = true, ahead = true;
    do {
        const double x = segue_stream_next(stream, rewards);
        segue_batches_add(g->in.batches, arm, x, pulls);
        sum += x;
        pulls++;
        g->left--;
        const double average = sum * inverse[pulls], reach = radii[pulls] + g->eps;
        same = always || ((b.high - average <= reach) & (average - b.low <= reach) &
                          (b.above - average > reach) & (average - b.below > reach));
        ahead = average + radii[pulls] > other;
    } while (same && ahead && g->left > 0);
    g->in.sum[arm] = sum;
    g->in.pulls[arm] = g->in.asked[arm] = pulls;
    if (g->models && !g->models_left)
        *g->in.no_model_left += pulls - first;
    return same;
}

/* Each arm three times, in turn. */
static void pull_forced(game *g)
{
    const size_t n_arms = g->in.view->n_arms;
    for (size_t i = 0; i < SEGUE_FORCED_PULLS * n_arms && g->left > 0; i++, g->left--) {
        const size_t arm = i % n_arms;
        const double x =
            segue_stream_next(segue_world_stream(g->world, arm), segue_world_rewards(g->world));
        segue_batches_add(g->in.batches, arm, x, g->in.pulls[arm]);
        g->in.sum[arm] += x;
        g->in.pulls[arm]++;
        g->in.asked[arm]++;
    }
}

static void play_umucb(game *g)
{
    pull_forced(g);
    if (g->left == 0) {
        *g->in.last_reason = SEGUE_FORCED;
        return;
    }
    for (size_t i = 0; i < g->in.view->n_arms; i++)
        look_at_arm(g, i);
    look_at_models(g);
    while (g->left > 0) {
        double other = 0.0;
        const size_t arm = choose(g, &other);
        *g->in.last_reason = g->models && !g->models_left ? SEGUE_NO_MODEL_LEFT : SEGUE_BY_RULE;
        const bool same = pull(g, arm, other);
        look_at_arm(g, arm);
        if (!same)
            look_at_models(g);
    }
}

bool segue_kernel_play(segue_kernel *kernel, segue_task *task, segue_world *world, uint64_t steps,
                       double *regret)
{
    game g = {.kernel = kernel, .in = segue_task_inside(task), .world = world, .left = steps};
    const segue_view *view = g.in.view;
    g.models = view->models;
    if (strcmp(g.in.policy->name, "umucb") != 0 || !g.in.unit_range || steps > kernel->steps ||
        view->n_arms > kernel->n_arms || (g.models && g.models->n_models > MOST_MODELS))
        return false;
    prepare(kernel, view->log_term);
    g.eps = view->option[1];
    play_umucb(&g);
    *g.in.step = steps;
    *regret = segue_world_regret(world, g.in.pulls);
    return true;
}
