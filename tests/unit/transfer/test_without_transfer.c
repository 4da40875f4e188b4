/* test_without_transfer.c - learners that learn nothing play as the policy of their name does.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner_fixture.h"

static const char *const texts[] = {"ts",         "la",
                                    "ucb",        "ucb:delta=0.2,log=min",
                                    "kl-ucb",     "ucb1",
                                    "moss",       "imed",
                                    "bayes-ucb",  "bayes-ucb:c=2",
                                    "eps-greedy", "eps-greedy:eps=0.3",
                                    "exp3",       "exp3:gamma=0.4",
                                    "round-robin"};
enum { N_TEXTS = sizeof texts / sizeof *texts, STEPS = 60 };

/* A task of the policy alone, with the stream that a learner gives its `number`-th task. */
static segue_task *plain_task(const char *text, uint64_t number)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    segue_rng rng;
    assert_ok(segue_policy_parse(&config.policy, text, NULL));
    config.setting.n_arms = 7;
    config.setting.horizon = STEPS;
    assert_ok(segue_task_create(&task, &config, NULL));
    segue_rng_init(&rng, 1, 0, number, SEGUE_STREAM_POLICY);
    segue_task_next(task, &rng, 0);
    return task;
}

/* Arm 0 is the best in even tasks, arm 6 in odd ones: a learner with transfer would notice. */
static double reward_of(size_t arm, uint64_t number, uint64_t step)
{
    const size_t best = number % 2 ? 6 : 0;
    return arm == best || (step * 7 + arm * 3) % 5 == 0 ? 1.0 : 0.0;
}

static void a_learner_plays_as_its_policy(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_TEXTS; i++) {
        const segue_learner_config config = config_of(texts[i], STEPS);
        segue_learner *learner = learner_of(&config);
        for (uint64_t number = 0; number < 12; number++) {
            segue_task *task = NULL, *alone = plain_task(texts[i], number);
            assert_ok(segue_learner_open_task(learner, &task, NULL));
            for (uint64_t step = 0; step < STEPS; step++) {
                const size_t arm = segue_task_ask(task);
                assert_int_equal(arm, segue_task_ask(alone));
                assert_ok(segue_task_tell(task, arm, reward_of(arm, number, step), NULL));
                assert_ok(segue_task_tell(alone, arm, reward_of(arm, number, step), NULL));
            }
            assert_ok(segue_learner_close_task(learner, &task, NULL));
            segue_task_destroy(alone);
        }
        assert_int_equal(segue_learner_info(learner).closed, 12);
        assert_int_equal(segue_learner_version(learner), 0);
        segue_learner_destroy(learner);
    }
}

static void its_info_says_so(void **state)
{
    size_t count = 0, found = 0;
    (void)state;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++) {
        const segue_learner_method *method = segue_learner_method_find(policies[i]->name);
        const bool alone = policies[i]->needs == SEGUE_NEEDS_NOTHING && !policies[i]->carries;
        found += method != NULL;
        assert_int_equal(method != NULL, alone);
        if (!method)
            continue;
        assert_true(method->without_transfer);
        assert_int_equal(method->n_options, policies[i]->n_options);
    }
    assert_int_equal(found, 11);
    assert_false(segue_learner_method_find("tts")->without_transfer);
}

static void it_merges_counts_and_takes_arms(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_TEXTS; i++) {
        const segue_learner_config config = config_of(texts[i], STEPS);
        segue_learner *one = learner_of(&config), *two = learner_of(&config);
        segue_task *task = NULL;
        assert_ok(segue_learner_open_task(two, &task, NULL));
        assert_ok(segue_learner_close_task(two, &task, NULL));
        assert_ok(segue_learner_merge(one, two, NULL));
        assert_int_equal(segue_learner_info(one).closed, 1);
        assert_ok(segue_learner_add_arm(one, NULL));
        assert_ok(segue_learner_retire_arm(one, 2, NULL));
        assert_ok(segue_learner_open_task(one, &task, NULL));
        for (size_t step = 0; step < 40; step++) {
            const size_t arm = segue_task_ask(task);
            assert_in_range(arm, 0, 7);
            assert_int_not_equal(arm, 2);
            assert_ok(segue_task_tell(task, arm, arm == 7, NULL));
        }
        assert_true(segue_task_info(task).pulls[7] > 0);
        segue_learner_destroy(one);
        segue_learner_destroy(two);
    }
}

static void only_look_ahead_can_be_explained(void **state)
{
    segue_explanation why;
    segue_error err;
    segue_task *task = NULL;
    (void)state;
    segue_learner_config config = config_of("la", STEPS);
    segue_learner *learner = learner_of(&config);
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    assert_ok(segue_learner_explain(learner, task, &why, NULL));
    assert_int_equal(why.n_types, 0);
    assert_near(why.weight[0], 1.0, 1e-12);
    segue_learner_destroy(learner);
    config = config_of("ts", STEPS);
    learner = learner_of(&config);
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    assert_int_equal(segue_learner_explain(learner, task, &why, &err), SEGUE_EDOMAIN);
    segue_learner_destroy(learner);
}

static void steps_are_needed_where_the_policy_uses_them(void **state)
{
    size_t n_needed = 0;
    (void)state;
    for (size_t i = 0; i < N_TEXTS; i++) {
        const segue_learner_config config = config_of(texts[i], 0);
        segue_learner *learner = NULL;
        const bool needed = segue_learner_method_find(texts[i])->needs_horizon;
        const bool created = segue_learner_create(&learner, &config, NULL) == SEGUE_OK;
        n_needed += needed;
        assert_int_equal(created, !needed);
        segue_learner_destroy(learner);
    }
    assert_int_equal(n_needed, 6); /* la; ucb, moss and exp3, two of them with options too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_learner_plays_as_its_policy),
        cmocka_unit_test(its_info_says_so),
        cmocka_unit_test(it_merges_counts_and_takes_arms),
        cmocka_unit_test(only_look_ahead_can_be_explained),
        cmocka_unit_test(steps_are_needed_where_the_policy_uses_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
