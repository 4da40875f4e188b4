/* test_claims_ours.c - our claims, and the questions that the paper leaves open: results for each of
 * their verdicts. SPDX-License-Identifier: Apache-2.0 */
#include "claims_fixture.h"

/* A claim that compares policies of one experiment with a level of 100: all less, one less, all
 * more, none different. */
typedef struct claim {
    segue_claims_check_function *check;
    const char *policy[4]; /* the first may be alone; others up to NULL */
    segue_study study;
    bool larger; /* the claim holds if they have more regret */
} claim;

static void set(segue_paper *paper, const claim *c, size_t first, double mean)
{
    for (size_t i = first; c->policy[i]; i++)
        set_regret(paper, c->study, NULL, c->policy[i], mean, 1.0);
}

static void compared_with_a_level(void **state)
{
    (void)state;
    static const claim claims[] = {
        {segue_claims_check_transfer, {"tts", "tla"}, SEGUE_STUDY_OURS, false},
        {segue_claims_check_sooner, {"tts", "tla"}, SEGUE_STUDY_OURS, false},
        {segue_claims_check_learned, {"tts", "tla"}, SEGUE_STUDY_OURS, false},
        {segue_claims_check_no_identifying, {"tts", "tla"}, SEGUE_STUDY_OURS, false},
        {segue_claims_check_baselines, {"ts", "kl-ucb"}, SEGUE_STUDY_BASELINES, false},
        {segue_claims_check_probing_learned, {"tts", "tucb"}, SEGUE_STUDY_PROBES_TASKS, true},
        {segue_claims_check_probing, {"mts", "mucb"}, SEGUE_STUDY_PROBES, true},
        {segue_claims_check_choices,
         {"tucb:C=1", "tucb:C=0.5", "tucb:C=4"},
         SEGUE_STUDY_TUCB_CHOICES,
         true},
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const claim *c = &claims[i];
        const double good = c->larger ? 150.0 : 50.0, bad = c->larger ? 50.0 : 150.0;
        segue_paper *paper = synthetic_paper();
        assert_int_equal(judged(c->check, paper), UNCLEAR);
        set(paper, c, 0, bad);
        assert_int_equal(judged(c->check, paper), FAILS);
        set(paper, c, 1, good);
        assert_int_equal(judged(c->check, paper), PARTLY);
        set(paper, c, 0, good);
        /* what else is compared */
        set_regret(paper, SEGUE_STUDY_PROBES, "paper-without", "mla", 150.0, 1.0);
        set_regret(paper, SEGUE_STUDY_PROBES, "probes-without", "mla", 150.0, 1.0);
        set_regret(paper, SEGUE_STUDY_TUCB_CHOICES, NULL, "tucb:C=0", 150.0, 1.0);
        assert_int_equal(judged(c->check, paper), HOLDS);
        destroy_synthetic_paper(paper);
    }
}

static void single_runs_and_carried_averages(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_cell *tucb = &paper->results[SEGUE_STUDY_TUCB_TASKS]->cell[1];
    assert_int_equal(judged(segue_claims_check_single_runs, paper), FAILS);
    static const double worst[] = {110.0, 170.0};
    for (size_t i = 0; i < 2; i++) {
        for (size_t p = 0; p < SYNTHETIC_POINTS; p++)
            tucb->track[SEGUE_TRACK_REGRET][p] = worst[i];
        assert_int_equal(judged(segue_claims_check_single_runs, paper), i ? HOLDS : PARTLY);
    }
    assert_int_equal(judged(segue_claims_check_carried, paper), UNCLEAR);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "carried-ucb", 500.0, 1.0);
    assert_int_equal(judged(segue_claims_check_carried, paper), HOLDS);
    set_regret(paper, SEGUE_STUDY_RELATED, NULL, "carried-ucb", 50.0, 1.0);
    assert_int_equal(judged(segue_claims_check_carried, paper), FAILS);
    destroy_synthetic_paper(paper);
}

static void set_error(segue_paper *paper, double start, double end, double eps)
{
    set_line(paper, SEGUE_STUDY_TUCB_TASKS, "tucb", SEGUE_TRACK_ERROR, start, end, 0.0);
    set_line(paper, SEGUE_STUDY_TUCB_TASKS, "tucb", SEGUE_TRACK_EPS, eps, eps, 0.0);
}

static void the_error_of_the_models(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set_error(paper, 0.1, 0.2, 0.15);
    assert_int_equal(judged(segue_claims_check_error, paper), HOLDS);
    set_error(paper, 0.1, 0.2, 0.25);
    assert_int_equal(judged(segue_claims_check_error, paper), PARTLY);
    set_error(paper, 0.2, 0.1, 0.15);
    assert_int_equal(judged(segue_claims_check_error, paper), FAILS);
    set_error(paper, NAN, NAN, 0.15);
    assert_int_equal(judged(segue_claims_check_error, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compared_with_a_level),
        cmocka_unit_test(single_runs_and_carried_averages),
        cmocka_unit_test(the_error_of_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
