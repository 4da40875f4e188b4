/* test_point_em.c - point models by likelihood: EM, its starts, and the estimator that uses it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/em/point_em.h"
#include "support.h"

enum { MAX_ARMS = 9, MAX_MODELS = 6 };

/* Random tasks: some arms of some are never pulled, some rewards are fractions, and some arms
 * always or never pay. */
static void random_tasks(segue_rng *rng, size_t n_arms, size_t n, task_window *tasks)
{
    double sum[MAX_ARMS], pulls[MAX_ARMS];
    segue_task_window_init(tasks, n_arms, n);
    assert_ok(segue_task_window_reserve(tasks, n, NULL));
    for (size_t l = 0; l < n; l++) {
        for (size_t i = 0; i < n_arms; i++) {
            const double kind = segue_rng_uniform(rng), part = segue_rng_uniform(rng);
            pulls[i] = kind < 0.2 ? 0.0 : (double)random_between(rng, 1, 40);
            sum[i] = kind < 0.4 ? 0.0 : kind < 0.5 ? pulls[i] : part * pulls[i];
        }
        segue_task_window_add(tasks, l + 1, sum, pulls);
    }
}

/* ---- one iteration ----------------------------------------------------------------------- */

/* The log-likelihood, and the models after one iteration, as they are written, in long double. */
static long double plain_step(const task_window *tasks, size_t m, const double *mean,
                              const double *weight, long double *new_mean, long double *new_weight)
{
    const size_t n = tasks->n_arms;
    long double all = 0, won[MAX_MODELS][MAX_ARMS] = {{0}}, pulls[MAX_MODELS][MAX_ARMS] = {{0}};
    for (size_t k = 0; k < m; k++)
        new_weight[k] = 0;
    for (size_t l = 0; l < tasks->count; l++) {
        const double *S = segue_task_window_sum(tasks, l), *T = segue_task_window_pulls(tasks, l);
        long double fit[MAX_MODELS], best = -INFINITY, total = 0;
        for (size_t k = 0; k < m; k++) {
            fit[k] = logl((long double)weight[k]);
            for (size_t i = 0; i < n; i++)
                fit[k] += S[i] * logl((long double)mean[k * n + i]) +
                          (T[i] - S[i]) * log1pl(-(long double)mean[k * n + i]);
            best = fmaxl(best, fit[k]);
        }
        for (size_t k = 0; k < m; k++)
            total += expl(fit[k] - best);
        all += best + logl(total);
        for (size_t k = 0; k < m; k++) {
            const long double share = expl(fit[k] - best) / total;
            new_weight[k] += share / (long double)tasks->count;
            for (size_t i = 0; i < n; i++) {
                won[k][i] += share * S[i];
                pulls[k][i] += share * T[i];
            }
        }
    }
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++)
            new_mean[k * n + i] = pulls[k][i] > 0
                                      ? fminl(1 - 1e-6L, fmaxl(1e-6L, won[k][i] / pulls[k][i]))
                                      : (long double)mean[k * n + i];
    return all;
}

/* Shares pass through exp, which makes an error of 1e-16 times a log-likelihood (here up to 1e3)
 * relative. */
static void an_iteration_is_the_plain_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)repeats(100); seed++) {
        segue_rng rng;
        segue_rng_init(&rng, 91, seed, 0, 0);
        const size_t n = random_between(&rng, 2, MAX_ARMS), m = random_between(&rng, 1, 6);
        task_window tasks;
        point_em em;
        random_tasks(&rng, n, random_between(&rng, m, 60), &tasks);
        assert_ok(segue_point_em_init(&em, &tasks, m, NULL));
        segue_point_em_draw(&em, &rng);
        for (int step = 0; step < 4; step++) {
            long double mean[MAX_MODELS * MAX_ARMS] = {0}, weight[MAX_MODELS];
            const long double all = plain_step(&tasks, m, em.mean, em.weight, mean, weight);
            assert_near(em.log_likelihood, (double)all, 1e-12 * fabs((double)all));
            segue_point_em_step(&em);
            for (size_t k = 0; k < m; k++)
                assert_near(em.weight[k], (double)weight[k], 1e-11);
            for (size_t i = 0; i < m * n; i++) /* a model of next to no tasks has few digits */
                assert_near(em.mean[i], (double)mean[i], weight[i / n] > 1e-6 ? 1e-9 : 1.0);
        }
        segue_point_em_fini(&em);
        segue_task_window_fini(&tasks);
    }
}

