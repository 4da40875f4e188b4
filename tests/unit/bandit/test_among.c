/* test_among.c - asks among some arms only, and the probability of each arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "bandit/task/task.h"

/* A random set of at least one arm. */
static void random_mask(segue_rng *rng, size_t n_arms, bool *allowed)
{
    for (size_t arm = 0; arm < n_arms; arm++)
        allowed[arm] = segue_rng_uniform(rng) < 0.6;
    allowed[random_between(rng, 0, n_arms - 1)] = true;
}

static double reward_of(segue_rng *rng)
{
    return segue_rng_uniform(rng) < 0.5 ? 1.0 : 0.0;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* Every policy: an arm of the mask, whatever was seen and asked before. */
static void only_allowed_arms_are_chosen(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    segue_rng rng;
    segue_rng_init(&rng, 95, 0, 0, 0);
    for (int i = 0; i < repeats(40); i++) {
        segue_models *models = random_models(&rng, 2, 9, 1, 6);
        bool allowed[9];
        for (size_t p = 0; p < count; p++) {
            segue_task *task = task_of(policies[p]->name, models, 60);
            for (int t = 0; t < 60; t++) {
                size_t arm = 9;
                random_mask(&rng, models->n_arms, allowed);
                assert_ok(segue_task_ask_among(task, allowed, &arm, NULL));
                assert_true(arm < models->n_arms && allowed[arm]);
                if (t % 5 > 0) /* some rewards come never */
                    tell(task, arm, reward_of(&rng));
            }
            segue_task_destroy(task);
        }
        segue_models_destroy(models);
    }
}

/* To allow all is to ask as usual, pull by pull. */
static void allowing_all_arms_changes_nothing(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    static const bool all[7] = {true, true, true, true, true, true, true};
    segue_models *models = paper_models();
    segue_rng rng;
    segue_rng_init(&rng, 96, 0, 0, 0);
    for (size_t p = 0; p < count; p++) {
        segue_task *plain = task_of(policies[p]->name, models, 300);
        segue_task *among = task_of(policies[p]->name, models, 300);
        for (int t = 0; t < 300; t++) {
            size_t arm = 9;
            assert_ok(segue_task_ask_among(among, all, &arm, NULL));
            assert_int_equal(segue_task_ask(plain), arm);
            const double reward = reward_of(&rng);
            tell(plain, arm, reward);
            tell(among, arm, reward);
        }
        segue_task_destroy(plain);
        segue_task_destroy(among);
    }
    segue_models_destroy(models);
}

static void an_empty_set_of_arms_is_rejected(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ts", models, 10);
    bool allowed[7] = {false};
    double probability[7];
    bool exact;
    size_t arm;
    segue_error err;
    assert_int_equal(segue_task_ask_among(task, allowed, &arm, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "no arm is allowed"));
    assert_int_equal(segue_task_info(task).step, 0);
    assert_int_equal(segue_task_probabilities(task, allowed, 10, probability, &exact, NULL),
                     SEGUE_EDOMAIN);
    assert_int_equal(segue_task_probabilities(task, NULL, 0, probability, &exact, NULL),
                     SEGUE_EDOMAIN);
    allowed[3] = true;
    segue_task_set_allowed(task,
                           allowed); /* and a task that may pull few arms is asked for others */
    allowed[3] = false;
    allowed[2] = true;
    assert_int_equal(segue_task_ask_among(task, allowed, &arm, NULL), SEGUE_EDOMAIN);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* A task limited to some arms plays pull by pull as one that has no others. */
static void an_ask_ignores_arms_that_are_not_allowed(void **state)
{
    (void)state;
    /* those whose L, precomputed or draws do not depend on the number of arms or on all of them */
    static const char *const names[] = {
        "ucb", "mucb",   "mts",  "mla",       "sw-ucb",     "d-ucb",          "ucb1",       "ts",
        "la",  "kl-ucb", "imed", "bayes-ucb", "eps-greedy", "exp3:gamma=0.2", "round-robin"};
    const double wide[] = {.5, .3, .9, .2, .8, .4, .1, .7, .6, .6};
    const double narrow[] = {.3, .2, .8, .1, .6, .6}; /* the arms 1, 3, 4 */
    static const bool allowed[5] = {false, true, false, true, true};
    static const size_t arm_of[3] = {1, 3, 4};
    segue_models *five = models_of(5, 2, wide), *three = models_of(3, 2, narrow);
    for (size_t p = 0; p < sizeof names / sizeof *names; p++) {
        segue_task *limited = task_of(names[p], five, 400), *small = task_of(names[p], three, 400);
        segue_rng rng, draws;
        segue_rng_init(&rng, 97, p, 0, 0);
        segue_rng_init(&draws, 97, p, 1, 0);
        segue_task_set_allowed(limited, allowed);
        segue_task_next(limited, &draws, 0);
        segue_task_next(small, &draws, 0);
        for (int t = 0; t < 400; t++) {
            const size_t arm = segue_task_ask(small);
            assert_int_equal(segue_task_ask(limited), arm_of[arm]);
            const double reward = segue_rng_uniform(&rng) < narrow[3 + arm] ? 1.0 : 0.0;
            tell(small, arm, reward);
            tell(limited, arm_of[arm], reward);
        }
        segue_task_destroy(limited);
        segue_task_destroy(small);
    }
    segue_models_destroy(five);
    segue_models_destroy(three);
}

/* An arm that is excluded once is back at the next ask: look-ahead does not hold another arm. */
static void an_arm_is_excluded_for_one_ask(void **state)
{
    (void)state;
    const double mean[] = {.9, .5, .1};
    segue_models *models = models_of(3, 1, mean);
    segue_task *task = task_of("mla", models, 2000);
    static const bool others[3] = {false, true, true};
    for (int t = 0; t < 1000; t++) {
        size_t arm = 0;
        if (t % 10 == 9) {
            assert_ok(segue_task_ask_among(task, others, &arm, NULL));
            assert_int_equal(arm, 1);
        } else {
            arm = segue_task_ask(task);
            assert_int_equal(arm, 0);
        }
        tell(task, arm, arm == 0 ? 1.0 : 0.0);
    }
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* ---- probabilities ----------------------------------------------------------------------- */

static double sum_of(const double *probability, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += probability[i];
    return sum;
}

/* Probabilities change no later choice; an exact one is the next choice; an estimated one is
 * positive for an arm that is drawn often. */
static void probabilities_do_not_change_the_task(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    segue_models *models = paper_models();
    segue_rng rng;
    segue_rng_init(&rng, 98, 0, 0, 0);
    for (size_t p = 0; p < count; p++) {
        segue_task *plain = task_of(policies[p]->name, models, 200);
        segue_task *looked = task_of(policies[p]->name, models, 200);
        for (int t = 0; t < 200; t++) {
            double probability[7];
            bool exact = false;
            assert_ok(segue_task_probabilities(looked, NULL, 20, probability, &exact, NULL));
            assert_near(sum_of(probability, 7), 1.0, 1e-12);
            const size_t arm = segue_task_ask(plain);
            assert_int_equal(segue_task_ask(looked), arm);
            if (exact)
                assert_near(probability[arm], 1.0, 0.0);
            const double reward = reward_of(&rng);
            tell(plain, arm, reward);
            tell(looked, arm, reward);
        }
        segue_task_destroy(plain);
        segue_task_destroy(looked);
    }
    segue_models_destroy(models);
}

static void deterministic_choices_have_exact_probabilities(void **state)
{
    (void)state;
    static const char *const names[] = {"ucb",  "mucb", "umucb",     "mla",        "kl-ucb",
                                        "moss", "imed", "bayes-ucb", "round-robin"};
    segue_models *models = paper_models();
    for (size_t p = 0; p < sizeof names / sizeof *names; p++) {
        segue_task *task = task_of(names[p], models, 200);
        double probability[7];
        bool exact = false;
        assert_ok(segue_task_probabilities(task, NULL, 1, probability, &exact, NULL));
        assert_true(exact);
        assert_near(probability[segue_task_ask(task)], 1.0, 0.0);
        segue_task_destroy(task);
    }
    segue_models_destroy(models);
}

/* Beta(2, 1) is above Beta(1, 1) with probability 2/3.  By Hoeffding the share of 20,000 draws is
 * off by more than 0.0242 with probability below 2 exp(-2 20,000 0.0242^2) < 1.4e-10. */
static void a_single_arm_has_an_exact_probability(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ts", models, 10);
    const bool allowed[7] = {[4] = true};
    double probability[7];
    bool exact = false;
    assert_ok(segue_task_probabilities(task, allowed, 10, probability, &exact, NULL));
    assert_true(exact);
    assert_near(probability[4], 1.0, 0.0);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void estimated_probabilities_are_right(void **state)
{
    (void)state;
    const double mean[] = {.5, .5};
    segue_models *models = models_of(2, 1, mean);
    segue_task *task = task_of("ts", models, 200);
    double probability[2];
    bool exact = true;
    tell(task, 0, 1.0);
    assert_ok(segue_task_probabilities(task, NULL, 20000, probability, &exact, NULL));
    assert_false(exact);
    assert_near(probability[0], 2.0 / 3.0, 0.0242);
    assert_near(sum_of(probability, 2), 1.0, 1e-12);
    static const bool second[2] = {false, true};
    assert_ok(segue_task_probabilities(task, second, 100, probability, &exact, NULL));
    assert_near(probability[1], 1.0, 0.0);
    segue_task_destroy(task);

    /* la at step t draws with probability 1 / (t + 1): of the 50 pulls, 49 told it of arm 2 */
    task = task_of("la", models, 200);
    for (int t = 0; t < 49; t++)
        tell(task, 1, 1.0);
    tell(task, 0, 0.0);
    assert_ok(segue_task_probabilities(task, NULL, 20000, probability, &exact, NULL));
    assert_false(exact);
    assert_true(probability[1] >= 50.0 / 51.0);
    /* Beta(1, 2) is above Beta(50, 1) with probability 2 / (51 x 52) */
    assert_near(probability[0], 2.0 / (51.0 * 52.0) / 51.0, 0.0242 / 51.0);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* New tasks of one learner are drawn for by streams of their own: else the error of the first
 * chances would be the same in all.  50 shares of 20 draws are all alike with probability < 1e-30.
 */
static void errors_of_probabilities_are_independent_between_tasks(void **state)
{
    (void)state;
    const double mean[] = {.5, .5};
    segue_models *models = models_of(2, 1, mean);
    segue_task *task = task_of("ts", models, 200);
    double first = -1.0, probability[2];
    bool exact = true, differ = false;
    for (uint64_t number = 0; number < 50; number++) {
        segue_rng rng;
        segue_rng_init(&rng, 1, 2, number, SEGUE_STREAM_POLICY);
        segue_task_next(task, &rng, 0);
        assert_ok(segue_task_probabilities(task, NULL, 20, probability, &exact, NULL));
        differ = differ || (number > 0 && fabs(probability[0] - first) > 1e-9);
        first = probability[0];
    }
    assert_true(differ);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* A law that was found before some asks is that of the next one, too; only how often la draws, 1 /
 * (t + 1), changes with them.  The bound is that of estimated_probabilities_are_right. */
static void a_distribution_holds_until_the_next_tell(void **state)
{
    (void)state;
    const double mean[] = {.5, .5};
    segue_models *models = models_of(2, 1, mean);
    segue_task *task = task_of("la", models, 200);
    double distribution[2], probability[2];
    bool certain = true;
    tell(task, 1, 1.0);
    tell(task, 0, 0.0);
    assert_ok(segue_task_draw_distribution(task, NULL, 20000, NULL, distribution, &certain, NULL));
    assert_false(certain);
    for (int t = 2; t < 9; t++) { /* Beta(1, 2) is above Beta(2, 1) with probability 1/6 */
        assert_ok(
            segue_task_apply_distribution(task, NULL, distribution, certain, probability, NULL));
        assert_near(probability[0], 1.0 / 6.0 / (t + 1.0), 0.0242 / (t + 1.0));
        assert_near(sum_of(probability, 2), 1.0, 1e-12);
        (void)segue_task_ask(task);
    }
    segue_task_destroy(task);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_allowed_arms_are_chosen),
        cmocka_unit_test(allowing_all_arms_changes_nothing),
        cmocka_unit_test(an_empty_set_of_arms_is_rejected),
        cmocka_unit_test(an_ask_ignores_arms_that_are_not_allowed),
        cmocka_unit_test(an_arm_is_excluded_for_one_ask),
        cmocka_unit_test(probabilities_do_not_change_the_task),
        cmocka_unit_test(deterministic_choices_have_exact_probabilities),
        cmocka_unit_test(a_single_arm_has_an_exact_probability),
        cmocka_unit_test(estimated_probabilities_are_right),
        cmocka_unit_test(errors_of_probabilities_are_independent_between_tasks),
        cmocka_unit_test(a_distribution_holds_until_the_next_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
