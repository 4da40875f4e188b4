/* test_task_limits.c - least probabilities and fixed shares of arms.
 *
 * Statistical tests compare sums of martingale differences, each at most `range`, with Freedman's
 * bound: with variance V in total, |sum| > x has probability 2 exp(-x^2 / (2 (V + range x / 3))) or
 * less.  FALSE_ALARM is that probability of one comparison; a run makes fewer than 100.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "bandit/task/task.h"
#include "bandit/task/task_limits.h"

#define FALSE_ALARM 1e-9
#define N_ARMS      7 /* of the paper's models */

/* Return the x of Freedman's bound. */
static double bound_of(double variance, double range)
{
    const double l = log(2.0 / FALSE_ALARM), third = l * range / 3.0;
    return third + sqrt(third * third + 2.0 * l * variance);
}

static void expect_near(double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%.17g, not %.17g", found, expected);
}

static void fit(segue_task_limits *limits, segue_task *task)
{
    assert_ok(segue_task_limits_fit(limits, task, NULL));
}

/* ---- what the limits mean ---------------------------------------------------------------- */

static void without_limits_the_draws_are_the_same(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    segue_models *models = paper_models();
    for (size_t p = 0; p < count; p++) {
        segue_task *plain = task_of(policies[p]->name, models, 200);
        segue_task *limited = task_of(policies[p]->name, models, 200);
        segue_task_limits none = {.floor = 0.0};
        fit(&none, limited);
        for (int t = 0; t < 200; t++) {
            size_t arm = N_ARMS;
            assert_ok(segue_task_limits_ask(&none, limited, &arm, NULL));
            assert_int_equal(arm, segue_task_ask(plain));
            tell(plain, arm, t % 3 == 0);
            tell(limited, arm, t % 3 == 0);
        }
        segue_task_destroy(plain);
        segue_task_destroy(limited);
    }
    segue_models_destroy(models);
}

