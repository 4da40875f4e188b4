/* test_reward_weights.c - the dispersion of rewards, and what a reward counts as.
 *
 * The weights of ts and la on random tasks are compared with a second form in test_brute_force.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief.h"
#include "bandit/policies/prior_policies.h"
#include "bandit/task/task.h"
#include "support.h"

/* The sum of squares around the mean, and x (1 - y) over all ordered pairs, from the definitions. */
static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 60, 0, 0, 0);
    for (int run = 0; run < repeats(400); run++) {
        const size_t n = random_between(&rng, 1, 30);
        double x[30], sum = 0.0, graded = 0.0, within = 0.0, pairs = 0.0;
        for (size_t i = 0; i < n; i++) {
            x[i] = run % 2 ? segue_rng_beta(&rng, 0.3, 0.9) : segue_rng_uniform(&rng);
            sum += x[i];
            graded += x[i] * (1.0 - x[i]);
        }
        for (size_t i = 0; i < n; i++) {
            within += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
            for (size_t j = 0; j < n; j++)
                pairs += i == j ? 0.0 : x[i] * (1.0 - x[j]);
        }
        const segue_dispersion found = segue_dispersion_of((double)n, sum, graded);
        assert_near(found.within, n > 1 ? within : 0.0, 1e-12);
        assert_near(found.binary, n > 1 ? pairs / (double)n : 0.0, 1e-12);
        assert_near(found.freedom, (double)n - 1.0, 0.0);
    }
}

/* Equal to the last bit, whatever the counts: nothing else keeps results of 0 and 1 as they are. */
static void rewards_of_0_and_1_have_dispersion_1_exactly(void **state)
{
    (void)state;
    for (double pulls = 1.0; pulls < 200.0; pulls += 1.0)
        for (double won = 0.0; won <= pulls; won += 1.0) {
            const segue_dispersion cell = segue_dispersion_capped(pulls, won, 0.0);
            const double phi =
                segue_dispersion_shrunk(&cell, 8.0, segue_dispersion_unit(&cell), 1.0);
            assert_true(cell.within == cell.binary && phi == 1.0);
        }
}

static segue_task *task_of_prior(const segue_policy *policy, const segue_prior *prior)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = (segue_policy_spec){.policy = policy, .option = {SEGUE_DISPERSION_AUTO}};
    config.setting.n_arms = prior->n_arms;
    config.setting.horizon = 400;
    assert_ok(segue_task_create(&task, &config, NULL));
    segue_task_set_prior(task, prior);
    return task;
}

static const double *weights_of(segue_task *task)
{
    return segue_task_internals(task).view->reward_weight;
}

static void rewards_of_0_and_1_have_no_weights(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ts", models, 400);
    for (size_t t = 0; t < 400; t++) {
        tell(task, t % 7, (double)(t % 3 == 0));
        assert_null(weights_of(task));
    }
    tell(task, 2, 0.5);
    assert_non_null(weights_of(task));
    segue_task *plain = task_of("ts:dispersion=1", models, 400);
    tell(plain, 2, 0.5);
    assert_null(weights_of(plain));
    segue_task_destroy(task);
    segue_task_destroy(plain);
    segue_models_destroy(models);
}

/* 4,000 rewards per arm of Beta laws with mean 1/2: the variance has a relative standard error of
 * sqrt((kurtosis - 1) / 4,000) < 2.3 %, kurtosis being at most 3; with the shrinkage, which is below
 * 1 %, 16 % is more than 6.4 standard errors: false alarm 4 * 1e-10. */
