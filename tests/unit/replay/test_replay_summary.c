/* test_replay_summary.c - the summary of a log.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

#include "replay/replay_summary.h"

static void the_types_that_were_logged_are_found(void **state)
{
    (void)state;
    segue_models *models = models_of(3, 3, (double[]){0.9, 0.5, 0.1, 0.1, 0.9, 0.5, 0.5, 0.1, 0.9});
    made_log log;
    segue_replay_summary summary;
    log_fully(&log, models, 300, 30, 2);
    assert_ok(segue_replay_summarise(&summary, &log.history, 0.0, 1.0, 1, NULL));
    assert_int_equal(summary.n_types, 3);
    assert_int_equal(summary.n_above_noise, 3);
    assert_int_equal(summary.n_spectrum, 300);
    assert_near(summary.median_rows, 90.0, 0.0);
    assert_near(summary.rewards_per_cell, 30.0, 0.0);
    assert_near(summary.rarest_rewards, 30.0, 0.0);
    assert_near(summary.weight[0] + summary.weight[1] + summary.weight[2], 1.0, 1e-9);
    assert_true(summary.uniform && !summary.has_time && !summary.has_probability);
    assert_non_null(strstr(summary.missing, "Nothing is missing"));
    made_log_fini(&log);
    segue_models_destroy(models);
}

static void too_few_tasks_have_no_types(void **state)
{
    (void)state;
    segue_models *models = models_of(2, 1, (double[]){0.7, 0.3});
    made_log log;
    segue_replay_summary summary;
    log_fully(&log, models, 5, 30, 2);
    assert_ok(segue_replay_summarise(&summary, &log.history, 0.0, 1.0, 1, NULL));
    assert_int_equal(summary.n_types, 0);
    assert_non_null(strstr(summary.missing, "log at least 3 more"));
    made_log_fini(&log);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_types_that_were_logged_are_found),
        cmocka_unit_test(too_few_tasks_have_no_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
