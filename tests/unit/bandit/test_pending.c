/* test_pending.c - asks that come before the rewards of earlier ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "bandit/task/task.h"

#define N_ARMS  7
#define STEPS   300
#define PENDING 10

static segue_task *new_task(const char *policy)
{
    segue_task *task = NULL;
    segue_task_config config = segue_task_defaults();
    assert_ok(segue_policy_parse(&config.policy, policy, NULL));
    config.setting.n_arms = N_ARMS;
    config.setting.horizon = STEPS;
    assert_ok(segue_task_create(&task, &config, NULL));
    return task;
}

static size_t arms_of(segue_task *task, int asks)
{
    bool seen[N_ARMS] = {false};
    size_t count = 0;
    for (int i = 0; i < asks; i++) {
        const size_t arm = segue_task_ask(task);
        count += !seen[arm];
        seen[arm] = true;
    }
    return count;
}

static void asks_before_any_reward_take_all_arms(void **state)
{
    static const char *const policies[] = {"la",   "ucb",  "ucb1",      "kl-ucb",
                                           "moss", "imed", "bayes-ucb", "round-robin"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        segue_task *task = new_task(policies[i]);
        if (arms_of(task, 3 * N_ARMS) != N_ARMS)
            fail_msg("%s does not take all arms", policies[i]);
        segue_task_destroy(task);
    }
}

/* One reward each: all arms are equal, and pending asks alone tell them apart. */
static void pending_asks_of_equal_arms_take_turns(void **state)
{
    static const char *const policies[] = {"la",   "ucb",  "ucb1",     "kl-ucb",
                                           "moss", "imed", "bayes-ucb"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        segue_task *task = new_task(policies[i]);
        for (int round = 0; round < 2; round++)
            for (size_t arm = 0; arm < N_ARMS; arm++)
                assert_ok(segue_task_tell(task, arm, round, NULL));
        if (arms_of(task, 2 * N_ARMS) != N_ARMS)
            fail_msg("%s does not take all arms", policies[i]);
        segue_task_destroy(task);
    }
}

static void a_task_without_pending_asks_is_as_before(void **state)
{
    segue_task *task = new_task("la");
    (void)state;
    assert_null(segue_task_internals(task).view->pending);
    const size_t first = segue_task_ask(task), second = segue_task_ask(task);
    assert_near(segue_task_internals(task).view->pending[first], first == second ? 2.0 : 1.0, 0.0);
    assert_ok(segue_task_tell(task, second, 1.0, NULL));
    assert_non_null(segue_task_internals(task).view->pending);
    assert_ok(segue_task_tell(task, first, 1.0, NULL));
    assert_null(segue_task_internals(task).view->pending);
    assert_ok(segue_task_tell(task, first, 1.0, NULL)); /* of no ask */
    assert_null(segue_task_internals(task).view->pending);
    segue_task_destroy(task);
}

/* Rewards that never come are expected less and less. */
static void a_lost_reward_is_forgotten(void **state)
{
    segue_task *task = new_task("ts");
    (void)state;
    const size_t lost = segue_task_ask(task);
    for (int i = 0; i < 1000; i++) {
        const size_t arm = segue_task_ask(task);
        assert_ok(segue_task_tell(task, arm, 0.0, NULL));
    }
    assert_true(segue_task_internals(task).view->pending[lost] < 0.01);
    segue_task_destroy(task);
}

static void probabilities_of_pending_asks_are_exact(void **state)
{
    double probability[N_ARMS];
    bool exact = false;
    segue_task *task = new_task("kl-ucb");
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_ok(segue_task_probabilities(task, NULL, 10, probability, &exact, NULL));
        const size_t arm = segue_task_ask(task);
        assert_true(exact);
        assert_near(probability[arm], 1.0, 0.0);
        if (i % 10 == 9)
            assert_ok(segue_task_tell(task, arm, i % 20 > 10, NULL));
    }
    segue_task_destroy(task);
}

/* ---- regret ---------------------------------------------------------------------------------- */

/* The regret of a task whose rewards come `pending` asks at a time. */
static double play(segue_task *task, uint64_t number, uint64_t pending)
{
    static const double mean[N_ARMS] = {0.9, 0.75, 0.45, 0.55, 0.58, 0.61, 0.65};
    segue_rng rng;
    size_t asked[STEPS];
    double regret = 0.0;
    segue_rng_init(&rng, 3, number, 0, SEGUE_STREAM_POLICY);
    segue_task_reset(task);
    segue_task_next(task, &rng, 0);
    segue_rng_init(&rng, 3, number, 0, 0);
    for (uint64_t t = 0; t < STEPS; t++) {
        asked[t] = segue_task_ask(task);
        regret += 0.9 - mean[asked[t]];
        for (uint64_t i = t + 1 - pending; (t + 1) % pending == 0 && i <= t; i++)
            assert_ok(
                segue_task_tell(task, asked[i], segue_rng_uniform(&rng) < mean[asked[i]], NULL));
    }
    return regret;
}

/* Ten asks before their rewards cost at most 1.3 times the regret of one at a time.  The ratio
 * of la is 1.1 and that of kl-ucb 1.1; over 400 tasks its standard error is below 0.04.  So a false
 * alarm is five standard errors away: one in a million for other seeds, and none for these.  A short
 * run, with fewer tasks, only plays them. */
static void ten_pending_asks_cost_little(void **state)
{
    static const char *const policies[] = {"la", "ts", "kl-ucb"};
    const uint64_t tasks = (uint64_t)repeats(400);
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        segue_task *task = new_task(policies[p]);
        double one = 0.0, ten = 0.0;
        for (uint64_t i = 0; i < tasks; i++) {
            one += play(task, i, 1);
            ten += play(task, i, PENDING);
        }
        if (tasks == 400 && !(ten < 1.3 * one))
            fail_msg("%s: regret %g with ten asks pending, %g with one", policies[p], ten, one);
        segue_task_destroy(task);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_before_any_reward_take_all_arms),
        cmocka_unit_test(pending_asks_of_equal_arms_take_turns),
        cmocka_unit_test(a_task_without_pending_asks_is_as_before),
        cmocka_unit_test(a_lost_reward_is_forgotten),
        cmocka_unit_test(probabilities_of_pending_asks_are_exact),
        cmocka_unit_test(ten_pending_asks_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
