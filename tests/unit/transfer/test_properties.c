/* test_properties.c - the paper's lemmas and pull bounds, over random model sets.
 *
 * Steps with an empty active set are excluded, as the lemmas do.  "The event" is that every
 * average is within its radius of the truth at every step; a task outside it is passed over (with
 * delta = 1/n that is rare), and the test sees that enough are left.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#define SETS 1000

typedef struct trial {
    segue_models *models;
    size_t truth;
    uint64_t n;
    segue_simulated_task *simulated;
} trial;

static void trial_init(trial *tr, segue_rng *rng, const segue_environment *env, uint64_t run)
{
    tr->truth = random_between(rng, 0, tr->models->n_models - 1);
    tr->n = random_between(rng, 1, 600);
    tr->simulated = new_simulated_task(env, 41, run, tr->truth);
}

/* One step of a task; whether all its averages are within their radius of the truth. */
static bool step(segue_task *task, segue_simulated_task *simulated, double log_term, size_t *arm,
                 segue_reason *reason)
{
    *arm = segue_task_ask(task);
    *reason = segue_task_info(task).last_reason;
    tell(task, *arm, segue_simulated_task_reward(simulated, *arm));
    const segue_task_summary info = segue_task_info(task);
    const double T = (double)info.pulls[*arm];
    return fabs(info.sum[*arm] / T - segue_simulated_task_means(simulated)[*arm]) <=
           sqrt(log_term / (2.0 * T));
}

/* Which arms a task pulls by its rule, and whether it stayed on the event. */
typedef struct outcome {
    bool on_event;
    bool by_rule[64]; /* pulled, neither forced nor without a model */
    const uint64_t *pulls;
    uint64_t no_model_left;
} outcome;

static outcome play(segue_task *task, segue_simulated_task *simulated, uint64_t n, double log_term)
{
    outcome out = {.on_event = true};
    for (uint64_t t = 0; t < n; t++) {
        size_t arm;
        segue_reason reason;
        const bool within = step(task, simulated, log_term, &arm, &reason);
        out.on_event = out.on_event && within;
        if (reason == SEGUE_BY_RULE)
            out.by_rule[arm] = true;
    }
    out.pulls = segue_task_info(task).pulls;
    out.no_model_left = segue_task_info(task).no_model_left;
    return out;
}

static void gaps_of_optimistic_models_are_no_smaller_than_the_arms(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 42, 0, 0, 0);
    for (int i = 0; i < repeats(SETS); i++) {
        segue_models *models = random_models(&rng, 2, 30, 1, 12);
        for (size_t truth = 0; truth < models->n_models; truth++) {
            segue_known_sets *sets = NULL;
            assert_ok(segue_known_sets_create(&sets, models, truth, NULL));
            for (size_t arm = 0; arm < sets->n_arms; arm++)
                if (sets->optimistic_arm[arm])
                    assert_true(sets->model_gap[arm] >= sets->gap[arm]);
            assert_true(segue_complexity_mucb(sets) <=
                        segue_complexity_ucb_plus(sets) * (1 + 1e-12));
            assert_true(segue_complexity_ucb_plus(sets) <=
                        segue_complexity_ucb(sets) * (1 + 1e-12));
            segue_known_sets_destroy(sets);
        }
        segue_models_destroy(models);
    }
}

