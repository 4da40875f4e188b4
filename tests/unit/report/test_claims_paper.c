/* test_claims_paper.c - the claims on tUCB, its complexity, the bounds and related work: results for
 * each of their verdicts. SPDX-License-Identifier: Apache-2.0 */
#include "claims_fixture.h"

/* A line of tUCB's from task to task, with a standard error of about 1. */
static void line(segue_paper *paper, segue_track track, double start, double end, double spread)
{
    set_line(paper, SEGUE_STUDY_TUCB_TASKS, "tucb", track, start, end, spread);
}

static void regret(segue_paper *paper, double start, double end)
{
    line(paper, SEGUE_TRACK_REGRET, start, end, 1.0);
}

static void the_first_tasks(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    regret(paper, 101.0, 50.0);
    assert_int_equal(judged(segue_claims_check_start, paper), HOLDS);
    regret(paper, 108.0, 50.0);
    assert_int_equal(judged(segue_claims_check_start, paper), PARTLY);
    regret(paper, 130.0, 50.0);
    assert_int_equal(judged(segue_claims_check_start, paper), FAILS);
    regret(paper, NAN, NAN);
    assert_int_equal(judged(segue_claims_check_start, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void never_worse(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_finding finding = {.id = "never-worse"};
    regret(paper, 90.0, 50.0);
    assert_int_equal(judged(segue_claims_check_never_worse, paper), HOLDS);
    regret(paper, 100.0, 50.0);
    assert_int_equal(judged(segue_claims_check_never_worse, paper), PARTLY);
    regret(paper, 110.0, 50.0);
    assert_int_equal(judged(segue_claims_check_never_worse, paper), FAILS);
    regret(paper, 100.0, 100.0);
    assert_int_equal(judged(segue_claims_check_never_worse, paper), UNCLEAR);
    line(paper, SEGUE_TRACK_ERROR, 0.3, 0.1, 0.01);
    line(paper, SEGUE_TRACK_EPS, 0.3, 0.1, 0.0);
    segue_claims_check_never_worse(paper, &finding);
    assert_non_null(strstr(finding.text, "at the end of 200 tasks this is false in 10 of 20 runs"));
    destroy_synthetic_paper(paper);
}

static void between_the_bounds_of_ucb_and_mucb(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set_regret(paper, SEGUE_STUDY_LENGTHS, NULL, "mucb", 40.0, 1.0);
    regret(paper, 100.0, 60.0);
    assert_int_equal(judged(segue_claims_check_approach, paper), HOLDS);
    regret(paper, 100.0, 40.0);
    assert_int_equal(judged(segue_claims_check_approach, paper), PARTLY);
    set_regret(paper, SEGUE_STUDY_LENGTHS, NULL, "mucb", 150.0, 1.0);
    regret(paper, 100.0, 120.0);
    assert_int_equal(judged(segue_claims_check_approach, paper), FAILS);
    set_regret(paper, SEGUE_STUDY_LENGTHS, NULL, "mucb", 100.0, 1.0);
    regret(paper, 100.0, 100.0);
    assert_int_equal(judged(segue_claims_check_approach, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

/* Set tUCB's average for each J, at both n. */
static void set_averages(segue_paper *paper, double few, double many)
{
    static const segue_study studies[] = {SEGUE_STUDY_TUCB_LENGTHS, SEGUE_STUDY_TUCB_TASKS};
    for (size_t s = 0; s < 2; s++) {
        segue_cell *cell = paper->results[studies[s]]->cell;
        cell[0].regret.mean = few;
        cell[1].regret.mean = many;
    }
}

static void averages_over_tasks(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set_averages(paper, 80.0, 60.0);
    assert_int_equal(judged(segue_claims_check_lengths, paper), HOLDS);
    set_averages(paper, 60.0, 80.0);
    assert_int_equal(judged(segue_claims_check_lengths, paper), PARTLY);
    set_averages(paper, 120.0, 140.0);
    assert_int_equal(judged(segue_claims_check_lengths, paper), FAILS);
    set_averages(paper, 100.0, 100.0);
    assert_int_equal(judged(segue_claims_check_lengths, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void the_complexity(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    line(paper, SEGUE_TRACK_EPS, 0.5, 0.1, 0.0);
    line(paper, SEGUE_TRACK_ERROR, 0.4, 0.05, 0.0);
    line(paper, SEGUE_TRACK_COMPLEXITY, 26.57, 12.0, 0.5);
    assert_int_equal(judged(segue_claims_check_complexity, paper), HOLDS);
    line(paper, SEGUE_TRACK_ERROR, 0.4, 0.2, 0.0);
    assert_int_equal(judged(segue_claims_check_complexity, paper), PARTLY);
    line(paper, SEGUE_TRACK_COMPLEXITY, 26.57, 30.0, 0.5);
    assert_int_equal(judged(segue_claims_check_complexity, paper), FAILS);
    line(paper, SEGUE_TRACK_COMPLEXITY, 26.57, 2.0, 0.5);
    assert_int_equal(judged(segue_claims_check_complexity, paper), FAILS);
    line(paper, SEGUE_TRACK_COMPLEXITY, 26.57, 26.5, 0.5);
    assert_int_equal(judged(segue_claims_check_complexity, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void the_bounds(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    line(paper, SEGUE_TRACK_COMPLEXITY, 20.0, 10.0, 0.0);
    regret(paper, 100.0, 50.0);
    assert_int_equal(judged(segue_claims_check_bounds, paper), HOLDS);
    regret(paper, 1e6, 50.0);
    assert_int_equal(judged(segue_claims_check_bounds, paper), PARTLY);
    set_regret(paper, SEGUE_STUDY_LENGTHS, NULL, "ucb", 1e6, 1.0); /* not the paper's claim */
    assert_int_equal(judged(segue_claims_check_bounds, paper), PARTLY);
    set_regret(paper, SEGUE_STUDY_LENGTHS, NULL, "mucb", 1e6, 1.0);
    assert_int_equal(judged(segue_claims_check_bounds, paper), FAILS);
    paper->results[SEGUE_STUDY_LENGTHS]->n_cells = 6; /* without mucb, the last */
    assert_int_equal(judged(segue_claims_check_bounds, paper), UNCLEAR);
    paper->results[SEGUE_STUDY_LENGTHS]->n_cells = 9;
    destroy_synthetic_paper(paper);
}

/* With C = 2, J = 200, n = 2000 and gap g the remark asks for about 64 * 13.6 / g^2 tasks. */
static void the_remark(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    regret(paper, 120.0, 50.0);
    assert_int_equal(judged(segue_claims_check_remark, paper), HOLDS);
    paper->smallest_gap =
        4.0 * segue_tucb_model_error(SEGUE_EPS_LEMMA, 2.0, 5, 7, 200, 1.0 / 2000.0, 80);
    assert_int_equal(judged(segue_claims_check_remark, paper), PARTLY);
    regret(paper, 120.0, 110.0);
    assert_int_equal(judged(segue_claims_check_remark, paper), FAILS);
    paper->smallest_gap = NAN;
    assert_int_equal(judged(segue_claims_check_remark, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void a_known_model(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    assert_int_equal(judged(segue_claims_check_known_model, paper), UNCLEAR);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "told-ucb", 5.0, 1.0);
    assert_int_equal(judged(segue_claims_check_known_model, paper), HOLDS);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "told-ucb", 500.0, 1.0);
    assert_int_equal(judged(segue_claims_check_known_model, paper), FAILS);
    destroy_synthetic_paper(paper);
}

/* The first 100 tasks of tUCB cost 100, and 1.5 times that is 150; the last ones cost 10. */
static void bandits_that_change(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_cell *tucb = &paper->results[SEGUE_STUDY_TUCB_TASKS]->cell[1];
    for (size_t i = 0; i < (size_t)SYNTHETIC_RUNS * SYNTHETIC_POINTS; i++)
        if (i % SYNTHETIC_POINTS >= SYNTHETIC_POINTS / 2)
            tucb->track[SEGUE_TRACK_REGRET][i] = 10.0;
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "sw-ucb", 400.0, 1.0);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "d-ucb", 800.0, 1.0);
    assert_int_equal(judged(segue_claims_check_nonstationary, paper), HOLDS);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "sw-ucb", 130.0, 1.0);
    assert_int_equal(judged(segue_claims_check_nonstationary, paper), PARTLY);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "d-ucb", 130.0, 1.0);
    assert_int_equal(judged(segue_claims_check_nonstationary, paper), FAILS);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "sw-ucb", 150.0, 1.0);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "d-ucb", 150.0, 1.0);
    assert_int_equal(judged(segue_claims_check_nonstationary, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_tasks),
        cmocka_unit_test(never_worse),
        cmocka_unit_test(between_the_bounds_of_ucb_and_mucb),
        cmocka_unit_test(averages_over_tasks),
        cmocka_unit_test(the_complexity),
        cmocka_unit_test(the_bounds),
        cmocka_unit_test(the_remark),
        cmocka_unit_test(a_known_model),
        cmocka_unit_test(bandits_that_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