static void the_likelihood_never_falls(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)repeats(200); seed++) {
        segue_rng rng;
        segue_rng_init(&rng, 92, seed, 0, 0);
        const size_t n = random_between(&rng, 2, MAX_ARMS), m = random_between(&rng, 1, 6);
        double mean[MAX_MODELS * MAX_ARMS], weight[MAX_MODELS];
        task_window tasks;
        point_em em;
        random_tasks(&rng, n, random_between(&rng, m, 60), &tasks);
        for (size_t i = 0; i < m * n; i++) /* they may stray */
            mean[i] = 2.0 * segue_rng_uniform(&rng) - 0.5;
        for (size_t k = 0; k < m; k++)
            weight[k] = k == 0 ? 1.0 : floor(3.0 * segue_rng_uniform(&rng));
        assert_ok(segue_point_em_init(&em, &tasks, m, NULL));
        segue_point_em_start(&em, mean, weight);
        for (int step = 0; step < 60; step++) {
            const double before = em.log_likelihood;
            double sum = 0.0;
            segue_point_em_step(&em);
            assert_true(em.log_likelihood >= before - 1e-12 * fabs(before));
            for (size_t i = 0; i < m * n; i++)
                assert_true(em.mean[i] > 0.0 && em.mean[i] < 1.0);
            for (size_t k = 0; k < m; k++)
                sum += em.weight[k];
            assert_near(sum, 1.0, 1e-12);
        }
        segue_point_em_fini(&em);
        segue_task_window_fini(&tasks);
    }
}

/* ---- the estimator ----------------------------------------------------------------------- */

static segue_estimator *new_estimator(const char *method, size_t n_arms, size_t m)
{
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    config.method = method;
    config.n_arms = n_arms;
    config.n_models = m;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    return est;
}

/* Tasks of the models in turn, `batch` pulls of an arm for each of three views. */
static void play(const segue_models *models, segue_rng *rng, size_t n_tasks, int batch,
                 segue_moments *moments, segue_estimator *em)
{
    double views[3 * 7], sum[7], pulls[7];
    for (size_t l = 0; l < n_tasks; l++) {
        for (size_t i = 0; i < 7; i++) {
            const double mean = segue_models_row(models, l % models->n_models)[i];
            sum[i] = 0.0;
            pulls[i] = 3.0 * batch;
            for (size_t v = 0; v < 3; v++) {
                int won = 0;
                for (int t = 0; t < batch; t++)
                    won += segue_rng_uniform(rng) < mean;
                views[v * 7 + i] = (double)won / batch;
                sum[i] += won;
            }
        }
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
        assert_ok(segue_estimator_add(em, sum, pulls, NULL));
    }
}

/* 500 tasks of 30 pulls per arm, 40 times: the largest error is smaller than rtp's in most.  If it
 * is so with probability 0.9 in each (it was in 100 of 100, which has probability 3e-5 at 0.9),
 * that fails with probability at most exp(-40 KL(0.5, 0.9)) = 2e-9. */
static void em_is_closer_than_rtp(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const int times = repeats(40);
    int closer = 0;
    for (int time = 0; time < times; time++) {
        segue_rng rng;
        segue_rng_init(&rng, 93, (uint64_t)time, 0, 0);
        segue_moments *moments = new_moments(7, SEGUE_VIEWS_SYMMETRIC);
        segue_estimator *em = new_estimator("em", 7, 5), *rtp = new_estimator("rtp", 7, 5);
        double weights;
        play(models, &rng, 500, 10, moments, em);
        assert_ok(segue_estimator_fit(em, moments, NULL));
        assert_ok(segue_estimator_fit(rtp, moments, NULL));
        closer += !segue_estimator_models(rtp) ||
                  error_of(models, segue_estimator_models(em), &weights) <
                      error_of(models, segue_estimator_models(rtp), &weights);
        segue_estimator_destroy(em);
        segue_estimator_destroy(rtp);
        segue_moments_destroy(moments);
    }
    assert_true(2 * closer > times);
    segue_models_destroy(models);
}

/* 900 pulls per arm make the model of a task certain; then each mean is an average of 90,000
 * rewards, off by more than e with probability at most 2 exp(-180000 e^2) (Hoeffding): for 35 means
 * and e = 0.011 below 3e-8. */
