/* test_learner.c - learners: options, tasks opened and closed, estimates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner_fixture.h"

static void learners_are_read_with_their_options(void **state)
{
    (void)state;
    const segue_learner_config c =
        config_of("tucb:C=1.5,views=symmetric,batches=interleaved,L=10,N=20,every=3,growth=0.1,"
                  "identify=7,delta=0.05,estimator=eca",
                  100);
    static const struct {
        const char *key;
        double value;
    } expected[] = {{"C", 1.5},      {"views", 1.0},    {"batches", 1.0}, {"L", 10.0},
                    {"N", 20.0},     {"every", 3.0},    {"growth", 0.1},  {"identify", 7.0},
                    {"delta", 0.05}, {"estimator", 2.0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_near(segue_learner_config_get(&c, expected[i].key), expected[i].value, 0.0);
    assert_true(isnan(segue_learner_config_get(&c, "window"))); /* the default */
    assert_true(isnan(segue_learner_config_get(&c, "cap")));    /* of other methods */
    const segue_learner_config doubling = config_of("tucb:C=0", 100);
    assert_near(segue_learner_config_get(&doubling, "C"), 0.0, 0.0);
    assert_int_equal(config_of("tucb", 100).n_models, 5);
    assert_int_equal(config_of("tucb:models=3", 100).n_models, 3);
}

static void wrong_learners_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "tubc",     "tucb:",      "tucb:C=-1",     "tucb:C=x", "tucb:views=all", "tucb:every=0",
        "tucb:D=1", "tucb:L=2.5", "tucb:models=0", "mucb",     "carried-ucb",    "ts:C=1"};
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(
            segue_status_exit_code(segue_learner_config_parse(&config, wrong[i], NULL)), 2);
    enum { N_BAD = 14 };
    segue_learner_config bad[N_BAD];
    for (size_t i = 0; i < N_BAD; i++)
        bad[i] = config_of("tucb", 100);
    bad[0].n_arms = 1;
    bad[1].n_models = 0;
    bad[2].horizon = 0;
    bad[3].option[TUCB_C] = INFINITY;
    bad[4].option[TUCB_BATCHES] = 2.0;
    bad[5].option[TUCB_VIEWS] = 9.0;
    bad[6].method = NULL;
    bad[7].option[TUCB_ESTIMATOR] = 4.0;
    bad[8].method = "tucb:C=1"; /* the options belong to segue_learner_config_parse */
    bad[9].highest = bad[9].lowest;
    bad[10].option[TUCB_GROWTH] = 1e300;
    bad[11].option[TUCB_EVERY] = 1e19;
    bad[12].size = sizeof bad[12] - 1;
    bad[13].size = sizeof bad[13] + 1;
    for (size_t i = 0; i < N_BAD; i++) {
        assert_int_equal(segue_status_exit_code(segue_learner_create(&learner, &bad[i], NULL)), 2);
        assert_null(learner);
    }
    segue_learner_destroy(NULL);
}

static void eps_is_the_lemmas(void **state)
{
    (void)state;
    assert_near(segue_tucb_model_error(SEGUE_EPS_LEMMA, 2.0, 5, 7, 5000, 1.0 / 5000, 5000), 0.1305,
                5e-5);
    assert_near(segue_tucb_model_error(SEGUE_EPS_LEMMA, 2.0, 5, 7, 5000, 1.0 / 5000, 1000), 0.292,
                5e-4);
}

/* Without an estimate: three forced pulls each, then UCB with umUCB's L, pull by pull.  More models
 * than arms never give one. */
