/* test_samples_.c - tasks of a log: grouping by task and arm, order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples_fixture.h"
#include "sim/task_order.h"
#include "support.h"

/* The n-th reward of a task and arm among the rows; NaN: there is none. */
static double nth_reward(const segue_logged_reward *rows, size_t n_rows, size_t task, size_t arm,
                         size_t n)
{
    for (size_t i = 0; i < n_rows; i++)
        if (rows[i].task == task && rows[i].arm == arm && n-- == 0)
            return rows[i].reward;
    return NAN;
}

/* Return true if rows have `min_rewards` rewards of every arm of a task. */
static bool is_full(const segue_logged_reward *rows, size_t n_rows, size_t task, size_t n_arms,
                    size_t min_rewards)
{
    for (size_t arm = 0; arm < n_arms; arm++)
        if (isnan(nth_reward(rows, n_rows, task, arm, min_rewards - 1)))
            return false;
    return true;
}

/* The samples of their task `number` equal the rows of `task`, in their order. */
static void assert_same_rewards(const segue_samples *samples, size_t number,
                                const segue_logged_reward *rows, size_t n_rows, size_t task)
{
    for (size_t arm = 0; arm < samples->n_arms; arm++) {
        const size_t cell = number * samples->n_arms + arm;
        const size_t count = samples->start[cell + 1] - samples->start[cell];
        double sum = 0.0;
        for (size_t n = 0; n < count; n++) {
            const double x = nth_reward(rows, n_rows, task, arm, n);
            assert_near(samples->reward[samples->start[cell] + n], x, 0.0);
            sum += x;
        }
        assert_true(isnan(nth_reward(rows, n_rows, task, arm, count)));
        assert_near(samples->mean[cell], sum / (double)count, 1e-15);
    }
}

static void rows_are_grouped_by_task_and_arm_in_their_order(void **state)
{
    (void)state;
    enum { ROWS = 120 };
    segue_rng rng;
    segue_rng_init(&rng, 71, 0, 0, 0);
    for (int round = 0; round < 200; round++) {
        segue_logged_reward rows[ROWS];
        const size_t n_tasks = random_between(&rng, 1, 9), n_arms = random_between(&rng, 2, 4);
        const size_t min_rewards = random_between(&rng, 1, 4);
        for (size_t i = 0; i < ROWS; i++)
            rows[i] = (segue_logged_reward){.task = (uint32_t)random_between(&rng, 0, n_tasks - 1),
                                            .arm = (uint32_t)random_between(&rng, 0, n_arms - 1),
                                            .reward = segue_rng_uniform(&rng)};
        segue_samples *samples = NULL;
        segue_error err;
        const segue_status status =
            segue_samples_create(&samples, n_tasks, n_arms, rows, ROWS, min_rewards, &err);
        size_t number = 0;
        for (size_t task = 0; task < n_tasks; task++)
            if (is_full(rows, ROWS, task, n_arms, min_rewards))
                assert_same_rewards(samples, number++, rows, ROWS, task);
        assert_int_equal(status, number ? SEGUE_OK : SEGUE_EDOMAIN);
        assert_int_equal(samples ? samples->n_tasks : 0, number);
        assert_int_equal(samples ? samples->n_skipped : n_tasks, n_tasks - number);
        segue_samples_destroy(samples);
    }
}

