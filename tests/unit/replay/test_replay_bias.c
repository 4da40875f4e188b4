/* test_replay_bias.c - the rewards of a replay are those of live tasks; logs that would bias them
 * give a warning.
 *
 * replay_logs.h states the bounds and their rate of false alarms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

/* ---- row replay --------------------------------------------------------------------------- */

/* Estimates of the reward per step of ts, of tts and of arm 0, over many logs. */
typedef struct estimates {
    segue_stats ts, tts, fixed_arm;
    double complete; /* share of tasks with all their steps, average */
} estimates;

static estimates estimate(const segue_models *models, const logging *how, int n_logs)
{
    segue_policy_list policies;
    estimates e = {.complete = 0.0};
    assert_ok(segue_policy_list_parse(&policies, "ts,tts", NULL));
    for (int i = 0; i < n_logs; i++) {
        made_log log;
        segue_replay_result result;
        log_randomly(&log, models, how, (uint64_t)i);
        segue_replay_config config = config_of(&log.history, &policies);
        config.method = SEGUE_REPLAY_METHOD_ROWS;
        config.seed = (uint64_t)i;
        play_log(&result, &config);
        segue_stats_add(&e.ts, candidate_named(&result, "ts")->metric[SEGUE_METRIC_REWARD].value);
        segue_stats_add(&e.tts, candidate_named(&result, "tts")->metric[SEGUE_METRIC_REWARD].value);
        segue_stats_add(&e.fixed_arm,
                        result.candidate[result.fixed_arm].metric[SEGUE_METRIC_REWARD].value);
        e.complete += result.complete / (double)n_logs;
        segue_replay_result_fini(&result);
        made_log_fini(&log);
    }
    segue_policy_list_fini(&policies);
    return e;
}

/* Return the reward per step of live tasks: the best arms' average less the regret. */
static segue_regret live(const segue_models *models, const char *candidate, uint64_t tasks)
{
    segue_regret r = simulated(models, candidate, tasks, 10, tasks > 1 ? 2000 : 20000);
    return (segue_regret){.mean = (0.95 + 0.9) / 2.0 - r.mean / 10.0, .se = r.se / 10.0};
}

enum { LIVE_TASKS = 15, LOGS = 300 };

static void assert_all_unbiased(const char *what, const segue_models *models, const estimates *e)
{
    const segue_regret ts = live(models, "ts", 1), tts = live(models, "tts", LIVE_TASKS);
    char text[80];
    (void)snprintf(text, sizeof text, "%s, ts", what);
    assert_unbiased(text, &e->ts, ts.mean, ts.se);
    (void)snprintf(text, sizeof text, "%s, tts", what);
    assert_unbiased(text, &e->tts, tts.mean, tts.se);
    (void)snprintf(text, sizeof text, "%s, one arm", what);
    assert_unbiased(text, &e->fixed_arm, 0.85, 0.0);
}

static void replay_of_arms_drawn_alike_is_unbiased(void **state)
{
    (void)state;
    segue_models *models = two_models();
    /* of 90 rows 30 answer; fewer than 10 do once in 500,000 tasks */
    const logging long_tasks = {.n_tasks = LIVE_TASKS, .rows = 90};
    const int n_logs = repeats(LOGS);
    const estimates e = estimate(models, &long_tasks, n_logs);
    assert_true(e.complete > 0.999);
    if (n_logs == LOGS)
        assert_all_unbiased("drawn alike", models, &e);
    segue_models_destroy(models);
}

/* Rows for 9 steps on average: most tasks end early, and the steps they had are still those of live
 * tasks.  (tts learns less from short tasks: its truth is another.) */
static void tasks_that_end_early_do_not_bias_replay(void **state)
{
    (void)state;
    segue_models *models = two_models();
    const logging short_tasks = {.n_tasks = LIVE_TASKS, .rows = 27};
    const int n_logs = repeats(LOGS);
    const estimates e = estimate(models, &short_tasks, n_logs);
    assert_true(e.complete < 0.6);
    if (n_logs == LOGS) {
        const segue_regret ts = live(models, "ts", 1);
        assert_unbiased("short tasks, ts", &e.ts, ts.mean, ts.se);
        assert_unbiased("short tasks, one arm", &e.fixed_arm, 0.85, 0.0);
    }
    segue_models_destroy(models);
}

