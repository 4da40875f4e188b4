/* test_replay.c - runs over a log: which rows answer, held-out tasks, intervals, segments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

#include "replay/replay_run.h"
#include "replay/replay_segments.h"
#include "replay/replay_tasks.h"

/* ---- which rows answer -------------------------------------------------------------------- */

static void an_ask_waits_for_the_row_of_its_arm(void **state)
{
    (void)state;
    const segue_logged_reward rows[] = {
        {0, 1, 0.1}, {0, 0, 0.2}, {0, 1, 0.3}, {0, 1, 0.4}, {0, 0, 0.5}};
    const size_t start[] = {0, 5}, order[] = {0};
    const replay_rows log = {.start = start, .row = rows, .rate = 1.0};
    replay_setting setting = {
        .n_arms = 2, .rows = &log, .order = order, .n_tasks = 1, .n_learned = 1, .steps = 2};
    const replay_candidate always_1 = {.arm = 1};
    const segue_policy_spec turns = policy_of("round-robin");
    const replay_candidate in_turn = {.policy = &turns};
    replay_run run;
    assert_ok(segue_replay_run_init(&run, &setting, NULL));
    assert_ok(segue_replay_run_play(&setting, &always_1, 0, &run, NULL));
    assert_int_equal(run.steps[0], 2);
    assert_near(run.step[0], 0.1, 0.0);
    assert_near(run.step[1], 0.3, 0.0);
    segue_replay_run_fini(&run);
    setting.steps = 9; /* the rows run out: 0 1 0 and then no 1 */
    assert_ok(segue_replay_run_init(&run, &setting, NULL));
    assert_ok(segue_replay_run_play(&setting, &in_turn, 0, &run, NULL));
    assert_int_equal(run.steps[0], 3);
    assert_near(run.reward[0], 0.2 + 0.3 + 0.5, 1e-15);
    segue_replay_run_fini(&run);
}

/* Rows of probability p are accepted with rate / p: of 20,000 at 0.5 and rate 0.1, 4,000 are, with
 * a standard error of 57. */
static void rows_are_thinned_by_their_probability(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    segue_logged_reward *rows = calloc(ROWS, sizeof *rows);
    double *probability = calloc(ROWS, sizeof *probability);
    assert_true(rows && probability);
    for (size_t i = 0; i < ROWS; i++)
        probability[i] = 0.5;
    const size_t start[] = {0, ROWS}, order[] = {0};
    const replay_rows log = {.start = start, .row = rows, .probability = probability, .rate = 0.1};
    const replay_setting setting = {
        .n_arms = 2, .rows = &log, .order = order, .n_tasks = 1, .n_learned = 1, .steps = ROWS};
    const replay_candidate always_0 = {.arm = 0};
    replay_run run;
    assert_ok(segue_replay_run_init(&run, &setting, NULL));
    assert_ok(segue_replay_run_play(&setting, &always_0, 0, &run, NULL));
    assert_near((double)run.steps[0], 4000.0, BOUND * sqrt(ROWS * 0.2 * 0.8));
    segue_replay_run_fini(&run);
    free(rows);
    free(probability);
}

/* ---- holding out, orders, intervals ------------------------------------------------------- */

