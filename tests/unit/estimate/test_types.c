/* test_types.c - types of tasks: against a plain form, on made tasks, and at the extremes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <float.h>

#include "estimate/types/change.h"
#include "estimate/types/em.h"
#include "estimate/types/mixture_refit.h"
#include "estimate/types/types_read.h"
#include "estimate/types/types_internal.h"

enum { MOST_ARMS = 8 };

/* ---- tasks ------------------------------------------------------------------------------- */

/* A finished task of these means: `pulls` pulls of every arm, the last arms fewer if it is uneven;
 * rewards are 0 or 1, or the mean of two such. */
static void play(segue_rng *rng, size_t n_arms, const double *mean, size_t pulls, bool uneven,
                 bool whole, double *sum, double *pulled)
{
    for (size_t i = 0; i < n_arms; i++) {
        const size_t n = uneven ? random_between(rng, 0, pulls >> i) : pulls;
        sum[i] = 0.0;
        pulled[i] = (double)n;
        for (size_t t = 0; t < n; t++) {
            const double first = segue_rng_uniform(rng) < mean[i] ? 1.0 : 0.0;
            const double second = segue_rng_uniform(rng) < mean[i] ? 1.0 : 0.0;
            sum[i] += whole ? first : 0.3 * first + 0.7 * second;
        }
    }
}

static task_window random_tasks(segue_rng *rng, size_t n_arms, size_t count, bool whole)
{
    double mean[3 * MOST_ARMS], sum[MOST_ARMS], pulls[MOST_ARMS];
    task_window tasks;
    segue_task_window_init(&tasks, n_arms, count);
    assert_ok(segue_task_window_reserve(&tasks, count, NULL));
    for (size_t i = 0; i < 3 * n_arms; i++)
        mean[i] = segue_rng_uniform(rng);
    for (size_t l = 0; l < count; l++) {
        const double *model = mean + random_between(rng, 0, 2) * n_arms;
        play(rng, n_arms, model, random_between(rng, 0, 60), l % 2 == 0, whole, sum, pulls);
        segue_task_window_add(&tasks, l + 1, sum, pulls);
    }
    return tasks;
}

/* Types as they may be in the middle of a fit. */
static mixture random_mixture(segue_rng *rng, size_t n_arms, size_t n_types)
{
    mixture mix;
    double size[MAX_TYPES + 1];
    assert_ok(segue_mixture_init(&mix, n_arms, MAX_TYPES, NULL));
    mix.n_types = n_types;
    for (size_t q = 0; q <= n_types; q++)
        size[q] = 20.0 * segue_rng_uniform(rng);
    segue_mixture_set_weights(&mix, size, 40);
    for (size_t q = 1; q <= n_types; q++)
        for (size_t i = 0; i < n_arms; i++) {
            const double pulls = 300.0 * segue_rng_uniform(rng);
            segue_mixture_set(&mix, q, i, pulls * segue_rng_uniform(rng), pulls,
                              random_between(rng, 0, N_SPREADS - 1));
        }
    return mix;
}

static segue_types *new_types(size_t n_arms, uint64_t seed)
{
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL;
    config.n_arms = n_arms;
    config.seed = seed;
    assert_ok(segue_types_create(&types, &config, NULL));
    return types;
}

static void finish(segue_types *types, const double *sum, const double *pulls)
{
    assert_ok(segue_types_add_task(types, sum, pulls, NULL));
    if (segue_types_due(types))
        assert_ok(segue_types_refit(types, NULL));
    assert_false(segue_types_due(types));
}

/* Tasks of the paper's models in equal shares, `pulls` pulls an arm. */
static void finish_paper_tasks(segue_types *types, segue_rng *rng, int count, size_t pulls)
{
    segue_models *models = paper_models();
    double sum[7], pulled[7];
    for (int j = 0; j < count; j++) {
        play(rng, 7, models->mean + random_between(rng, 0, 4) * 7, pulls, false, true, sum, pulled);
        finish(types, sum, pulled);
    }
    segue_models_destroy(models);
}

/* ---- the plain form, in long double ------------------------------------------------------- */

typedef long double real;

static real plain_ratio(real a, real b, real won, real lost)
{
    return lgammal(a + won) + lgammal(b + lost) - lgammal(a + b + won + lost) - lgammal(a) -
           lgammal(b) + lgammal(a + b);
}

static real plain_fit(const mixture *mix, size_t q, const double *sum, const double *pulls)
{
    real fit = 0;
    for (size_t i = 0; i < mix->n_arms; i++) {
        const size_t at = q * mix->n_arms + i;
        const real p = (1 + (real)mix->won[at]) / (2 + (real)mix->pulls[at]);
        const real c =
            1 / (1 / (real)segue_mixture_kappa(mix->spread[at]) + 1 / ((real)mix->pulls[at] + 2));
        const real a = q == 0 ? 1 : c * p, b = q == 0 ? 1 : c * (1 - p);
        fit += plain_ratio(a, b, (real)sum[i], (real)pulls[i] - (real)sum[i]);
    }
    return fit;
}

