/* test_tucb_options.c - what tUCB does beside the paper: forms of eps, weights, hold, freeze.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer_fixture.h"

/* The logarithms of Theorem 2, its corollary and Lemma 9, by hand for m = 5, K = 7, J = n = 5000. */
static void eps_has_the_three_logarithms_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        segue_eps_form form;
        double logarithm;
    } forms[] = {
        {SEGUE_EPS_LEMMA, 21.283}, {SEGUE_EPS_THEOREM, 10.463}, {SEGUE_EPS_COROLLARY, 13.102}};
    for (size_t i = 0; i < 3; i++) {
        const double eps = segue_tucb_model_error(forms[i].form, 1.0, 5, 7, 5000, 1.0 / 5000, 1.0);
        assert_near(eps * eps, forms[i].logarithm, 1e-3);
    }
}

/* A task in which arm i is pulled pulls[i] times, in turn; each pull pays 1. */
static void close_task_with(segue_learner *learner, const int *pulls)
{
    segue_task *task = open_a_task(learner);
    for (size_t arm = 0; arm < ARMS; arm++)
        for (int t = 0; t < pulls[arm]; t++)
            tell(task, arm, t % 2 ? 1.0 : 0.0);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
}

/* eps_j^2 is C^2 log / support: the support of the estimate, from what the learner shows. */
static double support_of(const segue_learner *learner)
{
    const segue_learner_config *c = segue_learner_get_config(learner);
    const double eps = segue_learner_info(learner).eps;
    return log(2.0 * (double)c->n_models * (double)c->n_arms * (double)c->n_tasks * (double)STEPS) /
           (eps * eps);
}

/* Two types of task until there is an estimate, then one task by hand: its weight is the harmonic
 * mean of the rewards per view, here 3 / (1/1 + 1/2 + 1/4) = 12/7. */
static void a_task_weighs_as_much_as_its_views_have_rewards(void **state)
{
    (void)state;
    segue_learner *plain = learner_of("tucb:C=1", false);
    segue_learner *weighted = learner_of("tucb:C=1,weights=pulls,hold=0", false);
    static const int pulls[ARMS] = {3, 6, 12};
    play_tasks(plain, 0, 60);
    play_tasks(weighted, 0, 60);
    assert_non_null(segue_learner_models(plain));
    assert_non_null(segue_learner_models(weighted));
    const double before[] = {support_of(plain), support_of(weighted)};
    assert_near(before[0], 60.0, 1e-9);
    assert_true(before[1] > 60.0); /* a view has a reward at least */
    close_task_with(plain, pulls);
    close_task_with(weighted, pulls);
    assert_near(support_of(plain) - before[0], 1.0, 1e-9);
    assert_near(support_of(weighted) - before[1], 12.0 / 7.0, 1e-6);
    segue_learner_destroy(plain);
    segue_learner_destroy(weighted);
}

/* Arms of one type get more pulls than those of the other, so its tasks weigh more: the estimated
 * shares of the types shift, and their means do not. */