/* The pulls of a learner in one held-out task do not depend on the rewards of another. */
static void nothing_is_learned_from_held_out_tasks(void **state)
{
    (void)state;
    enum { TASKS = 12, ROWS = 30 };
    segue_models *models = two_models();
    const logging how = {.n_tasks = TASKS, .rows = ROWS};
    made_log log;
    log_randomly(&log, models, &how, 1);
    const replay_rows rows = {.start = log.history.start, .row = log.history.row, .rate = 1.0};
    const size_t order[TASKS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const replay_setting setting = {.n_arms = 3,
                                    .rows = &rows,
                                    .order = order,
                                    .n_tasks = TASKS,
                                    .n_learned = 9,
                                    .steps = 20,
                                    .seed = 4};
    segue_learner_config config = segue_learner_defaults();
    assert_ok(segue_learner_config_parse(&config, "tts", NULL));
    const replay_candidate tts = {.learner = &config};
    replay_run before, after;
    assert_ok(segue_replay_run_init(&before, &setting, NULL));
    assert_ok(segue_replay_run_init(&after, &setting, NULL));
    assert_ok(segue_replay_run_play(&setting, &tts, 0, &before, NULL));
    for (size_t i = log.history.start[9]; i < log.history.start[10]; i++)
        log.history.row[i].reward = 0.0;
    assert_ok(segue_replay_run_play(&setting, &tts, 0, &after, NULL));
    assert_true(before.reward[9] != after.reward[9]);
    for (size_t position = 10; position < TASKS; position++) {
        assert_near(after.reward[position], before.reward[position], 0.0);
        assert_int_equal(after.steps[position], before.steps[position]);
    }
    segue_replay_run_fini(&before);
    segue_replay_run_fini(&after);
    made_log_fini(&log);
    segue_models_destroy(models);
}

static void a_shuffle_keeps_held_out_tasks_last(void **state)
{
    (void)state;
    enum { TASKS = 9 };
    const segue_logged_reward rows[TASKS] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0},
                                             {5, 0, 0}, {6, 0, 0}, {7, 0, 0}, {8, 0, 0}};
    const size_t start[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, order[] = {8, 1, 2, 3, 4, 0, 6, 7, 5};
    const replay_rows log = {.start = start, .row = rows, .rate = 1.0};
    const replay_setting setting = {.n_arms = 2,
                                    .rows = &log,
                                    .order = order,
                                    .n_tasks = TASKS,
                                    .n_learned = 6,
                                    .shuffled = true,
                                    .steps = 1,
                                    .seed = 4};
    const replay_candidate always_0 = {.arm = 0};
    bool moved = false;
    replay_run run;
    assert_ok(segue_replay_run_init(&run, &setting, NULL));
    for (uint64_t number = 0; number < 20; number++) {
        bool seen[TASKS] = {false};
        assert_ok(segue_replay_run_play(&setting, &always_0, number, &run, NULL));
        for (size_t position = 0; position < TASKS; position++) {
            const size_t task = run.task[position];
            assert_false(seen[task]);
            seen[task] = true;
            assert_int_equal(position >= 6, task == 6 || task == 7 || task == 5);
            moved = moved || task != order[position];
        }
    }
    assert_true(moved);
    segue_replay_run_fini(&run);
}

/* Of the mean of 400 tasks of one arm the interval is 1.96 standard errors wide on each side; 1,000
 * resamples know its ends to within 4 %, so that 20 % is five times that. */
static void intervals_are_as_wide_as_the_tasks_differ(void **state)
{
    (void)state;
    enum { TASKS = 400 };
    segue_models *models = models_of(2, 2, (double[]){0.9, 0.1, 0.3, 0.2});
    made_log log;
    segue_policy_list policies;
    segue_replay_result result;
    segue_stats means = {0};
    assert_ok(segue_policy_list_parse(&policies, "ts", NULL));
    log_fully(&log, models, TASKS, 20, 9);
    for (size_t task = 0; task < TASKS; task++) {
        double sum[2], pulls[2];
        segue_replay_tasks_count(&log.history, task, sum, pulls);
        segue_stats_add(&means, sum[0] / pulls[0]);
    }
    segue_replay_config config = config_of(&log.history, &policies);
    config.method = SEGUE_REPLAY_METHOD_ROWS;
    config.steps = 20; /* all rewards of an arm */
    config.values_only = false;
    play_log(&result, &config);
    const segue_interval *reward = &result.candidate[result.fixed_arm].metric[SEGUE_METRIC_REWARD];
    const double half = 1.96 * segue_stats_standard_error(&means);
    assert_near(reward->value, means.mean, 1e-12);
    assert_near((reward->high - reward->value) / half, 1.0, 0.2);
    assert_near((reward->value - reward->low) / half, 1.0, 0.2);
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    made_log_fini(&log);
    segue_models_destroy(models);
}

/* ---- segments ----------------------------------------------------------------------------- */

static void segments_cover_the_order_once(void **state)
{
    (void)state;
    segue_replay_segment segment[SEGUE_MAX_SEGMENTS];
    for (size_t n = 2; n < 3000; n += 7)
        for (size_t learned = 1; learned <= n; learned += 1 + n / 3) {
            const segue_replay_result result = {.n_played = n, .n_learned = learned};
            const size_t count = segue_replay_segments(&result, segment);
            size_t next = 1;
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(segment[i].first, next);
                assert_true(segment[i].last >= segment[i].first);
                next = segment[i].last + 1;
            }
            assert_int_equal(next, n + 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_waits_for_the_row_of_its_arm),
        cmocka_unit_test(rows_are_thinned_by_their_probability),
        cmocka_unit_test(nothing_is_learned_from_held_out_tasks),
        cmocka_unit_test(a_shuffle_keeps_held_out_tasks_last),
        cmocka_unit_test(intervals_are_as_wide_as_the_tasks_differ),
        cmocka_unit_test(segments_cover_the_order_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