/* Shares of a task; returns the logarithm of its likelihood. */
static real plain_shares(const mixture *mix, const double *sum, const double *pulls, real *share)
{
    real best = -INFINITY, total = 0;
    for (size_t q = 0; q <= mix->n_types; q++) {
        share[q] = logl((real)mix->weight[q]) + plain_fit(mix, q, sum, pulls);
        best = fmaxl(best, share[q]);
    }
    for (size_t q = 0; q <= mix->n_types; q++)
        total += expl(share[q] - best);
    for (size_t q = 0; q <= mix->n_types; q++)
        share[q] = expl(share[q] - best) / total;
    return best + logl(total);
}

static real plain_objective(const mixture *mix, const task_window *tasks)
{
    real sum = 0, cost = 0, share[MAX_TYPES + 1];
    for (size_t l = 0; l < tasks->count; l++)
        sum += plain_shares(mix, segue_task_window_sum(tasks, l), segue_task_window_pulls(tasks, l),
                            share);
    for (size_t q = 1; q <= mix->n_types; q++) {
        cost += 0.5L * logl(1 + (real)tasks->count);
        for (size_t i = 0; i < mix->n_arms; i++) {
            const size_t at = q * mix->n_arms + i;
            if (mix->pulls[at] > 0)
                cost += 0.5L * logl(1 + (real)mix->pulls[at] / 1.57L) + 0.1L * mix->spread[at];
        }
    }
    return sum - cost;
}

typedef struct plain_arm {
    real won, pulls;
    size_t spread;
} plain_arm;

static void plain_count(plain_arm *arm, const task_window *tasks, size_t i, const double *share)
{
    const real kappa = segue_mixture_kappa(arm->spread);
    arm->won = arm->pulls = 0;
    for (size_t l = 0; l < tasks->count; l++) {
        const real pulls = segue_task_window_pulls(tasks, l)[i],
                   won = segue_task_window_sum(tasks, l)[i];
        if (share[l] <= 1e-3 || pulls <= 0)
            continue;
        arm->won += share[l] * (kappa + 1) / (kappa + pulls) * won;
        arm->pulls += share[l] * (kappa + 1) / (kappa + pulls) * pulls;
    }
}

static real plain_value(const task_window *tasks, size_t i, const double *share, real p, size_t spread)
{
    const real kappa = segue_mixture_kappa(spread);
    real value = -0.1L * (real)spread;
    for (size_t l = 0; l < tasks->count; l++) {
        const real pulls = segue_task_window_pulls(tasks, l)[i],
                   won = segue_task_window_sum(tasks, l)[i];
        if (share[l] > 1e-3)
            value += share[l] * plain_ratio(kappa * p, kappa * (1 - p), won, pulls - won);
    }
    return value;
}

static plain_arm plain_maximise(const task_window *tasks, size_t i, const double *share, size_t spread)
{
    plain_arm arm = {.spread = spread};
    plain_count(&arm, tasks, i, share);
    if (!(arm.pulls > 0))
        return arm;
    const real p = (1 + arm.won) / (2 + arm.pulls);
    for (size_t g = spread > 0 ? spread - 1 : 0; g <= spread + 1 && g < N_SPREADS; g++)
        if (plain_value(tasks, i, share, p, g) > plain_value(tasks, i, share, p, arm.spread))
            arm.spread = g;
    plain_count(&arm, tasks, i, share);
    return arm;
}

/* ---- against it -------------------------------------------------------------------------- */

/* Numbers of up to some 1e4, made of some hundred terms whose references are differences of
 * ln Gamma up to 1e7 (in double precision under valgrind: 1e-9 each). */
#define CLOSE (LDBL_EPSILON < 1e-18L && repeats(10) == 10 ? 1e-9 : 1e-5)

static void likelihoods_and_shares_are_those_of_the_plain_form(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < (uint64_t)repeats(20); trial++) {
        segue_rng rng;
        segue_rng_init(&rng, 71, trial, 0, 0);
        const size_t n_arms = random_between(&rng, 2, MOST_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, 40, trial % 2 == 0);
        mixture mix = random_mixture(&rng, n_arms, random_between(&rng, 1, MAX_TYPES));
        em fit;
        assert_ok(segue_em_init(&fit, &tasks, &mix, NULL));
        for (size_t l = 0; l < tasks.count; l++) {
            const double *sum = segue_task_window_sum(&tasks, l),
                         *pulls = segue_task_window_pulls(&tasks, l);
            real share[MAX_TYPES + 1];
            double seen[MAX_TYPES + 1];
            const double all = (double)plain_shares(&mix, sum, pulls, share);
            assert_near(segue_mixture_posterior(&mix, sum, pulls, seen), all, CLOSE);
            assert_near(fit.now.log_likelihood[l], all, CLOSE);
            for (size_t q = 0; q <= mix.n_types; q++) {
                const double one = (double)plain_fit(&mix, q, sum, pulls);
                assert_near(segue_mixture_log_likelihood(&mix, q, sum, pulls), one, CLOSE);
                assert_near(fit.now.fit[q * tasks.count + l], one, CLOSE);
                assert_near(seen[q], (double)share[q], CLOSE);
                assert_near(fit.now.share[q * tasks.count + l], (double)share[q], CLOSE);
            }
        }
        assert_near(fit.now.objective, (double)plain_objective(&mix, &tasks), 100 * CLOSE);
        segue_em_fini(&fit);
        segue_mixture_fini(&mix);
        segue_task_window_fini(&tasks);
    }
}

