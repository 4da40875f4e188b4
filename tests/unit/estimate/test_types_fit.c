/* test_types_fit.c - the fit of types against its plain form in long double.
 * SPDX-License-Identifier: Apache-2.0 */
#include "types_fixture.h"

enum { MAX_ARMS = 8 };

static task_window random_tasks(segue_rng *rng, size_t n_arms, size_t count, bool whole)
{
    double mean[3 * MAX_ARMS], sum[MAX_ARMS], pulls[MAX_ARMS];
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
    double size[SEGUE_MAX_FITTED_TYPES + 1];
    assert_ok(segue_mixture_init(&mix, n_arms, SEGUE_MAX_FITTED_TYPES, NULL));
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

typedef long double real;

static real plain_ratio(real a, real b, real won, real lost)
{
    return lgammal(a + won) + lgammal(b + lost) - lgammal(a + b + won + lost) - lgammal(a) -
           lgammal(b) + lgammal(a + b);
}

static real plain_log_lik(const mixture *mix, size_t q, const double *sum, const double *pulls)
{
    real log_lik = 0;
    for (size_t i = 0; i < mix->n_arms; i++) {
        const size_t at = q * mix->n_arms + i;
        const real p = (1 + (real)mix->won[at]) / (2 + (real)mix->pulls[at]);
        const real c =
            1 / (1 / (real)segue_mixture_kappa(mix->spread[at]) + 1 / ((real)mix->pulls[at] + 2));
        const real a = q == 0 ? 1 : c * p, b = q == 0 ? 1 : c * (1 - p);
        log_lik += plain_ratio(a, b, (real)sum[i], (real)pulls[i] - (real)sum[i]);
    }
    return log_lik;
}

/* The posterior of a task; returns its log-likelihood. */
static real plain_posterior(const mixture *mix, const double *sum, const double *pulls,
                            real *posterior)
{
    real best = -INFINITY, total = 0;
    for (size_t q = 0; q <= mix->n_types; q++) {
        posterior[q] = logl((real)mix->weight[q]) + plain_log_lik(mix, q, sum, pulls);
        best = fmaxl(best, posterior[q]);
    }
    for (size_t q = 0; q <= mix->n_types; q++)
        total += expl(posterior[q] - best);
    for (size_t q = 0; q <= mix->n_types; q++)
        posterior[q] = expl(posterior[q] - best) / total;
    return best + logl(total);
}

static real plain_objective(const mixture *mix, const task_window *tasks)
{
    real sum = 0, cost = 0, posterior[SEGUE_MAX_FITTED_TYPES + 1];
    for (size_t l = 0; l < tasks->count; l++)
        sum += plain_posterior(mix, segue_task_window_sum(tasks, l),
                               segue_task_window_pulls(tasks, l), posterior);
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

static void plain_count(plain_arm *arm, const task_window *tasks, size_t i, const double *posterior)
{
    const real kappa = segue_mixture_kappa(arm->spread);
    arm->won = arm->pulls = 0;
    for (size_t l = 0; l < tasks->count; l++) {
        const real pulls = segue_task_window_pulls(tasks, l)[i],
                   won = segue_task_window_sum(tasks, l)[i];
        if (posterior[l] <= 1e-3 || pulls <= 0)
            continue;
        arm->won += posterior[l] * (kappa + 1) / (kappa + pulls) * won;
        arm->pulls += posterior[l] * (kappa + 1) / (kappa + pulls) * pulls;
    }
}

static real plain_value(const task_window *tasks, size_t i, const double *posterior, real p,
                        size_t spread)
{
    const real kappa = segue_mixture_kappa(spread);
    real value = -0.1L * (real)spread;
    for (size_t l = 0; l < tasks->count; l++) {
        const real pulls = segue_task_window_pulls(tasks, l)[i],
                   won = segue_task_window_sum(tasks, l)[i];
        if (posterior[l] > 1e-3)
            value += posterior[l] * plain_ratio(kappa * p, kappa * (1 - p), won, pulls - won);
    }
    return value;
}

static plain_arm plain_maximise(const task_window *tasks, size_t i, const double *posterior,
                                size_t spread)
{
    plain_arm arm = {.spread = spread};
    plain_count(&arm, tasks, i, posterior);
    if (!(arm.pulls > 0))
        return arm;
    const real p = (1 + arm.won) / (2 + arm.pulls);
    for (size_t g = spread > 0 ? spread - 1 : 0; g <= spread + 1 && g < N_SPREADS; g++)
        if (plain_value(tasks, i, posterior, p, g) >
            plain_value(tasks, i, posterior, p, arm.spread))
            arm.spread = g;
    plain_count(&arm, tasks, i, posterior);
    return arm;
}

/* Numbers of up to some 1e4, made of some hundred terms whose references are differences of
 * ln Gamma up to 1e7 (in double precision under valgrind: 1e-9 each). */
#define CLOSE (LDBL_EPSILON < 1e-18L && repeats(10) == 10 ? 1e-9 : 1e-5)

static void likelihoods_and_posteriors_are_those_of_the_plain_form(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < (uint64_t)repeats(20); trial++) {
        segue_rng rng;
        segue_rng_init(&rng, 71, trial, 0, 0);
        const size_t n_arms = random_between(&rng, 2, MAX_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, 40, trial % 2 == 0);
        mixture mix = random_mixture(&rng, n_arms, random_between(&rng, 1, SEGUE_MAX_FITTED_TYPES));
        mixture_em em;
        assert_ok(segue_mixture_em_init(&em, &tasks, &mix, NULL));
        for (size_t l = 0; l < tasks.count; l++) {
            const double *sum = segue_task_window_sum(&tasks, l),
                         *pulls = segue_task_window_pulls(&tasks, l);
            real posterior[SEGUE_MAX_FITTED_TYPES + 1];
            double seen[SEGUE_MAX_FITTED_TYPES + 1];
            const double all = (double)plain_posterior(&mix, sum, pulls, posterior);
            assert_near(segue_mixture_posterior(&mix, sum, pulls, seen), all, CLOSE);
            assert_near(em.now.mixture_log_lik[l], all, CLOSE);
            for (size_t q = 0; q <= mix.n_types; q++) {
                const double one = (double)plain_log_lik(&mix, q, sum, pulls);
                assert_near(segue_mixture_log_likelihood(&mix, q, sum, pulls), one, CLOSE);
                assert_near(em.now.log_lik[q * tasks.count + l], one, CLOSE);
                assert_near(seen[q], (double)posterior[q], CLOSE);
                assert_near(em.now.posterior[q * tasks.count + l], (double)posterior[q], CLOSE);
            }
        }
        assert_near(em.now.objective, (double)plain_objective(&mix, &tasks), 100 * CLOSE);
        segue_mixture_em_fini(&em);
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
        const size_t n_arms = random_between(&rng, 2, MAX_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, 40, trial % 2 == 0);
        mixture mix = random_mixture(&rng, n_arms, 4);
        mixture_em em;
        assert_ok(segue_mixture_em_init(&em, &tasks, &mix, NULL));
        for (size_t q = 1; q <= 4; q++) {
            segue_mixture_em_maximise(&em, q);
            for (size_t i = 0; i < n_arms; i++) {
                const size_t at = q * n_arms + i;
                const plain_arm arm =
                    plain_maximise(&tasks, i, em.now.posterior + q * tasks.count, mix.spread[at]);
                assert_int_equal(em.now.mix.spread[at], arm.spread);
                assert_near(em.now.mix.won[at], (double)arm.won, 1e-9);
                assert_near(em.now.mix.pulls[at], (double)arm.pulls, 1e-9);
            }
        }
        segue_mixture_em_fini(&em);
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
        const size_t n_arms = random_between(&rng, 2, MAX_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, random_between(&rng, 1, 80), trial % 2 == 0);
        mixture mix = random_mixture(&rng, n_arms, random_between(&rng, 1, 6));
        mixture_em em;
        assert_ok(segue_mixture_em_init(&em, &tasks, &mix, NULL));
        for (int s = 0; s < 12; s++) {
            const double before = em.now.objective;
            segue_mixture_em_sweeps(&em, 1);
            assert_true(em.now.objective >= before);
            assert_near(em.now.objective, (double)plain_objective(&em.now.mix, &tasks),
                        100 * CLOSE);
        }
        segue_mixture_em_fini(&em);
        segue_mixture_fini(&mix);
        segue_task_window_fini(&tasks);
    }
}

/* Added and removed types change their number: then the objective has grown, and else it is at
 * least what sweeps alone make of it. */
static void adding_and_removing_types_only_raises_the_objective(void **state)
{
    (void)state;
    size_t added = 0, removed = 0;
    for (uint64_t trial = 0; trial < (uint64_t)repeats(60); trial++) {
        segue_rng rng;
        segue_rng_init(&rng, 74, trial, 0, 0);
        const size_t n_arms = random_between(&rng, 2, MAX_ARMS);
        task_window tasks = random_tasks(&rng, n_arms, random_between(&rng, 8, 80), true);
        const size_t n_types = random_between(&rng, 1, 5);
        mixture mix = random_mixture(&rng, n_arms, n_types);
        const mixture_refit_options options = {.now = tasks.count};
        mixture_em em;
        assert_ok(segue_mixture_em_init(&em, &tasks, &mix, NULL));
        segue_mixture_em_sweeps(&em, 8);
        assert_ok(segue_mixture_refit(&mix, &tasks, &options, &rng, NULL));
        mixture_em after;
        assert_ok(segue_mixture_em_init(&after, &tasks, &mix, NULL));
        if (mix.n_types == n_types)
            assert_true(after.now.objective >= em.now.objective);
        else
            assert_true(after.now.objective > em.now.objective);
        added += mix.n_types > n_types;
        removed += mix.n_types < n_types;
        segue_mixture_em_fini(&em);
        segue_mixture_em_fini(&after);
        segue_mixture_fini(&mix);
        segue_task_window_fini(&tasks);
    }
    assert_true(repeats(10) < 10 || (added > 0 && removed > 0)); /* both do happen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihoods_and_posteriors_are_those_of_the_plain_form),
        cmocka_unit_test(maximising_is_that_of_the_plain_form),
        cmocka_unit_test(no_sweep_lowers_the_objective),
        cmocka_unit_test(adding_and_removing_types_only_raises_the_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
