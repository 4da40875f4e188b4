/* test_kernel_.c - kernels make the pulls of the plain forms: every count, sum and view is equal.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel_ts.h"
#include "support.h"

/* A policy and a simulated task on which both forms play. */
typedef struct comparison {
    const char *policy;
    const segue_models *truth; /* of the simulated task */
    const segue_models *known; /* the policy's; NULL: none yet */
    segue_rewards rewards;
    double mixed; /* > 0: a task's means are mixtures, and no model is true */
    uint64_t steps;
    segue_batches batches;
} comparison;

static segue_task *open_task(const comparison *b)
{
    segue_task_config config = segue_task_defaults();
    config.policy = policy_of(b->policy);
    config.setting = (segue_setting){.n_arms = b->truth->n_arms,
                                     .n_models = b->truth->n_models,
                                     .models = b->known,
                                     .horizon = b->steps,
                                     .n_tasks = 1};
    config.batches = b->batches;
    segue_task *task = NULL;
    assert_ok(segue_task_create(&task, &config, NULL));
    return task;
}

static void assert_same_task(const segue_task *plain, const segue_task *fast, size_t n_arms)
{
    const segue_task_summary a = segue_task_info(plain), b = segue_task_info(fast);
    double views[2][3 * 64];
    assert_memory_equal(a.pulls, b.pulls, n_arms * sizeof *a.pulls);
    assert_memory_equal(a.sum, b.sum, n_arms * sizeof *a.sum);
    assert_int_equal(a.step, b.step);
    assert_int_equal(a.no_model_left, b.no_model_left);
    assert_int_equal(a.last_reason, b.last_reason);
    const bool usable = segue_task_views(plain, views[0]);
    assert_int_equal(usable, segue_task_views(fast, views[1]));
    if (usable)
        assert_memory_equal(views[0], views[1], 3 * n_arms * sizeof(double));
}

/* The streams of rewards are left where the plain form leaves them. */
static void assert_same_rewards_to_come(segue_simulated_task *plain, segue_simulated_task *fast,
                                        size_t n_arms)
{
    for (size_t arm = 0; arm < n_arms; arm++)
        for (int i = 0; i < 70; i++)
            assert_true(segue_simulated_task_reward(plain, arm) ==
                        segue_simulated_task_reward(fast, arm));
}

/* Play both forms on the same streams; returns how many steps had no model left. */
static uint64_t play_both(segue_kernel *kernel, const comparison *b, uint64_t run, size_t model)
{
    const segue_environment env = {.size = sizeof(segue_environment),
                                   .models = b->truth,
                                   .rewards = b->rewards,
                                   .mixed = b->mixed};
    segue_simulated_task *worlds[2] = {new_simulated_task(&env, 11, run, model),
                                       new_simulated_task(&env, 11, run, model)};
    segue_task *plain = open_task(b), *fast = open_task(b);
    double regret = -1.0;
    const double expected = segue_simulation_play(plain, worlds[0], b->steps);
    assert_true(segue_kernel_play(kernel, fast, worlds[1], b->steps, &regret));
    assert_true(regret == expected);
    assert_same_task(plain, fast, b->truth->n_arms);
    if (strcmp(b->policy, "mts") != 0) /* asked for one more, both answer the same */
        assert_int_equal(segue_task_ask(plain), segue_task_ask(fast));
    assert_same_rewards_to_come(worlds[0], worlds[1], b->truth->n_arms);
    const uint64_t lost = segue_task_info(plain).no_model_left;
    segue_task_destroy(plain);
    segue_task_destroy(fast);
    segue_simulated_task_destroy(worlds[0]);
    segue_simulated_task_destroy(worlds[1]);
    return lost;
}

/* The first three need a known set, the first one rewards of 0 and 1. */
static const char *const policies[] = {
    "mts",           "mucb",           "ucb+",           "ucb",
    "umucb",         "umucb:eps=0.02", "umucb:eps=0.05", "umucb:eps=0.15",
    "umucb:eps=0.5", "umucb:eps=1e300"};
enum { NEED_BITS = 1, NEED_MODELS = 3, POLICIES = sizeof policies / sizeof *policies };

static void the_models_of_the_paper_give_the_same_pulls(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_kernel *kernel = NULL;
    assert_ok(segue_kernel_create(&kernel, 12, 5000, NULL));
    static const uint64_t steps[] = {5000, 1000, 100, 21, 20, 1};
    for (uint64_t run = 0; run < (uint64_t)repeats(800); run++)
        for (size_t i = 0; i < POLICIES; i++) {
            const comparison b = {.policy = policies[i],
                                  .truth = models,
                                  .known = run % 8 == 7 && i >= NEED_MODELS ? NULL : models,
                                  .steps = steps[run % 6],
                                  .batches = (segue_batches)(run % 3)};
            (void)play_both(kernel, &b, run, run % 5);
        }
    segue_kernel_destroy(kernel);
    segue_models_destroy(models);
}

