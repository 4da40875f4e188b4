/* test_belief_policy.c - the policies with a belief: la, mla, tts and tla are one code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief_policy.h"
#include "bandit/lookahead/lookahead.h"
#include "bandit/policies/prior_policies.h"
#include "bandit/task/task.h"
#include "support.h"

static segue_task *task_with_prior(const segue_policy *policy, const segue_prior *prior,
                                   uint64_t horizon)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = (segue_policy_spec){.policy = policy};
    config.setting.n_arms = prior->n_arms;
    config.setting.horizon = horizon;
    assert_ok(segue_task_create(&task, &config, NULL));
    segue_task_set_prior(task, prior);
    return task;
}

/* Two tasks see the same rewards, some of them late, and must pull alike; the same stream. */
static void play_alike(segue_task *one, segue_task *two, const segue_environment *env, uint64_t run,
                       uint64_t steps)
{
    segue_simulated_task *simulated = new_simulated_task(env, 46, run, SEGUE_ANY_MODEL);
    segue_rng rng;
    segue_rng_init(&rng, 46, run, 0, SEGUE_STREAM_POLICY);
    segue_task_next(one, &rng, 0);
    segue_task_next(two, &rng, 0);
    size_t waiting = 0, arm[4];
    for (uint64_t t = 0; t < steps; t++) {
        arm[waiting] = segue_task_ask(one);
        assert_int_equal(segue_task_ask(two), arm[waiting]);
        waiting++;
        while (waiting > run % 4) {
            const size_t next = arm[--waiting];
            const double reward = segue_simulated_task_reward(simulated, next);
            tell(one, next, reward);
            tell(two, next, reward);
        }
    }
    segue_simulated_task_destroy(simulated);
}

/* Compare tts and tla with the policies that they equal under a simple prior, over random tasks. */
static void equivalent_policies_pull_alike(const segue_policy *with_prior, const char *equivalent,
                                           bool points)
{
    segue_rng rng;
    segue_rng_init(&rng, 47, points, 0, 0);
    double ones[10];
    for (size_t i = 0; i < 10; i++)
        ones[i] = 1.0;
    for (uint64_t run = 0; run < (uint64_t)repeats(400); run++) {
        segue_models *models = random_models(&rng, 2, 10, 1, 6);
        const segue_environment env = {
            .size = sizeof(segue_environment),
            .models = models,
            .rewards = run % 2 ? (segue_rewards){.law = SEGUE_BETA, .parameter = 5.0}
                               : (segue_rewards){.law = SEGUE_BERNOULLI}};
        const uint64_t steps = random_between(&rng, 1, 200);
        const segue_prior prior = points ? segue_belief_point_prior(models)
                                         : segue_belief_flat_prior(models->n_arms, ones);
        segue_task *one = task_of(equivalent, models, steps);
        segue_task *two = task_with_prior(with_prior, &prior, steps);
        play_alike(one, two, &env, run, steps);
        segue_task_destroy(one);
        segue_task_destroy(two);
        segue_models_destroy(models);
    }
}

static void with_one_flat_component_tts_and_tla_are_ts_and_la(void **state)
{
    (void)state;
    equivalent_policies_pull_alike(&segue_policy_tts, "ts", false);
    equivalent_policies_pull_alike(&segue_policy_tla, "la", false);
}

static void with_points_tts_and_tla_are_mts_and_mla(void **state)
{
    (void)state;
    equivalent_policies_pull_alike(&segue_policy_tts, "mts", true);
    equivalent_policies_pull_alike(&segue_policy_tla, "mla", true);
}

static void without_a_prior_tts_and_tla_are_ts_and_la(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const segue_policy *const with_prior[] = {&segue_policy_tts, &segue_policy_tla};
    static const char *const without[] = {"ts", "la"};
    for (size_t i = 0; i < 2; i++)
        for (uint64_t run = 0; run < 50; run++) {
            segue_task *one = task_of(without[i], models, 100), *two = NULL;
            segue_task_config config = segue_task_defaults();
            config.policy.policy = with_prior[i];
            config.setting.n_arms = 7;
            config.setting.horizon = 100;
            assert_ok(segue_task_create(&two, &config, NULL));
            play_alike(one, two, &env, run, 100);
            segue_task_destroy(one);
            segue_task_destroy(two);
        }
    segue_models_destroy(models);
}

/* Draw with the stream of a number, from the posterior of some counts. */
static size_t draw_once(const segue_prior *prior, const uint64_t *pulls, const double *sum,
                        double sharpness, uint64_t number)
{
    double scratch[6];
    segue_leader_cache leader = {.holds = false};
    const segue_belief belief = {.prior = *prior,
                                 .weight = prior->weight,
                                 .pulls = pulls,
                                 .sum = sum,
                                 .sharpness = sharpness,
                                 .power = sharpness > 1.0 ? 1.15 : 1.0,
                                 .leader = &leader,
                                 .scratch = scratch};
    segue_rng rng;
    segue_rng_init(&rng, 49, number, 0, 0);
    return segue_belief_thompson(&belief, NULL, &rng);
}

