/* test_claims_estimators.c - other estimators, and the growth of the error: results for each verdict,
 * and the fit against answers by hand. SPDX-License-Identifier: Apache-2.0 */
#include "claims_fixture.h"

#include <string.h>

#include "report/claims/sweep.h"

static void set(segue_paper *paper, const char *estimator, double mean)
{
    char policy[60];
    (void)snprintf(policy, sizeof policy, "tucb:estimator=%s", estimator);
    set_regret(paper, SEGUE_STUDY_ESTIMATORS, NULL, policy, mean, 1.0);
}

static int judge_estimators(segue_paper *paper, double algorithm_b, double eca, double em)
{
    set(paper, "algorithm-b", algorithm_b);
    set(paper, "eca", eca);
    set(paper, "em", em);
    return judged(segue_claims_check_estimators, paper);
}

/* UCB has 100 with standard error 1; RTP is not part of the claim. */
static void other_estimators(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set_regret(paper, SEGUE_STUDY_ESTIMATORS, NULL, "tucb", 300.0, 1.0);
    assert_int_equal(judge_estimators(paper, 80.0, 90.0, 50.0), HOLDS);
    assert_int_equal(judge_estimators(paper, 80.0, 120.0, 50.0), PARTLY);
    assert_int_equal(judge_estimators(paper, 80.0, 100.0, 50.0), PARTLY);
    assert_int_equal(judge_estimators(paper, 120.0, 120.0, 150.0), FAILS);
    assert_int_equal(judge_estimators(paper, 100.0, 100.0, 100.0), UNCLEAR);
    destroy_synthetic_paper(paper);
}

/* ---- growth ------------------------------------------------------------------------------ */

enum { POINTS = 4, RUNS = 3 };

/* Model sets with a distance of m^a K^b / 100, times 1 + noise or 1 - noise in turn: m = 2 .. 6 at
 * K = 8, and K = 5, 10, 20 at m = 4; two sets each, and the paper's. */
static void fill_sweep(segue_paper *paper, double a, double b, double noise)
{
    static const size_t sizes[][2] = {{2, 8}, {3, 8}, {4, 8},  {5, 8},
                                      {6, 8}, {4, 5}, {4, 10}, {4, 20}};
    segue_results *results = paper->results[SEGUE_STUDY_SWEEP];
    json_t *all = json_array();
    for (size_t i = 0; i < 17; i++) {
        const size_t *size = sizes[i % 8];
        segue_cell *cell = &results->cell[results->n_cells++];
        char name[20];
        (void)snprintf(name, sizeof name, i == 16 ? "paper" : "s%zu", i);
        *cell = (segue_cell){.environment = strdup(name),
                             .policy = strdup("tucb"),
                             .tasks = 40,
                             .runs = RUNS,
                             .every = 10,
                             .n_points = POINTS};
        for (size_t t = 0; t < SEGUE_N_TRACKS; t++)
            cell->track[t] = calloc((size_t)RUNS * POINTS, sizeof *cell->track[t]);
        const double distance = i == 16 ? 100.0
                                        : pow((double)size[0], a) * pow((double)size[1], b) /
                                              100.0 * (i < 8 ? 1.0 + noise : 1.0 - noise);
        for (size_t p = 0; p < (size_t)RUNS * POINTS; p++)
            cell->track[SEGUE_TRACK_DISTANCE][p] = distance;
        json_t *means = json_array(), *row = json_array();
        for (size_t k = 0; k < size[1]; k++)
            json_array_append_new(row, json_real(0.5));
        for (size_t k = 0; k < size[0]; k++)
            json_array_append(means, row);
        json_decref(row);
        json_array_append_new(all,
                              json_pack("{s:s, s:{s:o}}", "name", name, "models", "means", means));
    }
    results->experiment = json_pack("{s:o}", "environment", all);
}

static int judge_growth(double a, double b, double noise)
{
    segue_paper *paper = synthetic_paper();
    fill_sweep(paper, a, b, noise);
    const int verdict = judged(segue_claims_check_growth, paper);
    destroy_synthetic_paper(paper);
    return verdict;
}