/* Estimates: the truth, moved a little, or a lot. */
static segue_models *estimate_of(const segue_models *truth, segue_rng *rng, double by)
{
    double *mean = calloc(truth->n_models * truth->n_arms, sizeof *mean);
    assert_non_null(mean);
    for (size_t i = 0; i < truth->n_models * truth->n_arms; i++)
        mean[i] = truth->mean[i] + by * (2.0 * segue_rng_uniform(rng) - 1.0);
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_ESTIMATED, truth->n_arms, truth->n_models,
                                  mean, truth->weight, NULL));
    free(mean);
    return models;
}

/* Tasks that are of no model: one that has fallen behind by thousands of orders of magnitude may
 * come back. */
static void models_that_are_all_wrong_give_the_same_pulls(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const double near_certain[] = {0.999999, 0.0, 0.000001, 0.00001}, tiny[] = {1e-200, .5, .4, .3};
    segue_models *sets[] = {paper_models(), models_of(2, 2, near_certain), models_of(2, 2, tiny)};
    segue_kernel *kernel = NULL;
    assert_ok(segue_kernel_create(&kernel, 12, STEPS, NULL));
    for (uint64_t run = 0; run < (uint64_t)repeats(60); run++) {
        const comparison b = {.policy = "mts",
                              .truth = sets[run % 2],
                              .known = sets[run % 2],
                              .mixed = run % 2 ? 1e5 : 2.0,
                              .steps = STEPS};
        (void)play_both(kernel, &b, run, SEGUE_ANY_MODEL);
    }
    const comparison b = {.policy = "mts", .truth = sets[2], .known = sets[2], .steps = 100};
    const segue_environment env = {.size = sizeof(segue_environment), .models = sets[2]};
    segue_simulated_task *simulated = new_simulated_task(&env, 12, 0, 0);
    segue_task *task = open_task(&b);
    double regret;
    assert_false(
        segue_kernel_play(kernel, task, simulated, 100, &regret)); /* products would vanish */
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    for (size_t i = 0; i < 3; i++)
        segue_models_destroy(sets[i]);
    segue_kernel_destroy(kernel);
}

static void random_sets_give_the_same_pulls(void **state)
{
    (void)state;
    static const segue_rewards laws[] = {{SEGUE_BERNOULLI, 0.0},
                                         {SEGUE_BERNOULLI, 0.0},
                                         {SEGUE_BETA, 5.0},
                                         {SEGUE_TWOPOINT, 1.0},
                                         {SEGUE_NORMAL, 0.2}};
    static const double moved[] = {0.0, 0.01, 0.1, 0.4};
    segue_rng rng;
    segue_rng_init(&rng, 5, 0, 0, 0);
    segue_kernel *kernel = NULL;
    assert_ok(segue_kernel_create(&kernel, 12, 5000, NULL));
    uint64_t lost = 0;
    for (uint64_t set = 0; set < (uint64_t)repeats(1000); set++) {
        segue_models *truth = random_models(&rng, 2, 12, 1, 20);
        segue_models *known = estimate_of(truth, &rng, moved[set % 4]);
        const segue_rewards law = laws[set % 5];
        const size_t first = law.law == SEGUE_BERNOULLI ? 0 : NEED_BITS;
        const comparison b = {.policy = policies[random_between(&rng, first, POLICIES - 1)],
                              .truth = truth,
                              .known = known,
                              .rewards = law,
                              .steps = random_between(&rng, 1, 3000),
                              .batches = (segue_batches)(set % 3)};
        lost += play_both(kernel, &b, set, random_between(&rng, 0, truth->n_models - 1));
        segue_models_destroy(known);
        segue_models_destroy(truth);
    }
    assert_true(lost > 100); /* steps without a model were among them */
    segue_kernel_destroy(kernel);
}

static void long_tasks_of_the_paper_give_the_same_pulls(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_kernel *kernel = NULL;
    assert_ok(segue_kernel_create(&kernel, 7, 5799, NULL));
    for (uint64_t run = 0; run < (uint64_t)repeats(800); run++) {
        const comparison b = {.policy = run % 2 ? "ucb+" : "ucb",
                              .truth = models,
                              .known = models,
                              .steps = 5000 + run, /* a level may end anywhere */
                              .batches = (segue_batches)(run % 3)};
        (void)play_both(kernel, &b, 1000 + run, run % 5);
    }
    segue_kernel_destroy(kernel);
    segue_models_destroy(models);
}

/* Of 2 to 64 arms: equal means, means of 0 and 1, a few values, many. */
static segue_models *models_with_ties(segue_rng *rng, uint64_t kind)
{
    enum { MODELS = 5 };
    const size_t n_arms = random_between(rng, 2, 64);
    const double grain[] = {0.0, 1.0, 4.0, 1000.0}, all = segue_rng_uniform(rng);
    double mean[64 * MODELS];
    for (size_t i = 0; i < n_arms * MODELS; i++)
        mean[i] = kind == 0 ? all : rint(grain[kind] * segue_rng_uniform(rng)) / grain[kind];
    return models_of(n_arms, MODELS, mean);
}

