/* test_advise.c - the summary of a log, and when transfer begins to pay.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

#include "replay/advise.h"

static void advise_finds_the_types_that_were_logged(void **state)
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

/* The noise of two policies is the same in every task, or not, and the same in every run, or not.
 */
static void transfer_pays_if_totals_of_whole_runs_differ(void **state)
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
        cmocka_unit_test(advise_finds_the_types_that_were_logged),
        cmocka_unit_test(transfer_pays_if_totals_of_whole_runs_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