static void weights_change_the_shares_and_not_the_means(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tucb:weights=pulls,C=1000", false);
    segue_rng rng;
    segue_rng_init(&rng, 92, 0, 0, 0);
    for (uint64_t j = 0; j < 4000; j++) {
        const size_t type = j % 2;
        segue_task *task = open_a_task(learner);
        for (size_t arm = 0; arm < ARMS; arm++)
            for (int t = 0; t < (type ? 12 : 3); t++)
                tell(task, arm, segue_rng_uniform(&rng) < mean_of(type, arm) ? 1.0 : 0.0);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    const segue_models *models = segue_learner_models(learner);
    assert_non_null(models);
    const size_t second = segue_models_row(models, 1)[1] > segue_models_row(models, 0)[1];
    assert_near(models->weight[second], 0.8, 0.05); /* 4 : 1 */
    for (size_t k = 0; k < 2; k++)
        for (size_t arm = 0; arm < ARMS; arm++)
            /* over 300 seeds the root mean square error is 0.005 and the largest 0.022: 0.08 is 15
             * standard deviations, a false alarm in fewer than 1e-6 of seeds */
            assert_near(segue_models_row(models, k)[arm], mean_of(k == second, arm), 0.08);
    segue_learner_destroy(learner);
}

/* With hold, eps is infinite until it would be small enough; then the models are used. */
static void models_are_held_back_until_eps_is_small(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tucb:C=0.5,hold=0.25", false);
    for (uint64_t j = 0; j < 150; j++) {
        play_tasks(learner, j, j + 1);
        const double eps = segue_learner_info(learner).eps;
        const double own = segue_tucb_model_error(SEGUE_EPS_LEMMA, 0.5, 2, ARMS, 10000, 1.0 / STEPS,
                                                  (double)(j + 1));
        if (own > 0.25)
            assert_true(isinf(eps));
        else if (segue_learner_models(learner))
            assert_near(eps, own, 1e-12);
    }
    assert_true(segue_learner_info(learner).eps <= 0.25);
    segue_learner_destroy(learner);
}

static void a_frozen_estimate_stays(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("tucb:freeze=50", false);
    play_tasks(learner, 0, 49);
    assert_null(segue_learner_models(learner));
    play_tasks(learner, 49, 60);
    const segue_models *models = segue_learner_models(learner);
    assert_non_null(models);
    double mean[2 * ARMS];
    memcpy(mean, models->mean, sizeof mean);
    const double eps = segue_learner_info(learner).eps;
    play_tasks(learner, 60, 90);
    assert_memory_equal(mean, segue_learner_models(learner)->mean, sizeof mean);
    assert_near(segue_learner_info(learner).eps, eps, 0.0);
    segue_learner *loaded = load(learner);
    play_tasks(learner, 90, 95);
    play_tasks(loaded, 90, 95);
    are_same(learner, loaded);
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
}

static void weights_survive_saving_and_merging(void **state)
{
    (void)state;
    segue_learner *a = learner_of("tucb:weights=pulls,C=1,hold=0", false);
    segue_learner *b = learner_of("tucb:weights=pulls,C=1,hold=0", false);
    segue_error err;
    play_tasks(a, 0, 60);
    play_tasks(b, 60, 120);
    segue_learner *loaded = load(a);
    are_same(a, loaded);
    const double together = support_of(a) + support_of(b);
    assert_ok(segue_learner_merge(a, b, NULL));
    assert_near(support_of(a), together, 1e-6);
    segue_learner *plain = learner_of("tucb", false);
    says(segue_learner_merge(a, plain, &err), &err, "weights cannot be merged");
    segue_learner_destroy(a);
    segue_learner_destroy(b);
    segue_learner_destroy(loaded);
    segue_learner_destroy(plain);
}

static void options_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {{"tucb:weights=pulls,estimator=em", "weights=pulls weighs moments"},
                 {"tucb:alpha0=1", "0 unless eca"}};
    for (size_t i = 0; i < 2; i++) {
        segue_learner_config config = segue_learner_defaults();
        segue_learner *learner = NULL;
        segue_error err;
        config.n_arms = ARMS;
        config.n_models = 2;
        config.horizon = STEPS;
        assert_ok(segue_learner_config_parse(&config, wrong[i].text, &err));
        says(segue_learner_create(&learner, &config, &err), &err, wrong[i].message);
        assert_null(learner);
    }
    segue_learner_destroy(learner_of("tucb:estimator=eca,alpha0=1", false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eps_has_the_three_logarithms_of_the_paper),
        cmocka_unit_test(a_task_weighs_as_much_as_its_views_have_rewards),
        cmocka_unit_test(weights_change_the_shares_and_not_the_means),
        cmocka_unit_test(models_are_held_back_until_eps_is_small),
        cmocka_unit_test(a_frozen_estimate_stays),
        cmocka_unit_test(weights_survive_saving_and_merging),
        cmocka_unit_test(options_that_exclude_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
