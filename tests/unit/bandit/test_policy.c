/* test_policy.c - parsing of policies, and what is special about single ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void policies_are_parsed_with_their_options(void **state)
{
    (void)state;
    segue_policy_spec spec = policy_of("sw-ucb:window=500,xi=0.7");
    assert_string_equal(spec.policy->name, "sw-ucb");
    assert_near(spec.option[0], 500.0, 0.0);
    assert_near(spec.option[1], 0.7, 0.0);
    spec = policy_of("ucb:log=min");
    assert_true(isnan(spec.option[0]));
    assert_near(spec.option[1], 1.0, 0.0);
}

static void reject(const char *text, segue_status status, const char *hint)
{
    segue_policy_spec spec;
    segue_error err;
    if (segue_policy_parse(&spec, text, &err) != status)
        fail_msg("'%s' was not refused as it should be", text);
    if (!strstr(err.message, hint))
        fail_msg("'%s': \"%s\" does not say \"%s\"", text, err.message, hint);
}

static void wrong_policies_are_rejected_with_a_hint(void **state)
{
    (void)state;
    reject("mcub", SEGUE_ENAME, "did you mean 'mucb'");
    reject("klucb", SEGUE_ENAME, "did you mean 'kl-ucb'");
    reject("", SEGUE_ENAME, "no policy ''");
    reject("annealing", SEGUE_ENAME, "segue help policies");
    reject("ucb:window=3", SEGUE_ENAME, "it has delta, log");
    reject("ucb1:delta=0.1", SEGUE_ENAME, "no options");
    reject("ucb:", SEGUE_EPARSE, "key=value");
    reject("ucb:delta", SEGUE_EPARSE, "key=value");
    reject("ucb:delta=", SEGUE_EPARSE, "key=value");
    reject("ucb:=0.1", SEGUE_EPARSE, "key=value");
    reject("ucb:delta=0.1,", SEGUE_EPARSE, "key=value");
    reject("ucb:delta=much", SEGUE_EPARSE, "not a finite decimal");
    reject("ucb:delta=nan", SEGUE_EPARSE, "not a finite decimal");
    reject("ucb:delta=0", SEGUE_EDOMAIN, "ends excluded");
    reject("ucb:delta=1", SEGUE_EDOMAIN, "ends excluded");
    reject("ucb:delta=0.1,delta=0.2", SEGUE_EDOMAIN, "given twice");
    reject("ucb:log=max", SEGUE_EPARSE, "m|min");
    reject("umucb:eps=-1", SEGUE_EDOMAIN, "from 0 to inf");
    reject("sw-ucb:window=0", SEGUE_EDOMAIN, "whole number");
    reject("sw-ucb:window=2.5", SEGUE_EDOMAIN, "whole number");
    reject("d-ucb:discount=1", SEGUE_EDOMAIN, "discount");
    char long_text[400];
    memset(long_text, 'x', sizeof long_text - 1);
    memcpy(long_text, "ucb:", 4);
    long_text[sizeof long_text - 1] = '\0';
    reject(long_text, SEGUE_EPARSE, "too long");
    reject(long_text + 4, SEGUE_ENAME, "no policy");
}

static void an_option_can_be_set_by_number(void **state)
{
    (void)state;
    segue_policy_spec spec = policy_of("umucb");
    assert_ok(segue_policy_set(&spec, "eps", INFINITY, NULL));
    assert_true(isinf(spec.option[1]));
    assert_int_equal(segue_policy_set(&spec, "eps", NAN, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_policy_set(&spec, "epsilon", 0.1, NULL), SEGUE_ENAME);
    spec = policy_of("ucb");
    assert_ok(segue_policy_set(&spec, "log", 1.0, NULL));
    assert_int_equal(segue_policy_set(&spec, "log", 7.0, NULL), SEGUE_EDOMAIN);
}

static void every_policy_is_complete(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    assert_int_equal(count, 22);
    for (size_t i = 0; i < count; i++) {
        assert_true(policies[i]->n_options <= SEGUE_MAX_OPTIONS);
        assert_true(strlen(policies[i]->summary) <= 62); /* `segue help policies`, 80 columns */
        assert_string_equal(policy_of(policies[i]->name).policy->name, policies[i]->name);
    }
}

