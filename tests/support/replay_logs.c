/* replay_logs.c - logs in memory for tests of replay, and their evaluation.
 *
 * Log number n is drawn from its own random stream: same number, same log.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

static void made_log_init(made_log *log, size_t n_arms, size_t n_tasks, size_t n_rows,
                          bool has_column)
{
    segue_history *h = &log->history;
    *h = (segue_history){.n_arms = n_arms, .n_tasks = n_tasks, .n_rows = n_rows};
    h->arm_name = calloc(n_arms, sizeof *h->arm_name);
    h->task_name = calloc(n_tasks, sizeof *h->task_name);
    h->start = calloc(n_tasks + 1, sizeof *h->start);
    h->row = calloc(n_rows, sizeof *h->row);
    h->probability = has_column ? calloc(n_rows, sizeof *h->probability) : NULL;
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

void made_log_fini(made_log *log)
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

void log_randomly(made_log *log, const segue_models *models, const logging *how, uint64_t number)
{
    segue_rng rng;
    segue_rng_init(&rng, 900, number, 0, 0);
    made_log_init(log, models->n_arms, how->n_tasks, how->n_tasks * how->rows, how->has_column);
    segue_history *h = &log->history;
    for (size_t task = 0, i = 0; task < how->n_tasks; task++) {
        const size_t model = (size_t)(segue_rng_uniform(&rng) * (double)models->n_models);
        for (size_t row = 0; row < how->rows; row++, i++) {
            const size_t arm = draw_arm(how, row, models->n_arms, &rng);
            const double mean = segue_models_row(models, model)[arm];
            h->row[i] = (segue_logged_reward){.task = (uint32_t)task,
                                              .arm = (uint32_t)arm,
                                              .reward = segue_rng_uniform(&rng) < mean};
            if (how->has_column)
                h->probability[i] = how->probability[row % 2][arm];
        }
        h->start[task + 1] = i;
    }
}

void log_fully(made_log *log, const segue_models *models, size_t n_tasks, size_t each,
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

segue_replay_config config_of(const segue_history *history, const segue_policy_list *policies)
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

void play_log(segue_replay_result *result, const segue_replay_config *config)
{
    segue_error err;
    if (segue_replay_evaluate(result, config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

const segue_replay_candidate *candidate_named(const segue_replay_result *result, const char *name)
{
    for (size_t p = 0; p < result->n_candidates; p++)
        if (strcmp(result->candidate[p].name, name) == 0)
            return &result->candidate[p];
    fail_msg("there is no candidate %s", name);
    return NULL;
}

void assert_unbiased(const char *what, const segue_stats *over_logs, double truth, double truth_se)
{
    const double se = hypot(segue_stats_standard_error(over_logs), truth_se);
    if (!(fabs(over_logs->mean - truth) <= BOUND * se))
        fail_msg("%s: %.6g, and the truth is %.6g (standard error %.3g)", what, over_logs->mean,
                 truth, se);
}

segue_regret simulated(const segue_models *models, const char *policy, uint64_t tasks,
                       uint64_t steps, uint64_t runs)
{
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_learner_config learner = segue_learner_defaults();
    segue_simulation sim = {.size = sizeof(segue_simulation),
                            .environment = &env,
                            .steps = steps,
                            .tasks = tasks,
                            .runs = runs,
                            .seed = 77,
                            .threads = 2};
    segue_simulation_result *result = NULL;
    const segue_learner_method *method = segue_learner_method_find(policy);
    if (method && !method->without_transfer) {
        assert_ok(segue_learner_config_parse(&learner, policy, NULL));
        sim.learner = &learner;
    } else {
        sim.policy = policy_of(policy);
    }
    assert_ok(segue_simulation_run(&result, &sim, NULL));
    const segue_regret regret = result->regret;
    segue_simulation_result_destroy(result);
    return regret;
}

segue_models *two_models(void)
{
    return models_of(3, 2, (double[]){0.95, 0.5, 0.1, 0.75, 0.1, 0.9});
}
