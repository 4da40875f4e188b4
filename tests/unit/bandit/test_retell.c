/* test_retell.c - a task whose rewards changed is as if the new ones had been given at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "bandit/task/task.h"
#include "transfer/learner_internal.h"

#define N_ARMS  5
#define GIVEN   60
#define PENDING 3
#define STEPS   200

static double first_reward(size_t i, bool graded)
{
    return graded ? 2.0 + (double)(i * 7 % 11) / 11.0 : 2.0 + (double)(i % 2);
}

/* Every third reward changes. */
static double last_reward(size_t i, bool graded)
{
    if (i % 3 != 0)
        return first_reward(i, graded);
    return graded ? 2.0 + (double)(i * 5 % 13) / 13.0 : 3.0 - (double)(i % 2);
}

/* Ask as the service does, with some rewards still to come, and tell. */
static void play(segue_task *task, double (*reward)(size_t, bool), bool graded)
{
    for (size_t i = 0; i < GIVEN + PENDING; i++)
        segue_task_count_ask(task, i * 7 / 3 % N_ARMS);
    for (size_t i = 0; i < GIVEN; i++)
        assert_ok(segue_task_tell(task, i * 7 / 3 % N_ARMS, reward(i, graded), NULL));
}

static void retell(segue_task *task, bool graded)
{
    segue_given_reward given[GIVEN];
    for (size_t i = 0; i < GIVEN; i++)
        given[i] = (segue_given_reward){.reward = last_reward(i, graded),
                                        .arm = (uint32_t)(i * 7 / 3 % N_ARMS)};
    segue_task_retell(task, given, GIVEN);
}

/* The next choices are the same, and so is all that the task says about itself. */
static void compare(segue_task *a, segue_task *b, const char *name)
{
    double views[2][3 * N_ARMS];
    const bool has = segue_task_views(a, views[0]);
    assert_int_equal(has, segue_task_views(b, views[1]));
    if (has)
        assert_memory_equal(views[0], views[1], sizeof views[0]);
    for (size_t i = 0; i < GIVEN; i++) {
        for (size_t arm = 0; arm < N_ARMS; arm++) {
            assert_near(segue_task_mean(a, arm), segue_task_mean(b, arm), 0.0);
            assert_near(segue_task_learned_weight(a, arm), segue_task_learned_weight(b, arm), 0.0);
        }
        const size_t arm = segue_task_ask(a);
        if (segue_task_ask(b) != arm)
            fail_msg("%s: ask %zu differs", name, i);
        assert_ok(segue_task_tell(a, arm, 2.0 + (double)(i % 3) / 2.0, NULL));
        assert_ok(segue_task_tell(b, arm, 2.0 + (double)(i % 3) / 2.0, NULL));
    }
}

static segue_task *new_task(const char *policy, segue_batches kind)
{
    segue_task *task = NULL;
    segue_task_config config = segue_task_defaults();
    assert_ok(segue_policy_parse(&config.policy, policy, NULL));
    config.setting.n_arms = N_ARMS;
    config.setting.horizon = STEPS;
    config.batches = kind;
    config.lowest = 2.0;
    config.highest = 3.0;
    assert_ok(segue_task_create(&task, &config, NULL));
    return task;
}

static void every_policy_forgets_the_rewards_that_changed(void **state)
{
    static const char *const policies[] = {"ts",   "la",   "ucb",       "ucb1", "kl-ucb",
                                           "moss", "imed", "bayes-ucb", "exp3", "round-robin"};
    static const segue_batches kinds[] = {SEGUE_BATCHES_NONE, SEGUE_BATCHES_CONSECUTIVE,
                                          SEGUE_BATCHES_INTERLEAVED};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (size_t k = 0; k < 6; k++) {
            segue_task *a = new_task(policies[i], kinds[k / 2]);
            segue_task *b = new_task(policies[i], kinds[k / 2]);
            play(a, first_reward, k % 2);
            retell(a, k % 2);
            play(b, last_reward, k % 2);
            compare(a, b, policies[i]);
            segue_task_destroy(a);
            segue_task_destroy(b);
        }
}

/* A learner that has closed tasks of two kinds: its tasks start from what it found. */
static segue_learner *new_learner(const char *method)
{
    segue_learner *learner = NULL;
    segue_learner_config config = segue_learner_defaults();
    assert_ok(segue_learner_config_parse(&config, method, NULL));
    config.n_arms = N_ARMS;
    config.horizon = STEPS;
    config.lowest = 2.0;
    config.highest = 3.0;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    for (size_t t = 0; t < 24; t++) {
        segue_task *task = NULL;
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (size_t i = 0; i < 60; i++)
            assert_ok(segue_task_tell(
                task, i % N_ARMS, i % N_ARMS == t % 2 && i % 4 ? 3.0 : 2.0 + (double)(i % 7 == 0),
                NULL));
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    return learner;
}

static void tasks_of_learners_forget_them_too(void **state)
{
    static const char *const methods[] = {"tla", "tla:cap=1", "tts", "ts-prior", "tucb:models=2"};
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 5, 0, 0, SEGUE_STREAM_POLICY);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int graded = 0; graded < 2; graded++) {
            segue_learner *learner = new_learner(methods[i]);
            segue_task *a = NULL, *b = NULL;
            assert_ok(segue_learner_play_task(learner, &rng, &a, NULL));
            assert_ok(segue_learner_play_task(learner, &rng, &b, NULL));
            play(a, first_reward, graded);
            retell(a, graded);
            play(b, last_reward, graded);
            compare(a, b, methods[i]);
            segue_learner_discard_task(learner, &a);
            segue_learner_discard_task(learner, &b);
            segue_learner_destroy(learner);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_forgets_the_rewards_that_changed),
        cmocka_unit_test(tasks_of_learners_forget_them_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
