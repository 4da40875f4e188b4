/* test_estimate.c - estimators: exact moments, hard cases, verdicts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate_fixture.h"
#include "segue/internal.h"

/* A random set of m <= K models whose second moment is well conditioned. */
static segue_models *well_conditioned(segue_rng *rng)
{
    for (;;) {
        const size_t n = random_between(rng, 2, 50);
        const size_t m = random_between(rng, 1, n < 10 ? n : 10);
        double *mean = calloc(n * m, sizeof *mean), weight[10];
        assert_non_null(mean);
        for (size_t i = 0; i < n * m; i++)
            mean[i] = segue_rng_uniform(rng);
        for (size_t k = 0; k < m; k++)
            weight[k] = 0.5 + segue_rng_uniform(rng);
        segue_models *models = NULL;
        segue_spectrum spectrum;
        assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, n, m, mean, weight, NULL));
        assert_ok(segue_spectrum_compute(&spectrum, models, NULL));
        free(mean);
        if (spectrum.sigma_min > 1e-3 * spectrum.sigma_max)
            return models;
        segue_models_destroy(models);
    }
}

static void exact_moments_give_exact_models(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 63, 0, 0, 0);
    for (int i = 0; i < repeats(500); i++) {
        segue_models *models = well_conditioned(&rng);
        check_exact("rtp", models, 1e-8,
                    i % 2 ? SEGUE_WEIGHTS_LAMBDA : SEGUE_WEIGHTS_LEAST_SQUARES);
        check_exact("eca", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
        check_exact("algorithm-b", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
        segue_models_destroy(models);
    }
}

static void the_papers_models_come_back_from_their_moments(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    check_exact("rtp", models, 1e-8, SEGUE_WEIGHTS_LEAST_SQUARES);
    check_exact("rtp", models, 1e-8, SEGUE_WEIGHTS_LAMBDA);
    check_exact("eca", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
    check_exact("algorithm-b", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
    segue_models_destroy(models);
}

static void check_degenerate(const char *name, const segue_models *models, size_t m, size_t tasks,
                             const char *says)
{
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    segue_moments *moments = new_moments(models->n_arms, SEGUE_VIEWS_PAPER);
    double views[3 * 8];
    config.method = name;
    config.n_arms = models->n_arms;
    config.n_models = m;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    for (size_t task = 0; task < tasks; task++) {
        for (size_t i = 0; i < 3 * models->n_arms; i++)
            views[i] = segue_models_row(models, task % models->n_models)[i % models->n_arms];
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
    }
    assert_ok(segue_estimator_fit(est, moments, NULL));
    const segue_estimate_info info = segue_estimator_info(est);
    const segue_models *found = segue_estimator_models(est);
    if (!strstr(info.verdict, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", name, info.verdict, says);
    assert_int_equal(info.found, found != NULL);
    for (size_t i = 0; found && i < m * models->n_arms; i++)
        assert_true(isfinite(found->mean[i]));
    segue_estimator_destroy(est);
    segue_moments_destroy(moments);
}

static void hopeless_moments_get_a_verdict(void **state)
{
    (void)state;
    static const char *const names[] = {"rtp", "eca", "algorithm-b"};
    const double equal[] = {.2, .5, .8, .2, .5, .8}, dependent[] = {.2, .4, .6, .1, .2, .3};
    const double zeros[6] = {0}, ones[] = {1, 1, 1, 1, 1, 1}, good[] = {.9, .1, .4, .2, .8, .3};
    segue_models *sets[] = {models_of(3, 2, equal), models_of(3, 2, dependent),
                            models_of(3, 2, zeros), models_of(3, 2, ones), models_of(3, 2, good)};
    for (size_t i = 0; i < 3; i++) {
        check_degenerate(names[i], sets[0], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[1], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[2], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[2], 1, 50,
                         "none: the 1st eigenvalue is 0, so that the rewards show no structure");
        check_degenerate(names[i], sets[3], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[4], 3, 50, "none: the 3rd eigenvalue");
        check_degenerate(names[i], sets[4], 4, 50, "none: 4 models are more than 3 arms");
        check_degenerate(names[i], sets[4], 2, 1, "none: 1 tasks are fewer than 2 models");
        check_degenerate(names[i], sets[4], 2, 0, "none: 0 tasks are fewer than 2 models");
        check_degenerate(names[i], sets[3], 1, 50, "good: all 1 eigenvalues");
        check_degenerate(names[i], sets[3], 1, 5, "weak: 5 tasks are few for 1 models");
        check_degenerate(names[i], sets[4], 2, 50, "good: all 2 eigenvalues");
    }
    for (size_t i = 0; i < 5; i++)
        segue_models_destroy(sets[i]);
}

/* Pure noise: views without any structure.  Whatever comes out is finite, and is never called good,
 * also where there are tasks enough (ten a model) that only the spectrum can tell. */
static void noise_is_called_weak(void **state)
{
    (void)state;
    static const char *const names[] = {"rtp", "eca", "algorithm-b"};
    for (size_t i = 0; i < 3; i++)
        for (uint64_t seed = 0; seed < (uint64_t)repeats(50); seed++) {
            segue_estimator_config config = segue_estimator_defaults();
            segue_estimator *est = NULL;
            segue_moments *moments = new_moments(8, SEGUE_VIEWS_PAPER);
            segue_rng rng;
            double views[24];
            config.method = names[i];
            config.n_arms = 8;
            config.n_models = 5;
            assert_ok(segue_estimator_create(&est, &config, NULL));
            segue_rng_init(&rng, 66, seed, 0, 0);
            for (int task = 0; task < 90; task++) {
                random_views(&rng, 8, views);
                assert_ok(segue_moments_add(moments, views, 1.0, NULL));
                assert_ok(segue_estimator_fit(est, moments, NULL));
                const segue_models *found = segue_estimator_models(est);
                for (size_t k = 0; found && k < 40; k++)
                    assert_true(isfinite(found->mean[k]));
                assert_true(strncmp(segue_estimator_info(est).verdict, "good", 4) != 0);
            }
            segue_estimator_destroy(est);
            segue_moments_destroy(moments);
        }
}

static void wrong_configurations_are_refused(void **state)
{
    (void)state;
    segue_estimator_config good = segue_estimator_defaults();
    segue_estimator *est = NULL;
    good.n_arms = 5;
    good.n_models = 3;
    segue_estimator_config bad[10];
    for (size_t i = 0; i < 10; i++)
        bad[i] = good;
    bad[8].method = NULL;
    bad[9].weights = (segue_weights)9;
    bad[0].n_arms = 1;
    bad[1].n_models = 0;
    bad[2].n_models = SEGUE_MAX_ESTIMATED + 1;
    bad[3].starts = 0;
    bad[4].steps = 0;
    bad[5].alpha0 = 0.5; /* not eca */
    bad[6].alpha0 = NAN;
    bad[7].method = "magic";
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(segue_status_exit_code(segue_estimator_create(&est, &bad[i], NULL)), 2);
    assert_ok(segue_estimator_create(&est, &good, NULL));
    segue_moments *moments = new_moments(6, SEGUE_VIEWS_PAPER);
    assert_int_equal(segue_estimator_fit(est, moments, NULL), SEGUE_EDOMAIN);
    segue_moments_destroy(moments);
    segue_estimator_destroy(est);
    segue_estimator_destroy(NULL);
    segue_moments_destroy(NULL);
}

/* Add tasks of the paper's models, each with 30 pulls of every arm and no noise. */
static void add_exact_tasks(segue_estimator *est, segue_moments *moments,
                            const segue_models *models)
{
    double views[3 * 8], sum[8], pulls[8];
    for (size_t task = 0; task < 200; task++) {
        const double *mean = segue_models_row(models, task % models->n_models);
        for (size_t i = 0; i < models->n_arms; i++) {
            views[i] = views[models->n_arms + i] = views[2 * models->n_arms + i] = mean[i];
            sum[i] = 30.0 * mean[i];
            pulls[i] = 30.0;
        }
        assert_ok(segue_estimator_add(est, sum, pulls, NULL));
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
    }
}

static void a_fit_that_is_stopped_leaves_the_last_estimate(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const char *const names[] = {"rtp", "eca", "em"};
    for (size_t i = 0; i < 3; i++) {
        segue_estimator_config config = segue_estimator_defaults();
        segue_estimator *est = NULL;
        segue_moments *moments = new_moments(models->n_arms, SEGUE_VIEWS_PAPER);
        atomic_bool stop = true;
        config.method = names[i];
        config.n_arms = models->n_arms;
        config.n_models = models->n_models;
        assert_ok(segue_estimator_create(&est, &config, NULL));
        add_exact_tasks(est, moments, models);
        assert_int_equal(segue_estimator_fit_until(est, moments, &stop, NULL), SEGUE_ESTOPPED);
        assert_null(segue_estimator_models(est));
        assert_ok(segue_estimator_fit(est, moments, NULL));
        const segue_models *found = segue_estimator_models(est);
        assert_int_equal(segue_estimator_fit_until(est, moments, &stop, NULL), SEGUE_ESTOPPED);
        assert_ptr_equal(segue_estimator_models(est), found);
        atomic_store(&stop, false);
        assert_ok(segue_estimator_fit_until(est, moments, &stop, NULL));
        assert_true(segue_estimator_info(est).found);
        segue_estimator_destroy(est);
        segue_moments_destroy(moments);
    }
    segue_models_destroy(models);
}

/* Permuting arms permutes the answer; so does it for models, which the matching hides. */
static void a_permutation_of_arms_permutes_the_answer(void **state)
{
    (void)state;
    static const size_t order[7] = {3, 0, 6, 1, 5, 2, 4};
    segue_models *models = paper_models();
    double mean[35];
    for (uint64_t seed = 0; seed < (uint64_t)repeats(10); seed++) {
        segue_estimator *est[2] = {NULL, NULL};
        segue_moments *moments[2] = {new_moments(7, SEGUE_VIEWS_PAPER),
                                     new_moments(7, SEGUE_VIEWS_PAPER)};
        segue_rng rng;
        segue_rng_init(&rng, 67, seed, 0, 0);
        for (int task = 0; task < 2000; task++) {
            double views[21], other[21];
            const size_t k = random_between(&rng, 0, 4);
            for (size_t i = 0; i < 21; i++)
                views[i] = average_of_300(
                    &rng, segue_rng_bernoulli_threshold(segue_models_row(models, k)[i % 7]));
            for (size_t i = 0; i < 21; i++)
                other[i] = views[i / 7 * 7 + order[i % 7]];
            assert_ok(segue_moments_add(moments[0], views, 1.0, NULL));
            assert_ok(segue_moments_add(moments[1], other, 1.0, NULL));
        }
        for (size_t i = 0; i < 2; i++) {
            segue_estimator_config config = segue_estimator_defaults();
            config.n_arms = 7;
            config.n_models = 5;
            assert_ok(segue_estimator_create(&est[i], &config, NULL));
            assert_ok(segue_estimator_fit(est[i], moments[i], NULL));
        }
        for (size_t i = 0; i < 35; i++)
            mean[i] = segue_models_row(segue_estimator_models(est[0]), i / 7)[order[i % 7]];
        segue_models *expected = NULL;
        double weights;
        assert_ok(segue_models_create(&expected, SEGUE_MODELS_ESTIMATED, 7, 5, mean,
                                      segue_estimator_models(est[0])->weight, NULL));
        assert_true(error_of(expected, segue_estimator_models(est[1]), &weights) < 1e-7);
        segue_models_destroy(expected);
        for (size_t i = 0; i < 2; i++) {
            segue_estimator_destroy(est[i]);
            segue_moments_destroy(moments[i]);
        }
    }
    segue_models_destroy(models);
}

/* From fit to fit a model keeps its number: the true model nearest to it is always the same. */
static void a_model_keeps_its_number(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    segue_moments *moments = new_moments(7, SEGUE_VIEWS_PAPER);
    segue_rng rng;
    size_t first[5], match[5];
    config.n_arms = 7;
    config.n_models = 5;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    segue_rng_init(&rng, 68, 0, 0, 0);
    for (uint64_t tasks = 2000; tasks <= 2400; tasks += 20) {
        add_tasks(moments, models, &rng, tasks);
        assert_ok(segue_estimator_fit(est, moments, NULL));
        assert_ok(segue_models_match(segue_estimator_models(est), models, match, NULL));
        if (tasks == 2000)
            memcpy(first, match, sizeof first);
        assert_memory_equal(first, match, sizeof match);
    }
    segue_estimator_destroy(est);
    segue_moments_destroy(moments);
    segue_models_destroy(models);
}

/* Tasks in which one arm pays 18 of 20 times and the others pay twice. */
static void finish_tasks(segue_types *types, size_t best, size_t count)
{
    const double pulls[3] = {20, 20, 20};
    double sum[3] = {2, 2, 2};
    sum[best] = 18;
    for (size_t j = 0; j < count; j++) {
        assert_ok(segue_types_add_task(types, sum, pulls, NULL));
        if (segue_types_due(types))
            assert_ok(segue_types_refit(types, NULL));
    }
}

static void types_that_end_together_are_removed_together(void **state)
{
    (void)state;
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL;
    config.n_arms = 3;
    assert_ok(segue_types_create(&types, &config, NULL));
    for (size_t j = 0; j < 60; j++)
        finish_tasks(types, j % 2, 1);
    assert_int_equal(segue_types_count(types), 2);
    /* Alone, each of weight near 1/2 would stay for 20 tasks.  Eight show that all have changed,
     * and after eight more there are types again. */
    finish_tasks(types, 2, 18);
    assert_int_equal(segue_types_count(types), 1);
    assert_true(segue_types_a(types)[3 + 2] > segue_types_b(types)[3 + 2]);
    segue_types_destroy(types);
}

static void types_that_come_in_blocks_stay(void **state)
{
    (void)state;
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL;
    config.n_arms = 3;
    assert_ok(segue_types_create(&types, &config, NULL));
    for (size_t j = 0; j < 120; j++)
        finish_tasks(types, j / 10 % 3, 1);
    assert_int_equal(segue_types_count(types), 3);
    segue_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_moments_give_exact_models),
        cmocka_unit_test(the_papers_models_come_back_from_their_moments),
        cmocka_unit_test(hopeless_moments_get_a_verdict),
        cmocka_unit_test(noise_is_called_weak),
        cmocka_unit_test(wrong_configurations_are_refused),
        cmocka_unit_test(a_fit_that_is_stopped_leaves_the_last_estimate),
        cmocka_unit_test(a_permutation_of_arms_permutes_the_answer),
        cmocka_unit_test(a_model_keeps_its_number),
        cmocka_unit_test(types_that_end_together_are_removed_together),
        cmocka_unit_test(types_that_come_in_blocks_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
