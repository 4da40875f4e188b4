/* test_replay.c - logs played again: which rows answer, what is estimated and how well, the
 * verdict.
 *
 * Bounds are 4.9 standard errors of a mean over many logs: with a normal law they would alarm once
 * in a million.  The means are of 100 or more logs; by Student's law with 99 degrees of freedom it
 * is 4 in a million, and there are a dozen such bounds: one false alarm in 20,000 changes of the
 * random streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "replay/advise.h"
#include "replay/replay.h"
#include "replay/replay_run.h"
#include "replay/replay_segments.h"
#include "replay/replay_tasks.h"

#define BOUND 4.9

/* ---- logs that are made ------------------------------------------------------------------- */

/* How rows are logged: in a task, `rows` of them; arms drawn by probabilities that may change with
 * the row. */
typedef struct logging {
    size_t n_tasks, rows;
    const double *probability[2]; /* of even and odd rows; NULL: all alike */
    bool told;                    /* the log has the column */
} logging;

/* A history of its own memory, whose tasks have models drawn by their weights. */
typedef struct made_log {
    segue_history history;
    char name[4096];
} made_log;

static void made_log_init(made_log *log, size_t n_arms, size_t n_tasks, size_t n_rows, bool told)
{
    segue_history *h = &log->history;
    *h = (segue_history){.n_arms = n_arms, .n_tasks = n_tasks, .n_rows = n_rows};
    h->arm_name = calloc(n_arms, sizeof *h->arm_name);
    h->task_name = calloc(n_tasks, sizeof *h->task_name);
    h->start = calloc(n_tasks + 1, sizeof *h->start);
    h->row = calloc(n_rows, sizeof *h->row);
    h->probability = told ? calloc(n_rows, sizeof *h->probability) : NULL;
    assert_true(h->arm_name && h->task_name && h->start && h->row);
    for (size_t i = 0; i < n_arms || i < n_tasks; i++) {
        char *name = log->name + 8 * (i % 500);
        (void)snprintf(name, 8, "%c%03zu", i % 2 ? 'b' : 'a', i % 500);
        if (i < n_arms)
            h->arm_name[i] = name;
        if (i < n_tasks)
            h->task_name[i] = name;
    }
}

static void made_log_fini(made_log *log)
{
    free(log->history.arm_name);
    free(log->history.task_name);
    free(log->history.start);
    free(log->history.row);
    free(log->history.probability);
}

static size_t draw_arm(const logging *how, size_t row, size_t n_arms, segue_rng *rng)
{
    const double *p = how->probability[row % 2];
    double left = segue_rng_uniform(rng);
    if (!p)
        return (size_t)(left * (double)n_arms);
    size_t arm = 0;
    while (arm + 1 < n_arms && left >= p[arm])
        left -= p[arm++];
    return arm;
}

/* Log number `number`: a task's model is drawn, then its rows, one by one. */
static void log_randomly(made_log *log, const segue_models *models, const logging *how,
                         uint64_t number)
{
    segue_rng rng;
    segue_rng_init(&rng, 900, number, 0, 0);
    made_log_init(log, models->n_arms, how->n_tasks, how->n_tasks * how->rows, how->told);
    segue_history *h = &log->history;
    for (size_t task = 0, i = 0; task < how->n_tasks; task++) {
        const size_t model = (size_t)(segue_rng_uniform(&rng) * (double)models->n_models);
        for (size_t row = 0; row < how->rows; row++, i++) {
            const size_t arm = draw_arm(how, row, models->n_arms, &rng);
            const double mean = segue_models_row(models, model)[arm];
            h->row[i] = (segue_logged_reward){.task = (uint32_t)task,
                                              .arm = (uint32_t)arm,
                                              .reward = segue_rng_uniform(&rng) < mean};
            if (how->told)
                h->probability[i] = how->probability[row % 2][arm];
        }
        h->start[task + 1] = i;
    }
}

