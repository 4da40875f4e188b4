/* test_bandit.c - model sets, their matching, the reading of policies, tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* ---- model sets -------------------------------------------------------------------------- */

static void a_set_knows_its_best_arms_and_shares(void **state)
{
    (void)state;
    const double mean[] = {0.2, 0.9, 0.9, 1.0, 0.0, 0.5}, weight[] = {3.0, 1.0};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, 3, 2, mean, weight, NULL));
    assert_int_equal(models->best_arm[0], 1); /* a tie goes to the lowest arm */
    assert_int_equal(models->best_arm[1], 0);
    assert_near(models->weight[0], 0.75, 0.0);
    assert_near(models->weight[1], 0.25, 0.0);
    assert_near(segue_models_best_value(models, 1), 1.0, 0.0);
    segue_models_destroy(models);
    segue_models_destroy(NULL);
}

static void wrong_sets_are_refused(void **state)
{
    (void)state;
    const double fine[] = {0.1, 0.2, 0.3, 0.4};
    const double bad_means[] = {1.2, -0.1, NAN, INFINITY};
    const double bad_weights[][2] = {{-1, 2}, {0, 0}, {NAN, 1}, {INFINITY, 1}, {1e308, 1e308}};
    segue_models *models = NULL;
    segue_error err;
    for (size_t i = 0; i < 4; i++) {
        const double mean[] = {0.1, 0.2, bad_means[i], 0.4};
        assert_int_equal(segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, mean, NULL, &err),
                         SEGUE_EDOMAIN);
        assert_non_null(strstr(err.message, "model 2, arm 1"));
        assert_null(models);
    }
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(
            segue_models_create(&models, SEGUE_MODELS_KNOWN, 2, 2, fine, bad_weights[i], &err),
            SEGUE_EDOMAIN);
    const size_t sizes[][2] = {{0, 1}, {1, 1}, {2, 0}, {10001, 1}, {2, 1001}};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(segue_models_create(&models, SEGUE_MODELS_KNOWN, sizes[i][0], sizes[i][1],
                                             fine, NULL, &err),
                         SEGUE_EDOMAIN);
}

static void estimates_may_stray_but_must_be_finite(void **state)
{
    (void)state;
    const double astray[] = {1.2, -0.3}, broken[] = {1.2, NAN};
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_ESTIMATED, 2, 1, astray, NULL, NULL));
    segue_models_destroy(models);
    assert_int_equal(segue_models_create(&models, SEGUE_MODELS_ESTIMATED, 2, 1, broken, NULL, NULL),
                     SEGUE_EDOMAIN);
}

static void the_largest_set_fits(void **state)
{
    (void)state;
    double *mean = calloc((size_t)SEGUE_MAX_ARMS * SEGUE_MAX_MODELS, sizeof *mean);
    assert_non_null(mean);
    segue_models *models = NULL;
    assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, SEGUE_MAX_ARMS, SEGUE_MAX_MODELS,
                                  mean, NULL, NULL));
    segue_models_destroy(models);
    free(mean);
}

/* ---- matching ---------------------------------------------------------------------------- */

static double cost_of(const segue_models *a, const segue_models *b, const size_t *match)
{
    double cost = 0.0;
    for (size_t k = 0; k < a->n_models; k++)
        for (size_t i = 0; i < a->n_arms; i++) {
            const double d = segue_models_row(a, k)[i] - segue_models_row(b, match[k])[i];
            cost += d * d;
        }
    return cost;
}

/* The least cost over all permutations, by trying them all. */
static double least_cost(const segue_models *a, const segue_models *b, size_t *match, size_t done)
{
    if (done == a->n_models)
        return cost_of(a, b, match);
    double least = INFINITY;
    for (size_t i = done; i < a->n_models; i++) {
        size_t swap = match[done];
        match[done] = match[i], match[i] = swap;
        least = fmin(least, least_cost(a, b, match, done + 1));
        swap = match[done];
        match[done] = match[i], match[i] = swap;
    }
    return least;
}