static void maximising_is_that_of_the_plain_form(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < (uint64_t)repeats(20); trial++) {
        segue_rng rng;
        segue_rng_init(&rng, 72, trial, 0, 0);
        const size_t n_arms = random_between(&rng, 2, MOST_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, 40, trial % 2 == 0);
        mixture mix = random_mixture(&rng, n_arms, 4);
        em fit;
        assert_ok(segue_em_init(&fit, &tasks, &mix, NULL));
        for (size_t q = 1; q <= 4; q++) {
            segue_em_maximise(&fit, q);
            for (size_t i = 0; i < n_arms; i++) {
                const size_t at = q * n_arms + i;
                const plain_arm arm =
                    plain_maximise(&tasks, i, fit.now.share + q * tasks.count, mix.spread[at]);
                assert_int_equal(fit.now.mix.spread[at], arm.spread);
                assert_near(fit.now.mix.won[at], (double)arm.won, 1e-9);
                assert_near(fit.now.mix.pulls[at], (double)arm.pulls, 1e-9);
            }
        }
        segue_em_fini(&fit);
        segue_mixture_fini(&mix);
        segue_task_window_fini(&tasks);
    }
}

static void no_sweep_lowers_the_objective(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < (uint64_t)repeats(50); trial++) {
        segue_rng rng;
        segue_rng_init(&rng, 73, trial, 0, 0);
        const size_t n_arms = random_between(&rng, 2, MOST_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, random_between(&rng, 1, 80), trial % 2 == 0);
        mixture mix = random_mixture(&rng, n_arms, random_between(&rng, 1, 6));
        em fit;
        assert_ok(segue_em_init(&fit, &tasks, &mix, NULL));
        for (int s = 0; s < 12; s++) {
            const double before = fit.now.objective;
            segue_em_sweeps(&fit, 1);
            assert_true(fit.now.objective >= before);
            assert_near(fit.now.objective, (double)plain_objective(&fit.now.mix, &tasks),
                        100 * CLOSE);
        }
        segue_em_fini(&fit);
        segue_mixture_fini(&mix);
        segue_task_window_fini(&tasks);
    }
}

/* Births and deaths change the number of types: then the objective has grown, and else it is at
 * least what sweeps alone make of it. */
static void births_and_deaths_only_raise_the_objective(void **state)
{
    (void)state;
    size_t born = 0, died = 0;
    for (uint64_t trial = 0; trial < (uint64_t)repeats(60); trial++) {
        segue_rng rng;
        segue_rng_init(&rng, 74, trial, 0, 0);
        const size_t n_arms = random_between(&rng, 2, MOST_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, random_between(&rng, 8, 80), true);
        const size_t n_types = random_between(&rng, 1, 5);
        mixture mix = random_mixture(&rng, n_arms, n_types);
        em fit;
        assert_ok(segue_em_init(&fit, &tasks, &mix, NULL));
        segue_em_sweeps(&fit, 8);
        assert_ok(segue_mixture_refit(&mix, &tasks, 0, tasks.count, &rng, NULL));
        em after;
        assert_ok(segue_em_init(&after, &tasks, &mix, NULL));
        if (mix.n_types == n_types)
            assert_true(after.now.objective >= fit.now.objective);
        else
            assert_true(after.now.objective > fit.now.objective);
        born += mix.n_types > n_types;
        died += mix.n_types < n_types;
        segue_em_fini(&fit);
        segue_em_fini(&after);
        segue_mixture_fini(&mix);
        segue_task_window_fini(&tasks);
    }
    assert_true(repeats(10) < 10 || (born > 0 && died > 0)); /* both do happen */
}

/* ---- made tasks -------------------------------------------------------------------------- */

/* The paper's five models, 200 pulls of every arm, 300 tasks.  Of 200 other seeds none came to
 * another number than five; with a chance of 2 % each, 6 of 10 do so with one of 210 * 0.02^6
 * = 1.3e-8.  A type has about 60 tasks, 12000 pulls of an arm: its mean is off by 0.0046 (1 s.e.)
 * at most, and by 0.05, in any of 350, with a chance far below 1e-6. */