/* The same with `each` rewards of every arm of every task. */
static void log_fully(made_log *log, const segue_models *models, size_t n_tasks, size_t each,
                      uint64_t number)
{
    segue_rng rng;
    segue_rng_init(&rng, 901, number, 0, 0);
    made_log_init(log, models->n_arms, n_tasks, n_tasks * models->n_arms * each, false);
    segue_history *h = &log->history;
    for (size_t task = 0, i = 0; task < n_tasks; task++) {
        const size_t model = (size_t)(segue_rng_uniform(&rng) * (double)models->n_models);
        for (size_t row = 0; row < models->n_arms * each; row++, i++) {
            const size_t arm = row % models->n_arms;
            h->row[i] = (segue_logged_reward){.task = (uint32_t)task,
                                              .arm = (uint32_t)arm,
                                              .reward = segue_rng_uniform(&rng) <
                                                        segue_models_row(models, model)[arm]};
        }
        h->start[task + 1] = i;
    }
}

static segue_replay_config config_of(const segue_history *history,
                                     const segue_policy_list *policies)
{
    return (segue_replay_config){.path = "log",
                                 .history = history,
                                 .highest = 1.0,
                                 .policies = policies,
                                 .steps = 10,
                                 .first_scored = 1,
                                 .runs = 1,
                                 .seed = 3,
                                 .threads = 1,
                                 .values_only = true};
}

static void play(segue_replay_result *result, const segue_replay_config *config)
{
    segue_error err;
    if (segue_replay_evaluate(result, config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static const segue_replay_candidate *player_of(const segue_replay_result *result, const char *name)
{
    for (size_t p = 0; p < result->n_candidates; p++)
        if (strcmp(result->candidate[p].name, name) == 0)
            return &result->candidate[p];
    fail_msg("there is no player %s", name);
    return NULL;
}

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

/* Rows of probability p are kept with rate / p: of 20,000 at 0.5 and rate 0.1 there stay 4,000,
 * with a standard error of 57. */
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

/* ---- resampling: what `simulate` gives ---------------------------------------------------- */

/* The mean of `value` over logs, and its error, within the bound of a known number. */
static void assert_unbiased(const char *what, const segue_stats *over_logs, double truth,
                            double truth_se)
{
    const double se = hypot(segue_stats_standard_error(over_logs), truth_se);
    if (!(fabs(over_logs->mean - truth) <= BOUND * se))
        fail_msg("%s: %.6g, and the truth is %.6g (standard error %.3g)", what, over_logs->mean,
                 truth, se);
}

/* The regret of a player on runs of tasks of these models. */
static segue_regret simulated(const segue_models *models, const char *candidate, uint64_t tasks,
                              uint64_t steps, uint64_t runs)
{
    const segue_environment env = {.models = models};
    segue_learner_config learner = segue_learner_defaults();
    segue_simulation sim = {.environment = &env,
                            .steps = steps,
                            .tasks = tasks,
                            .runs = runs,
                            .seed = 77,
                            .threads = 2};
    segue_simulation_result *result = NULL;
    if (segue_learner_method_find(candidate)) {
        assert_ok(segue_learner_config_parse(&learner, candidate, NULL));
        sim.learner = &learner;
    } else {
        sim.policy = policy_of(candidate);
    }
    assert_ok(segue_simulation_run(&result, &sim, NULL));
    const segue_regret regret = result->regret;
    segue_simulation_result_destroy(result);
    return regret;
}

/* 2,000 rewards a task and arm: their averages are off by 0.011 at most (standard error), which
 * moves gaps of 0.1 and more by nothing that this test could see. */
static void a_full_log_has_the_regret_of_its_models(void **state)
{
    (void)state;
    enum { TASKS = 20, EACH = 2000, STEPS = 60 };
    static const char *const titles[] = {"ts", "tts", "tla", "ts-prior"};
    const int n_logs = repeats(100);
    segue_models *models = models_of(3, 3, (double[]){0.9, 0.5, 0.2, 0.2, 0.8, 0.4, 0.3, 0.1, 0.7});
    segue_policy_list policies;
    segue_stats regret[4] = {{0}};
    assert_ok(segue_policy_list_parse(&policies, "ts,tts,tla", NULL));
    for (int i = 0; i < n_logs; i++) {
        made_log log;
        segue_replay_result result;
        log_fully(&log, models, TASKS, EACH, (uint64_t)i);
        segue_replay_config config = config_of(&log.history, &policies);
        config.steps = STEPS;
        config.seed = (uint64_t)i;
        play(&result, &config);
        assert_true(result.resampled);
        for (size_t k = 0; k < 4; k++)
            segue_stats_add(&regret[k],
                            player_of(&result, titles[k])->metric[SEGUE_METRIC_REGRET].value);
        segue_replay_result_fini(&result);
        made_log_fini(&log);
    }
    for (size_t k = 0; k < 4 && n_logs >= 100; k++) {
        const segue_regret truth = simulated(models, titles[k], TASKS, STEPS, 400);
        assert_unbiased(titles[k], &regret[k], truth.mean, truth.se);
    }
    segue_policy_list_fini(&policies);
    segue_models_destroy(models);
}

/* ---- replay: unbiased --------------------------------------------------------------------- */

/* Estimates of the reward a step of ts, of tts and of always arm 0, over many logs. */
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
        play(&result, &config);
        segue_stats_add(&e.ts, player_of(&result, "ts")->metric[SEGUE_METRIC_REWARD].value);
        segue_stats_add(&e.tts, player_of(&result, "tts")->metric[SEGUE_METRIC_REWARD].value);
        segue_stats_add(&e.fixed_arm,
                        result.candidate[result.fixed_arm].metric[SEGUE_METRIC_REWARD].value);
        e.complete += result.complete / (double)n_logs;
        segue_replay_result_fini(&result);
        made_log_fini(&log);
    }
    segue_policy_list_fini(&policies);
    return e;
}

/* Two models in which arm 0 is best on average by far, so that it is the fixed one in every log. */
static segue_models *two_models(void)
{
    return models_of(3, 2, (double[]){0.95, 0.5, 0.1, 0.75, 0.1, 0.9});
}

/* What live tasks pay: the best arms' average less the regret. */
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
    /* of 90 rows 30 answer: that fewer than 10 do happens once in 500,000 tasks */
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
    /* of 330 rows 33 answer: that fewer than 10 do happens once in 3 million tasks */
    const logging how = {
        .n_tasks = LIVE_TASKS, .rows = 330, .probability = {mostly_0, mostly_2}, .told = true};
    const int n_logs = repeats(LOGS);
    const estimates e = estimate(models, &how, n_logs);
    assert_true(e.complete > 0.999);
    if (n_logs == LOGS)
        assert_all_unbiased("by probabilities", models, &e);
    segue_models_destroy(models);
}