static void matching_is_the_best_of_all_permutations(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 21, 0, 0, 0);
    for (int i = 0; i < 300; i++) {
        segue_models *a = random_models(&rng, 2, 6, 1, 7);
        segue_models *b = random_models(&rng, a->n_arms, a->n_arms, a->n_models, a->n_models);
        size_t match[7], any[7] = {0, 1, 2, 3, 4, 5, 6};
        assert_ok(segue_models_match(a, b, match, NULL));
        assert_near(cost_of(a, b, match), least_cost(a, b, any, 0), 1e-12);
        segue_models_destroy(a);
        segue_models_destroy(b);
    }
}

/* A set shuffled and moved by less than half the least distance: the shuffle must come back. */
static void matching_undoes_a_shuffle_of_a_hundred(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 22, 0, 0, 0);
    segue_models *a = random_models(&rng, 30, 30, 100, 100);
    size_t shuffle[100], match[100];
    double *mean = calloc(100 * 30, sizeof *mean);
    assert_non_null(mean);
    for (size_t k = 0; k < 100; k++)
        shuffle[k] = k;
    for (size_t k = 99; k > 0; k--) {
        const size_t i = random_between(&rng, 0, k), swap = shuffle[k];
        shuffle[k] = shuffle[i], shuffle[i] = swap;
    }
    for (size_t k = 0; k < 100; k++)
        for (size_t i = 0; i < 30; i++)
            mean[shuffle[k] * 30 + i] =
                segue_models_row(a, k)[i] * 0.98 + 0.02 * segue_rng_uniform(&rng);
    segue_models *b = models_of(30, 100, mean);
    assert_ok(segue_models_match(a, b, match, NULL));
    /* Equal models (one pair, perhaps) may swap; the means they stand for may not. */
    for (size_t k = 0; k < 100; k++)
        for (size_t i = 0; i < 30; i++)
            assert_near(segue_models_row(a, k)[i], segue_models_row(b, match[k])[i], 0.02);
    segue_models_destroy(a);
    segue_models_destroy(b);
    free(mean);
}

static void sets_of_other_sizes_do_not_match(void **state)
{
    (void)state;
    const double mean[] = {0.1, 0.2, 0.3, 0.4};
    segue_models *two = models_of(2, 2, mean), *one = models_of(2, 1, mean);
    size_t match[2];
    assert_int_equal(segue_models_match(two, one, match, NULL), SEGUE_EDOMAIN);
    segue_models_destroy(two);
    segue_models_destroy(one);
}

/* ---- reading policies -------------------------------------------------------------------- */

static void policies_are_read_with_their_options(void **state)
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

static void refuse(const char *text, segue_status status, const char *hint)
{
    segue_policy_spec spec;
    segue_error err;
    if (segue_policy_parse(&spec, text, &err) != status)
        fail_msg("'%s' was not refused as it should be", text);
    if (!strstr(err.message, hint))
        fail_msg("'%s': \"%s\" does not say \"%s\"", text, err.message, hint);
}

