/* test_environment.c - environments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "simulate_fixture.h"
#include "support.h"

static void contradictory_environments_are_rejected(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const double two[] = {0.1, 0.2};
    segue_models *other = models_of(2, 1, two);
    segue_models *astray = NULL; /* an estimated set */
    assert_ok(segue_models_create(&astray, SEGUE_MODELS_ESTIMATED, 2, 1, two, NULL, NULL));
    const segue_rewards half = {.law = SEGUE_TWOPOINT, .parameter = 0.5};
    const segue_environment wrong[] = {
        {.size = sizeof(segue_environment), .models = NULL},
        {.size = sizeof(segue_environment), .models = models, .uniform_arms = 3},
        {.size = sizeof(segue_environment), .uniform_arms = 1},
        {.size = sizeof(segue_environment), .uniform_arms = 3, .spread = 2.0},
        {.size = sizeof(segue_environment), .uniform_arms = 3, .mixed = 2.0},
        {.size = sizeof(segue_environment), .models = models, .spread = -1.0},
        {.size = sizeof(segue_environment), .models = models, .spread = NAN},
        {.size = sizeof(segue_environment), .models = models, .mixed = INFINITY},
        {.size = sizeof(segue_environment), .models = models, .mixed = 1.0, .spread = 1.0},
        {.size = sizeof(segue_environment), .models = models, .switch_at = 3},
        {.size = sizeof(segue_environment), .models = models, .switch_to = models},
        {.size = sizeof(segue_environment), .models = models, .switch_at = 3, .switch_to = other},
        {.size = sizeof(segue_environment), .models = models, .rewards = half},
        {.size = sizeof(segue_environment), .models = other, .rewards = half, .spread = 3.0},
        {.size = sizeof(segue_environment), .uniform_arms = 3, .rewards = half},
        {.size = sizeof(segue_environment), .models = models, .rewards = {.law = SEGUE_NORMAL}},
        {.size = sizeof(segue_environment),
         .models = models,
         .rewards = {.law = SEGUE_BETA, .parameter = NAN}},
        {.size = sizeof(segue_environment),
         .models = models,
         .rewards = {.law = (segue_reward_law)77, .parameter = 1.0}},
        {.size = sizeof(segue_environment), .models = models, .spread = 1e-310},
        {.size = sizeof(segue_environment), .models = astray},
    };
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (segue_status_exit_code(segue_environment_check(&wrong[i], &err)) != 2)
            fail_msg("environment %zu was not refused", i);
    segue_models_destroy(astray);
    segue_models_destroy(models);
    segue_models_destroy(other);
}

static void an_environment_of_another_size_is_rejected(void **state)
{
    (void)state;
    segue_error err;
    segue_environment env = {.size = sizeof(segue_environment), .uniform_arms = 3};
    assert_ok(segue_environment_check(&env, &err));
    env.size--;
    assert_int_equal(segue_environment_check(&env, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "segue_environment has"));
    env.size = 0;
    assert_int_equal(segue_environment_check(&env, &err), SEGUE_EDOMAIN);
}

/* Models come by their weights: the counts of 50,000 draws, each binomial; |z| < 5.2 for 3:
 * false alarm below 7e-7. */
static void models_are_drawn_by_their_weights(void **state)
{
    (void)state;
    enum { N = 50000 };
    const double mean[] = {.1, .2, .3, .4, .5, .6, .7, .8}, weight[] = {0.5, 0.0, 0.2, 0.3};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 4, mean, weight, NULL));
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 54, 0, SEGUE_ANY_MODEL);
    double count[4] = {0};
    for (uint64_t task = 0; task < N; task++) {
        segue_simulated_task_begin(simulated, 54, 0, task, SEGUE_ANY_MODEL);
        count[segue_simulated_task_model(simulated)]++;
    }
    assert_near(count[1], 0.0, 0.0);
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs(count[k] - N * weight[k]) <=
                    5.2 * sqrt(N * weight[k] * (1.0 - weight[k])));
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* Means drawn around a model have the Beta's mean and variance; a Dirichlet mixture has the
 * Dirichlet's.  30,000 draws, |z| < 5.2 on each of four: false alarm below 1e-6 (variances by
 * their own standard error, from bounded numbers). */
