/* test_resampling.c - simulations on tasks of a log, with resampled rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples_fixture.h"
#include "support.h"

/* A log with one task a model and 1,000 rewards of 0 and 1 an arm, of which exactly the share is 1
 * that the mean says: the paper's have three decimals.  So its law is that of the models. */
static segue_samples *samples_like(const segue_models *models)
{
    enum { EACH = 1000 };
    const size_t n_rows = models->n_models * models->n_arms * EACH;
    segue_logged_reward *rows = calloc(n_rows, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n_rows; i++) {
        const size_t task = i / EACH / models->n_arms, arm = i / EACH % models->n_arms;
        const double ones = round(segue_models_row(models, task)[arm] * EACH);
        rows[i] = (segue_logged_reward){
            .task = (uint32_t)task, .arm = (uint32_t)arm, .reward = (double)(i % EACH) < ones};
    }
    segue_samples *samples = samples_of(models->n_models, models->n_arms, rows, n_rows, 1);
    free(rows);
    return samples;
}

static segue_simulation simulation_of(const segue_environment *env, const char *policy,
                                      uint64_t tasks, uint64_t runs)
{
    return (segue_simulation){.size = sizeof(segue_simulation),
                              .environment = env,
                              .policy = policy_of(policy),
                              .steps = 40,
                              .tasks = tasks,
                              .runs = runs,
                              .seed = 5,
                              .threads = 1,
                              .want_curve = tasks > 0};
}

