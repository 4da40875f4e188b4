/* test_convergence.c - what the estimators reach with growing numbers of tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* The slope of log(error) against log(tasks), by least squares. */
static double slope(const double *tasks, const double *error, size_t count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        x += log(tasks[i]) / (double)count;
        y += log(error[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (log(tasks[i]) - x) * (log(tasks[i]) - x);
        xy += (log(tasks[i]) - x) * (log(error[i]) - y);
    }
    return xy / xx;
}

/* The largest error of a mean falls like 1 / sqrt(j).  Averaged over 30 seeds the error of each j
 * has a relative standard error of about 5 %, which moves the slope by about 0.015: the bounds
 * -0.35 and -0.65 are ten of these away, and 0.01 at 5,000 tasks is over fifty (paper's views). */
static void sampled_moments_converge(void **state)
{
    (void)state;
    enum { SEEDS = 30, POINTS = 5 };
    static const double tasks[POINTS] = {500, 1500, 5000, 15000, 50000};
    segue_models *models = paper_models();
    double error[2][POINTS] = {{0}};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        segue_moments *moments[2] = {new_moments(7, SEGUE_VIEWS_PAPER),
                                     new_moments(7, SEGUE_VIEWS_SYMMETRIC)};
        for (size_t way = 0; way < 2; way++) {
            segue_estimator_config config = segue_estimator_defaults();
            segue_estimator *est = NULL;
            segue_rng rng;
            config.n_arms = 7;
            config.n_models = 5;
            assert_ok(segue_estimator_create(&est, &config, NULL));
            segue_rng_init(&rng, 64, seed, 0, 0);
            for (size_t i = 0; i < POINTS; i++) {
                double weights;
                add_tasks(moments[way], models, &rng, (uint64_t)tasks[i]);
                assert_ok(segue_estimator_fit(est, moments[way], NULL));
                error[way][i] += error_of(models, segue_estimator_models(est), &weights) / SEEDS;
            }
            segue_estimator_destroy(est);
            segue_moments_destroy(moments[way]);
        }
    }
    for (size_t way = 0; way < 2; way++) {
        const double s = slope(tasks, error[way], POINTS);
        print_message("%s views: error %.4f %.4f %.4f %.4f %.4f, slope %.3f\n",
                      way ? "symmetric" : "paper's", error[way][0], error[way][1], error[way][2],
                      error[way][3], error[way][4], s);
        assert_true(s > -0.65 && s < -0.35);
        assert_true(error[way][2] < 0.01);
    }
    segue_models_destroy(models);
}

/* Tasks that mix models: eca with the right alpha0 converges, and without it does not.  The means
 * of a task are given as its three views (no sampling noise), 40,000 tasks; errors are about 0.01
 * with and 0.3 without the correction. */
static void eca_learns_from_mixtures(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = models, .mixed = 0.5};
    segue_simulated_task *simulated = new_simulated_task(&env, 65, 0, SEGUE_ANY_MODEL);
    segue_moments *moments = new_moments(7, SEGUE_VIEWS_PAPER);
    double error[2] = {0, 0}, at_4000 = 0;
    for (uint64_t task = 0; task < 40000; task++) {
        double views[21];
        segue_simulated_task_begin(simulated, 65, 0, task, SEGUE_ANY_MODEL);
        for (size_t i = 0; i < 21; i++)
            views[i] = segue_simulated_task_means(simulated)[i % 7];
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
        for (int way = 0; way < 2 && (task == 3999 || task == 39999); way++) {
            segue_estimator_config config = segue_estimator_defaults();
            segue_estimator *est = NULL;
            double weights;
            config.method = "eca";
            config.n_arms = 7;
            config.n_models = 5;
            config.alpha0 = way ? 0.5 : 0.0;
            assert_ok(segue_estimator_create(&est, &config, NULL));
            assert_ok(segue_estimator_fit(est, moments, NULL));
            error[way] = error_of(models, segue_estimator_models(est), &weights);
            segue_estimator_destroy(est);
        }
        at_4000 = task == 3999 ? error[1] : at_4000;
    }
    print_message(
        "eca on mixtures: error %.4f at 4,000, %.4f at 40,000 tasks; %.4f with alpha0 0\n", at_4000,
        error[1], error[0]);
    assert_true(error[1] < at_4000 && error[1] < 0.05 && error[0] > 2 * error[1]);
    segue_simulated_task_destroy(simulated);
    segue_moments_destroy(moments);
    segue_models_destroy(models);
}

/* Fits on the way with a warm start agree with cold ones about as often as two cold ones with
 * other starts agree with each other: at most 1 % of the fits less. */
static void warm_starts_agree_with_cold_ones(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    int fits = 0, warm_differs = 0, cold_differs = 0, warm_worse = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        segue_estimator *est[3];
        segue_moments *moments = new_moments(7, SEGUE_VIEWS_PAPER);
        segue_rng rng;
        for (size_t i = 0; i < 3; i++) {
            segue_estimator_config config = segue_estimator_defaults();
            config.n_arms = 7;
            config.n_models = 5;
            config.cold = i > 0;
            config.seed = i + 1;
            assert_ok(segue_estimator_create(&est[i], &config, NULL));
        }
        segue_rng_init(&rng, 69, seed, 0, 0);
        for (uint64_t tasks = 10; tasks <= 1500; tasks++) {
            double weights, residual[3];
            add_tasks(moments, models, &rng, tasks);
            for (size_t i = 0; i < 3; i++) {
                assert_ok(segue_estimator_fit(est[i], moments, NULL));
                residual[i] = segue_estimator_info(est[i]).residual;
            }
            if (!segue_estimator_models(est[0]))
                continue;
            const segue_models *cold = segue_estimator_models(est[1]);
            fits++;
            cold_differs += error_of(cold, segue_estimator_models(est[2]), &weights) > 1e-6;
            if (error_of(cold, segue_estimator_models(est[0]), &weights) > 1e-6) {
                warm_differs++;
                warm_worse += residual[0] > residual[1] * (1 + 1e-9);
            }
        }
        for (size_t i = 0; i < 3; i++)
            segue_estimator_destroy(est[i]);
        segue_moments_destroy(moments);
    }
    print_message("%d fits: warm differs from cold in %d (worse in %d), cold from cold in %d\n",
                  fits, warm_differs, warm_worse, cold_differs);
    assert_true(warm_differs <= cold_differs + fits / 100);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled_moments_converge),
        cmocka_unit_test(eca_learns_from_mixtures),
        cmocka_unit_test(warm_starts_agree_with_cold_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