static const double only_2[] = {0.1, 0.1, 0.8};

/* The same bounds see what happens if the probabilities are not told: where ts asks for the best
 * arm, which the log seldom pulled, tasks end early, and late steps are of those that did not. */
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

/* ---- what the log is warned of ------------------------------------------------------------ */

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
    play(&result, &config);
    for (size_t i = 0; i < result.n_warnings; i++)
        count += strstr(result.warning[i], says) != NULL;
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    made_log_fini(&log);
    return count;
}

static void logs_that_were_not_drawn_so_are_warned_of(void **state)
{
    (void)state;
    segue_models *models = two_models();
    const logging alike = {.n_tasks = 60, .rows = 60};
    const logging uneven = {.n_tasks = 60, .rows = 60, .probability = {mostly_0, mostly_0}};
    const logging told = {
        .n_tasks = 60, .rows = 60, .probability = {mostly_0, mostly_2}, .told = true};
    const logging all_0 = {
        .n_tasks = 60, .rows = 60, .probability = {mostly_0, mostly_0}, .told = true};
    assert_int_equal(warnings_of(models, &alike, NULL, "biased"), 0);
    assert_int_equal(warnings_of(models, &uneven, NULL, "did not draw its arms alike"), 1);
    assert_int_equal(warnings_of(models, &told, NULL, "biased"), 0);
    assert_int_equal(warnings_of(models, &all_0, mostly_2, "cannot be right"), 1);
    segue_models_destroy(models);
}

/* ---- holding out, orders, intervals ------------------------------------------------------- */

/* What a learner does in one held-out task does not depend on what another one pays. */
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

static void a_shuffle_keeps_held_out_tasks_behind(void **state)
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
    config.values_only = false;
    play(&result, &config);
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

/* ---- the verdict -------------------------------------------------------------------------- */

static segue_interval around(double value)
{
    return (segue_interval){.value = value, .low = value - 0.02, .high = value + 0.02};
}

/* ts, ts-prior, tla and one arm; tla saves shares of the regret of ts and of ts-prior, and is so
 * far above the arm. */