static void mucb_keeps_to_the_arms_and_pulls_of_theorem_1(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 43, 0, 0, 0);
    int on_event = 0;
    for (uint64_t i = 0; i < (uint64_t)repeats(SETS); i++) {
        trial tr = {.models = random_models(&rng, 2, 30, 1, 12)};
        const segue_environment env = {.size = sizeof(segue_environment), .models = tr.models};
        trial_init(&tr, &rng, &env, i);
        segue_task *task = task_of("mucb", tr.models, tr.n);
        const double log_term =
            segue_policy_log_term(tr.models->n_models, tr.n, 1.0 / (double)tr.n);
        segue_known_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&sets, tr.models, tr.truth, NULL));
        const outcome out = play(task, tr.simulated, tr.n, log_term);
        on_event += out.on_event;
        for (size_t arm = 0; arm < tr.models->n_arms; arm++) {
            if (out.by_rule[arm])
                assert_true(sets->best_for_some[arm]);
            if (!out.on_event)
                continue;
            assert_int_equal(out.no_model_left, 0);
            assert_true(sets->optimistic_arm[arm] || out.pulls[arm] == 0);
            assert_true((double)out.pulls[arm] <=
                        segue_bound_pulls_mucb(sets, log_term, arm) + 1e-9);
        }
        segue_known_sets_destroy(sets);
        segue_task_destroy(task);
        segue_simulated_task_destroy(tr.simulated);
        segue_models_destroy(tr.models);
    }
    assert_true(on_event > 9 * repeats(SETS) / 10);
}

/* Estimates of `models`: every mean moved by up to eps, not cut to [0, 1]. */
static segue_models *estimates_of(const segue_models *models, double eps, segue_rng *rng)
{
    const size_t size = models->n_arms * models->n_models;
    double *mean = calloc(size, sizeof *mean);
    assert_non_null(mean);
    for (size_t i = 0; i < size; i++)
        mean[i] = models->mean[i] + eps * (2.0 * segue_rng_uniform(rng) - 1.0);
    segue_models *estimated = NULL;
    assert_ok(segue_models_create(&estimated, SEGUE_MODELS_ESTIMATED, models->n_arms,
                                  models->n_models, mean, NULL, NULL));
    free(mean);
    return estimated;
}

/* Return true if every estimate is within eps of the true model that it is matched with. */
static bool estimates_hold(const segue_models *models, const segue_models *estimated,
                           const segue_estimated_sets *sets)
{
    for (size_t k = 0; k < models->n_models; k++)
        for (size_t arm = 0; arm < models->n_arms; arm++)
            if (fabs(segue_models_row(estimated, k)[arm] -
                     segue_models_row(models, sets->match[k])[arm]) > sets->eps)
                return false;
    return true;
}

static segue_task *umucb_task(const segue_models *estimated, double eps, uint64_t n)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = policy_of("umucb");
    assert_ok(segue_policy_set(&config.policy, "eps", eps, NULL));
    config.setting = (segue_setting){
        .n_arms = estimated->n_arms, .models = estimated, .horizon = n, .n_tasks = 1};
    assert_ok(segue_task_create(&task, &config, NULL));
    return task;
}

static double umucb_log_term(const trial *tr)
{
    return segue_policy_log_term_estimated(tr->models->n_models, tr->models->n_arms, tr->n,
                                           1.0 / (double)tr->n);
}

static void umucb_keeps_to_the_arms_and_pulls_of_the_corollary(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 44, 0, 0, 0);
    int on_event = 0;
    for (uint64_t i = 0; i < (uint64_t)repeats(SETS); i++) {
        trial tr = {.models = random_models(&rng, 2, 30, 1, 12)};
        const segue_environment env = {.size = sizeof(segue_environment), .models = tr.models};
        trial_init(&tr, &rng, &env, i);
        const double eps = 0.3 * segue_rng_uniform(&rng) * segue_rng_uniform(&rng);
        segue_models *estimated = estimates_of(tr.models, eps, &rng);
        segue_estimated_sets *sets = NULL;
        assert_ok(
            segue_estimated_sets_create(&sets, tr.models, estimated, NULL, eps, tr.truth, NULL));
        segue_task *task = umucb_task(estimated, eps, tr.n);
        const double log_term = umucb_log_term(&tr);
        const outcome out = play(task, tr.simulated, tr.n, log_term);
        const bool event = out.on_event && estimates_hold(tr.models, estimated, sets);
        on_event += event;
        for (size_t arm = 0; arm < sets->n_arms; arm++) {
            bool non_dominated = false;
            for (size_t k = 0; k < sets->n_models; k++)
                non_dominated = non_dominated || sets->non_dominated[k * sets->n_arms + arm];
            assert_true(non_dominated || !out.by_rule[arm]);
            if (!event)
                continue;
            assert_int_equal(out.no_model_left, 0);
            assert_true(sets->first_arm[arm] || sets->second_arm[arm] || !out.by_rule[arm]);
            assert_true((double)out.pulls[arm] <=
                        segue_bound_pulls_umucb(sets, log_term, arm) + 1e-9);
        }
        segue_estimated_sets_destroy(sets);
        segue_task_destroy(task);
        segue_models_destroy(estimated);
        segue_simulated_task_destroy(tr.simulated);
        segue_models_destroy(tr.models);
    }
    assert_true(on_event > 8 * repeats(SETS) / 10);
}