/* Draws with sharpness 4 are those after four times as many rewards, by a prior that is four times
 * as sure: 4 (a + won) is the same double as 4 a + 4 won.  Weights are raised to the power 1.15. */
static void sharpened_draws_are_those_of_a_surer_posterior(void **state)
{
    (void)state;
    const double a[] = {1.0, 2.5, 0.5, 3.0, 1.0, 2.0}, b[] = {1.0, 2.0, 0.5, 2.0, 1.5, 3.0};
    const double weight[] = {0.25, 0.75}, sum[] = {2.0, 3.0, 0.5}, more[] = {8.0, 12.0, 2.0};
    const double sharpened[] = {pow(0.25, 1.15), pow(0.75, 1.15)};
    const uint64_t pulls[] = {4, 6, 1}, as_many[] = {16, 24, 4};
    double sure_a[6], sure_b[6];
    size_t differ = 0;
    for (size_t i = 0; i < 6; i++) {
        sure_a[i] = 4.0 * a[i];
        sure_b[i] = 4.0 * b[i];
    }
    const segue_prior prior = {.n_components = 2, .n_arms = 3, .weight = weight, .a = a, .b = b};
    segue_prior sure = prior;
    sure.a = sure_a;
    sure.b = sure_b;
    sure.weight = sharpened;
    for (uint64_t k = 0; k < 1000; k++) {
        const size_t arm = draw_once(&prior, pulls, sum, 4.0, k);
        assert_int_equal(arm, draw_once(&sure, as_many, more, 1.0, k));
        differ += arm != draw_once(&prior, pulls, sum, 1.0, k);
    }
    assert_true(differ > 0);
}

/* The sharpness of a draw after a number of pulls. */
static double sharpness_after(bool sharpens, uint64_t horizon, uint64_t pulls)
{
    double ones[] = {1.0, 1.0};
    segue_prior prior = segue_belief_flat_prior(2, ones);
    prior.sharpens = sharpens;
    segue_task *task = task_with_prior(&segue_policy_tts, &prior, horizon);
    for (uint64_t t = 0; t < pulls; t++)
        tell(task, t % 2, 1.0);
    const segue_task_view *view = segue_task_internals(task).view;
    assert_int_equal(view->step, pulls);
    const double sharpness = segue_belief_policy_sharpness(view, view->step);
    segue_task_destroy(task);
    return sharpness;
}

/* The power of types in draws: 1.15 in tasks of up to 300 steps, and nearly 1 in long ones. */
static void types_are_sharpened_in_short_tasks(void **state)
{
    (void)state;
    const uint64_t horizon[] = {1, 300, 3000, SEGUE_MAX_HORIZON};
    const double expected[] = {1.15, 1.15, 1.015, 1.0};
    double ones[] = {1.0, 1.0};
    segue_prior prior = segue_belief_flat_prior(2, ones);
    for (size_t k = 0; k < 8; k++) {
        prior.sharpens = k < 4;
        segue_task *task = task_with_prior(&segue_policy_tts, &prior, horizon[k % 4]);
        assert_near(segue_belief_policy_power(segue_task_internals(task).view),
                    k < 4 ? expected[k] : 1.0, 1e-6);
        segue_task_destroy(task);
    }
}

/* By `rise` over a task, in 16 stages, of which the last one goes on after the end. */
static void draws_become_sharper_to_the_end_of_a_task(void **state)
{
    (void)state;
    const double first = 2.5, rise = 2.5; /* belief_policy.c */
    double before = 0.0;
    assert_near(sharpness_after(true, 160, 0), first, 0.0);
    assert_near(sharpness_after(true, 160, 9), first, 0.0);
    assert_near(sharpness_after(true, 160, 80), first + rise / 2.0, 1e-12);
    assert_near(sharpness_after(true, 160, 159), first + rise * 15.0 / 16.0, 1e-12);
    assert_near(sharpness_after(true, 160, 500), first + rise * 15.0 / 16.0, 1e-12);
    for (uint64_t t = 0; t < 7; t++) { /* a task may be shorter than the stages */
        const double now = sharpness_after(true, 7, t);
        assert_true(now > before && now >= first && now < first + rise);
        before = now;
    }
    assert_near(sharpness_after(true, 1, 0), first, 0.0);
    assert_near(sharpness_after(true, SEGUE_MAX_HORIZON, 0), 1.5, 0.0); /* no known end */
    assert_near(sharpness_after(true, SEGUE_MAX_HORIZON, 100), 1.5, 0.0);
    assert_near(sharpness_after(false, 160, 80), 1.0, 0.0);
    assert_near(sharpness_after(false, SEGUE_MAX_HORIZON, 80), 1.0, 0.0);
}