static const char *judged(segue_replay_result *result, double saved, double beyond, double over_arm)
{
    static segue_replay_candidate candidate[4];
    static const char *const arm[] = {"x"};
    static char titles[4][12] = {"ts", "ts-prior", "tla", "always x"};
    static const segue_transfer_kind transfer[] = {SEGUE_TRANSFER_NOTHING, SEGUE_TRANSFER_PRIOR,
                                                   SEGUE_TRANSFER_TYPES, SEGUE_TRANSFER_ARM};
    *result = (segue_replay_result){.candidate = candidate,
                                    .n_candidates = 4,
                                    .ts_prior = 1,
                                    .fixed_arm = 3,
                                    .first_scored = 41,
                                    .n_played = 100,
                                    .n_learned = 100,
                                    .resampled = true,
                                    .steps = 70,
                                    .arm_name = arm,
                                    .rarest_rewards = 30.0};
    for (size_t p = 0; p < 4; p++) {
        const double learns = p == 2 ? saved : p == 1 ? saved - beyond : 0.0;
        candidate[p] = (segue_replay_candidate){.name = titles[p], .transfer = transfer[p]};
        candidate[p].metric[SEGUE_METRIC_REWARD] = around(p == 3 ? 0.1 : 0.5 + 0.1 * learns);
        candidate[p].metric[SEGUE_METRIC_GAIN_OVER_TS] = around(0.2 * learns);
        candidate[p].metric[SEGUE_METRIC_REGRET_SAVED] = around(learns);
        candidate[p].metric[SEGUE_METRIC_SAVED_OVER_PRIOR] = around(p == 2 ? beyond : 0.0);
        candidate[p].metric[SEGUE_METRIC_GAIN_OVER_FIXED] = around(over_arm);
    }
    segue_replay_result_rank(result);
    segue_replay_verdict(result);
    return result->verdict;
}

static void the_verdict_follows_the_numbers(void **state)
{
    (void)state;
    segue_replay_result result;
    assert_non_null(strstr(judged(&result, 0.4, 0.3, 0.5),
                           "+8.0 % reward (6.0 .. 10.0) over ts from "
                           "task 41 on: use tla"));
    assert_int_equal(result.advice, SEGUE_ADVICE_TYPES);
    assert_non_null(strstr(judged(&result, 0.4, 0.05, 0.5), "little to gain from types"));
    assert_int_equal(result.advice, SEGUE_ADVICE_PRIOR);
    assert_int_equal(result.use, 1);
    assert_non_null(strstr(judged(&result, 0.01, 0.01, 0.5), "transfer does not pay; ts does as"));
    assert_int_equal(result.advice, SEGUE_ADVICE_NONE);
    assert_int_equal(result.use, 0);
    assert_non_null(strstr(judged(&result, 0.4, 0.3, 0.005),
                           "In tasks of 70 steps, one arm does for all: always x"));
    assert_int_equal(result.advice, SEGUE_ADVICE_ARM);
    (void)judged(&result, 0.01, 0.01, 0.5);
    result.candidate[2].metric[SEGUE_METRIC_REGRET_SAVED].high = 0.6;
    segue_replay_verdict(&result);
    assert_non_null(strstr(result.verdict, "60 scored tasks are too few to tell"));
    assert_int_equal(result.advice, SEGUE_ADVICE_UNCLEAR);
    assert_non_null(strstr(judged(&result, 0.4, 0.3, 0.015), "too few to tell"));
}

static void every_verdict_names_its_steps_and_few_rewards_judge_no_types(void **state)
{
    (void)state;
    static const double numbers[][3] = {
        {0.4, 0.3, 0.5}, {0.4, 0.05, 0.5}, {0.01, 0.01, 0.5}, {0.4, 0.3, 0.005}, {0.4, 0.3, 0.015}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int form = 0; form < 8; form++) { /* resampled or not; few rewards or not; constant */
            segue_replay_result result;
            (void)judged(&result, numbers[i][0], numbers[i][1], numbers[i][2]);
            result.resampled = form & 1;
            result.rarest_rewards = form & 2 ? 29.97 : 30.0;
            result.constant = form & 4;
            segue_replay_verdict(&result);
            assert_non_null(strstr(result.verdict,
                                   form & 1 ? "tasks of 70 steps" : "tasks of at most 70 steps"));
            const bool few = strstr(result.verdict, "Types cannot be judged from this log: arm 'x' "
                                                    "has 29.9 rewards per task, and 30 are needed");
            assert_int_equal(few, (form & 6) == 2);
            if (few) {
                assert_int_equal(result.advice, SEGUE_ADVICE_UNCLEAR);
                assert_null(strstr(result.verdict, "use "));
                assert_null(strstr(result.verdict, "one arm does"));
            }
        }
}

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