static void weights_approach_the_inverse_dispersion(void **state)
{
    (void)state;
    const double precision[] = {1.0, 4.0, 19.0, 99.0};
    const double mean[] = {0.5, 0.5, 0.5, 0.5};
    segue_models *models = models_of(4, 1, mean);
    segue_task *task = task_of("la", models, 100000);
    segue_rng rng;
    segue_rng_init(&rng, 61, 0, 0, 0);
    for (int t = 0; t < 16000; t++) {
        const double half = 0.5 * precision[t % 4];
        tell(task, (size_t)(t % 4), segue_rng_beta(&rng, half, half));
    }
    for (size_t arm = 0; arm < 4; arm++)
        assert_near(weights_of(task)[arm] / (1.0 + precision[arm]), 1.0, 0.16);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* The pooled dispersion is an upper estimate, so that a first reward of each arm is of use already;
 * one reward of each arm cannot tell more than that. */
static void first_rewards_of_different_arms_count_more_than_one(void **state)
{
    (void)state;
    const double mean[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    segue_models *models = models_of(7, 1, mean);
    segue_task *task = task_of("ts", models, 100);
    double sum = 0.0, squares = 0.0;
    for (size_t arm = 0; arm < 7; arm++) {
        const double x = 0.2 + 0.1 * (double)arm;
        sum += x;
        squares += x * x;
        tell(task, arm, x);
    }
    const double within = squares - sum * sum / 7.0;
    const double binary = within + 6.0 * (sum - squares) / 7.0, unit = fmin(0.25, binary / 6.0);
    for (size_t arm = 0; arm < 7; arm++) /* within 3 %: other arms lag behind by that */
        assert_near(weights_of(task)[arm] * (within + unit) / (binary + unit), 1.0, 0.04);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* A weight of 2 is each reward told twice. */
static void a_given_weight_of_2_doubles_every_reward(void **state)
{
    (void)state;
    static const double two[] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0};
    segue_models *models = paper_models();
    for (uint64_t run = 0; run < 20; run++) {
        segue_task *once = task_of("ts", models, 400),
                   *twice = task_of("ts:dispersion=1", models, 400);
        segue_rng rng, rewards;
        segue_rng_init(&rng, 62, run, 0, SEGUE_STREAM_POLICY);
        segue_rng_init(&rewards, 62, run, 0, 0);
        segue_task_next(once, &rng, 0);
        segue_task_next(twice, &rng, 0);
        segue_task_give_weights(once, two);
        for (int t = 0; t < 100; t++) {
            const size_t arm = segue_task_ask(once);
            assert_int_equal(segue_task_ask(twice), arm);
            const double x = floor(64.0 * segue_rng_uniform(&rewards)) / 64.0; /* exact sums */
            tell(once, arm, x);
            tell(twice, arm, x);
            tell(twice, arm, x);
        }
        segue_task_destroy(once);
        segue_task_destroy(twice);
    }
    segue_models_destroy(models);
}

/* ---- the posterior over components --------------------------------------------------------- */

enum { ARMS = 4, COMPONENTS = 3 };

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* The posterior from the counts alone. */
static void find_posterior(const segue_belief *belief, double *posterior)
{
    double log_weight[COMPONENTS], max = -INFINITY, total = 0.0;
    for (size_t q = 0; q < COMPONENTS; q++) {
        log_weight[q] = log(belief->prior.weight[q]);
        for (size_t i = 0; i < ARMS; i++) {
            const double a = belief->prior.a[q * ARMS + i], b = belief->prior.b[q * ARMS + i];
            const double each = belief->reward_weight[i], won = each * belief->sum[i];
            log_weight[q] +=
                log_beta(a + won, b + each * (double)belief->pulls[i] - won) - log_beta(a, b);
        }
        max = fmax(max, log_weight[q]);
    }
    for (size_t q = 0; q < COMPONENTS; q++)
        total += posterior[q] = exp(log_weight[q] - max);
    for (size_t q = 0; q < COMPONENTS; q++)
        posterior[q] /= total;
}

/* Weights of one arm or of all change with each reward; updates reach what counting anew gives. */
static void updates_with_weights_are_those_of_all_rewards(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 63, 0, 0, 0);
    for (int run = 0; run < repeats(200); run++) {
        double a[COMPONENTS * ARMS], b[COMPONENTS * ARMS], each[ARMS], sum[ARMS] = {0.0};
        double prior[COMPONENTS] = {0.5, 0.3, 0.2}, weight[COMPONENTS], expected[COMPONENTS];
        double counted[ARMS] = {0.0}, log_weight[COMPONENTS];
        uint64_t pulls[ARMS] = {0};
        for (size_t k = 0; k < COMPONENTS * ARMS; k++) {
            a[k] = 0.5 + 9.0 * segue_rng_uniform(&rng);
            b[k] = 0.5 + 9.0 * segue_rng_uniform(&rng);
        }
        for (size_t i = 0; i < ARMS; i++)
            each[i] = 1.0 + 50.0 * segue_rng_uniform(&rng);
        const segue_belief belief = {
            .prior = {.n_components = COMPONENTS, .n_arms = ARMS, .weight = prior, .a = a, .b = b},
            .weight = weight,
            .pulls = pulls,
            .sum = sum,
            .reward_weight = each};
        for (int t = 0; t < 40; t++) {
            const size_t arm = random_between(&rng, 0, ARMS - 1);
            const double x = segue_rng_uniform(&rng);
            sum[arm] += x;
            pulls[arm]++;
            each[t % 5 ? arm : (arm + 1) % ARMS] = 1.0 + 50.0 * segue_rng_uniform(&rng);
            segue_belief_update_weighted(&belief, arm, x, counted, log_weight, weight);
            find_posterior(&belief, expected);
            for (size_t q = 0; q < COMPONENTS; q++)
                assert_near(weight[q], fmax(1e-200, expected[q]), 1e-9);
        }
    }
}

/* Two types, one arm apart: a graded reward near the mean of one tells as much as its weight. */
static void a_learned_dispersion_tells_types_apart_sooner(void **state)
{
    (void)state;
    const double weight[] = {0.5, 0.5}, a[] = {40.0, 50.0, 60.0, 50.0},
                 b[] = {60.0, 50.0, 40.0, 50.0};
    const double small[] = {0.02, 0.02};
    const segue_prior prior = {.n_components = 2, .n_arms = 2, .weight = weight, .a = a, .b = b};
    const segue_expected_dispersion expected = {.arm = small, .all = 0.02, .unit = 0.25};
    segue_task *task = task_of_prior(&segue_policy_tts, &prior);
    double share[2];
    for (int knows = 0; knows < 2; knows++) {
        segue_rng rng;
        segue_rng_init(&rng, 64, 0, 0, SEGUE_STREAM_POLICY);
        segue_task_expect_dispersion(task, knows ? &expected : NULL);
        segue_task_next(task, &rng, 0);
        tell(task, 0, 0.6);
        size_t first = 0;
        for (int t = 0; t < 2000; t++) /* asks leave the counts alone */
            first += segue_task_ask(task) == 0;
        share[knows] = (double)first / 2000.0;
    }
    /* exactly: arm 0 beats arm 1 more often the more likely the second type is */
    assert_true(share[1] > share[0] + 0.1);
    segue_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(rewards_of_0_and_1_have_dispersion_1_exactly),
        cmocka_unit_test(rewards_of_0_and_1_have_no_weights),
        cmocka_unit_test(weights_approach_the_inverse_dispersion),
        cmocka_unit_test(first_rewards_of_different_arms_count_more_than_one),
        cmocka_unit_test(a_given_weight_of_2_doubles_every_reward),
        cmocka_unit_test(updates_with_weights_are_those_of_all_rewards),
        cmocka_unit_test(a_learned_dispersion_tells_types_apart_sooner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