/* A task that gets a prior again has dropped the rewards of the one before. */
static void a_new_prior_restarts_the_belief(void **state)
{
    (void)state;
    const double mean[] = {0.9, 0.1, 0.1, 0.9}, weight[] = {0.9, 0.1}, other[] = {0.1, 0.9};
    segue_prior prior = {.n_components = 2, .n_arms = 2, .weight = weight, .a = mean};
    segue_task *task = task_with_prior(&segue_policy_tla, &prior, 3);
    for (int i = 0; i < 50; i++)
        tell(task, 0, 1.0);
    assert_int_equal(segue_task_ask(task), 0);
    segue_rng rng;
    segue_rng_init(&rng, 48, 0, 0, 0);
    segue_task_next(task, &rng, 0);
    prior.weight = other;
    segue_task_set_prior(task, &prior);
    assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
}

/* The leader cache ends when another arm gets a reward. The leader pays at most about 0.62, the
 * other one 0.95 and more after 2,000 rewards of 1: it is above except with a probability below
 * 1e-50. */
static void a_leader_changes_when_another_arm_does_well(void **state)
{
    (void)state;
    const double a[] = {600.0, 2.0, 500.0, 1.0}, b[] = {400.0, 18.0, 500.0, 9.0};
    const double weight[] = {0.5, 0.5};
    segue_prior prior = {.n_components = 2, .n_arms = 2, .weight = weight, .a = a, .b = b};
    for (int i = 0; i < 2; i++) {
        prior.sharpens = i == 1; /* sharper draws are on the same side of the means */
        segue_task *task = task_with_prior(&segue_policy_tts, &prior, 10000);
        for (int t = 0; t < 100; t++)
            tell(task, segue_task_ask(task), t % 5 < 3);
        for (int t = 0; t < 2000; t++)
            tell(task, 1, 1.0);
        for (int t = 0; t < 100; t++)
            assert_int_equal(segue_task_ask(task), 1);
        segue_task_destroy(task);
    }
}

/* Arm 0 is the best by far, for look-ahead and Thompson steps; arm 1 is tested, at rate 1, beside
 * Thompson steps at rate 0.5. At step t it is pulled with probability 1 / max(t + 1, 1.5). A share of
 * 20,000 draws is off by more than 0.02 with probability below 2 exp(-2 * 20,000 * 0.02^2) = 3e-7
 * (Hoeffding); of 2 x 2 any is with 1e-6. */
static void test_pulls_have_their_probability(void **state)
{
    (void)state;
    const double a[] = {9000.0, 10.0}, b[] = {1000.0, 9990.0}, one[] = {1.0}, gain[] = {0.0, 1e6};
    const segue_prior prior = {.n_components = 1,
                               .n_arms = 2,
                               .weight = one,
                               .a = a,
                               .b = b,
                               .draws = 0.5,
                               .tests = one,
                               .gain = gain};
    for (uint64_t t = 0; t <= 4; t += 4) {
        const double expected = 1.0 / fmax((double)t + 1.0, 1.5);
        double count = 0.0, probability[2];
        bool exact;
        for (uint64_t run = 0; run < 20000; run++) {
            segue_task *task = task_with_prior(&segue_policy_tla, &prior, 100);
            segue_rng rng;
            segue_rng_init(&rng, 91, run, t, SEGUE_STREAM_POLICY);
            segue_task_next(task, &rng, 0);
            for (uint64_t k = 0; k < t; k++)
                tell(task, 0, 1.0);
            if (run == 0)
                assert_ok(segue_task_probabilities(task, NULL, 20000, probability, &exact, NULL));
            count += segue_task_ask(task) == 1 ? 1.0 : 0.0;
            segue_task_destroy(task);
        }
        assert_true(fabs(count / 20000.0 - expected) < 0.02);
        assert_true(fabs(probability[1] - expected) < 0.02);
    }
}

static void mla_survives_what_no_model_can_give(void **state)
{
    (void)state;
    const double mean[] = {1.0, 0.0, 1.0, 0.5};
    segue_models *models = models_of(2, 2, mean);
    segue_task *task = task_of("mla", models, 100);
    tell(task, 0, 0.0); /* both say that arm 0 always pays 1 */
    for (int t = 0; t < 20; t++) {
        assert_true(segue_task_ask(task) < 2);
        assert_int_equal(segue_task_info(task).last_reason, SEGUE_NO_MODEL_LEFT);
    }
    segue_task_destroy(task);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_one_flat_component_tts_and_tla_are_ts_and_la),
        cmocka_unit_test(with_points_tts_and_tla_are_mts_and_mla),
        cmocka_unit_test(without_a_prior_tts_and_tla_are_ts_and_la),
        cmocka_unit_test(sharpened_draws_are_those_of_a_surer_posterior),
        cmocka_unit_test(types_are_sharpened_in_short_tasks),
        cmocka_unit_test(draws_become_sharper_to_the_end_of_a_task),
        cmocka_unit_test(a_new_prior_restarts_the_belief),
        cmocka_unit_test(a_leader_changes_when_another_arm_does_well),
        cmocka_unit_test(test_pulls_have_their_probability),
        cmocka_unit_test(mla_survives_what_no_model_can_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