static void umucb_with_exact_models_keeps_to_the_optimistic_arms(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 45, 0, 0, 0);
    int on_event = 0;
    for (uint64_t i = 0; i < (uint64_t)repeats(SETS); i++) {
        trial tr = {.models = random_models(&rng, 2, 30, 1, 12)};
        const segue_environment env = {.size = sizeof(segue_environment), .models = tr.models};
        trial_init(&tr, &rng, &env, i);
        segue_task *task = umucb_task(tr.models, 0.0, tr.n);
        segue_known_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&sets, tr.models, tr.truth, NULL));
        const outcome out = play(task, tr.simulated, tr.n, umucb_log_term(&tr));
        on_event += out.on_event;
        for (size_t arm = 0; out.on_event && arm < sets->n_arms; arm++)
            assert_true(sets->optimistic_arm[arm] || !out.by_rule[arm]);
        segue_known_sets_destroy(sets);
        segue_task_destroy(task);
        segue_simulated_task_destroy(tr.simulated);
        segue_models_destroy(tr.models);
    }
    assert_true(on_event > 9 * repeats(SETS) / 10);
}

/* UCB with umUCB's L: delta' with log(m n^2 / delta') = log(2 m K n^2 / delta). */
static segue_task *ucb_with_umucbs_log(const trial *tr)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    config.policy = policy_of("ucb");
    const double delta = 1.0 / ((double)tr->n * 2.0 * (double)tr->models->n_arms);
    assert_ok(segue_policy_set(&config.policy, "delta", delta, NULL));
    config.setting = (segue_setting){
        .n_arms = tr->models->n_arms, .models = tr->models, .horizon = tr->n, .n_tasks = 1};
    assert_ok(segue_task_create(&task, &config, NULL));
    return task;
}

static void umucb_that_knows_nothing_is_ucb_after_three_pulls_each(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 46, 0, 0, 0);
    for (uint64_t i = 0; i < (uint64_t)repeats(SETS); i++) {
        trial tr = {.models = random_models(&rng, 2, 30, 1, 12)};
        const segue_environment env = {.size = sizeof(segue_environment), .models = tr.models};
        trial_init(&tr, &rng, &env, i);
        segue_task *umucb = umucb_task(tr.models, INFINITY, tr.n), *ucb = ucb_with_umucbs_log(&tr);
        for (uint64_t t = 0; t < tr.n; t++) {
            const size_t arm = segue_task_ask(umucb);
            if (t < 3 * tr.models->n_arms)
                assert_int_equal(arm, t % tr.models->n_arms);
            else
                assert_int_equal(arm, segue_task_ask(ucb));
            const double reward = segue_simulated_task_reward(tr.simulated, arm);
            tell(umucb, arm, reward);
            tell(ucb, arm, reward);
        }
        segue_task_destroy(umucb);
        segue_task_destroy(ucb);
        segue_simulated_task_destroy(tr.simulated);
        segue_models_destroy(tr.models);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_optimistic_models_are_no_smaller_than_the_arms),
        cmocka_unit_test(mucb_keeps_to_the_arms_and_pulls_of_theorem_1),
        cmocka_unit_test(umucb_keeps_to_the_arms_and_pulls_of_the_corollary),
        cmocka_unit_test(umucb_with_exact_models_keeps_to_the_optimistic_arms),
        cmocka_unit_test(umucb_that_knows_nothing_is_ucb_after_three_pulls_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