static void five_types_are_found(void **state)
{
    (void)state;
    const int seeds = repeats(10);
    segue_models *models = paper_models();
    int right = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        segue_rng rng;
        segue_rng_init(&rng, 75, seed, 0, 0);
        segue_types *types = new_types(7, seed);
        finish_paper_tasks(types, &rng, 300, 200);
        right += segue_types_count(types) == 5;
        for (size_t k = 0; k < 5 && segue_types_count(types) == 5; k++) {
            double least = 1.0;
            for (size_t q = 1; q <= 5; q++) {
                double most = 0.0;
                for (size_t i = 0; i < 7; i++)
                    most = fmax(most,
                                fabs(segue_types_arm(types, q, i).mean - models->mean[k * 7 + i]));
                least = fmin(least, most);
            }
            assert_true(least < 0.05);
        }
        segue_types_destroy(types);
    }
    assert_true(2 * right >= seeds - 1);
    segue_models_destroy(models);
}

/* Tasks that share nothing, every mean uniform: they are said to be of no type, or of types so wide
 * that a new task is played as if nothing were known.  Of 200 other seeds none came to more than
 * two types; with 2 %, 6 of 10 do so with a chance of 1.3e-8.  The standard deviation of a new
 * task's mean was never below 0.276. */
static void tasks_that_share_nothing_do_no_harm(void **state)
{
    (void)state;
    const int seeds = repeats(10);
    int few = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        double mean[7], sum[7], pulls[7], weight[SEGUE_MAX_TYPES_COUNT + 1], spread = 0.0;
        segue_rng rng;
        segue_rng_init(&rng, 76, seed, 0, 0);
        segue_types *types = new_types(7, seed);
        for (int j = 0; j < 200; j++) {
            for (size_t i = 0; i < 7; i++)
                mean[i] = segue_rng_uniform(&rng);
            play(&rng, 7, mean, 30, false, true, sum, pulls);
            finish(types, sum, pulls);
        }
        few += segue_types_count(types) <= 2;
        segue_types_prior(types, weight);
        for (size_t q = 0; q <= segue_types_count(types); q++)
            for (size_t i = 0; i < 7; i++) {
                const double a = segue_types_a(types)[q * 7 + i];
                const double b = segue_types_b(types)[q * 7 + i];
                spread += weight[q] / 7 * sqrt(a * b / (a + b + 1)) / (a + b);
            }
        assert_true(spread > 0.2); /* a uniform number has 0.289 */
        segue_types_destroy(types);
    }
    assert_true(2 * few >= seeds - 1);
}

/* Another set of types from task 200 on: the alarm, or that the old ones are gone, brings fits, and
 * the old ones are given up. */
static void types_that_are_gone_are_given_up(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 77, 0, 0, 0);
    const double old[2][3] = {{0.9, 0.1, 0.5}, {0.1, 0.9, 0.5}};
    const double fresh[2][3] = {{0.5, 0.5, 0.05}, {0.4, 0.3, 0.95}};
    segue_types *types = new_types(3, 1);
    double sum[3], pulls[3], share[SEGUE_MAX_TYPES_COUNT + 1];
    for (int j = 0; j < 400; j++) {
        const double *mean = j < 200 ? old[j % 2] : fresh[j % 2];
        play(&rng, 3, mean, 100, false, true, sum, pulls);
        finish(types, sum, pulls);
        if (j == 199)
            assert_int_equal(segue_types_count(types), 2);
    }
    assert_int_equal(segue_types_count(types), 2);
    assert_true(segue_types_in_window(types) <= 200); /* of 400: all the old ones are gone too */
    play(&rng, 3, old[0], 100, false, true, sum, pulls);
    (void)segue_types_posterior(types, sum, pulls, share);
    assert_true(share[0] > 0.99); /* it is of no type any more */
    segue_types_destroy(types);
}

/* 2 x `side` tasks, of the first two models up to the middle and of the last two after it. */
static task_window tasks_of_two_times(segue_rng *rng, const double mean[4][3], size_t side)
{
    task_window tasks;
    double sum[3], pulls[3];
    segue_task_window_init(&tasks, 3, 512);
    assert_ok(segue_task_window_reserve(&tasks, 2 * side, NULL));
    for (size_t l = 0; l < 2 * side; l++) {
        play(rng, 3, mean[2 * (l / side) + l % 2], 100, false, true, sum, pulls);
        segue_task_window_add(&tasks, l + 1, sum, pulls);
    }
    return tasks;
}

/* Whether a change is seen in the middle, where there may be one. */
static bool is_change_seen(segue_rng *rng, const double mean[4][3], size_t side)
{
    task_window tasks = tasks_of_two_times(rng, mean, side);
    const segue_change_point cut = {.last = side, .now = 2 * side};
    bool has_changed = false;
    mixture mix;
    assert_ok(segue_mixture_init(&mix, 3, 16, NULL));
    assert_ok(segue_mixture_refit(&mix, &tasks, 0, cut.now, rng, NULL));
    assert_ok(segue_change_detect(&has_changed, &mix, &tasks, &cut, rng, NULL));
    segue_change_forget(&tasks, &cut);
    assert_int_equal(tasks.count, side);
    segue_mixture_fini(&mix);
    segue_task_window_fini(&tasks);
    return has_changed;
}

/* Two types that stay; two others; and too few tasks to tell.  The models are so far apart that
 * 100 pulls of each arm tell them with an error below 1e-9 a task. */