static void feed(segue_task *task, size_t arm, double mean, int pulls)
{
    for (int i = 0; i < pulls; i++)
        tell(task, arm, mean);
}

static void mucb_drops_a_model_the_data_contradict(void **state)
{
    (void)state;
    const double mean[] = {0.9, 0.5, 0.2, 0.7};
    segue_models *models = models_of(2, 2, mean);
    segue_task *task = task_of("mucb", models, 2000);
    assert_int_equal(segue_task_ask(task), 0); /* the kinder model promises 0.9 */
    feed(task, 0, 0.2, 1000);
    assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void mucb_acts_as_ucb_and_reports_it_when_no_model_is_left(void **state)
{
    (void)state;
    const double mean[] = {0.9, 0.1, 0.8, 0.2};
    segue_models *models = models_of(2, 2, mean);
    segue_task *task = task_of("mucb", models, 10000);
    feed(task, 0, 0.1, 5000);
    assert_int_equal(segue_task_ask(task), 1); /* ucb: the arm without a pull */
    assert_int_equal(segue_task_info(task).last_reason, SEGUE_NO_MODEL_LEFT);
    assert_int_equal(segue_task_info(task).no_model_left, 1);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void umucb_pulls_each_arm_three_times_in_turn(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("umucb", models, 1000);
    for (size_t t = 0; t < 21; t++) {
        const size_t arm = segue_task_ask(task);
        assert_int_equal(arm, t % 7);
        assert_int_equal(segue_task_info(task).last_reason, SEGUE_FORCED);
        tell(task, arm, 0.5);
    }
    (void)segue_task_ask(task);
    assert_int_equal(segue_task_info(task).last_reason, SEGUE_BY_RULE);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void ucb_test_commits_at_once_to_a_single_model(void **state)
{
    (void)state;
    const double mean[] = {0.1, 0.2, 0.9};
    segue_models *models = models_of(3, 1, mean);
    segue_task *task = task_of("ucb-test", models, 100);
    assert_int_equal(segue_task_ask(task), 0);
    tell(task, 0, 1.0);
    for (int t = 0; t < 20; t++) {
        assert_int_equal(segue_task_ask(task), 2);
        tell(task, 2, 0.0);
    }
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void mts_survives_what_no_model_can_give(void **state)
{
    (void)state;
    const double mean[] = {1.0, 0.0, 1.0, 0.5};
    segue_models *models = models_of(2, 2, mean);
    segue_task *task = task_of("mts", models, 100);
    tell(task, 0, 0.0); /* both say that arm 0 always pays 1 */
    assert_true(segue_task_ask(task) < 2);
    assert_int_equal(segue_task_info(task).last_reason, SEGUE_NO_MODEL_LEFT);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void mts_never_draws_a_model_of_weight_zero(void **state)
{
    (void)state;
    const double mean[] = {0.9, 0.1, 0.1, 0.9}, weight[] = {0.0, 1.0};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, mean, weight, NULL));
    segue_task *task = task_of("mts", models, 100);
    for (int t = 0; t < 100; t++)
        assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void log_min_uses_the_smaller_number(void **state)
{
    (void)state;
    double mean[2 * 50];
    for (size_t i = 0; i < 100; i++)
        mean[i] = (double)i / 100.0;
    segue_models *models = models_of(2, 50, mean);
    const segue_setting setting = {.n_arms = 2, .models = models, .horizon = 100, .n_tasks = 1};
    const segue_policy *ucb = policy_of("ucb").policy;
    const double usual[] = {0.01, 0.0}, smaller[] = {0.01, 1.0};
    assert_near(ucb->log_term(&setting, usual), log(50 * 1e4 / 0.01), 1e-12);
    assert_near(ucb->log_term(&setting, smaller), log(2 * 1e4 / 0.01), 1e-12);
    segue_models_destroy(models);
}

static void without_a_set_ucb_counts_its_arms(void **state)
{
    (void)state;
    const segue_setting setting = {.n_arms = 6, .horizon = 100, .n_tasks = 1};
    const double option[] = {0.01, 0.0};
    assert_near(policy_of("ucb").policy->log_term(&setting, option), log(6 * 1e4 / 0.01), 1e-12);
}

/* Rewards without an ask do not replace forced pulls of other arms. */
static void umucb_forces_what_others_did_not_pull(void **state)
{
    (void)state;
    const double mean[] = {0.9, 0.1, 0.2, 0.8};
    segue_models *models = models_of(2, 2, mean);
    segue_task *task = task_of("umucb", models, 100);
    feed(task, 0, 1.0, 6);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(segue_task_ask(task), 1);
        assert_int_equal(segue_task_info(task).last_reason, SEGUE_FORCED);
        tell(task, 1, 0.0);
    }
    (void)segue_task_ask(task);
    assert_int_equal(segue_task_info(task).last_reason, SEGUE_BY_RULE);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void umucb_without_models_is_ucb_after_its_forced_pulls(void **state)
{
    (void)state;
    segue_task_config config = segue_task_defaults();
    segue_task *umucb = NULL, *ucb = NULL;
    segue_rng rng;
    config.policy = policy_of("umucb");
    config.setting = (segue_setting){.n_arms = 4, .n_models = 3, .horizon = 500, .n_tasks = 1};
    assert_ok(segue_task_create(&umucb, &config, NULL));
    config.policy = policy_of("ucb"); /* log(K n^2 / d) = log(2 m K n^2 / delta) */
    assert_ok(segue_policy_set(&config.policy, "delta", 1.0 / 500 / 6, NULL));
    assert_ok(segue_task_create(&ucb, &config, NULL));
    segue_rng_init(&rng, 24, 0, 0, 0);
    for (uint64_t t = 0; t < 500; t++) {
        const size_t arm = segue_task_ask(umucb);
        assert_int_equal(arm, t < 12 ? t % 4 : segue_task_ask(ucb));
        const double reward = segue_rng_uniform(&rng) < 0.2 + 0.2 * (double)arm;
        tell(umucb, arm, reward);
        tell(ucb, arm, reward);
    }
    segue_task_destroy(umucb);
    segue_task_destroy(ucb);
}

static void options_are_checked_however_they_are_set(void **state)
{
    (void)state;
    static const char *const names[] = {"ucb", "sw-ucb", "d-ucb"};
    for (size_t i = 0; i < 3; i++) {
        segue_task_config config = segue_task_defaults();
        segue_task *task = NULL;
        config.setting.n_arms = 3;
        config.policy.policy = policy_of(names[i]).policy; /* all options 0: not the defaults */
        assert_int_equal(segue_task_create(&task, &config, NULL), SEGUE_EDOMAIN);
        assert_null(task);
    }
}

static void a_discount_so_small_that_counts_vanish_pulls_all_arms(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("d-ucb:discount=1e-9", models, 1000);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 25, 0, 0);
    (void)segue_simulation_play(task, simulated, 1000);
    for (size_t arm = 0; arm < 7; arm++)
        assert_true(segue_task_info(task).pulls[arm] > 10);
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_parsed_with_their_options),
        cmocka_unit_test(wrong_policies_are_rejected_with_a_hint),
        cmocka_unit_test(an_option_can_be_set_by_number),
        cmocka_unit_test(every_policy_is_complete),
        cmocka_unit_test(mucb_drops_a_model_the_data_contradict),
        cmocka_unit_test(mucb_acts_as_ucb_and_reports_it_when_no_model_is_left),
        cmocka_unit_test(umucb_pulls_each_arm_three_times_in_turn),
        cmocka_unit_test(ucb_test_commits_at_once_to_a_single_model),
        cmocka_unit_test(mts_survives_what_no_model_can_give),
        cmocka_unit_test(mts_never_draws_a_model_of_weight_zero),
        cmocka_unit_test(log_min_uses_the_smaller_number),
        cmocka_unit_test(without_a_set_ucb_counts_its_arms),
        cmocka_unit_test(umucb_forces_what_others_did_not_pull),
        cmocka_unit_test(umucb_without_models_is_ucb_after_its_forced_pulls),
        cmocka_unit_test(options_are_checked_however_they_are_set),
        cmocka_unit_test(a_discount_so_small_that_counts_vanish_pulls_all_arms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