static void ties_and_certain_rewards_give_the_same_pulls(void **state)
{
    (void)state;
    static const uint64_t max[] = {70, 300, 1500, 8000};
    segue_rng rng;
    segue_rng_init(&rng, 6, 0, 0, 0);
    segue_kernel *kernel = NULL;
    assert_ok(segue_kernel_create(&kernel, 64, 8000, NULL));
    for (uint64_t set = 0; set < (uint64_t)repeats(800); set++) {
        segue_models *models = models_with_ties(&rng, set % 4);
        const comparison b = {.policy = set / 4 % 2 ? "ucb+" : "ucb",
                              .truth = models,
                              .known = models,
                              .steps = random_between(&rng, 1, max[set / 8 % 4]),
                              .batches = (segue_batches)(set % 3)};
        (void)play_both(kernel, &b, set, set % 5);
        segue_models_destroy(models);
    }
    segue_kernel_destroy(kernel);
}

static void a_policy_without_kernel_is_not_played(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_kernel *kernel = NULL;
    assert_ok(segue_kernel_create(&kernel, 12, 5000, NULL));
    segue_simulated_task *simulated = new_simulated_task(&env, 1, 0, 0);
    segue_task *task = task_of("kl-ucb", models, 100);
    double regret = -1.0;
    assert_false(segue_kernel_play(kernel, task, simulated, 100, &regret));
    assert_int_equal(segue_task_info(task).step, 0);
    assert_true(regret == -1.0);
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    segue_kernel_destroy(kernel);
    segue_models_destroy(models);
}

/* A learner, over many tasks: the same bits in the end. */
static void a_learner_of_models_learns_the_same(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_learner_config config = segue_learner_defaults();
    config.method = "tucb";
    segue_simulation_result *results[2];
    for (int i = 0; i < 2; i++) {
        const segue_simulation sim = {.size = sizeof(segue_simulation),
                                      .environment = &env,
                                      .learner = &config,
                                      .steps = 500,
                                      .tasks = (uint64_t)repeats(300),
                                      .runs = 2,
                                      .seed = 4,
                                      .threads = 2,
                                      .want_curve = true,
                                      .kernel = i ? SEGUE_KERNEL_PLAIN : SEGUE_KERNEL_FAST};
        assert_ok(segue_simulation_run(&results[i], &sim, NULL));
    }
    assert_memory_equal(results[0]->curve, results[1]->curve,
                        results[0]->n_tasks * sizeof *results[0]->curve);
    assert_true(results[0]->no_model_left == results[1]->no_model_left);
    segue_simulation_result_destroy(results[0]);
    segue_simulation_result_destroy(results[1]);
    segue_models_destroy(models);
}

/* A learner of types learns from the counts that either form leaves: 60 runs of each, with numbers
 * of their own.  A false alarm, |t| > 5.5 with 118 degrees of freedom, has probability 2e-7. */
static void a_learner_of_types_learns_the_same(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_learner_config config = segue_learner_defaults();
    config.method = "tts";
    segue_simulation_result *results[2];
    for (int i = 0; i < 2; i++) {
        const segue_simulation sim = {.size = sizeof(segue_simulation),
                                      .environment = &env,
                                      .learner = &config,
                                      .steps = 200,
                                      .tasks = 60,
                                      .runs = (uint64_t)repeats(60),
                                      .seed = (uint64_t)i + 5,
                                      .threads = 2,
                                      .kernel = i ? SEGUE_KERNEL_PLAIN : SEGUE_KERNEL_FAST};
        assert_ok(segue_simulation_run(&results[i], &sim, NULL));
        assert_true(results[i]->n_types >= 1.0);
    }
    const segue_regret a = results[0]->regret, b = results[1]->regret;
    if (!(fabs(a.mean - b.mean) < 5.5 * hypot(a.se, b.se)))
        fail_msg("%g (%g) and %g (%g)", a.mean, a.se, b.mean, b.se);
    segue_simulation_result_destroy(results[0]);
    segue_simulation_result_destroy(results[1]);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_models_of_the_paper_give_the_same_pulls),
        cmocka_unit_test(models_that_are_all_wrong_give_the_same_pulls),
        cmocka_unit_test(random_sets_give_the_same_pulls),
        cmocka_unit_test(long_tasks_of_the_paper_give_the_same_pulls),
        cmocka_unit_test(ties_and_certain_rewards_give_the_same_pulls),
        cmocka_unit_test(a_policy_without_kernel_is_not_played),
        cmocka_unit_test(a_learner_of_models_learns_the_same),
        cmocka_unit_test(a_learner_of_types_learns_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