static void a_change_is_told_from_none(void **state)
{
    (void)state;
    const double same[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.9, .1, .5}, {.1, .9, .5}};
    const double others[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .5, .05}, {.4, .3, .95}};
    segue_rng rng;
    segue_rng_init(&rng, 78, 0, 0, 0);
    for (size_t side = 4; side <= 128; side *= 2) {
        assert_false(is_change_seen(&rng, same, side));
        assert_int_equal(is_change_seen(&rng, others, side), side >= MIN_SIDE);
    }
}

/* After a change there are no types for eight tasks, and nothing is kept of what was before. */
static void a_change_begins_anew(void **state)
{
    (void)state;
    const double mean[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .5, .05}, {.4, .3, .95}};
    segue_rng rng;
    segue_rng_init(&rng, 79, 0, 0, 0);
    segue_types *types = new_types(3, 1);
    double sum[3], pulls[3];
    size_t without = 0;
    for (size_t j = 0; j < 260; j++) {
        play(&rng, 3, mean[2 * (j / 200) + j % 2], 100, false, true, sum, pulls);
        finish(types, sum, pulls);
        without += j >= 200 && segue_types_count(types) == 0;
    }
    assert_int_equal(without, 8);
    assert_int_equal(segue_types_count(types), 2);
    assert_int_equal(segue_types_in_window(types), 60);
    segue_types_destroy(types);
}

/* When fits are due: at 8 tasks, 12, 16, 20, 26, ... */
static void fits_are_due_as_tasks_grow(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    uint64_t due = 8;
    for (uint64_t j = 1; j <= 100; j++) {
        const double sum[2] = {8, 2}, pulls[2] = {10, 10};
        assert_ok(segue_types_add_task(types, sum, pulls, NULL));
        assert_int_equal(segue_types_due(types), j == due);
        if (j < due)
            continue;
        assert_ok(segue_types_refit(types, NULL));
        due = j + (j * 3 / 10 > 4 ? j * 3 / 10 : 4);
    }
    segue_types_destroy(types);
}

static void a_surprise_raises_none_at_once(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    const double sum[2] = {90, 10}, other[2] = {10, 90}, pulls[2] = {100, 100};
    double before[SEGUE_MAX_TYPES_COUNT + 1], after[SEGUE_MAX_TYPES_COUNT + 1];
    for (int j = 0; j < 100; j++)
        finish(types, sum, pulls);
    segue_types_prior(types, before);
    assert_true(before[0] >= 0.005 && before[0] < 0.011); /* 1 of 102 */
    for (int k = 1; k <= 3; k++)
        assert_ok(segue_types_add_task(types, other, pulls, NULL));
    segue_types_prior(types, after);
    assert_true(after[0] > 0.4); /* 1 - 0.8^3 = 0.488 */
    assert_near(after[0] + after[1], 1.0, 1e-12);
    assert_false(segue_types_due(types));
    assert_ok(segue_types_add_task(types, other, pulls, NULL));
    assert_true(segue_types_due(types)); /* 4 (1 - w) > 3 */
    segue_types_destroy(types);
}

/* The cap holds, and a hint does no more than help the first fit. */
static void a_cap_holds(void **state)
{
    (void)state;
    for (size_t cap = 1; cap <= 3; cap++) {
        segue_rng rng;
        segue_rng_init(&rng, 78, cap, 0, 0);
        segue_types_config config = segue_types_defaults();
        segue_types *types = NULL;
        config.n_arms = 7;
        config.cap = cap;
        config.hint = 12;
        assert_ok(segue_types_create(&types, &config, NULL));
        finish_paper_tasks(types, &rng, repeats(200), 100);
        assert_true(segue_types_count(types) <= cap);
        segue_types_destroy(types);
    }
}

/* ---- extremes ---------------------------------------------------------------------------- */

static void check_numbers(const segue_types *types)
{
    const size_t n_types = segue_types_count(types), n = segue_types_arms(types);
    double prior[SEGUE_MAX_TYPES_COUNT + 1], weights = 0.0, priors = 0.0;
    segue_types_prior(types, prior);
    for (size_t q = 0; q <= n_types; q++) {
        weights += segue_types_weights(types)[q];
        priors += prior[q];
        assert_true(prior[q] > 0.0 && segue_types_weights(types)[q] > 0.0);
    }
    assert_near(weights, 1.0, 1e-12);
    assert_near(priors, 1.0, 1e-12);
    assert_true(n_types == 0 || segue_types_weights(types)[0] >= 0.005);
    for (size_t k = 0; k < (n_types + 1) * n; k++)
        assert_true(segue_types_a(types)[k] > 0.0 && segue_types_b(types)[k] > 0.0 &&
                    isfinite(segue_types_a(types)[k] + segue_types_b(types)[k]));
    for (size_t q = 1; q <= n_types; q++)
        for (size_t i = 0; i < n; i++) {
            const segue_type_arm arm = segue_types_arm(types, q, i);
            assert_true(arm.low >= 0.0 && arm.low <= arm.mean && arm.mean <= arm.high &&
                        arm.high <= 1.0);
        }
    const segue_types_fit fit = segue_types_evaluate(types);
    double size = 0.0;
    for (size_t q = 0; q <= n_types; q++)
        size += fit.size[q];
    assert_near(size, (double)segue_types_in_window(types), 1e-6);
    assert_true(isfinite(fit.log_likelihood) && fit.objective <= fit.log_likelihood);
}

