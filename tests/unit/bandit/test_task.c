/* test_task.c - tasks: asks, tells, ranges, views.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "bandit/task/task.h"

static void a_task_asks_for_every_arm_first(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    static const char *const names[] = {"ucb",         "ucb1", "kl-ucb", "sw-ucb",    "d-ucb",
                                        "carried-ucb", "moss", "imed",   "eps-greedy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        segue_task *task = task_of(names[i], models, 100);
        for (size_t arm = 0; arm < 7; arm++) {
            assert_int_equal(segue_task_ask(task), arm);
            tell(task, arm, 1.0);
        }
        segue_task_destroy(task);
    }
    segue_models_destroy(models);
}

static void asks_may_be_outstanding(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++) {
        segue_task *task = task_of(policies[i]->name, models, 100);
        for (int t = 0; t < 50; t++)
            assert_true(segue_task_ask(task) < 7);
        const segue_task_summary info = segue_task_info(task);
        assert_int_equal(info.step, 50);
        for (size_t arm = 0; arm < 7; arm++)
            assert_int_equal(info.pulls[arm], 0);
        segue_task_destroy(task);
    }
    segue_models_destroy(models);
}

static void an_outstanding_ask_counts_as_a_first_pull(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    for (size_t arm = 0; arm < 7; arm++)
        assert_int_equal(segue_task_ask(task), arm);
    tell(task, 4, 1.0); /* late, and out of order */
    assert_int_equal(segue_task_ask(task), 4);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void a_reward_without_an_ask_counts(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    tell(task, 0, 1.0);
    assert_int_equal(segue_task_info(task).step, 1);
    assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void a_wrong_reward_changes_nothing(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    const double wrong[] = {-0.1, 1.1, NAN, INFINITY, -INFINITY};
    segue_error err;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(segue_task_tell(task, 0, wrong[i], &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_task_tell(task, 7, 0.5, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_task_tell(task, SIZE_MAX, 0.5, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_task_info(task).step, 0);
    assert_int_equal(segue_task_info(task).pulls[0], 0);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* Rewards in [-50, 150] play as the same rewards in [0, 1]. */
static void rewards_of_any_range_play_alike(void **state)
{
    (void)state;
    segue_task_config config = segue_task_defaults();
    segue_task *plain = NULL, *scaled = NULL;
    segue_rng rng;
    config.policy = policy_of("ucb");
    config.setting.n_arms = 4;
    assert_ok(segue_task_create(&plain, &config, NULL));
    config.lowest = -50.0;
    config.highest = 150.0;
    assert_ok(segue_task_create(&scaled, &config, NULL));
    segue_rng_init(&rng, 23, 0, 0, 0);
    for (int t = 0; t < 500; t++) {
        const size_t arm = segue_task_ask(plain);
        const double reward = segue_rng_uniform(&rng) < 0.3 + 0.1 * (double)arm;
        assert_int_equal(segue_task_ask(scaled), arm);
        tell(plain, arm, reward);
        tell(scaled, arm, -50.0 + 200.0 * reward);
    }
    segue_task_destroy(plain);
    segue_task_destroy(scaled);
}

static void wrong_settings_are_rejected(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task_config good = segue_task_defaults();
    good.policy = policy_of("mucb");
    good.setting.n_arms = 7;
    good.setting.models = models;
    segue_task_config bad[9];
    for (size_t i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].setting.n_arms = 1;
    bad[1].setting.n_arms = 10001;
    bad[2].setting.n_arms = 6; /* the models have 7 */
    bad[3].setting.horizon = 0;
    bad[4].setting.n_tasks = 0;
    bad[5].highest = bad[5].lowest;
    bad[6].lowest = NAN;
    bad[7].policy.policy = NULL;
    bad[8].setting.horizon = SEGUE_MAX_HORIZON + 1;
    segue_task *task = NULL;
    segue_error err;
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(segue_task_create(&task, &bad[i], &err), SEGUE_EDOMAIN);
        assert_null(task);
    }
    good.setting.models = NULL;
    assert_int_equal(segue_task_create(&task, &good, &err), SEGUE_EUSAGE);
    good.policy = policy_of("told-ucb");
    assert_int_equal(segue_task_create(&task, &good, &err), SEGUE_EUSAGE);
    segue_task_destroy(NULL);
    segue_models_destroy(models);
}

static void feed(segue_task *task, size_t arm, double mean, int pulls)
{
    for (int i = 0; i < pulls; i++)
        tell(task, arm, mean);
}

static void a_configuration_of_another_size_is_rejected(void **state)
{
    (void)state;
    segue_error err;
    segue_task *task = NULL;
    segue_task_config config = segue_task_defaults();
    config.setting.n_arms = 3;
    assert_ok(segue_policy_parse(&config.policy, "ts", &err));
    config.size = 0;
    assert_int_equal(segue_task_create(&task, &config, &err), SEGUE_EDOMAIN);
    assert_null(task);
    assert_non_null(strstr(err.message, "segue_task_config has 0 bytes"));
}

static void means_lie_in_the_range_of_the_rewards(void **state)
{
    (void)state;
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = policy_of("ucb");
    config.setting.n_arms = 2;
    config.lowest = 10.0;
    config.highest = 30.0;
    assert_ok(segue_task_create(&task, &config, NULL));
    tell(task, 1, 12.0);
    tell(task, 1, 26.0);
    assert_true(isnan(segue_task_mean(task, 0)));
    assert_near(segue_task_mean(task, 1), 19.0, 1e-12);
    segue_task_destroy(task);
    for (int top = 1; top <= 1000; top++) { /* the best reward is 1, and no rounding less */
        config.lowest = 0.0;
        config.highest = top;
        assert_ok(segue_task_create(&task, &config, NULL));
        tell(task, 1, top);
        assert_true(segue_task_info(task).sum[1] == 1.0);
        segue_task_destroy(task);
    }
    config.lowest = 0.0;
    config.highest = 1e-310; /* its inverse is infinite */
    assert_int_equal(segue_task_create(&task, &config, NULL), SEGUE_EDOMAIN);
}

static void open_with_batches(segue_task **task, segue_batches kind, uint64_t horizon)
{
    segue_task_config config = segue_task_defaults();
    config.policy = policy_of("round-robin");
    config.setting.n_arms = 2;
    config.setting.horizon = horizon;
    config.batches = kind;
    assert_ok(segue_task_create(task, &config, NULL));
}

/* Seven rewards of arm 0, three of arm 1: thirds of two, two, three; and one, one, one. */
static void views_are_the_averages_of_three_batches(void **state)
{
    (void)state;
    static const double rewards[] = {.1, .2, .3, .4, .5, .6, .7}, others[] = {.9, .8, 0.};
    const double consecutive[] = {.15, .9, .35, .8, .6, 0.};
    const double interleaved[] = {(.1 + .4 + .7) / 3, .9, .35, .8, .45, 0.};
    for (int kind = SEGUE_BATCHES_CONSECUTIVE; kind <= SEGUE_BATCHES_INTERLEAVED; kind++) {
        segue_task *task = NULL;
        double views[6];
        open_with_batches(&task, (segue_batches)kind, 10);
        for (size_t i = 0; i < 7; i++) {
            if (i < 3) {
                assert_false(segue_task_views(task, views));
                tell(task, 1, others[i]);
            }
            tell(task, 0, rewards[i]);
        }
        assert_true(segue_task_views(task, views));
        for (size_t i = 0; i < 6; i++)
            assert_near(views[i],
                        (kind == SEGUE_BATCHES_CONSECUTIVE ? consecutive : interleaved)[i], 1e-15);
        segue_task_destroy(task);
    }
    segue_task *task = NULL;
    double views[6];
    open_with_batches(&task, SEGUE_BATCHES_NONE, 10);
    feed(task, 0, 0.5, 5);
    feed(task, 1, 0.5, 5);
    assert_false(segue_task_views(task, views));
    segue_task_destroy(task);
}

/* Every policy: after asks that are undone it chooses as one that was not asked, whatever was told before. */
static void asks_that_are_undone_were_not_made(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    segue_models *models = paper_models();
    for (size_t p = 0; p < count; p++) {
        segue_task *task = task_of(policies[p]->name, models, 300), *before = NULL;
        segue_task *other = task_of(policies[p]->name, models, 300);
        for (int t = 0; t < 200; t++) {
            if (t % 20 == 0) {
                assert_ok(segue_task_copy(&before, task, NULL));
                for (int asks = 0; asks < 7; asks++)
                    (void)segue_task_ask(task);
                segue_task_undo_asks(task, before);
                segue_task_destroy(before);
            }
            const size_t arm = segue_task_ask(task);
            assert_int_equal(arm, segue_task_ask(other));
            if (t % 3 > 0) { /* some rewards come never */
                tell(task, arm, t % 2 ? 1.0 : 0.0);
                tell(other, arm, t % 2 ? 1.0 : 0.0);
            }
        }
        segue_task_destroy(task);
        segue_task_destroy(other);
    }
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_asks_for_every_arm_first),
        cmocka_unit_test(asks_may_be_outstanding),
        cmocka_unit_test(an_outstanding_ask_counts_as_a_first_pull),
        cmocka_unit_test(a_reward_without_an_ask_counts),
        cmocka_unit_test(a_wrong_reward_changes_nothing),
        cmocka_unit_test(rewards_of_any_range_play_alike),
        cmocka_unit_test(wrong_settings_are_rejected),
        cmocka_unit_test(a_configuration_of_another_size_is_rejected),
        cmocka_unit_test(means_lie_in_the_range_of_the_rewards),
        cmocka_unit_test(views_are_the_averages_of_three_batches),
        cmocka_unit_test(asks_that_are_undone_were_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
