/* test_replay_repeats.c - which logs are warned of for the order of their arms.
 *
 * False alarms.  The warning is raised once in a million logs of independent draws, and 1,500 of
 * them are made here: a false alarm once in 600 changes of the random streams.  The mean and
 * variance of the standardized repeats are compared with 0 and 1 within 4.9 standard errors, which
 * is 1e-6 each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "replay/replay_internal.h"

#define BOUND    4.9
#define LOGS     300
#define MAX_ARMS 200

/* ---- logs that are made ------------------------------------------------------------------- */

typedef struct made_log {
    segue_history history;
    segue_rng rng;
} made_log;

static const char *arm_names[MAX_ARMS];

static void made_log_init(made_log *log, size_t n_arms, size_t n_tasks, size_t rows, size_t number)
{
    static char task[] = "task";
    segue_history *h = &log->history;
    *h = (segue_history){.n_arms = n_arms, .n_tasks = n_tasks, .n_rows = n_tasks * rows};
    h->task_name = calloc(n_tasks, sizeof *h->task_name);
    h->start = calloc(n_tasks + 1, sizeof *h->start);
    h->row = calloc(h->n_rows, sizeof *h->row);
    assert_true(h->task_name && h->start && h->row);
    for (size_t i = 0; i < MAX_ARMS; i++)
        arm_names[i] = "arm";
    h->arm_name = arm_names;
    for (size_t i = 0; i < n_tasks; i++) {
        h->task_name[i] = task;
        h->start[i + 1] = (i + 1) * rows;
    }
    for (size_t i = 0; i < h->n_rows; i++)
        h->row[i].task = (uint32_t)(i / rows);
    segue_rng_init(&log->rng, 77, number, n_arms, rows);
}

static void made_log_fini(made_log *log)
{
    free(log->history.task_name);
    free(log->history.start);
    free(log->history.row);
}

static size_t draw(segue_rng *rng, const double *weight, size_t n_arms)
{
    double sum = 0.0;
    for (size_t arm = 0; arm < n_arms; arm++)
        sum += weight[arm];
    double left = segue_rng_uniform(rng) * sum;
    size_t arm = 0;
    while (arm + 1 < n_arms && left >= weight[arm])
        left -= weight[arm++];
    return arm;
}

/* How arms are drawn: with these probabilities, or, if `own`, with others in each task; a row takes
 * the arm before with probability `sticks`. */
typedef struct logging {
    const char *name;
    size_t n_arms, n_tasks, rows;
    double first; /* probability of the first arm; the others are alike */
    bool own;
    double sticks;
} logging;

static void fill(made_log *log, const logging *how, size_t number)
{
    double weight[MAX_ARMS];
    made_log_init(log, how->n_arms, how->n_tasks, how->rows, number);
    segue_logged_reward *row = log->history.row;
    for (size_t i = 0; i < log->history.n_rows; i++) {
        for (size_t arm = 0; i % how->rows == 0 && arm < how->n_arms; arm++)
            weight[arm] = how->own   ? pow(segue_rng_uniform(&log->rng), 3.0)
                          : arm == 0 ? how->first
                                     : (1.0 - how->first) / ((double)how->n_arms - 1.0);
        const bool sticks = i % how->rows > 0 && segue_rng_uniform(&log->rng) < how->sticks;
        row[i].arm = sticks ? row[i - 1].arm : (uint32_t)draw(&log->rng, weight, how->n_arms);
        row[i].reward = segue_rng_uniform(&log->rng) < 0.5;
    }
}

static bool is_warned_of(const segue_history *history)
{
    segue_policy_list policies;
    segue_replay_result result;
    bool warned = false;
    assert_ok(segue_policy_list_parse(&policies, "ts", NULL));
    const segue_replay_config config = {.path = "log",
                                        .history = history,
                                        .highest = 1.0,
                                        .policies = &policies,
                                        .method = SEGUE_REPLAY_METHOD_ROWS,
                                        .steps = 1,
                                        .runs = 1,
                                        .threads = 1,
                                        .values_only = true};
    assert_ok(segue_replay_evaluate(&result, &config, NULL));
    for (size_t i = 0; i < result.n_warnings; i++)
        warned = warned || strstr(result.warning[i], "repeat the arm before");
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    return warned;
}

/* ---- moments ------------------------------------------------------------------------------ */

/* All orders of the rows from `at` on, each once for each permutation. */
static void permute(segue_history *h, size_t at, segue_stats *same, segue_repeats *last)
{
    if (at == h->n_rows) {
        assert_ok(segue_replay_repeats(h, last, NULL));
        segue_stats_add(same, last->same);
        return;
    }
    for (size_t i = at; i < h->n_rows; i++) {
        const segue_logged_reward saved = h->row[at];
        h->row[at] = h->row[i];
        h->row[i] = saved;
        permute(h, at + 1, same, last);
        h->row[i] = h->row[at];
        h->row[at] = saved;
    }
}