/* ---- advice ------------------------------------------------------------------------------- */

static void advice_finds_the_types_that_were_logged(void **state)
{
    (void)state;
    segue_models *models = models_of(3, 3, (double[]){0.9, 0.5, 0.1, 0.1, 0.9, 0.5, 0.5, 0.1, 0.9});
    made_log log;
    segue_advise_result result;
    log_fully(&log, models, 300, 30, 2);
    const segue_advise_config config = {
        .history = &log.history, .highest = 1.0, .min_rewards = 3, .seed = 1, .threads = 1};
    assert_ok(segue_advise(&result, &config, NULL));
    assert_int_equal(result.n_types, 3);
    assert_int_equal(result.n_above_noise, 3);
    assert_int_equal(result.n_full, 300);
    assert_int_equal(result.n_spectrum, 300);
    assert_near(result.median_rows, 90.0, 0.0);
    assert_near(result.best_known, 0.9, 0.02);
    assert_true(result.explained > 0.9);
    assert_true(result.uniform && !result.has_time && !result.has_probability);
    assert_true(result.pays_from > 8 && result.pays_from < 100);
    assert_true(result.saved > result.saved_by_prior);
    assert_true(result.saved_over_prior > 0.1 && result.saved_over_prior < 1.0);
    made_log_fini(&log);
    segue_models_destroy(models);
}

/* Task by task the noise of the one is that of the other, or not; run by run, or not. */
static void what_pays_is_told_by_whole_runs(void **state)
{
    (void)state;
    enum { RUNS = 10, TASKS = 50 };
    double one[RUNS][TASKS], same[RUNS][TASKS], runs[RUNS][TASKS], worse[RUNS][TASKS], total[RUNS];
    for (size_t r = 0; r < RUNS; r++)
        for (size_t t = 0; t < TASKS; t++) {
            one[r][t] = 20.0 + (double)((r * 7 + t * 3) % 10);    /* tasks differ, ... */
            same[r][t] = one[r][t] - 1.0 - 0.1 * (double)(r % 2); /* ... and alike for both */
            runs[r][t] = one[r][t] - (r % 2 ? 4.0 : -2.0); /* ahead by 1, and by runs 4 or -2 */
            worse[r][t] = one[r][t] - (t < 10 ? 1.0 : -1.0);
        }
    assert_int_equal(segue_advise_pays_from(one[0], same[0], RUNS, TASKS, total), 1);
    assert_int_equal(segue_advise_pays_from(one[0], runs[0], RUNS, TASKS, total), 0);
    assert_int_equal(segue_advise_pays_from(one[0], worse[0], RUNS, TASKS, total), 0);
    assert_int_equal(segue_advise_pays_from(worse[0], one[0], RUNS, TASKS, total), 21);
    assert_int_equal(segue_advise_pays_from(one[0], one[0], RUNS, TASKS, total), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_waits_for_the_row_of_its_arm),
        cmocka_unit_test(rows_are_thinned_by_their_probability),
        cmocka_unit_test(a_full_log_has_the_regret_of_its_models),
        cmocka_unit_test(replay_of_arms_drawn_alike_is_unbiased),
        cmocka_unit_test(tasks_that_end_early_do_not_bias_replay),
        cmocka_unit_test(replay_by_probabilities_is_unbiased),
        cmocka_unit_test(without_its_probabilities_such_a_log_is_biased),
        cmocka_unit_test(logs_that_were_not_drawn_so_are_warned_of),
        cmocka_unit_test(nothing_is_learned_from_held_out_tasks),
        cmocka_unit_test(a_shuffle_keeps_held_out_tasks_behind),
        cmocka_unit_test(intervals_are_as_wide_as_the_tasks_differ),
        cmocka_unit_test(the_verdict_follows_the_numbers),
        cmocka_unit_test(every_verdict_names_its_steps_and_few_rewards_judge_no_types),
        cmocka_unit_test(segments_cover_the_order_once),
        cmocka_unit_test(advice_finds_the_types_that_were_logged),
        cmocka_unit_test(what_pays_is_told_by_whole_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