typedef void (*make_task)(int j, double *sum, double *pulls);

static void all_zeros(int j, double *sum, double *pulls)
{
    sum[0] = sum[1] = sum[2] = 0;
    pulls[0] = pulls[1] = pulls[2] = 10 + j % 3;
}

static void all_ones(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    memcpy(sum, pulls, 3 * sizeof *sum);
}

static void one_arm_is_best(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    sum[1] = pulls[1] = 1e6;
}

static void some_arms_are_never_pulled(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    pulls[0] = pulls[2] = 0;
    sum[1] = j % 5;
}

static void nothing_is_pulled(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    pulls[0] = pulls[1] = pulls[2] = 0;
}

static void one_pull(int j, double *sum, double *pulls)
{
    nothing_is_pulled(j, sum, pulls);
    pulls[j % 3] = 1;
    sum[j % 3] = j % 2;
}

static void the_longest(int j, double *sum, double *pulls)
{
    for (size_t i = 0; i < 3; i++) {
        pulls[i] = 1e15;
        sum[i] = (size_t)j % 3 == i ? 1e15 : 0.0;
    }
}

static void short_and_long(int j, double *sum, double *pulls)
{
    (j % 2 ? the_longest : one_pull)(j, sum, pulls);
}

static void fractions(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    for (size_t i = 0; i < 3; i++)
        sum[i] = pulls[i] * (0.5 + 0.5 * sin(j + 2.0 * (double)i));
}

static void extremes_stay_finite(void **state)
{
    (void)state;
    const make_task makers[] = {
        all_zeros,         all_ones, one_arm_is_best, some_arms_are_never_pulled,
        nothing_is_pulled, one_pull, the_longest,     short_and_long,
        fractions};
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
        segue_types *types = new_types(3, 1);
        double sum[3], pulls[3];
        for (int j = 0; j < repeats(10000); j++) {
            makers[k](j, sum, pulls);
            finish(types, sum, pulls);
            if (j % 100 == 0)
                check_numbers(types);
        }
        check_numbers(types);
        segue_types_destroy(types);
    }
}

