/* test_claims_moments.c - claims on identification and on the moments: numbers for each verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#include "claims_fixture.h"

#include "report/claims/judge.h"

/* The regret of the pairs that identify first, J0 = 50 and 100; their controls have 100. */
static void identified(segue_paper *paper, double first, double second)
{
    set_regret(paper, SEGUE_STUDY_IDENTIFY, NULL, "tucb:identify=50,freeze=50,C=0.2,eps=theorem",
               first, 1.0);
    set_regret(paper, SEGUE_STUDY_IDENTIFY, NULL, "tucb:identify=100,freeze=100,C=0.2,eps=theorem",
               second, 1.0);
}

static void identification_is_compared_with_its_own_control(void **state)
{
    (void)state;
    static segue_claims_check_function *const checks[] = {segue_claims_check_identify_later,
                                                          segue_claims_check_identify_pays};
    for (size_t i = 0; i < 2; i++) {
        segue_paper *paper = synthetic_paper();
        assert_int_equal(judged(checks[i], paper), UNCLEAR);
        identified(paper, 50.0, 60.0);
        assert_int_equal(judged(checks[i], paper), HOLDS);
        identified(paper, 100.0, 60.0); /* one is better, the other not decided */
        assert_int_equal(judged(checks[i], paper), HOLDS);
        identified(paper, 100.0, 150.0);
        assert_int_equal(judged(checks[i], paper), UNCLEAR);
        identified(paper, 50.0, 150.0);
        assert_int_equal(judged(checks[i], paper), PARTLY);
        identified(paper, 150.0, 150.0);
        assert_int_equal(judged(checks[i], paper), FAILS);
        destroy_synthetic_paper(paper);
    }
}

/* The error falls from the second point (a tenth of the tasks) to the last one. */
static void three_pulls_are_judged_by_how_fast_the_error_falls(void **state)
{
    (void)state;
    static const struct {
        double end;
        int verdict;
    } cases[] = {{0.1, HOLDS}, {0.6, PARTLY}, {0.95, FAILS}, {NAN, UNCLEAR}};
    for (size_t i = 0; i < 4; i++) {
        segue_paper *paper = synthetic_paper();
        set_line(paper, SEGUE_STUDY_THREE_PULLS, "tucb", SEGUE_TRACK_ERROR, 1.0, cases[i].end, 0.0);
        assert_int_equal(judged(segue_claims_check_three_pulls, paper), cases[i].verdict);
        destroy_synthetic_paper(paper);
    }
}

/* Sign tests over 20 runs at 5 % / 3: 15 of 20 are needed (P[X >= 15] = 0.0207 is too much, P[X >=
 * 16] = 0.0059 is not). */
static void the_cause_is_judged_by_signs(void **state)
{
    (void)state;
    static const struct {
        uint64_t rises, larger;
        int verdict;
    } cases[] = {{20, 10, HOLDS},   {16, 15, HOLDS},  {20, 16, PARTLY},
                 {15, 10, UNCLEAR}, {5, 10, UNCLEAR}, {4, 10, FAILS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(segue_judge_cause((segue_judge_signs){
                             .runs = 20, .rises = cases[i].rises, .larger = cases[i].larger}),
                         cases[i].verdict);
}

static void the_cause_is_read_from_the_control(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set_line(paper, SEGUE_STUDY_FRESH_REWARDS, "tucb", SEGUE_TRACK_FRESH, 0.1, 0.5, 0.0);
    set_line(paper, SEGUE_STUDY_FRESH_REWARDS, "tucb", SEGUE_TRACK_ERROR, 0.1, 0.4, 0.0);
    assert_int_equal(judged(segue_claims_check_cause, paper), HOLDS);
    set_line(paper, SEGUE_STUDY_FRESH_REWARDS, "tucb", SEGUE_TRACK_ERROR, 0.1, 0.6, 0.0);
    assert_int_equal(judged(segue_claims_check_cause, paper), PARTLY);
    set_line(paper, SEGUE_STUDY_FRESH_REWARDS, "tucb", SEGUE_TRACK_FRESH, 0.5, 0.1, 0.0);
    assert_int_equal(judged(segue_claims_check_cause, paper), FAILS);
    destroy_synthetic_paper(paper);
}

static void weights_are_judged_by_regret_and_by_the_worst_run(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    assert_int_equal(judged(segue_claims_check_weights, paper), UNCLEAR);
    set_regret(paper, SEGUE_STUDY_WEIGHTS, NULL, "tucb:weights=pulls", 60.0, 1.0);
    assert_int_equal(judged(segue_claims_check_weights, paper), HOLDS);
    set_regret(paper, SEGUE_STUDY_WEIGHTS, NULL, "tucb:weights=pulls", 80.0, 5.5); /* runs to 104 */
    assert_int_equal(judged(segue_claims_check_weights, paper), PARTLY);
    set_regret(paper, SEGUE_STUDY_WEIGHTS, NULL, "tucb:weights=pulls", 150.0, 1.0);
    assert_int_equal(judged(segue_claims_check_weights, paper), FAILS);
    destroy_synthetic_paper(paper);
}

static void a_frozen_estimate_is_compared_at_the_same_c(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    assert_int_equal(judged(segue_claims_check_freeze, paper), UNCLEAR);
    set_regret(paper, SEGUE_STUDY_WEIGHTS, NULL, "tucb:C=0.2,freeze=100", 60.0, 1.0);
    assert_int_equal(judged(segue_claims_check_freeze, paper), HOLDS);
    set_regret(paper, SEGUE_STUDY_WEIGHTS, NULL, "tucb:C=0.2,freeze=100", 150.0, 1.0);
    assert_int_equal(judged(segue_claims_check_freeze, paper), FAILS);
    destroy_synthetic_paper(paper);
}

static void a_test_is_judged_by_the_share_that_it_saves(void **state)
{
    (void)state;
    static const struct {
        double without, with;
        int verdict;
    } cases[] = {
        {99.0, 90.0, HOLDS}, {99.0, 50.0, PARTLY}, {60.0, 50.0, FAILS}, {NAN, 50.0, UNCLEAR}};
    for (size_t i = 0; i < 4; i++) {
        segue_paper *paper = synthetic_paper();
        set_regret(paper, SEGUE_STUDY_TESTING, "paper", "ucb-test", cases[i].without, 1.0);
        set_regret(paper, SEGUE_STUDY_TESTING, "testable", "ucb-test", cases[i].with, 1.0);
        assert_int_equal(judged(segue_claims_check_testing, paper), cases[i].verdict);
        destroy_synthetic_paper(paper);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identification_is_compared_with_its_own_control),
        cmocka_unit_test(three_pulls_are_judged_by_how_fast_the_error_falls),
        cmocka_unit_test(the_cause_is_judged_by_signs),
        cmocka_unit_test(the_cause_is_read_from_the_control),
        cmocka_unit_test(weights_are_judged_by_regret_and_by_the_worst_run),
        cmocka_unit_test(a_frozen_estimate_is_compared_at_the_same_c),
        cmocka_unit_test(a_test_is_judged_by_the_share_that_it_saves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