static void spread_and_mixture_have_their_moments(void **state)
{
    (void)state;
    enum { N = 30000 };
    const double mean[] = {0.3, 0.8, 1.0, 0.0};
    segue_models *models = models_of(2, 2, mean);
    /* Beta(6, 14): variance .3 * .7 / 21.  Mixture of arm 1: .3 + .7 s, s ~ Beta(2, 2). */
    const segue_environment envs[] = {
        {.size = sizeof(segue_environment), .models = models, .spread = 20.0},
        {.size = sizeof(segue_environment), .models = models, .mixed = 4.0}};
    const double expected[] = {0.3, 0.3 + 0.7 * 0.5}, variance[] = {.3 * .7 / 21, .49 * .25 / 5};
    for (size_t e = 0; e < 2; e++) {
        segue_simulated_task *simulated = new_simulated_task(&envs[e], 55, 0, 0);
        segue_stats stats = {0}, squares = {0};
        for (uint64_t task = 0; task < N; task++) {
            segue_simulated_task_begin(simulated, 55, 0, task, 0);
            const double x = segue_simulated_task_means(simulated)[0];
            segue_stats_add(&stats, x);
            segue_stats_add(&squares, (x - expected[e]) * (x - expected[e]));
        }
        assert_true(fabs(stats.mean - expected[e]) < 5.2 * segue_stats_standard_error(&stats));
        assert_true(fabs(squares.mean - variance[e]) < 5.2 * segue_stats_standard_error(&squares));
        segue_simulated_task_destroy(simulated);
    }
    segue_models_destroy(models);
}

static void means_of_0_and_1_do_not_spread(void **state)
{
    (void)state;
    const double mean[] = {0.0, 1.0};
    segue_models *models = models_of(2, 1, mean);
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = models, .spread = 2.0};
    segue_simulated_task *simulated = new_simulated_task(&env, 56, 0, 0);
    assert_near(segue_simulated_task_means(simulated)[0], 0.0, 0.0);
    assert_near(segue_simulated_task_means(simulated)[1], 1.0, 0.0);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* A task is a pure model unless two shares are above about 1e-3, which has probability
 * 1e-6 ln(1000) < 1e-5 at this concentration; three such tasks of a hundred: 2e-10. */
static void a_tiny_mixture_concentration_gives_pure_models(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = models, .mixed = 1e-6};
    segue_simulated_task *simulated = new_simulated_task(&env, 57, 0, SEGUE_ANY_MODEL);
    int impure = 0;
    for (uint64_t task = 0; task < 100; task++) {
        segue_simulated_task_begin(simulated, 57, 0, task, SEGUE_ANY_MODEL);
        double nearest = INFINITY;
        for (size_t k = 0; k < 5; k++)
            nearest = fmin(nearest, fabs(segue_simulated_task_means(simulated)[0] -
                                         segue_models_row(models, k)[0]));
        impure += nearest > 1e-3;
    }
    assert_true(impure <= 2);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void a_switch_brings_the_other_set(void **state)
{
    (void)state;
    const double first[] = {0.1, 0.2, 0.3, 0.4}, second[] = {0.9, 0.8};
    segue_models *a = models_of(2, 2, first), *b = models_of(2, 1, second);
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = a, .switch_at = 5, .switch_to = b};
    segue_simulated_task *simulated = new_simulated_task(&env, 58, 0, SEGUE_ANY_MODEL);
    for (uint64_t task = 0; task < 10; task++) {
        segue_simulated_task_begin(simulated, 58, 0, task, SEGUE_ANY_MODEL);
        const bool after = task >= 4; /* task 5 is the fifth */
        assert_int_equal(segue_simulated_task_means(simulated)[0] == 0.9, after);
        assert_int_equal(segue_simulated_task_model(simulated) == 2, after);
    }
    assert_int_equal(segue_environment_models(&env), 3);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(a);
    segue_models_destroy(b);
}

/* A set whose models come with unequal weights, one of them never. */
static segue_models *weighted_models(void)
{
    static const double weight[] = {0.1, 0.4, 0.0, 0.3, 0.2};
    segue_models *paper = paper_models(), *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 7, 5, paper->mean, weight, NULL));
    segue_models_destroy(paper);
    return models;
}

/* The streams of a task's model and means are 2^32 and 2^32 + 1, for good. */
static void models_and_means_come_from_their_own_streams(void **state)
{
    (void)state;
    segue_models *models = weighted_models();
    const segue_environment drawn = {.size = sizeof(segue_environment), .models = models},
                            uniform = {.size = sizeof(segue_environment), .uniform_arms = 3};
    segue_simulated_task *a = new_simulated_task(&drawn, 1, 0, SEGUE_ANY_MODEL);
    segue_simulated_task *b = new_simulated_task(&uniform, 1, 0, SEGUE_ANY_MODEL);
    for (uint64_t task = 0; task < 200; task++) {
        segue_rng rng;
        segue_simulated_task_begin(a, 77, 5, task, SEGUE_ANY_MODEL);
        segue_simulated_task_begin(b, 77, 5, task, SEGUE_ANY_MODEL);
        segue_rng_init(&rng, 77, 5, task, UINT64_C(4294967296));
        const double u = segue_rng_uniform(&rng);
        assert_int_equal(segue_simulated_task_model(a), u < 0.1   ? 0
                                                        : u < 0.5 ? 1
                                                        : u < 0.8 ? 3
                                                                  : 4);
        segue_rng_init(&rng, 77, 5, task, UINT64_C(4294967297));
        for (size_t arm = 0; arm < 3; arm++)
            assert_near(segue_simulated_task_means(b)[arm], segue_rng_uniform(&rng), 0.0);
    }
    segue_simulated_task_destroy(a);
    segue_simulated_task_destroy(b);
    segue_models_destroy(models);
}

