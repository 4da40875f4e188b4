/* test_urn.c - the urn: logged rewards first and in order, then draws with the right means.
 *
 * replay_logs.h states the bounds and their rate of false alarms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

#include "replay/replay_run.h"
#include "replay/urn/urn_task.h"

/* An urn over a log of `n_tasks` tasks with the same `rows`, and a population of one type: arms
 * have these means, nearly without spread. */
typedef struct fixed_urn {
    made_log made;
    segue_urn_log log;
    segue_urn urn;
} fixed_urn;

static void fixed_urn_init(fixed_urn *f, const segue_models *models, size_t n_tasks, size_t each)
{
    const size_t n_arms = models->n_arms;
    log_fully(&f->made, models, n_tasks, each ? each : 1, 3);
    for (size_t task = 0; task < n_tasks && each == 0; task++)
        f->made.history.start[task + 1] = 0; /* tasks without a reward */
    assert_ok(segue_urn_log_init(&f->log, &f->made.history, NULL));
    f->urn = (segue_urn){.log = &f->log, .draw = calloc(1, sizeof *f->urn.draw), .n_draws = 1};
    assert_non_null(f->urn.draw);
    assert_ok(segue_population_init(f->urn.draw, n_arms, 1, NULL));
    f->urn.draw->n_types = 1;
    f->urn.draw->weight[0] = 1.0;
    f->urn.draw->dispersion = 1.0;
    for (size_t arm = 0; arm < n_arms; arm++) {
        f->urn.draw->mean[arm] = segue_models_row(models, 0)[arm];
        f->urn.draw->concentration[arm] = 1e12;
    }
}

static void fixed_urn_fini(fixed_urn *f)
{
    segue_urn_fini(&f->urn);
    segue_urn_log_fini(&f->log);
    made_log_fini(&f->made);
}

/* ---- one task ----------------------------------------------------------------------------- */

static void logged_rewards_come_first_and_in_their_order(void **state)
{
    (void)state;
    enum { EACH = 7 };
    segue_models *models = models_of(2, 1, (double[]){0.5, 0.25});
    fixed_urn f;
    segue_urn_task task;
    fixed_urn_init(&f, models, 3, EACH);
    assert_ok(segue_urn_task_init(&task, &f.urn, NULL));
    for (size_t number = 0; number < 3; number++) {
        double value = 0.0;
        segue_urn_task_begin(&task, number, 1, 0);
        for (size_t i = 0, row = f.made.history.start[number]; i < EACH; i++)
            for (size_t arm = 0; arm < 2; arm++, row++) { /* log_fully: arms take turns */
                assert_near(segue_urn_task_pull(&task, arm), f.made.history.row[row].reward, 0.0);
                value += f.made.history.row[row].reward;
            }
        assert_near(task.value, value, 1e-12);
        assert_int_equal(task.n_logged, 2 * EACH);
        (void)segue_urn_task_pull(&task, 1); /* the next one is drawn, and counts as its mean */
        assert_int_equal(task.n_logged, 2 * EACH);
        assert_near(task.value, value + 0.25, 1e-5);
        assert_near(task.best, 0.5, 1e-5);
    }
    segue_urn_task_fini(&task);
    fixed_urn_fini(&f);
    segue_models_destroy(models);
}

/* Graded rewards have the mean and the dispersion of the log: with dispersion 0.2 and mean 0.3 the
 * variance is 0.2 x 0.3 x 0.7 = 0.042.  The square of a reward has a variance below 0.25 x its mean.
 */
static void drawn_rewards_have_the_mean_and_dispersion_of_the_log(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    segue_models *models = models_of(2, 1, (double[]){0.3, 0.6});
    fixed_urn f;
    segue_rng rng;
    segue_stats reward = {0}, square = {0};
    fixed_urn_init(&f, models, 1, 1);
    f.urn.draw->dispersion = 0.2;
    f.log.binary = false;
    segue_rng_init(&rng, 1, 2, 3, 4);
    for (int i = 0; i < DRAWS; i++) {
        const double x = segue_urn_draw_reward(&f.urn, 0.3, &rng);
        assert_true(x >= 0.0 && x <= 1.0);
        segue_stats_add(&reward, x);
        segue_stats_add(&square, (x - 0.3) * (x - 0.3));
    }
    assert_near(reward.mean, 0.3, BOUND * segue_stats_standard_error(&reward));
    assert_near(square.mean, 0.042, BOUND * segue_stats_standard_error(&square));
    f.log.binary = true;
    for (int i = 0; i < 100; i++) {
        const double x = segue_urn_draw_reward(&f.urn, 0.3, &rng);
        assert_true(x == 0.0 || x == 1.0);
    }
    fixed_urn_fini(&f);
    segue_models_destroy(models);
}

/* ---- whole runs --------------------------------------------------------------------------- */

/* Play a candidate over the urn's tasks; return the regret per task. */
static segue_stats regret_of(const fixed_urn *f, const char *policy, size_t n_tasks, uint64_t steps)
{
    size_t *order = calloc(n_tasks, sizeof *order);
    assert_non_null(order);
    for (size_t i = 0; i < n_tasks; i++)
        order[i] = i;
    const replay_setting setting = {.n_arms = f->log.n_arms,
                                    .urn = &f->urn,
                                    .order = order,
                                    .n_tasks = n_tasks,
                                    .n_learned = n_tasks,
                                    .steps = steps,
                                    .seed = 6};
    const segue_policy_spec spec = policy_of(policy);
    const replay_candidate candidate = {.policy = &spec};
    segue_stats regret = {0};
    replay_run run;
    assert_ok(segue_replay_run_init(&run, &setting, NULL));
    assert_ok(segue_replay_run_play(&setting, &candidate, 0, &run, NULL));
    for (size_t i = 0; i < n_tasks; i++)
        segue_stats_add(&regret, run.best[i] * (double)steps - run.reward[i]);
    segue_replay_run_fini(&run);
    free(order);
    return regret;
}