static void a_hundred_thousand_equal_tasks_are_one_type(void **state)
{
    (void)state;
    segue_types *types = new_types(3, 1);
    const double sum[3] = {5, 1, 9}, pulls[3] = {10, 2, 10};
    for (int j = 0; j < repeats(100000); j++)
        finish(types, sum, pulls);
    check_numbers(types);
    assert_int_equal(segue_types_count(types), 1);
    assert_near(segue_types_arm(types, 1, 2).mean, 0.9, 0.01);
    segue_types_destroy(types);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1), *none = NULL;
    const double wrong[][4] = {{-1, 0, 1, 1},       {2, 0, 1, 1},        {NAN, 0, 1, 1},
                               {0, 0, 1, NAN},      {0, 0, INFINITY, 1}, {0, 0, 1, 1e16},
                               {0, INFINITY, 1, 1}, {0, 0, -1, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(segue_types_add_task(types, wrong[k], wrong[k] + 2, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_types_tasks(types), 0);
    segue_types_config config = segue_types_defaults();
    config.n_arms = 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config = segue_types_defaults();
    config.window = SEGUE_MIN_TYPES_WINDOW - 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config.window = SEGUE_MAX_TYPES_WINDOW + 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config = segue_types_defaults();
    config.cap = 0;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config.cap = SEGUE_MAX_TYPES_COUNT + 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    assert_null(none);
    segue_types_destroy(types);
}

/* A million tasks that are of no type, without a fit. */
static void a_type_that_is_not_seen_keeps_a_weight(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    const double sum[2] = {90, 10}, pulls[2] = {100, 100}, share[2] = {1.0, 0.0};
    for (int j = 0; j < 20; j++)
        finish(types, sum, pulls);
    assert_int_equal(segue_types_count(types), 1);
    for (int j = 0; j < repeats(1000000); j++)
        segue_mixture_learn(&types->mix, types->tasks.count, share, sum, pulls);
    check_numbers(types);
    segue_types_destroy(types);
}

/* A refit of nothing is nothing. */
static void without_tasks_there_are_no_types(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    double weight[1];
    assert_ok(segue_types_refit(types, NULL));
    check_numbers(types);
    segue_types_prior(types, weight);
    assert_int_equal(segue_types_count(types), 0);
    assert_near(weight[0], 1.0, 0.0);
    segue_types_destroy(types);
}

/* ---- copies, bytes, pools ---------------------------------------------------------------- */

static segue_bytes bytes_of(const segue_types *types)
{
    segue_bytes b = {.data = NULL};
    segue_types_serialize(types, &b);
    assert_false(b.failed);
    return b;
}

static void assert_same(const segue_types *a, const segue_types *b)
{
    segue_bytes left = bytes_of(a), right = bytes_of(b);
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
    segue_bytes_fini(&left);
    segue_bytes_fini(&right);
}

static segue_types *reread(const segue_types *types, uint64_t seed)
{
    segue_bytes b = bytes_of(types);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    segue_types *again = new_types(segue_types_arms(types), seed);
    assert_ok(segue_types_deserialize(again, &r, NULL));
    assert_int_equal(r.at, r.size);
    segue_bytes_fini(&b);
    return again;
}

/* Both go on with the same tasks, and stay the same to the last bit; also over a full window. */
static void what_is_saved_goes_on_bit_for_bit(void **state)
{
    (void)state;
    const int counts[] = {0, 5, 60, 700};
    for (size_t k = 0; k < (repeats(10) < 10 ? 3 : 4); k++) {
        segue_rng rng, same;
        segue_rng_init(&rng, 79, k, 0, 0);
        segue_types *types = new_types(7, 5);
        finish_paper_tasks(types, &rng, counts[k], 20);
        segue_types *again = reread(types, 5);
        assert_same(types, again);
        same = rng;
        finish_paper_tasks(types, &rng, 300, 20);
        finish_paper_tasks(again, &same, 300, 20);
        assert_same(types, again);
        segue_types_destroy(types);
        segue_types_destroy(again);
    }
}

static void broken_bytes_are_refused(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 80, 0, 0, 0);
    segue_types *types = new_types(7, 5);
    finish_paper_tasks(types, &rng, 20, 20);
    segue_bytes b = bytes_of(types);
    for (size_t size = 0; size < b.size; size += 7) { /* cut short */
        segue_bytes_reader r = {.data = b.data, .size = size};
        segue_types *again = new_types(7, 5);
        assert_int_equal(segue_types_deserialize(again, &r, NULL), SEGUE_EDOMAIN);
        segue_types_destroy(again);
    }
    for (size_t at = 0; at + 8 <= b.size; at += 8) { /* a number that is none */
        unsigned char kept[8];
        memcpy(kept, b.data + at, 8);
        memset(b.data + at, 0xff, 8);
        segue_bytes_reader r = {.data = b.data, .size = b.size};
        segue_types *again = new_types(7, 5);
        if (segue_types_deserialize(again, &r, NULL) == SEGUE_OK)
            check_numbers(again);
        segue_types_destroy(again);
        memcpy(b.data + at, kept, 8);
    }
    segue_bytes_fini(&b);
    segue_types_destroy(types);
}

/* A copy is refitted while tasks go on; then nothing shows of it: the same tasks finished in the
 * refitted types give the same. */
static void a_refitted_copy_is_adopted_with_what_came_meanwhile(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 81, 0, 0, 0);
    segue_models *models = paper_models();
    for (int meanwhile = 0; meanwhile <= 30; meanwhile += 15) {
        segue_types *types = new_types(7, 5), *copy = NULL, *plain = NULL;
        finish_paper_tasks(types, &rng, 40, 30);
        assert_ok(segue_types_copy(&copy, types, NULL));
        assert_same(types, copy);
        assert_ok(segue_types_copy(&plain, types, NULL));
        assert_ok(segue_types_refit(copy, NULL));
        assert_ok(segue_types_refit(plain, NULL));
        for (int j = 0; j < meanwhile; j++) {
            double sum[7], pulls[7];
            play(&rng, 7, models->mean + j % 5 * 7, 30, false, true, sum, pulls);
            assert_ok(segue_types_add_task(types, sum, pulls, NULL));
            assert_ok(segue_types_add_task(plain, sum, pulls, NULL));
        }
        assert_ok(segue_types_adopt(types, copy, NULL));
        assert_same(types, plain);
        segue_types_destroy(types);
        segue_types_destroy(copy);
        segue_types_destroy(plain);
    }
    segue_models_destroy(models);
}

static void only_copies_are_adopted(void **state)
{
    (void)state;
    const double sum[3] = {0}, pulls[3] = {0};
    segue_types *types = new_types(3, 1), *copy = NULL, *other = new_types(3, 2);
    assert_ok(segue_types_copy(&copy, types, NULL));
    assert_int_equal(segue_types_adopt(types, other, NULL), SEGUE_EDOMAIN);
    assert_ok(segue_types_add_task(copy, sum, pulls, NULL)); /* it is ahead */
    assert_int_equal(segue_types_adopt(types, copy, NULL), SEGUE_EDOMAIN);
    assert_ok(segue_types_add_task(types, sum, pulls, NULL));
    assert_ok(segue_types_resize(types, 4, NULL));
    assert_int_equal(segue_types_adopt(types, copy, NULL), SEGUE_EDOMAIN);
    segue_types_destroy(types);
    segue_types_destroy(copy);
    segue_types_destroy(other);
}