static void repeats_have_the_moments_of_all_orders(void **state)
{
    (void)state;
    static const uint32_t arms[] = {0, 0, 1, 2, 2, 2, 2};
    for (size_t rows = 1; rows <= sizeof arms / sizeof *arms; rows++) {
        made_log log;
        segue_stats same = {.count = 0};
        segue_repeats last;
        made_log_init(&log, 3, 1, rows, 0);
        for (size_t i = 0; i < rows; i++)
            log.history.row[i].arm = arms[sizeof arms / sizeof *arms - 1 - i];
        permute(&log.history, 0, &same, &last);
        assert_true(fabs(last.pairs - ((double)rows - 1.0)) < 1e-12);
        assert_true(fabs(last.expected - same.mean) < 1e-9);
        assert_true(fabs(last.variance - same.squares / (double)same.count) < 1e-9);
        made_log_fini(&log);
    }
}

/* ---- alarms ------------------------------------------------------------------------------- */

static void independent_draws_are_not_warned_of(const logging *how)
{
    segue_stats standard = {.count = 0};
    for (size_t i = 0; i < (size_t)repeats(LOGS); i++) {
        made_log log;
        segue_repeats r;
        fill(&log, how, i);
        assert_ok(segue_replay_repeats(&log.history, &r, NULL));
        segue_stats_add(&standard, (r.same - r.expected) / sqrt(r.variance));
        if (is_warned_of(&log.history))
            fail_msg("%s: log %zu is warned of", how->name, i);
        made_log_fini(&log);
    }
    const double n = (double)standard.count;
    printf("%-10s repeats: standardized mean %+.3f, variance %.3f over %.0f logs\n", how->name,
           standard.mean, segue_stats_variance(&standard), n);
    if (n < 100.0) /* too few for a normal law of their mean and variance */
        return;
    assert_true(fabs(standard.mean) < BOUND / sqrt(n));
    assert_true(fabs(segue_stats_variance(&standard) - 1.0) < BOUND * sqrt(2.0 / n));
}

static void draws_with_unequal_probabilities_are_not_warned_of(void **state)
{
    (void)state;
    static const logging logs[] = {
        {.name = "unequal", .n_arms = 6, .n_tasks = 60, .rows = 60, .first = 0.5},
        {.name = "by task", .n_arms = 6, .n_tasks = 60, .rows = 60, .own = true},
        {.name = "few rows", .n_arms = 3, .n_tasks = 500, .rows = 3, .first = 0.7},
        {.name = "many arms", .n_arms = 200, .n_tasks = 60, .rows = 30, .first = 0.1},
        {.name = "one arm", .n_arms = 4, .n_tasks = 60, .rows = 60, .first = 0.98},
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        independent_draws_are_not_warned_of(&logs[i]);
}

static void arms_that_take_turns_are_warned_of(void **state)
{
    (void)state;
    made_log log;
    made_log_init(&log, 3, 60, 12, 0);
    for (size_t i = 0; i < log.history.n_rows; i++)
        log.history.row[i].arm = (uint32_t)(i % 3);
    assert_true(is_warned_of(&log.history));
    made_log_fini(&log);
}

static void arms_that_stick_are_warned_of(void **state)
{
    (void)state;
    static const logging sticky[] = {
        {.n_arms = 3, .n_tasks = 60, .rows = 60, .first = 0.5, .sticks = 0.3},
        {.n_arms = 6, .n_tasks = 60, .rows = 60, .own = true, .sticks = 0.3},
        {.n_arms = 50, .n_tasks = 60, .rows = 20, .first = 0.1, .sticks = 0.1},
    };
    for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++) {
        made_log log;
        fill(&log, &sticky[i], i);
        assert_true(is_warned_of(&log.history));
        made_log_fini(&log);
    }
}

static void arms_that_a_policy_chose_are_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        size_t rows; /* UCB changes arms often at first */
    } logs[] = {{"ts", 40}, {"la", 40}, {"ucb1", 400}};
    segue_models *models = models_of(3, 1, (double[]){0.9, 0.5, 0.2});
    for (size_t p = 0; p < sizeof logs / sizeof *logs; p++) {
        made_log log;
        segue_task *task = NULL;
        made_log_init(&log, 3, 60, logs[p].rows, p);
        for (size_t i = 0; i < log.history.n_rows; i++) {
            if (i % logs[p].rows == 0) {
                segue_task_destroy(task);
                task = task_of(logs[p].policy, models, logs[p].rows);
            }
            const size_t arm = segue_task_ask(task);
            const double mean = segue_models_row(models, 0)[arm];
            log.history.row[i].arm = (uint32_t)arm;
            log.history.row[i].reward = segue_rng_uniform(&log.rng) < mean;
            tell(task, arm, log.history.row[i].reward);
        }
        segue_task_destroy(task);
        assert_true(is_warned_of(&log.history));
        made_log_fini(&log);
    }
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_have_the_moments_of_all_orders),
        cmocka_unit_test(draws_with_unequal_probabilities_are_not_warned_of),
        cmocka_unit_test(arms_that_take_turns_are_warned_of),
        cmocka_unit_test(arms_that_stick_are_warned_of),
        cmocka_unit_test(arms_that_a_policy_chose_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