static void the_papers_models_come_back(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_rng rng;
    segue_rng_init(&rng, 94, 0, 0, 0);
    segue_moments *moments = new_moments(7, SEGUE_VIEWS_PAPER);
    segue_estimator *em = new_estimator("em", 7, 5);
    double weights;
    play(models, &rng, 500, 300, moments, em);
    assert_ok(segue_estimator_fit(em, moments, NULL));
    assert_true(error_of(models, segue_estimator_models(em), &weights) < 0.011);
    assert_near(weights, 0.0, 1e-9);
    const segue_estimate_info info = segue_estimator_info(em);
    assert_int_equal(strncmp(info.verdict, "good: 5 models distinguish 500 tasks", 36), 0);
    assert_true(info.log_likelihood < 0.0 && info.certainty > 0.999 && info.iterations > 0);
    segue_estimator_destroy(em);
    segue_moments_destroy(moments);
    segue_models_destroy(models);
}

/* Without moments, and with more models than arms: from random tasks.  Two arms that pay 0.05, 0.5
 * or 0.95 in any of five ways, 200 pulls each: 50 tasks per model. */
static void random_starts_do_without_moments(void **state)
{
    (void)state;
    const double mean[] = {.05, .05, .05, .95, .95, .05, .95, .95, .5, .5};
    segue_models *models = models_of(2, 5, mean);
    segue_moments *moments = new_moments(2, SEGUE_VIEWS_PAPER);
    segue_estimator *em = new_estimator("em", 2, 5);
    segue_rng rng;
    double weights, sum[2];
    segue_rng_init(&rng, 95, 0, 0, 0);
    assert_ok(segue_estimator_fit(em, moments, NULL));
    assert_string_equal(segue_estimator_info(em).verdict, "none: 0 tasks are fewer than 5 models");
    for (size_t l = 0; l < 250; l++) {
        for (size_t i = 0; i < 2; i++) {
            sum[i] = 0.0;
            for (int t = 0; t < 200; t++)
                sum[i] += segue_rng_uniform(&rng) < segue_models_row(models, l % 5)[i];
        }
        assert_ok(segue_estimator_add(em, sum, (const double[]){200.0, 200.0}, NULL));
    }
    assert_ok(segue_estimator_fit(em, moments, NULL));
    /* averages of 10,000 rewards: 10 means beyond 0.04 with probability 10 * 2 exp(-32) < 1e-12 */
    assert_true(error_of(models, segue_estimator_models(em), &weights) < 0.04);
    segue_estimator_destroy(em);
    segue_moments_destroy(moments);
    segue_models_destroy(models);
}

static void wrong_counts_are_refused(void **state)
{
    (void)state;
    segue_estimator *em = new_estimator("em", 2, 1), *rtp = new_estimator("rtp", 2, 1);
    const double pulls[] = {3.0, 1.0}, more[] = {1.0, 2.0}, nan[] = {NAN, 0.0}, minus[] = {-1, 0};
    assert_int_equal(segue_estimator_add(em, more, pulls, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_estimator_add(em, nan, pulls, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_estimator_add(em, minus, pulls, NULL), SEGUE_EDOMAIN);
    assert_ok(segue_estimator_add(rtp, more, pulls, NULL)); /* no use for it */
    segue_estimator_destroy(em);
    segue_estimator_destroy(rtp);
    segue_estimator_config config = segue_estimator_defaults();
    config.method = "em";
    config.n_arms = 2;
    config.n_models = 1;
    config.window = SEGUE_MIN_WINDOW - 1;
    assert_int_equal(segue_estimator_create(&em, &config, NULL), SEGUE_EDOMAIN);
}

/* Only the last tasks are behind an estimate: old ones of another kind leave no trace. */
static void what_is_older_than_the_window_is_forgotten(void **state)
{
    (void)state;
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *em = NULL;
    segue_moments *moments = new_moments(2, SEGUE_VIEWS_PAPER);
    config.method = "em";
    config.n_arms = 2;
    config.n_models = 1;
    config.window = 20;
    assert_ok(segue_estimator_create(&em, &config, NULL));
    for (int l = 0; l < 50; l++)
        assert_ok(segue_estimator_add(em, (const double[]){l < 30 ? 9.0 : 2.0, 5.0},
                                      (const double[]){10.0, 10.0}, NULL));
    assert_ok(segue_estimator_fit(em, moments, NULL));
    assert_int_equal(segue_estimator_info(em).n_tasks, 20);
    assert_near(segue_estimator_models(em)->mean[0], 0.2, 1e-12);
    assert_near(segue_estimator_models(em)->mean[1], 0.5, 1e-12);
    segue_estimator_destroy(em);
    segue_moments_destroy(moments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_iteration_is_the_plain_one),
        cmocka_unit_test(the_likelihood_never_falls),
        cmocka_unit_test(em_is_closer_than_rtp),
        cmocka_unit_test(the_papers_models_come_back),
        cmocka_unit_test(random_starts_do_without_moments),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(what_is_older_than_the_window_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
