/* test_replay_alloc.c - replay and its dry run survive failing allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include "alloc.h"
#include "io/log/history.h"
#include "io/policy_list.h"
#include "replay/population/population.h"
#include "replay/replay.h"
#include "replay/replay_summary.h"

static size_t n_threads;

/* A log of ten tasks, two arms and three rewards each, without allocations. */
static segue_history small_log(void)
{
    enum { TASKS = 10, ROWS = 60 };
    static const char *arm_name[2] = {"a", "b"};
    static char *task_name[TASKS];
    static char name[] = "t";
    static size_t start[TASKS + 1];
    static segue_logged_reward row[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        start[i / 6 + 1] = i + 1;
        task_name[i / 6] = name;
        row[i] = (segue_logged_reward){
            .task = (uint32_t)(i / 6), .arm = (uint32_t)(i % 2), .reward = (double)(i % 4 < 2)};
    }
    return (segue_history){.n_arms = 2,
                           .n_tasks = TASKS,
                           .n_rows = ROWS,
                           .arm_name = arm_name,
                           .task_name = task_name,
                           .start = start,
                           .row = row};
}

static segue_replay_method replay_method;
static bool replay_values;

static segue_status replay_scenario(segue_error *err)
{
    const segue_history log = small_log();
    segue_policy_list policies;
    segue_replay_result result = {.path = NULL};
    segue_status status = segue_policy_list_parse(&policies, "tts", err);
    const segue_replay_config config = {.path = "log",
                                        .history = &log,
                                        .highest = 1.0,
                                        .policies = &policies,
                                        .method = replay_method,
                                        .order = SEGUE_REPLAY_ORDER_SHUFFLE,
                                        .steps = 3,
                                        .runs = 2,
                                        .replicates = 2,
                                        .threads = n_threads,
                                        .values_only = replay_values};
    if (status == SEGUE_OK)
        status = segue_replay_evaluate(&result, &config, err);
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    return status;
}

static segue_status summary_scenario(segue_error *err)
{
    const segue_history log = small_log();
    segue_replay_summary summary;
    return segue_replay_summarise(&summary, &log, 0.0, 1.0, 1, err);
}

/* Fit a population to two tasks, and draw two others that they allow. */
static segue_status population_scenario(segue_error *err)
{
    static const double sum[4] = {1.0, 0.0, 2.0, 1.0}, pulls[4] = {2.0, 2.0, 2.0, 2.0};
    const segue_counts counts = {.n_tasks = 2, .n_arms = 2, .sum = sum, .pulls = pulls};
    const segue_population_config config = {.max_types = 2, .seed = 1};
    segue_population fit, draw[2] = {{.weight = NULL}, {.weight = NULL}};
    segue_status status = segue_population_fit(&fit, &counts, &config, err);
    if (status == SEGUE_OK)
        status = segue_population_sample(draw, 2, &counts, &fit, &config, err);
    segue_population_fini(&fit);
    segue_population_fini(&draw[0]);
    segue_population_fini(&draw[1]);
    return status;
}

static void replay_survives_every_failing_allocation(void **state)
{
    (void)state;
    replay_values = true;
    for (n_threads = 1; n_threads <= 2; n_threads++)
        for (int method = SEGUE_REPLAY_METHOD_URN; method <= SEGUE_REPLAY_METHOD_ROWS; method++) {
            replay_method = (segue_replay_method)method;
            alloc_fail_each(replay_scenario, 60);
        }
    n_threads = 1;
    replay_values = false;
    alloc_fail_each(replay_scenario, 60);
    alloc_fail_each(summary_scenario, 20);
    alloc_fail_each(population_scenario, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