static const double mostly_0[] = {0.7, 0.2, 0.1}, mostly_2[] = {0.1, 0.3, 0.6};

static void replay_by_probabilities_is_unbiased(void **state)
{
    (void)state;
    segue_models *models = two_models();
    /* of 330 rows 33 answer; fewer than 10 do once in 3 million tasks */
    const logging how = {.n_tasks = LIVE_TASKS,
                         .rows = 330,
                         .probability = {mostly_0, mostly_2},
                         .has_column = true};
    const int n_logs = repeats(LOGS);
    const estimates e = estimate(models, &how, n_logs);
    assert_true(e.complete > 0.999);
    if (n_logs == LOGS)
        assert_all_unbiased("by probabilities", models, &e);
    segue_models_destroy(models);
}

static const double only_2[] = {0.1, 0.1, 0.8};

/* These bounds find a bias if the log does not state its probabilities: ts asks for the best
 * arm, which the log seldom pulled, so tasks end early, and late steps are those of the other
 * tasks. */
static void without_its_probabilities_such_a_log_is_biased(void **state)
{
    (void)state;
    segue_models *models = models_of(3, 1, (double[]){0.95, 0.5, 0.1});
    const logging how = {.n_tasks = LIVE_TASKS, .rows = 24, .probability = {only_2, only_2}};
    const int n_logs = repeats(LOGS);
    const estimates e = estimate(models, &how, n_logs);
    if (n_logs == LOGS) {
        const segue_regret regret = simulated(models, "ts", 1, 10, 20000);
        const double truth = 0.95 - regret.mean / 10.0;
        assert_true(truth - e.ts.mean >
                    BOUND * hypot(segue_stats_standard_error(&e.ts), regret.se / 10.0));
    }
    segue_models_destroy(models);
}

/* ---- warnings ----------------------------------------------------------------------------- */

static size_t warnings_of(const segue_models *models, const logging *how, const double *wrong,
                          const char *says)
{
    made_log log;
    segue_replay_result result;
    segue_policy_list policies;
    size_t count = 0;
    assert_ok(segue_policy_list_parse(&policies, "ts", NULL));
    log_randomly(&log, models, how, 5);
    for (size_t i = 0; wrong && i < log.history.n_rows; i++)
        log.history.probability[i] = wrong[log.history.row[i].arm];
    segue_replay_config config = config_of(&log.history, &policies);
    config.method = SEGUE_REPLAY_METHOD_ROWS;
    config.steps = 3;
    play_log(&result, &config);
    for (size_t i = 0; i < result.n_warnings; i++)
        count += strstr(result.warning[i], says) != NULL;
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    made_log_fini(&log);
    return count;
}

static void a_log_not_drawn_as_it_states_gives_a_warning(void **state)
{
    (void)state;
    segue_models *models = two_models();
    const logging alike = {.n_tasks = 60, .rows = 60};
    const logging uneven = {.n_tasks = 60, .rows = 60, .probability = {mostly_0, mostly_0}};
    const logging stated = {
        .n_tasks = 60, .rows = 60, .probability = {mostly_0, mostly_2}, .has_column = true};
    const logging all_0 = {
        .n_tasks = 60, .rows = 60, .probability = {mostly_0, mostly_0}, .has_column = true};
    assert_int_equal(warnings_of(models, &alike, NULL, "biased"), 0);
    assert_int_equal(warnings_of(models, &uneven, NULL, "did not draw its arms uniformly"), 1);
    assert_int_equal(warnings_of(models, &stated, NULL, "biased"), 0);
    assert_int_equal(warnings_of(models, &all_0, mostly_2, "cannot be right"), 1);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_of_arms_drawn_alike_is_unbiased),
        cmocka_unit_test(tasks_that_end_early_do_not_bias_replay),
        cmocka_unit_test(replay_by_probabilities_is_unbiased),
        cmocka_unit_test(without_its_probabilities_such_a_log_is_biased),
        cmocka_unit_test(a_log_not_drawn_as_it_states_gives_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