/* Noise of 5 % makes intervals of about 0.05. */
static void the_growth_of_the_error(void **state)
{
    (void)state;
    assert_int_equal(judge_growth(1.5, 0.5, 0.05), HOLDS);
    assert_int_equal(judge_growth(2.5, 0.5, 0.05), PARTLY);
    assert_int_equal(judge_growth(2.5, 3.0, 0.05), FAILS);
    assert_int_equal(judge_growth(2.0, 2.5, 0.05), UNCLEAR);
    segue_paper *paper = synthetic_paper(); /* no set at all */
    assert_int_equal(judged(segue_claims_check_growth, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

/* y = 1 + 2 a - 3 b at the corners of a square, with residuals +1, -1, -1, +1, which leave the slopes:
 * rest 4, one degree of freedom, so that a slope has variance 4 / 4, and t is 12.706. */
static void a_plane_is_fitted_as_by_hand(void **state)
{
    (void)state;
    const double points[][3] = {{-1, -1, 3}, {-1, 1, -5}, {1, -1, 5}, {1, 1, 1}};
    const segue_sweep_growth growth = segue_sweep_fit(points, 4);
    assert_near(growth.exponent[0], 2.0, 1e-12);
    assert_near(growth.exponent[1], -3.0, 1e-12);
    assert_near(growth.half_width[0], 12.706, 1e-3);
    assert_near(growth.half_width[1], 12.706, 1e-3);
    assert_true(isnan(segue_sweep_fit(points, 3).exponent[0]));
    const double on_a_line[][3] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 2}, {4, 4, 5}, {5, 5, 5}};
    assert_true(isnan(segue_sweep_fit(on_a_line, 5).exponent[0]));
}

static void tasks_to_an_error_are_counted_from_the_last_time_above(void **state)
{
    (void)state;
    double error[] = {0.3, 0.1, 0.2, 0.05, 0.3, 0.1, 0.1, 0.1, 0.3, 0.3, 0.2, 0.05};
    segue_cell cell = {.tasks = 40, .runs = RUNS, .every = 10, .n_points = POINTS};
    cell.track[SEGUE_TRACK_ERROR] = error; /* medians 0.3, 0.1, 0.2, 0.05 */
    assert_near(segue_sweep_tasks_to(&cell, 0.1), 40.0, 0.0);
    assert_near(segue_sweep_tasks_to(&cell, 0.2), 20.0, 0.0);
    assert_near(segue_sweep_tasks_to(&cell, 0.3), 10.0, 0.0);
    assert_true(isnan(segue_sweep_tasks_to(&cell, 0.01)));
}

static void sets_of_one_size_and_weights_are_repeats(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_sweep_set sets[SEGUE_MAX_SWEEP];
    fill_sweep(paper, 1.0, 1.0, 0.0);
    assert_int_equal(segue_sweep_find(paper->results[SEGUE_STUDY_SWEEP], sets), 17);
    assert_true(segue_sweep_is_repeat(&sets[2], &sets[10]));
    assert_false(segue_sweep_is_repeat(&sets[2], &sets[3]));
    assert_false(segue_sweep_is_repeat(&sets[0], &sets[16])); /* the paper's stands for itself */
    json_t *weights = json_pack("[f, f, f, f]", 0.55, 0.25, 0.15, 0.05);
    json_object_set_new(sets[2].models, "weights", weights);
    assert_int_equal(segue_sweep_find(paper->results[SEGUE_STUDY_SWEEP], sets), 17);
    assert_false(segue_sweep_is_repeat(&sets[2], &sets[10]));
    destroy_synthetic_paper(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_estimators),
        cmocka_unit_test(the_growth_of_the_error),
        cmocka_unit_test(a_plane_is_fitted_as_by_hand),
        cmocka_unit_test(tasks_to_an_error_are_counted_from_the_last_time_above),
        cmocka_unit_test(sets_of_one_size_and_weights_are_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