static void shares_are_exact_and_the_rest_is_the_policys(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    bool allowed[N_ARMS] = {true, true, true, false, true, true, true};
    double share[N_ARMS] = {0.1, 0.0, 0.2, 0.3};
    segue_task_limits limits = {.allowed = allowed, .share = share, .floor = 0.05};
    fit(&limits, task);
    assert_int_equal(limits.n_free, 4);
    expect_near(limits.rest, 1.0 - 0.3 - 4 * 0.05, 1e-15);
    expect_near(share[3], 0.0, 0.0); /* it may not be chosen */
    expect_near(segue_task_limits_probability(&limits, task, 0, 0.0), 0.1, 0.0);
    expect_near(segue_task_limits_probability(&limits, task, 2, 0.0), 0.2, 0.0);
    expect_near(segue_task_limits_probability(&limits, task, 1, 1.0), 0.05 + 0.5, 1e-15);
    expect_near(segue_task_limits_probability(&limits, task, 4, 0.0), 0.05, 0.0);
    expect_near(segue_task_limits_probability(&limits, task, 3, 0.0), 0.0, 0.0);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void a_floor_that_is_too_high_makes_arms_equal(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    segue_task_limits limits = {.floor = 0.5};
    fit(&limits, task);
    expect_near(limits.floor, 1.0 / N_ARMS, 1e-15);
    assert_true(limits.rest == 0.0);
    expect_near(segue_task_limits_probability(&limits, task, 3, 0.0), 1.0 / N_ARMS, 1e-15);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void without_a_free_arm_shares_grow_in_proportion(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ts", models, 100);
    bool allowed[N_ARMS] = {true, true};
    double share[N_ARMS] = {0.1, 0.3};
    segue_task_limits limits = {.allowed = allowed, .share = share, .floor = 0.1};
    fit(&limits, task);
    expect_near(segue_task_limits_probability(&limits, task, 0, 0.0), 0.25, 1e-15);
    expect_near(segue_task_limits_probability(&limits, task, 1, 0.0), 0.75, 1e-15);
    for (int t = 0; t < 100; t++) {
        size_t arm = N_ARMS;
        assert_ok(segue_task_limits_ask(&limits, task, &arm, NULL));
        assert_in_range(arm, 0, 1);
    }
    bool none[N_ARMS] = {false};
    segue_task_limits empty = {.allowed = none};
    assert_int_equal(segue_task_limits_fit(&empty, task, NULL), SEGUE_EDOMAIN);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* ---- frequencies ------------------------------------------------------------------------- */

/* Sums over the asks of a run, by arm. */
typedef struct tally {
    double chosen, expected, variance;       /* of choices and their probabilities */
    double estimate, truth, weight_variance; /* of rewards by inverse probability */
} tally;

/* The probability of each arm within the limits; the policy's by `draws` draws. */
static void find_probabilities(segue_task *task, const segue_task_limits *limits, uint64_t draws,
                               double *out)
{
    bool exact = false;
    assert_ok(segue_task_probabilities(task, limits->allowed, draws, out, &exact, NULL));
    for (size_t arm = 0; arm < N_ARMS; arm++)
        out[arm] = segue_task_limits_probability(limits, task, arm, out[arm]);
}

static void count(tally *of, const double *p, const double *mean, size_t chosen, double reward)
{
    for (size_t arm = 0; arm < N_ARMS; arm++) {
        of[arm].chosen += arm == chosen;
        of[arm].expected += p[arm];
        of[arm].variance += p[arm] * (1.0 - p[arm]);
        if (p[arm] > 0.0) {
            of[arm].estimate += arm == chosen ? reward / p[arm] : 0.0;
            of[arm].truth += mean[arm];
            of[arm].weight_variance += mean[arm] / p[arm] - mean[arm] * mean[arm];
        }
    }
}

/* Play n steps with a floor and a share; compare choices with probabilities, and rewards weighted by
 * their inverse with the means. */
static void play_and_compare(const char *policy, int n)
{
    segue_models *models = paper_models();
    const double *mean = segue_models_row(models, 2);
    segue_task *task = task_of(policy, models, (uint64_t)n);
    bool allowed[N_ARMS] = {true, true, true, true, false, true, true};
    double share[N_ARMS] = {0.0, 0.15};
    segue_task_limits limits = {.allowed = allowed, .share = share, .floor = 0.04};
    tally of[N_ARMS] = {{.chosen = 0.0}};
    double p[N_ARMS];
    segue_rng rng;
    segue_rng_init(&rng, 58, 0, 0, 0);
    fit(&limits, task);
    for (int t = 0; t < n; t++) {
        size_t arm = N_ARMS;
        find_probabilities(task, &limits, 1, p);
        assert_ok(segue_task_limits_ask(&limits, task, &arm, NULL));
        const double reward = segue_rng_uniform(&rng) < mean[arm] ? 1.0 : 0.0;
        count(of, p, mean, arm, reward);
        tell(task, arm, reward);
    }
    for (size_t arm = 0; arm < N_ARMS; arm++) {
        const tally *a = &of[arm];
        assert_true(fabs(a->chosen - a->expected) <= bound_of(a->variance, 1.0));
        assert_true(fabs(a->estimate - a->truth) <= bound_of(a->weight_variance, 1.0 / 0.04));
    }
    assert_true(of[4].chosen == 0.0 && of[4].expected == 0.0);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* These policies draw nothing, so that one attempt gives their exact distribution. */
static void choices_and_weighted_rewards_match_the_probabilities(void **state)
{
    (void)state;
    play_and_compare("ucb", repeats(20000));
    play_and_compare("kl-ucb", repeats(20000));
    play_and_compare("mucb", repeats(20000));
}

/* ts: its distribution stays while no reward is told. Estimated by DRAWS draws, each difference of
 * a probability adds a sum of independent terms of at most n / DRAWS. */
static void choices_of_a_random_policy_match_too(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    const int n = repeats(20000);
    segue_models *models = paper_models();
    segue_task *task = task_of("ts", models, 100);
    double p[N_ARMS], chosen[N_ARMS] = {0.0};
    double share[N_ARMS] = {[5] = 0.25};
    bool allowed[N_ARMS] = {true, true, true, true, true, true, true};
    segue_task_limits limits = {.allowed = allowed, .share = share, .floor = 0.02};
    for (size_t i = 0; i < 30; i++)
        tell(task, i % N_ARMS, i % 4 == 0);
    fit(&limits, task);
    find_probabilities(task, &limits, DRAWS, p);
    for (int t = 0; t < n; t++) {
        size_t arm = N_ARMS;
        assert_ok(segue_task_limits_ask(&limits, task, &arm, NULL));
        chosen[arm] += 1.0;
    }
    for (size_t arm = 0; arm < N_ARMS; arm++) {
        const double variance = (double)n * p[arm] * (1.0 - p[arm]) * (1.0 + (double)n / DRAWS);
        assert_true(fabs(chosen[arm] - n * p[arm]) <= bound_of(variance, 1.0));
    }
    segue_task_destroy(task);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_the_draws_are_the_same),
        cmocka_unit_test(shares_are_exact_and_the_rest_is_the_policys),
        cmocka_unit_test(a_floor_that_is_too_high_makes_arms_equal),
        cmocka_unit_test(without_a_free_arm_shares_grow_in_proportion),
        cmocka_unit_test(choices_and_weighted_rewards_match_the_probabilities),
        cmocka_unit_test(choices_of_a_random_policy_match_too),
    };
    return cmocka_run_group_tests_name("task_limits", tests, NULL, NULL);
}
