/* test_learner_dispersion.c - the dispersion of rewards that learners expect of new tasks.
 *
 * The expected numbers are computed here from the rewards themselves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/task/task.h"
#include "learner_fixture.h"

enum { ARMS = 3, EACH = 4 };

static const char *const methods[] = {"tts", "tla", "ts-prior"};

static segue_learner *new_learner(const char *method)
{
    segue_learner_config config = config_of(method, 50);
    config.n_arms = ARMS;
    return learner_of(&config);
}

/* Reward k of an arm in task j. */
static double reward_of(size_t j, size_t arm, size_t k)
{
    return 0.2 + 0.1 * (double)arm + 0.02 * (double)(1 + arm) * (double)((3 * k + j) % 5);
}

static void close_tasks(segue_learner *learner, size_t first, size_t end, size_t n_arms)
{
    for (size_t j = first; j < end; j++) {
        segue_task *task = NULL;
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (size_t k = 0; k < EACH * n_arms; k++)
            tell(task, k % n_arms, reward_of(j, k % n_arms, k / n_arms));
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
}

/* Sums of squares over tasks: the older a task, the less it counts. */
typedef struct squares {
    double within[ARMS], binary[ARMS], freedom;
} squares;

static void add_squares(squares *s, size_t first, size_t end)
{
    const double cap = 6.0 / (5.0 + (EACH - 1));
    for (size_t j = first; j < end; j++) {
        const double left = pow(1.0 - 1.0 / 200.0, (double)(end - 1 - j)) * cap;
        s->freedom += left * (EACH - 1);
        for (size_t i = 0; i < ARMS; i++) {
            double mean = 0.0;
            for (size_t k = 0; k < EACH; k++)
                mean += reward_of(j, i, k) / EACH;
            for (size_t k = 0; k < EACH; k++) {
                const double x = reward_of(j, i, k);
                s->within[i] += left * (x - mean) * (x - mean);
                for (size_t other = 0; other < EACH; other++)
                    s->binary[i] +=
                        other == k ? 0.0 : left * x * (1.0 - reward_of(j, i, other)) / EACH;
            }
        }
    }
}

/* Return how many rewards of 0 or 1 a reward of an arm counts as; of all arms together if `arm` is none. */
static double weight_of(const squares *s, size_t arm)
{
    double within = 0.0, binary = 0.0;
    for (size_t i = 0; i < ARMS; i++) {
        within += s->within[i];
        binary += s->binary[i];
    }
    const double unit = fmin(0.25, binary / (ARMS * s->freedom));
    const double all = (within + unit) / (binary + unit);
    return arm < ARMS ? (s->binary[arm] + 8.0 * unit) / (s->within[arm] + 8.0 * unit * all)
                      : 1.0 / all;
}

static void expects(segue_learner *learner, const squares *s, size_t n_arms)
{
    segue_task *task = NULL;
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    for (size_t i = 0; i < n_arms; i++)
        assert_near(segue_task_internals(task).view->reward_weight[i] / weight_of(s, i), 1.0, 1e-9);
}

static void new_tasks_expect_the_dispersion_of_each_arm(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        segue_learner *learner = new_learner(methods[m]);
        squares s = {.freedom = 0.0};
        close_tasks(learner, 0, 12, ARMS);
        add_squares(&s, 0, 12);
        expects(learner, &s, ARMS);
        assert_true(weight_of(&s, 0) > 2.0 * weight_of(&s, 2)); /* arm 2 varies most */
        segue_learner_destroy(learner);
    }
}

static void rewards_of_0_and_1_are_expected_to_stay_so(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        segue_learner *learner = new_learner(methods[m]);
        segue_task *task = NULL;
        for (size_t j = 0; j < 30; j++) {
            assert_ok(segue_learner_open_task(learner, &task, NULL));
            assert_null(segue_task_internals(task).view->reward_weight);
            for (size_t k = 0; k < 40; k++)
                tell(task, k % ARMS, (double)((k * k + j) % 3 == 0));
            assert_ok(segue_learner_close_task(learner, &task, NULL));
        }
        segue_learner_destroy(learner);
    }
}

static void merged_learners_add_their_sums(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        segue_learner *one = new_learner(methods[m]), *two = new_learner(methods[m]);
        squares s = {.freedom = 0.0};
        close_tasks(one, 0, 9, ARMS);
        close_tasks(two, 9, 20, ARMS);
        add_squares(&s, 0, 9);
        add_squares(&s, 9, 20);
        assert_ok(segue_learner_merge(one, two, NULL));
        expects(one, &s, ARMS);
        segue_learner_destroy(one);
        segue_learner_destroy(two);
    }
}

/* A new arm is expected to be like all arms together. */
static void an_added_arm_has_the_dispersion_of_all_arms(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        segue_learner *learner = new_learner(methods[m]);
        squares s = {.freedom = 0.0};
        close_tasks(learner, 0, 12, ARMS);
        add_squares(&s, 0, 12);
        assert_ok(segue_learner_add_arm(learner, NULL));
        expects(learner, &s, ARMS + 1);
        segue_learner_destroy(learner);
    }
}

static void dispersion_1_counts_every_reward_as_one(void **state)
{
    (void)state;
    static const char *const plain[] = {"tts:dispersion=1", "tla:dispersion=1",
                                        "ts-prior:dispersion=1", "ts:dispersion=1",
                                        "la:dispersion=1"};
    for (size_t m = 0; m < 5; m++) {
        segue_learner *learner = new_learner(plain[m]);
        segue_task *task = NULL;
        close_tasks(learner, 0, 12, ARMS);
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        tell(task, 0, 0.3);
        assert_null(segue_task_internals(task).view->reward_weight);
        assert_near(segue_task_learned_weight(task, 0), 1.0, 0.0);
        segue_learner_destroy(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_tasks_expect_the_dispersion_of_each_arm),
        cmocka_unit_test(rewards_of_0_and_1_are_expected_to_stay_so),
        cmocka_unit_test(merged_learners_add_their_sums),
        cmocka_unit_test(an_added_arm_has_the_dispersion_of_all_arms),
        cmocka_unit_test(dispersion_1_counts_every_reward_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
