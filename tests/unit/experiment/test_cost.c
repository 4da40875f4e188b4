/* test_cost.c - estimates of the time left are corrected by the times of played runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/cost.h"
#include "fixture.h"

/* tucb, ts and, of a class of its own, ucb1. */
static const char three[] =
    "{\"name\": \"mixed\", \"environment\": {\"models\": {\"means\": [[0.9, 0.2, 0.4], [0.1, 0.8, "
    "0.3]]}}, \"policies\": [\"tucb\", \"ts\", \"ucb1\"], \"steps\": 1000, \"tasks\": 100, "
    "\"runs\": 4}";

static double estimate(const segue_cost_meter *meter, const segue_experiment *ex, size_t cell)
{
    const segue_simulation sim = segue_experiment_cell(ex, cell);
    return segue_cost_meter_run(meter, &sim, 1000.0);
}

static double table(const segue_experiment *ex, size_t cell)
{
    const segue_simulation sim = segue_experiment_cell(ex, cell);
    return 1e-9 * segue_cost_run(&sim, 1000.0);
}

static void begins_with_the_table(void **state)
{
    (void)state;
    segue_experiment *ex = experiment_of(three);
    const segue_cost_meter meter = {.measured = {0.0}};
    for (size_t cell = 0; cell < 3; cell++)
        assert_near(estimate(&meter, ex, cell), table(ex, cell), 1e-12);
    assert_true(segue_cost_meter_total(&meter) == 0.0);
    segue_experiment_destroy(ex);
}

/* A machine on which tucb takes 5 times as long, and ts a half. */
static void approaches_the_ratio_of_each_policy(void **state)
{
    (void)state;
    static const double ratio[2] = {5.0, 0.5};
    segue_experiment *ex = experiment_of(three);
    segue_cost_meter meter = {.measured = {0.0}};
    double spent = 0.0, expected = 0.0;
    for (size_t cell = 0; cell < 2; cell++)
        for (int i = 0; i < 1000; i++) {
            const segue_simulation sim = segue_experiment_cell(ex, cell);
            segue_cost_meter_add(&meter, &sim, 1000.0, ratio[cell] * table(ex, cell));
            spent += ratio[cell] * table(ex, cell);
            expected += table(ex, cell);
        }
    assert_near(segue_cost_meter_total(&meter), spent, 1e-9 * spent);
    for (size_t cell = 0; cell < 2; cell++)
        assert_near(estimate(&meter, ex, cell) / table(ex, cell), ratio[cell], 0.1 * ratio[cell]);
    /* a policy that was not played has the ratio of those that were */
    assert_near(estimate(&meter, ex, 2) / table(ex, 2), spent / expected, 0.1 * spent / expected);
    segue_experiment_destroy(ex);
}

/* One short run must not change the estimate by ten. */
static void one_short_run_changes_little(void **state)
{
    (void)state;
    segue_experiment *ex = experiment_of(three);
    segue_cost_meter meter = {.measured = {0.0}};
    const segue_simulation sim = segue_experiment_cell(ex, 0);
    segue_cost_meter_add(&meter, &sim, 1.0, 0.02); /* a page fault, or another program */
    assert_true(estimate(&meter, ex, 0) < 1.5 * table(ex, 0));
    segue_experiment_destroy(ex);
}

/* The fits take most of the time of a short task. */
static void tasks_without_a_fit_cost_less(void **state)
{
    (void)state;
    static const char options[] =
        "{\"name\": \"mixed\", \"environment\": {\"models\": {\"means\": [[0.9, 0.2], [0.1, "
        "0.8]]}}, "
        "\"policies\": [\"tucb\", \"tucb:every=1000\", \"tucb:freeze=50\"], \"steps\": 20, "
        "\"tasks\": 100, \"runs\": 4}";
    segue_experiment *ex = experiment_of(options);
    assert_true(table(ex, 1) < 0.15 * table(ex, 0));
    assert_near(table(ex, 2) / table(ex, 0), 0.55, 0.02);
    segue_experiment_destroy(ex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_with_the_table),
        cmocka_unit_test(approaches_the_ratio_of_each_policy),
        cmocka_unit_test(one_short_run_changes_little),
        cmocka_unit_test(tasks_without_a_fit_cost_less),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