static segue_simulation_result *result_of(const segue_simulation *sim)
{
    segue_simulation_result *result = NULL;
    segue_error err;
    if (segue_simulation_run(&result, sim, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return result;
}

/* Five values with shares 1 : 2 : 3 : 4 : 2 in each of six cells, 120,000 draws: chi-squared with 4
 * degrees of freedom is above 44 with probability 6.4e-9 each. */
static void rewards_of_an_arm_come_by_their_shares(void **state)
{
    (void)state;
    enum { N = 120000, EACH = 12 };
    static const double value[EACH] = {0, .25, .25, .5, .5, .5, .75, .75, .75, .75, 1, 1};
    static const double share[5] = {1 / 12., 2 / 12., 3 / 12., 4 / 12., 2 / 12.};
    segue_logged_reward rows[6 * EACH];
    for (size_t i = 0; i < 6 * EACH; i++)
        rows[i] = (segue_logged_reward){
            .task = (uint32_t)(i % 2), .arm = (uint32_t)(i / 2 % 3), .reward = value[i / 6]};
    segue_samples *samples = samples_of(2, 3, rows, 6 * EACH, EACH);
    const segue_environment env = {.size = sizeof(segue_environment), .samples = samples};
    segue_simulated_task *simulated = new_simulated_task(&env, 75, 0, SEGUE_ANY_MODEL);
    for (size_t cell = 0; cell < 6; cell++) {
        double count[5] = {0}, squares = 0.0;
        segue_simulated_task_begin(simulated, 75, 0, cell / 3, SEGUE_ANY_MODEL);
        assert_near(segue_simulated_task_means(simulated)[cell % 3], 28.0 / 12 / 4, 1e-15);
        for (int i = 0; i < N; i++)
            count[(int)(4.0 * segue_simulated_task_reward(simulated, cell % 3))]++;
        for (size_t k = 0; k < 5; k++)
            squares += pow(count[k] - N * share[k], 2.0) / (N * share[k]);
        assert_true(squares < 44.0);
    }
    segue_simulated_task_destroy(simulated);
    segue_samples_destroy(samples);
}

/* The rewards of an arm do not depend on the pulls of the others. */
static void all_policies_of_a_run_see_the_same_rewards(void **state)
{
    (void)state;
    enum { N = 60 };
    segue_samples *samples = random_samples(9);
    const segue_environment env = {.size = sizeof(segue_environment), .samples = samples};
    segue_simulated_task *one = new_simulated_task(&env, 76, 2, SEGUE_ANY_MODEL);
    segue_simulated_task *other = new_simulated_task(&env, 76, 7, SEGUE_ANY_MODEL);
    double paid[3][N];
    segue_simulated_task_begin(one, 76, 2, 5, SEGUE_ANY_MODEL);
    segue_simulated_task_begin(other, 76, 2, 5, SEGUE_ANY_MODEL);
    for (size_t arm = 0; arm < 3; arm++)
        for (size_t i = 0; i < N; i++)
            paid[arm][i] = segue_simulated_task_reward(one, arm);
    for (size_t i = 0; i < N; i++)
        for (size_t arm = 3; arm-- > 0;)
            assert_near(segue_simulated_task_reward(other, arm), paid[arm][i], 0.0);
    segue_simulated_task_destroy(one);
    segue_simulated_task_destroy(other);
    segue_samples_destroy(samples);
}

/* A log of known Bernoulli models against these models: 4.9 standard errors, 1e-6 a policy. */
static void a_log_of_known_models_has_their_regret(void **state)
{
    (void)state;
    static const char *const policies[] = {"ucb", "ts", "la"};
    segue_models *models = paper_models();
    segue_samples *samples = samples_like(models);
    const segue_environment known = {.size = sizeof(segue_environment), .models = models},
                            logged = {.size = sizeof(segue_environment), .samples = samples};
    const uint64_t runs = (uint64_t)repeats(600);
    for (size_t i = 0; i < 3; i++) {
        segue_simulation sim = simulation_of(&known, policies[i], 0, runs);
        segue_simulation_result *one = result_of(&sim);
        sim = simulation_of(&logged, policies[i], 0, 5 * runs);
        sim.seed = 6;
        segue_simulation_result *other = result_of(&sim);
        assert_int_equal(other->n_models, 1);
        assert_near(one->regret.mean, other->regret.mean,
                    4.9 * hypot(one->regret.se, other->regret.se));
        segue_simulation_result_destroy(one);
        segue_simulation_result_destroy(other);
    }
    segue_samples_destroy(samples);
    segue_models_destroy(models);
}

static void assert_same_result(const segue_simulation_result *a, const segue_simulation_result *b)
{
    assert_memory_equal(&a->regret, &b->regret, sizeof a->regret);
    assert_int_equal(a->n_tasks, b->n_tasks);
    for (uint64_t task = 0; task < a->n_tasks; task++)
        assert_memory_equal(&a->curve[task], &b->curve[task], sizeof a->curve[task]);
}

/* Threads and kernels do not change the result: logged rewards of 0 and 1 are no blocks of bits. */
static void threads_and_kernels_do_not_change_any_bit(void **state)
{
    (void)state;
    static const char *const policies[] = {"ucb", "ucb1", "ts", "la", "kl-ucb"};
    segue_models *models = paper_models();
    segue_samples *bits = samples_like(models), *others = random_samples(30);
    const segue_environment env[] = {{.size = sizeof(segue_environment), .samples = bits},
                                     {.size = sizeof(segue_environment), .samples = others}};
    for (size_t i = 0; i < 20; i++) {
        segue_simulation sim = simulation_of(&env[i % 2], policies[i / 4], i / 2 % 2 ? 5 : 0, 300);
        segue_simulation_result *one = result_of(&sim);
        sim.threads = 2;
        sim.kernel = SEGUE_KERNEL_PLAIN;
        segue_simulation_result *two = result_of(&sim);
        assert_same_result(one, two);
        segue_simulation_result_destroy(one);
        segue_simulation_result_destroy(two);
    }
    segue_samples_destroy(bits);
    segue_samples_destroy(others);
    segue_models_destroy(models);
}

/* A run of all tasks in the file's order is made of plays of these tasks. */
static void a_simulation_is_the_average_of_its_plays(void **state)
{
    (void)state;
    segue_samples *samples = random_samples(6);
    const segue_environment env = {
        .size = sizeof(segue_environment), .samples = samples, .order = SEGUE_ORDER_FILE};
    const segue_simulation sim = simulation_of(&env, "round-robin", 6, 1);
    segue_simulation_result *result = result_of(&sim);
    for (size_t task = 0; task < 6; task++) {
        const double *mean = samples->mean + 3 * task;
        const double best = fmax(mean[0], fmax(mean[1], mean[2]));
        const double regret = 14 * (best - mean[0]) + 13 * (best - mean[1]) + 13 * (best - mean[2]);
        assert_near(result->curve[task].mean, regret, 1e-12);
    }
    segue_simulation_result_destroy(result);
    segue_samples_destroy(samples);
}

/* A learner that goes on meets the tasks that are left, and no more. */
static void a_continued_learner_plays_the_remaining_tasks(void **state)
{
    (void)state;
    segue_samples *samples = random_samples(10);
    const segue_environment env = {.size = sizeof(segue_environment), .samples = samples};
    segue_learner_config config = segue_learner_defaults();
    assert_ok(segue_learner_config_parse(&config, "tts", NULL));
    segue_simulation sim = simulation_of(&env, "ts", 10, 1);
    sim.learner = &config;
    segue_simulation_result *whole = result_of(&sim);
    config.n_arms = 3;
    config.horizon = sim.steps;
    config.n_tasks = 10;
    config.seed = sim.seed;
    segue_learner *learner = NULL;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    sim.continued = learner;
    sim.tasks = 6;
    segue_simulation_result_destroy(result_of(&sim));
    segue_error err;
    assert_int_equal(segue_simulation_check(&sim, &err), SEGUE_EUSAGE);
    assert_non_null(strstr(err.message, "would have 12 tasks, and the log has 10"));
    sim.tasks = 4;
    segue_simulation_result *rest = result_of(&sim);
    for (size_t i = 0; i < 4; i++)
        assert_near(rest->curve[i].mean, whole->curve[6 + i].mean, 0.0);
    segue_simulation_result_destroy(rest);
    segue_simulation_result_destroy(whole);
    segue_learner_destroy(learner);
    segue_samples_destroy(samples);
}

static void simulations_that_a_log_cannot_support_are_rejected(void **state)
{
    (void)state;
    segue_samples *samples = random_samples(10);
    segue_models *models = paper_models();
    const segue_environment wrong[] = {
        {.size = sizeof(segue_environment), .samples = samples, .models = models},
        {.size = sizeof(segue_environment), .samples = samples, .uniform_arms = 3},
        {.size = sizeof(segue_environment), .samples = samples, .spread = 3.0},
        {.size = sizeof(segue_environment), .samples = samples, .mixed = 3.0},
        {.size = sizeof(segue_environment),
         .samples = samples,
         .switch_at = 3,
         .switch_to = models},
        {.size = sizeof(segue_environment),
         .samples = samples,
         .rewards = {.law = SEGUE_BETA, .parameter = 2.0}},
        {.size = sizeof(segue_environment), .samples = samples, .order = (segue_order)7},
        {.size = sizeof(segue_environment), .models = models, .order = SEGUE_ORDER_FILE},
    };
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (segue_status_exit_code(segue_environment_check(&wrong[i], &err)) != 2)
            fail_msg("environment %zu was not refused", i);
    const segue_environment shuffled = {.size = sizeof(segue_environment), .samples = samples},
                            filed = {.size = sizeof(segue_environment),
                                     .samples = samples,
                                     .order = SEGUE_ORDER_FILE};
    const segue_simulation sims[] = {
        simulation_of(&shuffled, "ts", 11, 1), simulation_of(&filed, "ts", 0, 1),
        simulation_of(&shuffled, "mucb", 5, 1), simulation_of(&shuffled, "mla", 5, 1),
        simulation_of(&shuffled, "told-ucb", 5, 1)};
    for (size_t i = 0; i < sizeof sims / sizeof *sims; i++)
        if (segue_status_exit_code(segue_simulation_check(&sims[i], &err)) != 2)
            fail_msg("simulation %zu was not refused", i);
    segue_learner_config tucb = segue_learner_defaults();
    assert_ok(segue_learner_config_parse(&tucb, "tucb", NULL));
    segue_simulation sim = simulation_of(&shuffled, "ts", 5, 1);
    sim.learner = &tucb;
    assert_int_equal(segue_simulation_check(&sim, &err), SEGUE_EDOMAIN);
    tucb.n_models = 2;
    assert_ok(segue_simulation_check(&sim, &err));
    segue_models_destroy(models);
    segue_samples_destroy(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewards_of_an_arm_come_by_their_shares),
        cmocka_unit_test(all_policies_of_a_run_see_the_same_rewards),
        cmocka_unit_test(a_log_of_known_models_has_their_regret),
        cmocka_unit_test(threads_and_kernels_do_not_change_any_bit),
        cmocka_unit_test(a_simulation_is_the_average_of_its_plays),
        cmocka_unit_test(a_continued_learner_plays_the_remaining_tasks),
        cmocka_unit_test(simulations_that_a_log_cannot_support_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