static void wrong_rows_are_rejected(void **state)
{
    (void)state;
    const segue_logged_reward good[] = {{0, 0, 0.5}, {0, 1, 1.0}};
    const segue_logged_reward far_task[] = {{0, 0, 0.5}, {1, 1, 1.0}};
    const segue_logged_reward far_arm[] = {{0, 0, 0.5}, {0, 2, 1.0}};
    const segue_logged_reward high[] = {{0, 0, 0.5}, {0, 1, 1.1}};
    const segue_logged_reward odd[] = {{0, 0, 0.5}, {0, 1, NAN}};
    const struct {
        const segue_logged_reward *rows;
        size_t n_tasks, n_arms, n_rows;
        uint64_t min_rewards;
        const char *says;
    } wrong[] = {
        {far_task, 1, 2, 2, 1, "row 2: there is no task 1"},
        {far_arm, 1, 2, 2, 1, "row 2: there is no task 0 with an arm 2"},
        {high, 1, 2, 2, 1, "row 2: a reward of 1.1"},
        {odd, 1, 2, 2, 1, "row 2: a reward of nan"},
        {good, 1, 1, 2, 1, "logged tasks have 1 arms"},
        {good, 1, 2, 2, 0, "min_rewards is 0"},
        {good, 1, 2, 2, SEGUE_MAX_MIN_REWARDS + 1, "min_rewards is 1000000001"},
        {good, 1, 2, 2, SEGUE_MAX_MIN_REWARDS, "none of the 1 tasks has 1000000000 rewards"},
        {good, 0, 2, 0, 1, "none of the 0 tasks"},
        {good, (size_t)1 << 32, 2, 2, 1, "4294967296 tasks are too many"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_samples *samples = NULL;
        segue_error err;
        assert_int_equal(segue_samples_create(&samples, wrong[i].n_tasks, wrong[i].n_arms,
                                              wrong[i].rows, wrong[i].n_rows, wrong[i].min_rewards,
                                              &err),
                         SEGUE_EDOMAIN);
        assert_null(samples);
        if (!strstr(err.message, wrong[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.message, wrong[i].says);
    }
}

/* All 24 orders of 4 tasks alike: chi-squared with 23 degrees of freedom is above 85 with
 * probability 5e-9. */
static void every_order_is_equally_likely(void **state)
{
    (void)state;
    enum { N = 48000 };
    segue_task_order order;
    double count[256] = {0}, squares = 0.0;
    size_t seen = 0;
    assert_ok(segue_task_order_init(&order, 4, NULL));
    for (uint64_t run = 0; run < N; run++) {
        size_t code = 0;
        for (uint64_t task = 0; task < 4; task++)
            code = 4 * code + segue_task_order_at(&order, 72, run, task);
        count[code]++;
    }
    for (size_t code = 0; code < 256; code++) {
        seen += count[code] > 0.0;
        squares += count[code] > 0.0 ? pow(count[code] - N / 24.0, 2.0) / (N / 24.0) : 0.0;
    }
    segue_task_order_fini(&order);
    assert_int_equal(seen, 24);
    assert_true(squares < 85.0);
}

/* The order is the same whatever positions and runs came before. */
static void an_order_depends_on_names_alone(void **state)
{
    (void)state;
    enum { TASKS = 50 };
    segue_task_order order;
    size_t first[TASKS];
    bool met[TASKS] = {false};
    assert_ok(segue_task_order_init(&order, TASKS, NULL));
    for (uint64_t task = 0; task < TASKS; task++) {
        first[task] = segue_task_order_at(&order, 73, 4, task);
        assert_false(met[first[task]]);
        met[first[task]] = true;
    }
    (void)segue_task_order_at(&order, 73, 5, 20);
    (void)segue_task_order_at(&order, 74, 4, 7);
    for (uint64_t task = TASKS; task-- > 0;)
        assert_int_equal(segue_task_order_at(&order, 73, 4, task), first[task]);
    segue_task_order_fini(&order);
}

static void the_order_of_the_file_holds_in_every_run(void **state)
{
    (void)state;
    segue_samples *samples = random_samples(20);
    const segue_environment env = {
        .size = sizeof(segue_environment), .samples = samples, .order = SEGUE_ORDER_FILE};
    segue_simulated_task *simulated = new_simulated_task(&env, 1, 0, SEGUE_ANY_MODEL);
    for (uint64_t run = 0; run < 3; run++)
        for (uint64_t task = 0; task < 20; task++) {
            segue_simulated_task_begin(simulated, 1, run, task, SEGUE_ANY_MODEL);
            assert_memory_equal(segue_simulated_task_means(simulated), samples->mean + 3 * task,
                                3 * sizeof(double));
        }
    segue_simulated_task_destroy(simulated);
    segue_samples_destroy(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_grouped_by_task_and_arm_in_their_order),
        cmocka_unit_test(wrong_rows_are_rejected),
        cmocka_unit_test(every_order_is_equally_likely),
        cmocka_unit_test(an_order_depends_on_names_alone),
        cmocka_unit_test(the_order_of_the_file_holds_in_every_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