static void wrong_policies_are_refused_with_a_hint(void **state)
{
    (void)state;
    refuse("mcub", SEGUE_ENAME, "did you mean 'mucb'");
    refuse("klucb", SEGUE_ENAME, "did you mean 'kl-ucb'");
    refuse("", SEGUE_ENAME, "no policy ''");
    refuse("annealing", SEGUE_ENAME, "segue help policies");
    refuse("ucb:window=3", SEGUE_ENAME, "it has delta, log");
    refuse("ts:delta=0.1", SEGUE_ENAME, "no options");
    refuse("ucb:", SEGUE_EPARSE, "key=value");
    refuse("ucb:delta", SEGUE_EPARSE, "key=value");
    refuse("ucb:delta=", SEGUE_EPARSE, "key=value");
    refuse("ucb:=0.1", SEGUE_EPARSE, "key=value");
    refuse("ucb:delta=0.1,", SEGUE_EPARSE, "key=value");
    refuse("ucb:delta=much", SEGUE_EPARSE, "not a finite decimal");
    refuse("ucb:delta=nan", SEGUE_EPARSE, "not a finite decimal");
    refuse("ucb:delta=0", SEGUE_EDOMAIN, "ends excluded");
    refuse("ucb:delta=1", SEGUE_EDOMAIN, "ends excluded");
    refuse("ucb:delta=0.1,delta=0.2", SEGUE_EDOMAIN, "given twice");
    refuse("ucb:log=max", SEGUE_EPARSE, "m|min");
    refuse("umucb:eps=-1", SEGUE_EDOMAIN, "from 0 to inf");
    refuse("sw-ucb:window=0", SEGUE_EDOMAIN, "whole number");
    refuse("sw-ucb:window=2.5", SEGUE_EDOMAIN, "whole number");
    refuse("d-ucb:discount=1", SEGUE_EDOMAIN, "discount");
    char long_text[400];
    memset(long_text, 'x', sizeof long_text - 1);
    memcpy(long_text, "ucb:", 4);
    long_text[sizeof long_text - 1] = '\0';
    refuse(long_text, SEGUE_EPARSE, "too long");
    refuse(long_text + 4, SEGUE_ENAME, "no policy");
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
    assert_int_equal(count, 16);
    for (size_t i = 0; i < count; i++) {
        assert_true(policies[i]->n_options <= SEGUE_MAX_OPTIONS);
        assert_true(strlen(policies[i]->summary) <= 62); /* `segue help policies`, 80 columns */
        assert_string_equal(policy_of(policies[i]->name).policy->name, policies[i]->name);
    }
}

/* ---- tasks ------------------------------------------------------------------------------- */

static void a_task_asks_for_every_arm_first(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    static const char *const names[] = {"ucb", "ucb1", "kl-ucb", "sw-ucb", "d-ucb", "carried-ucb"};
    for (size_t i = 0; i < 6; i++) {
        segue_task *task = task_of(names[i], models, 100);
        for (size_t arm = 0; arm < 7; arm++) {
            assert_int_equal(segue_task_ask(task), arm);
            tell(task, arm, 1.0);
        }
        segue_task_destroy(task);
    }
    segue_models_destroy(models);
}

static void asks_may_be_outstanding(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++) {
        segue_task *task = task_of(policies[i]->name, models, 100);
        for (int t = 0; t < 50; t++)
            assert_true(segue_task_ask(task) < 7);
        const segue_task_summary info = segue_task_info(task);
        assert_int_equal(info.step, 50);
        for (size_t arm = 0; arm < 7; arm++)
            assert_int_equal(info.pulls[arm], 0);
        segue_task_destroy(task);
    }
    segue_models_destroy(models);
}