/* Without logged rewards, and with logged rewards of the true means, an urn whose population is
 * known is a simulation of it. */
static void an_urn_of_known_means_is_a_simulation(void **state)
{
    (void)state;
    enum { TASKS = 2000, STEPS = 30 };
    segue_models *models = models_of(3, 1, (double[]){0.8, 0.5, 0.2});
    const segue_regret truth = simulated(models, "ts", 1, STEPS, 20000);
    for (size_t each = 0; each <= 8; each += 4) {
        fixed_urn f;
        fixed_urn_init(&f, models, TASKS, each);
        const segue_stats regret = regret_of(&f, "ts", TASKS, STEPS);
        assert_unbiased("ts", &regret, truth.mean, truth.se);
        fixed_urn_fini(&f);
    }
    segue_models_destroy(models);
}

/* ---- replicates --------------------------------------------------------------------------- */

/* Tasks after the first TASKS have rewards of 1 only, and are not in the replicate.  Its mean of an
 * arm has the noise of TASKS x EACH rewards, and that of a draw from the posterior given them, which
 * is as large. */
static void a_replicate_draws_what_its_own_tasks_allow(void **state)
{
    (void)state;
    enum { TASKS = 200, EACH = 10 };
    const double truth[2] = {0.7, 0.2};
    segue_models *models = models_of(2, 1, truth);
    size_t from[TASKS];
    fixed_urn f;
    segue_urn replicate;
    fixed_urn_init(&f, models, 2 * TASKS, EACH);
    for (size_t cell = 2 * TASKS; cell < 4 * TASKS; cell++)
        f.log.sum[cell] = f.log.pulls[cell];
    for (size_t i = 0; i < TASKS; i++)
        from[i] = TASKS - 1 - i;
    segue_urn source = {.log = &f.log, .population = *f.urn.draw};
    assert_ok(segue_urn_init_replicate(&replicate, &source, from, TASKS, 1, 2, NULL));
    const segue_population *draw = segue_urn_population(&replicate, 17);
    for (size_t arm = 0; arm < 2; arm++) {
        double mean = 0.0;
        for (size_t q = 0; q < draw->n_types; q++)
            mean += draw->weight[q] * draw->mean[2 * q + arm];
        const double variance = truth[arm] * (1.0 - truth[arm]) / (TASKS * EACH);
        assert_near(mean, truth[arm], BOUND * sqrt(2.0 * variance));
    }
    segue_urn_fini(&replicate);
    fixed_urn_fini(&f);
    segue_models_destroy(models);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* Four rewards per arm and task, and tasks of 40 steps: resampling them would find a best arm of
 * 0.98 and a regret of ts that is far too small. */
static void few_rewards_give_the_reward_of_live_tasks(void **state)
{
    (void)state;
    enum { TASKS = 200, EACH = 4, STEPS = 40, LOGS = 100 };
    const int n_logs = repeats(LOGS);
    segue_models *models = models_of(3, 2, (double[]){0.9, 0.5, 0.2, 0.2, 0.4, 0.8});
    segue_policy_list policies;
    segue_stats ts = {0}, best = {0}, fixed = {0};
    assert_ok(segue_policy_list_parse(&policies, "ts", NULL));
    for (int i = 0; i < n_logs; i++) {
        made_log log;
        segue_replay_result result;
        log_fully(&log, models, TASKS, EACH, (uint64_t)i);
        segue_replay_config config = config_of(&log.history, &policies);
        config.steps = STEPS;
        config.seed = (uint64_t)i;
        play_log(&result, &config);
        segue_stats_add(&ts, candidate_named(&result, "ts")->metric[SEGUE_METRIC_REWARD].value);
        segue_stats_add(&best, result.best_arms.value);
        segue_stats_add(&fixed,
                        result.candidate[result.fixed_arm].metric[SEGUE_METRIC_REWARD].value);
        segue_replay_result_fini(&result);
        made_log_fini(&log);
    }
    if (n_logs == LOGS) {
        const segue_regret truth = simulated(models, "ts", 1, STEPS, 20000);
        const double live = 0.85 - truth.mean / STEPS;
        printf("ts %.4f (live %.4f), best arms %.4f, one arm %.4f\n", ts.mean, live, best.mean,
               fixed.mean);
        assert_unbiased("ts", &ts, live, truth.se / STEPS);
        /* the fitted population shrinks or spreads a little: 0.01 beside the noise */
        assert_near(best.mean, 0.85, 0.01 + BOUND * segue_stats_standard_error(&best));
    }
    segue_policy_list_fini(&policies);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logged_rewards_come_first_and_in_their_order),
        cmocka_unit_test(drawn_rewards_have_the_mean_and_dispersion_of_the_log),
        cmocka_unit_test(an_urn_of_known_means_is_a_simulation),
        cmocka_unit_test(a_replicate_draws_what_its_own_tasks_allow),
        cmocka_unit_test(few_rewards_give_the_reward_of_live_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