/* Means next to 0 or 1, in every family that has to solve or reject: no draw takes for ever. */
static void tiny_means_give_rewards_in_finite_time(void **state)
{
    (void)state;
    static const char *const laws[] = {"beta:0.001", "beta:1000000", "normal:0.001",
                                       "normal:0.1", "normal:100",   "twopoint:1"};
    const double mean[] = {1e-320, 1e-200, 1e-20, 1e-5, 1.0 - 1e-16, 1.0 - 1e-9};
    segue_models *models = models_of(6, 1, mean);
    for (size_t i = 0; i < 6; i++) {
        segue_environment env = {.size = sizeof(segue_environment), .models = models};
        assert_ok(segue_rewards_parse(&env.rewards, laws[i], NULL));
        segue_simulated_task *simulated = new_simulated_task(&env, 14, 0, 0);
        for (size_t arm = 0; arm < 6; arm++)
            for (int t = 0; t < 100; t++) {
                const double x = segue_simulated_task_reward(simulated, arm);
                assert_true(x >= 0.0 && x <= 1.0);
            }
        segue_simulated_task_destroy(simulated);
    }
    const segue_environment spread = {.size = sizeof(segue_environment),
                                      .models = models,
                                      .spread = 0.1,
                                      .rewards = {.law = SEGUE_NORMAL, .parameter = 0.1}};
    segue_simulation_result *result = simulate(&spread, "ucb", 20, 0, 400, 1, 1);
    assert_true(isfinite(result->regret.mean));
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
}

static void a_mixture_is_never_above_its_models(void **state)
{
    (void)state;
    double mean[2 * 6];
    for (size_t i = 0; i < 12; i++)
        mean[i] = 0.9;
    segue_models *models = models_of(2, 6, mean);
    const segue_environment env = {.size = sizeof(segue_environment),
                                   .models = models,
                                   .mixed = 1.0,
                                   .rewards = {.law = SEGUE_TWOPOINT, .parameter = 0.9}};
    segue_simulated_task *simulated = new_simulated_task(&env, 15, 0, SEGUE_ANY_MODEL);
    for (uint64_t task = 0; task < 1000; task++) {
        segue_simulated_task_begin(simulated, 15, 0, task, SEGUE_ANY_MODEL);
        assert_true(segue_simulated_task_means(simulated)[0] <= 0.9);
        assert_true(segue_simulated_task_reward(simulated, 0) <= 0.9);
    }
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void a_simulated_task_has_a_copy_of_its_environment(void **state)
{
    (void)state;
    segue_environment env = {.size = sizeof env, .uniform_arms = 3};
    segue_simulated_task *simulated = NULL;
    assert_ok(segue_simulated_task_create(&simulated, &env, NULL));
    memset(&env, 0xff, sizeof env);
    segue_simulated_task_begin(simulated, 1, 0, 0, SEGUE_ANY_MODEL);
    for (size_t arm = 0; arm < 3; arm++) {
        const double reward = segue_simulated_task_reward(simulated, arm);
        assert_true(reward == 0.0 || reward == 1.0);
    }
    segue_simulated_task_destroy(simulated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradictory_environments_are_rejected),
        cmocka_unit_test(an_environment_of_another_size_is_rejected),
        cmocka_unit_test(models_are_drawn_by_their_weights),
        cmocka_unit_test(spread_and_mixture_have_their_moments),
        cmocka_unit_test(means_of_0_and_1_do_not_spread),
        cmocka_unit_test(a_tiny_mixture_concentration_gives_pure_models),
        cmocka_unit_test(a_switch_brings_the_other_set),
        cmocka_unit_test(models_and_means_come_from_their_own_streams),
        cmocka_unit_test(tiny_means_give_rewards_in_finite_time),
        cmocka_unit_test(a_mixture_is_never_above_its_models),
        cmocka_unit_test(a_simulated_task_has_a_copy_of_its_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