static void an_outstanding_ask_counts_as_a_first_pull(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    for (size_t arm = 0; arm < 7; arm++)
        assert_int_equal(segue_task_ask(task), arm);
    tell(task, 4, 1.0); /* late, and out of order */
    assert_int_equal(segue_task_ask(task), 4);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void a_pull_nobody_asked_for_counts(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    tell(task, 0, 1.0);
    assert_int_equal(segue_task_info(task).step, 1);
    assert_int_equal(segue_task_ask(task), 1);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

static void a_wrong_reward_changes_nothing(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task *task = task_of("ucb", models, 100);
    const double wrong[] = {-0.1, 1.1, NAN, INFINITY, -INFINITY};
    segue_error err;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(segue_task_tell(task, 0, wrong[i], &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_task_tell(task, 7, 0.5, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_task_tell(task, SIZE_MAX, 0.5, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_task_info(task).step, 0);
    assert_int_equal(segue_task_info(task).pulls[0], 0);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* Rewards in [-50, 150] play as the same rewards in [0, 1]. */
static void rewards_of_any_range_play_alike(void **state)
{
    (void)state;
    segue_task_config config = segue_task_defaults();
    segue_task *plain = NULL, *scaled = NULL;
    segue_rng rng;
    config.policy = policy_of("ucb");
    config.setting.n_arms = 4;
    assert_ok(segue_task_create(&plain, &config, NULL));
    config.lowest = -50.0;
    config.highest = 150.0;
    assert_ok(segue_task_create(&scaled, &config, NULL));
    segue_rng_init(&rng, 23, 0, 0, 0);
    for (int t = 0; t < 500; t++) {
        const size_t arm = segue_task_ask(plain);
        const double reward = segue_rng_uniform(&rng) < 0.3 + 0.1 * (double)arm;
        assert_int_equal(segue_task_ask(scaled), arm);
        tell(plain, arm, reward);
        tell(scaled, arm, -50.0 + 200.0 * reward);
    }
    segue_task_destroy(plain);
    segue_task_destroy(scaled);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_task_config good = segue_task_defaults();
    good.policy = policy_of("mucb");
    good.setting.n_arms = 7;
    good.setting.models = models;
    segue_task_config bad[9];
    for (size_t i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].setting.n_arms = 1;
    bad[1].setting.n_arms = 10001;
    bad[2].setting.n_arms = 6; /* the models have 7 */
    bad[3].setting.horizon = 0;
    bad[4].setting.n_tasks = 0;
    bad[5].highest = bad[5].lowest;
    bad[6].lowest = NAN;
    bad[7].policy.policy = NULL;
    bad[8].setting.horizon = SEGUE_MAX_HORIZON + 1;
    segue_task *task = NULL;
    segue_error err;
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(segue_task_create(&task, &bad[i], &err), SEGUE_EDOMAIN);
        assert_null(task);
    }
    good.setting.models = NULL;
    assert_int_equal(segue_task_create(&task, &good, &err), SEGUE_EUSAGE);
    good.policy = policy_of("told-ucb");
    assert_int_equal(segue_task_create(&task, &good, &err), SEGUE_EUSAGE);
    segue_task_destroy(NULL);
    segue_models_destroy(models);
}

/* ---- single policies --------------------------------------------------------------------- */

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

static void mucb_acts_as_ucb_when_no_model_is_left_and_says_so(void **state)
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
    const double usual[] = {0.01, 0.0}, least[] = {0.01, 1.0};
    assert_near(ucb->log_term(&setting, usual), log(50 * 1e4 / 0.01), 1e-12);
    assert_near(ucb->log_term(&setting, least), log(2 * 1e4 / 0.01), 1e-12);
    segue_models_destroy(models);
}

static void without_a_set_ucb_counts_its_arms(void **state)
{
    (void)state;
    const segue_setting setting = {.n_arms = 6, .horizon = 100, .n_tasks = 1};
    const double option[] = {0.01, 0.0};
    assert_near(policy_of("ucb").policy->log_term(&setting, option), log(6 * 1e4 / 0.01), 1e-12);
}

/* Rewards nobody asked for do not stand in for forced pulls of other arms. */
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

static void options_are_checked_however_they_were_set(void **state)
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
    const segue_environment env = {.models = models};
    segue_simulated_task *simulated = world_of(&env, 25, 0, 0);
    (void)segue_simulation_play(task, simulated, 1000);
    for (size_t arm = 0; arm < 7; arm++)
        assert_true(segue_task_info(task).pulls[arm] > 10);
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

static void means_are_told_in_the_range_of_the_rewards(void **state)
{
    (void)state;
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = policy_of("ucb");
    config.setting.n_arms = 2;
    config.lowest = 10.0;
    config.highest = 30.0;
    assert_ok(segue_task_create(&task, &config, NULL));
    tell(task, 1, 12.0);
    tell(task, 1, 26.0);
    assert_true(isnan(segue_task_mean(task, 0)));
    assert_near(segue_task_mean(task, 1), 19.0, 1e-12);
    segue_task_destroy(task);
    for (int top = 1; top <= 1000; top++) { /* the best reward is 1, and no rounding less */
        config.lowest = 0.0;
        config.highest = top;
        assert_ok(segue_task_create(&task, &config, NULL));
        tell(task, 1, top);
        assert_true(segue_task_info(task).sum[1] == 1.0);
        segue_task_destroy(task);
    }
    config.lowest = 0.0;
    config.highest = 1e-310; /* its inverse is infinite */
    assert_int_equal(segue_task_create(&task, &config, NULL), SEGUE_EDOMAIN);
}

/* ---- views ------------------------------------------------------------------------------- */

static void open_with_batches(segue_task **task, segue_batches kind, uint64_t horizon)
{
    segue_task_config config = segue_task_defaults();
    config.policy = policy_of("round-robin");
    config.setting.n_arms = 2;
    config.setting.horizon = horizon;
    config.batches = kind;
    assert_ok(segue_task_create(task, &config, NULL));
}

/* Seven rewards of arm 0, three of arm 1: thirds of two, two, three; and one, one, one. */
static void views_are_the_averages_of_three_batches(void **state)
{
    (void)state;
    static const double rewards[] = {.1, .2, .3, .4, .5, .6, .7}, others[] = {.9, .8, 0.};
    const double consecutive[] = {.15, .9, .35, .8, .6, 0.};
    const double interleaved[] = {(.1 + .4 + .7) / 3, .9, .35, .8, .45, 0.};
    for (int kind = SEGUE_BATCHES_CONSECUTIVE; kind <= SEGUE_BATCHES_INTERLEAVED; kind++) {
        segue_task *task = NULL;
        double views[6];
        open_with_batches(&task, (segue_batches)kind, 10);
        for (size_t i = 0; i < 7; i++) {
            if (i < 3) {
                assert_false(segue_task_views(task, views));
                tell(task, 1, others[i]);
            }
            tell(task, 0, rewards[i]);
        }
        assert_true(segue_task_views(task, views));
        for (size_t i = 0; i < 6; i++)
            assert_near(views[i],
                        (kind == SEGUE_BATCHES_CONSECUTIVE ? consecutive : interleaved)[i], 1e-15);
        segue_task_destroy(task);
    }
    segue_task *task = NULL;
    double views[6];
    open_with_batches(&task, SEGUE_BATCHES_NONE, 10);
    feed(task, 0, 0.5, 5);
    feed(task, 1, 0.5, 5);
    assert_false(segue_task_views(task, views));
    segue_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_knows_its_best_arms_and_shares),
        cmocka_unit_test(wrong_sets_are_refused),
        cmocka_unit_test(estimates_may_stray_but_must_be_finite),
        cmocka_unit_test(the_largest_set_fits),
        cmocka_unit_test(matching_is_the_best_of_all_permutations),
        cmocka_unit_test(matching_undoes_a_shuffle_of_a_hundred),
        cmocka_unit_test(sets_of_other_sizes_do_not_match),
        cmocka_unit_test(policies_are_read_with_their_options),
        cmocka_unit_test(wrong_policies_are_refused_with_a_hint),
        cmocka_unit_test(an_option_can_be_set_by_number),
        cmocka_unit_test(every_policy_is_complete),
        cmocka_unit_test(a_task_asks_for_every_arm_first),
        cmocka_unit_test(asks_may_be_outstanding),
        cmocka_unit_test(an_outstanding_ask_counts_as_a_first_pull),
        cmocka_unit_test(a_pull_nobody_asked_for_counts),
        cmocka_unit_test(a_wrong_reward_changes_nothing),
        cmocka_unit_test(rewards_of_any_range_play_alike),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(mucb_drops_a_model_the_data_contradict),
        cmocka_unit_test(mucb_acts_as_ucb_when_no_model_is_left_and_says_so),
        cmocka_unit_test(umucb_pulls_each_arm_three_times_in_turn),
        cmocka_unit_test(ucb_test_commits_at_once_to_a_single_model),
        cmocka_unit_test(mts_survives_what_no_model_can_give),
        cmocka_unit_test(mts_never_draws_a_model_of_weight_zero),
        cmocka_unit_test(log_min_uses_the_smaller_number),
        cmocka_unit_test(without_a_set_ucb_counts_its_arms),
        cmocka_unit_test(umucb_forces_what_others_did_not_pull),
        cmocka_unit_test(umucb_without_models_is_ucb_after_its_forced_pulls),
        cmocka_unit_test(options_are_checked_however_they_were_set),
        cmocka_unit_test(a_discount_so_small_that_counts_vanish_pulls_all_arms),
        cmocka_unit_test(means_are_told_in_the_range_of_the_rewards),
        cmocka_unit_test(views_are_the_averages_of_three_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