/* One has seen two types, the other two more: together they know all four. */
static void merged_types_know_what_both_knew(void **state)
{
    (void)state;
    const double mean[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .1, .9}, {.1, .5, .1}};
    segue_rng rng;
    segue_rng_init(&rng, 82, 0, 0, 0);
    segue_types *left = new_types(3, 1), *right = new_types(3, 2), *wider = new_types(4, 1);
    double sum[3], pulls[3];
    for (int j = 0; j < 120; j++) {
        play(&rng, 3, mean[j % 2], 100, false, true, sum, pulls);
        finish(left, sum, pulls);
        play(&rng, 3, mean[2 + j % 2], 100, false, true, sum, pulls);
        finish(right, sum, pulls);
    }
    assert_ok(segue_types_merge(left, right, NULL));
    assert_int_equal(segue_types_tasks(left), 240);
    assert_int_equal(segue_types_in_window(left), 240);
    assert_int_equal(segue_types_count(left), 4);
    assert_int_equal(segue_types_count(right), 2);
    check_numbers(left);
    assert_int_equal(segue_types_merge(left, wider, NULL), SEGUE_EDOMAIN);
    segue_types_destroy(left);
    segue_types_destroy(right);
    segue_types_destroy(wider);
}

/* Of full windows, the newer halves stay, in turn and in their order. */
static void merged_windows_keep_the_newest_of_both(void **state)
{
    (void)state;
    segue_types_config config = segue_types_defaults();
    config.window = 16;
    segue_types *both[2];
    for (size_t k = 0; k < 2; k++) {
        assert_ok(segue_types_create(&both[k], &config, NULL));
        for (int j = 0; j < (k ? 20 : 6); j++) {
            const double sum[2] = {0, 0}, pulls[2] = {100.0 * (double)k + j, 1};
            finish(both[k], sum, pulls);
        }
    }
    assert_ok(segue_types_merge(both[0], both[1], NULL));
    const double expected[16] = {110, 111, 112, 113, 114, 0, 115, 1,
                                 116, 2,   117, 3,   118, 4, 119, 5};
    double seen[16];
    for (size_t l = 0; l < 16; l++) {
        seen[l] = segue_task_window_pulls(&both[0]->tasks, l)[0];
        assert_int_equal(segue_task_window_number(&both[0]->tasks, l), 26 - 15 + l);
        assert_near(seen[l], expected[l], 0.0);
    }
    segue_types_destroy(both[0]);
    segue_types_destroy(both[1]);
}

/* A new arm is unknown to every type until it is pulled; the others are as they were. */
static void an_arm_can_be_added(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    const double sum[3] = {9, 1, 8}, pulls[3] = {10, 10, 10};
    for (int j = 0; j < 40; j++)
        finish(types, sum, pulls);
    const segue_type_arm before = segue_types_arm(types, 1, 0);
    assert_ok(segue_types_resize(types, 3, NULL));
    assert_int_equal(segue_types_arms(types), 3);
    assert_near(segue_types_arm(types, 1, 0).mean, before.mean, 0.0);
    const segue_type_arm added = segue_types_arm(types, 1, 2);
    assert_near(added.mean, 0.5, 0.0);
    assert_near(added.low, 0.0, 1e-12);
    assert_near(added.high, 1.0, 1e-12);
    assert_near(segue_types_a(types)[5], segue_types_b(types)[5], 0.0);
    for (int j = 0; j < 40; j++)
        finish(types, sum, pulls);
    check_numbers(types);
    assert_near(segue_types_arm(types, 1, 2).mean, 0.8, 0.02);
    assert_int_equal(segue_types_resize(types, 2, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_types_resize(types, SEGUE_MAX_ARMS + 1, NULL), SEGUE_EDOMAIN);
    segue_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihoods_and_shares_are_those_of_the_plain_form),
        cmocka_unit_test(maximising_is_that_of_the_plain_form),
        cmocka_unit_test(no_sweep_lowers_the_objective),
        cmocka_unit_test(births_and_deaths_only_raise_the_objective),
        cmocka_unit_test(five_types_are_found),
        cmocka_unit_test(tasks_that_share_nothing_do_no_harm),
        cmocka_unit_test(types_that_are_gone_are_given_up),
        cmocka_unit_test(a_change_is_told_from_none),
        cmocka_unit_test(a_change_begins_anew),
        cmocka_unit_test(fits_are_due_as_tasks_grow),
        cmocka_unit_test(a_surprise_raises_none_at_once),
        cmocka_unit_test(a_cap_holds),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(a_hundred_thousand_equal_tasks_are_one_type),
        cmocka_unit_test(a_type_that_is_not_seen_keeps_a_weight),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(without_tasks_there_are_no_types),
        cmocka_unit_test(what_is_saved_goes_on_bit_for_bit),
        cmocka_unit_test(broken_bytes_are_refused),
        cmocka_unit_test(a_refitted_copy_is_adopted_with_what_came_meanwhile),
        cmocka_unit_test(only_copies_are_adopted),
        cmocka_unit_test(merged_types_know_what_both_knew),
        cmocka_unit_test(merged_windows_keep_the_newest_of_both),
        cmocka_unit_test(an_arm_can_be_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