static void without_an_estimate_a_task_is_ucb(void **state)
{
    (void)state;
    const double mean[] = {.2, .5, .8, .7, .3, .6};
    segue_models *models = models_of(3, 2, mean);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 72, 0, 0);
    segue_learner_config config = config_of("tucb", 400);
    config.n_arms = 3;
    config.n_models = 4;
    segue_learner *learner = learner_of(&config);
    for (uint64_t j = 0; j < 20; j++) {
        segue_task_config plain = segue_task_defaults();
        segue_task *task = NULL, *ucb = NULL;
        plain.policy = policy_of("ucb");
        plain.setting = (segue_setting){.n_arms = 3, .horizon = 400, .n_tasks = 1};
        /* log(K n^2 / d) = log(2 m K n^2 / delta), delta = 1/n */
        assert_ok(segue_policy_set(&plain.policy, "delta", 1.0 / 400 / 8, NULL));
        assert_ok(segue_task_create(&ucb, &plain, NULL));
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        segue_simulated_task_begin(simulated, 72, 0, j, SEGUE_ANY_MODEL);
        for (uint64_t t = 0; t < 400; t++) {
            const size_t arm = segue_task_ask(task);
            assert_int_equal(arm, t < 9 ? t % 3 : segue_task_ask(ucb));
            const double reward = segue_simulated_task_reward(simulated, arm);
            tell(task, arm, reward);
            tell(ucb, arm, reward);
        }
        assert_ok(segue_learner_close_task(learner, &task, NULL));
        segue_task_destroy(ucb);
        assert_null(segue_learner_models(learner));
    }
    assert_non_null(strstr(segue_learner_info(learner).estimate.verdict, "more than 3 arms"));
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void several_tasks_may_be_open(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 73, 0, 0);
    const segue_learner_config config = config_of("tucb", 60);
    segue_learner *learner = learner_of(&config), *other = learner_of(&config);
    segue_task *tasks[5], *foreign = NULL, *none = NULL;
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < 5; i++)
            assert_ok(segue_learner_open_task(learner, &tasks[i], NULL));
        for (size_t i = 0; i < 5; i++) {
            segue_simulated_task_begin(simulated, 73, i, (uint64_t)round, SEGUE_ANY_MODEL);
            (void)segue_simulation_play(tasks[i], simulated, 60);
        }
        static const size_t order[5] = {3, 0, 4, 2, 1};
        for (size_t i = 0; i < 5; i++)
            assert_ok(segue_learner_close_task(learner, &tasks[order[i]], NULL));
    }
    const segue_learner_summary info = segue_learner_info(learner);
    assert_int_equal(info.opened, 50);
    assert_int_equal(info.closed, 50);
    assert_int_equal(info.estimate.n_tasks, 50);
    assert_int_equal(info.age, 0);
    assert_ok(segue_learner_open_task(other, &foreign, NULL));
    assert_int_equal(segue_learner_close_task(learner, &foreign, NULL), SEGUE_EDOMAIN);
    assert_non_null(foreign);
    assert_int_equal(segue_learner_close_task(learner, &none, NULL), SEGUE_EDOMAIN);
    segue_learner_destroy(learner); /* and `other` with a task that is open */
    segue_learner_destroy(other);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void a_task_keeps_the_models_it_was_opened_with(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 74, 0, 0);
    const segue_learner_config config = config_of("tucb", 100);
    segue_learner *learner = learner_of(&config);
    segue_task *old = NULL;
    for (uint64_t j = 0; j < 20; j++)
        play_task(learner, simulated, 0, j, NULL);
    assert_ok(segue_learner_open_task(learner, &old, NULL));
    for (uint64_t j = 20; j < 40; j++) /* sets come and go; the old task's must stay */
        play_task(learner, simulated, 0, j, NULL);
    (void)segue_simulation_play(old, simulated, 100);
    assert_ok(segue_learner_close_task(learner, &old, NULL));
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void tasks_closed_early_are_skipped(void **state)
{
    (void)state;
    const segue_learner_config config = config_of("tucb", 100);
    segue_learner *learner = learner_of(&config);
    for (int j = 0; j < 5; j++) {
        segue_task *task = NULL;
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (int t = 0; t < 20; t++) /* one short of three each */
            tell(task, segue_task_ask(task), 0.5);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    const segue_learner_summary info = segue_learner_info(learner);
    assert_int_equal(info.skipped, 5);
    assert_int_equal(info.closed, 5);
    assert_int_equal(info.estimate.n_tasks, 0);
    assert_null(segue_learner_models(learner));
    assert_true(isinf(info.eps));
    segue_learner_destroy(learner);
}

/* em learns from those too, but not from a task without any reward; its fits come at each growth by
 * 5 %, and eps goes by the tasks that it still has. */
static void em_takes_every_task_with_a_reward(void **state)
{
    (void)state;
    segue_learner_config config = config_of("tucb:estimator=em,window=16", 100);
    config.n_models = 2;
    segue_learner *learner = learner_of(&config);
    for (int j = 0; j < 42; j++) {
        segue_task *task = NULL;
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (int t = 0; t < 2 && j > 0; t++)
            tell(task, segue_task_ask(task), j % 2 ? 1.0 : 0.0);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    const segue_learner_summary info = segue_learner_info(learner);
    assert_int_equal(info.skipped, 1);
    assert_int_equal(info.age, 0); /* 41 = ceil(1.05 * 39) */
    assert_int_equal(info.estimate.n_tasks, 16);
    assert_non_null(segue_learner_models(learner));
    assert_near(info.eps,
                segue_tucb_model_error(SEGUE_EPS_LEMMA, 2.0, 2, 7, config.n_tasks, 0.01, 16),
                1e-12);
    segue_learner_destroy(learner);
}

static void memory_of_a_peak_of_open_tasks_is_freed(void **state)
{
    (void)state;
    enum { PEAK = 300, FEW = 100 };
    const segue_learner_config config = config_of("tucb:identify=10", 700);
    segue_learner *learner = NULL;
    segue_task *task[PEAK];
    assert_ok(segue_learner_create(&learner, &config, NULL));
    for (int i = 0; i < PEAK; i++)
        assert_ok(segue_learner_open_task(learner, &task[i], NULL));
    for (int i = 0; i < PEAK; i++)
        assert_ok(segue_learner_close_task(learner, &task[i], NULL));
    size_t reserved = 0;
    for (const open_task *at = learner->idle; at; at = at->next)
        reserved++;
    assert_true(reserved > 0 && reserved < FEW);
    for (int i = 0; i < FEW; i++) /* the reserved ones, and more */
        assert_ok(segue_learner_open_task(learner, &task[i], NULL));
    assert_null(learner->idle);
    for (int i = 0; i < FEW; i++)
        assert_true(segue_task_ask(task[i]) < config.n_arms);
    segue_learner_destroy(learner);
}

static void the_first_tasks_identify_if_asked(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 75, 0, 0);
    const segue_learner_config config = config_of("tucb:identify=3", 700);
    segue_learner *learner = learner_of(&config);
    for (uint64_t j = 0; j < 5; j++) {
        uint64_t pulls[7];
        bool even = true;
        play_task(learner, simulated, 0, j, pulls);
        for (size_t arm = 0; arm < 7; arm++)
            even = even && pulls[arm] == 100;
        assert_int_equal(even, j < 3);
    }
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void estimates_come_on_their_schedule(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 76, 0, 0);
    const segue_learner_config every = config_of("tucb:every=10", 50);
    const segue_learner_config growing = config_of("tucb:growth=0.5", 50);
    segue_learner *a = learner_of(&every), *b = learner_of(&growing);
    static const uint64_t seen[] = {1, 2, 3, 5, 8, 12, 18, 27, 41};
    size_t next = 0;
    for (uint64_t j = 1; j <= 41; j++) {
        play_task(a, simulated, 0, j, NULL);
        play_task(b, simulated, 0, j, NULL);
        assert_int_equal(segue_learner_info(a).age, (j - 1) % 10);
        if (j == seen[next])
            next++;
        assert_int_equal(segue_learner_info(b).age, j - seen[next - 1]);
    }
    segue_learner_destroy(a);
    segue_learner_destroy(b);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* Models far from what the later tasks are: every such task is a violation, and doubles C. */
static void violations_double_c(void **state)
{
    (void)state;
    const double first[] = {.9, .1, .5, .1, .9, .5}, second[] = {.1, .1, .1, .1, .1, .1};
    segue_models *a = models_of(3, 2, first), *b = models_of(3, 2, second);
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = a, .switch_at = 51, .switch_to = b};
    segue_simulated_task *simulated = new_simulated_task(&env, 77, 0, 0);
    segue_learner_config config = config_of("tucb:C=0,growth=10", 2000);
    config.n_arms = 3;
    config.n_models = 2;
    segue_learner *learner = learner_of(&config);
    for (uint64_t j = 0; j < 50; j++)
        play_task(learner, simulated, 0, j, NULL);
    const segue_learner_summary before = segue_learner_info(learner);
    for (uint64_t j = 50; j < 53; j++)
        play_task(learner, simulated, 0, j, NULL);
    const segue_learner_summary after = segue_learner_info(learner);
    assert_true(after.violations > before.violations);
    assert_near(after.c, ldexp(0.25, (int)after.violations), 1e-12);
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(a);
    segue_models_destroy(b);
}

/* Rewards in [-1, 3] teach the same models as the same rewards in [0, 1]. */
static void rewards_of_any_range_teach_alike(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 78, 0, 0);
    segue_learner_config config = config_of("tucb", 200);
    config.n_models = 2; /* as many as stand out of the noise of 40 short tasks */
    segue_learner *plain = learner_of(&config);
    config.lowest = -1.0;
    config.highest = 3.0;
    segue_learner *scaled = learner_of(&config);
    for (uint64_t j = 0; j < 40; j++) {
        segue_task *a = NULL, *b = NULL;
        segue_simulated_task_begin(simulated, 78, 0, j, SEGUE_ANY_MODEL);
        assert_ok(segue_learner_open_task(plain, &a, NULL));
        assert_ok(segue_learner_open_task(scaled, &b, NULL));
        for (int t = 0; t < 200; t++) {
            const size_t arm = segue_task_ask(a);
            const double reward = segue_simulated_task_reward(simulated, arm);
            assert_int_equal(segue_task_ask(b), arm);
            tell(a, arm, reward);
            tell(b, arm, -1.0 + 4.0 * reward);
        }
        assert_ok(segue_learner_close_task(plain, &a, NULL));
        assert_ok(segue_learner_close_task(scaled, &b, NULL));
    }
    assert_non_null(segue_learner_models(plain));
    assert_non_null(segue_learner_models(scaled));
    assert_memory_equal(segue_learner_models(plain)->mean, segue_learner_models(scaled)->mean,
                        14 * sizeof(double));
    segue_learner_destroy(plain);
    segue_learner_destroy(scaled);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learners_are_read_with_their_options),
        cmocka_unit_test(wrong_learners_are_refused),
        cmocka_unit_test(eps_is_the_lemmas),
        cmocka_unit_test(without_an_estimate_a_task_is_ucb),
        cmocka_unit_test(several_tasks_may_be_open),
        cmocka_unit_test(a_task_keeps_the_models_it_was_opened_with),
        cmocka_unit_test(tasks_closed_early_are_skipped),
        cmocka_unit_test(em_takes_every_task_with_a_reward),
        cmocka_unit_test(memory_of_a_peak_of_open_tasks_is_freed),
        cmocka_unit_test(the_first_tasks_identify_if_asked),
        cmocka_unit_test(estimates_come_on_their_schedule),
        cmocka_unit_test(violations_double_c),
        cmocka_unit_test(rewards_of_any_range_teach_alike),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
