/* test_claims_premise.c - the claims per model and per run: results for each of their verdicts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"
#include "synthetic_paper.h"

#include <string.h>

#include "report/claims/claims_checks.h"

enum {
    HOLDS = SEGUE_VERDICT_HOLDS,
    PARTLY = SEGUE_VERDICT_PARTLY,
    FAILS = SEGUE_VERDICT_FAILS,
    UNCLEAR = SEGUE_VERDICT_UNCLEAR
};

static segue_finding judged(segue_claims_check_function *check, const segue_paper *paper)
{
    segue_finding finding = {.id = "test"};
    check(paper, &finding);
    assert_true(strlen(finding.text) > 20 && strlen(finding.text) + 1 < sizeof finding.text);
    return finding;
}

/* Complexities 8, 4 and 1 on four models, and 0 for mUCB on the fifth: nine ratios are predicted. */
static segue_paper *with_complexities(void)
{
    segue_paper *paper = synthetic_paper();
    for (size_t k = 0; k < 5; k++) {
        const double row[] = {8.0, 4.0, k < 4 ? 1.0 : 0.0};
        memcpy(paper->complexity[k], row, sizeof row);
    }
    return paper;
}

static void set(segue_paper *paper, double ucb, double plus, double mucb)
{
    set_regret_at(paper, SEGUE_STUDY_LENGTHS, "ucb", SYNTHETIC_STEPS, ucb, 1.0);
    set_regret_at(paper, SEGUE_STUDY_LENGTHS, "ucb+", SYNTHETIC_STEPS, plus, 1.0);
    set_regret_at(paper, SEGUE_STUDY_LENGTHS, "mucb", SYNTHETIC_STEPS, mucb, 1.0);
}

static void the_prediction_per_model(void **state)
{
    (void)state;
    segue_paper *paper = with_complexities();
    set(paper, 800.0, 380.0, 110.0);
    segue_finding finding = judged(segue_claims_check_prediction_models, paper);
    assert_int_equal(finding.verdict, HOLDS);
    assert_non_null(strstr(finding.text, "of 9 ratios"));
    set(paper, 800.0, 380.0, 200.0); /* half of the predicted factor for mUCB */
    finding = judged(segue_claims_check_prediction_models, paper);
    assert_int_equal(finding.verdict, PARTLY);
    assert_non_null(strstr(finding.text, "5 are within a quarter"));
    assert_non_null(strstr(finding.text, "9 are on the predicted side"));
    set(paper, 100.0, 200.0, 300.0);
    finding = judged(segue_claims_check_prediction_models, paper);
    assert_int_equal(finding.verdict, FAILS);
    assert_non_null(strstr(finding.text, "0 are on the predicted side"));
    for (size_t k = 0; k < 5; k++)
        paper->ucb->by_model[k].mean = NAN;
    assert_int_equal(judged(segue_claims_check_prediction_models, paper).verdict, UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void set_error(segue_paper *paper, double start, double end)
{
    set_line(paper, SEGUE_STUDY_TUCB_TASKS, "tucb", SEGUE_TRACK_ERROR, start, end, 0.0);
}

static void the_premise(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set_line(paper, SEGUE_STUDY_TUCB_TASKS, "tucb", SEGUE_TRACK_EPS, 0.2, 0.1, 0.0);
    set_error(paper, 0.1, 0.1);
    assert_int_equal(judged(segue_claims_check_premise, paper).verdict, HOLDS);
    set_error(paper, 0.1, 0.11);
    assert_int_equal(judged(segue_claims_check_premise, paper).verdict, FAILS);
    set_error(paper, 0.1, 0.1);
    paper->longest->track[SEGUE_TRACK_ERROR][3] = 0.3; /* one point of one run */
    assert_int_equal(judged(segue_claims_check_premise, paper).verdict, PARTLY);
    set_error(paper, NAN, NAN);
    assert_int_equal(judged(segue_claims_check_premise, paper).verdict, UNCLEAR);
    destroy_synthetic_paper(paper);
}

/* One run is above at point 3, one at the last point, one has no estimate, one has its first estimate
 * late: 20 runs of 20 points, less 20 and 15 points. */
static void runs_and_points_above_eps_are_counted(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    const segue_cell *cell = paper->longest;
    double *error = cell->track[SEGUE_TRACK_ERROR];
    set_line(paper, SEGUE_STUDY_TUCB_TASKS, "tucb", SEGUE_TRACK_EPS, 0.2, 0.2, 0.0);
    set_error(paper, 0.1, 0.1);
    error[3] = 0.3;
    error[2 * SYNTHETIC_POINTS - 1] = 0.3;
    for (size_t p = 0; p < SYNTHETIC_POINTS; p++)
        error[5 * SYNTHETIC_POINTS + p] = NAN;
    for (size_t p = 0; p < 15; p++)
        error[6 * SYNTHETIC_POINTS + p] = NAN;
    const segue_premise premise = segue_claims_premise(cell);
    assert_int_equal(premise.runs, 19);
    assert_int_equal(premise.runs_above, 2);
    assert_int_equal(premise.runs_above_at_end, 1);
    assert_int_equal(premise.points, 365);
    assert_int_equal(premise.points_above, 2);
    destroy_synthetic_paper(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prediction_per_model),
        cmocka_unit_test(the_premise),
        cmocka_unit_test(runs_and_points_above_eps_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
