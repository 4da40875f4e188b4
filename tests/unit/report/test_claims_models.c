/* test_claims_models.c - the claims on the model set and on policies that know it: results for each
 * of their verdicts. SPDX-License-Identifier: Apache-2.0 */
#include "claims_fixture.h"

static void set(segue_paper *paper, const char *policy, uint64_t steps, double mean)
{
    set_regret_at(paper, SEGUE_STUDY_LENGTHS, policy, steps, mean, 1.0);
}

static void the_tables(void **state)
{
    (void)state;
    static const double rows[5][3] = {{22.315, 14.875, 2.335},
                                      {23.325, 15.585, 8.485},
                                      {33.915, 25.215, 2.085},
                                      {17.915, 11.175, 3.485},
                                      {35.415, 8.765, 0.001}};
    segue_paper *paper = synthetic_paper();
    memcpy(paper->complexity, rows, sizeof rows);
    assert_int_equal(judged(segue_claims_check_table, paper), HOLDS);
    paper->complexity[4][1] = 8.746;
    assert_int_equal(judged(segue_claims_check_table, paper), PARTLY);
    memset(paper->complexity, 0, sizeof rows);
    assert_int_equal(judged(segue_claims_check_table, paper), FAILS);
    assert_int_equal(judged(segue_claims_check_spectrum, paper), HOLDS);
    paper->spectrum.gap = 0.1;
    assert_int_equal(judged(segue_claims_check_spectrum, paper), PARTLY);
    paper->spectrum.sigma_min = 0.1;
    assert_int_equal(judged(segue_claims_check_spectrum, paper), FAILS);
    paper->spectrum.sigma_min = NAN;
    assert_int_equal(judged(segue_claims_check_spectrum, paper), UNCLEAR);
    segue_models_destroy(paper->models);
    paper->models = models_of(2, 2, (double[]){0.9, 0.1, 0.2, 0.7});
    assert_int_equal(judged(segue_claims_check_table, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void the_order(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_finding finding = {.id = "order"};
    assert_int_equal(judged(segue_claims_check_order, paper), UNCLEAR);
    assert_int_equal(judged(segue_claims_check_mucb_never_worse, paper), UNCLEAR);
    set(paper, "mucb", 1000, 50.0);
    set(paper, "mucb", 2000, 50.0);
    assert_int_equal(judged(segue_claims_check_order, paper), PARTLY);
    assert_int_equal(judged(segue_claims_check_mucb_never_worse, paper), PARTLY);
    segue_claims_check_order(paper, &finding);
    assert_non_null(strstr(finding.text, "at every n played from n = 1000 on. At n = 100: UCB"));
    assert_int_equal(finding.n_comparisons, 6);
    set(paper, "mucb", 100, 50.0);
    assert_int_equal(judged(segue_claims_check_order, paper), HOLDS);
    assert_int_equal(judged(segue_claims_check_mucb_never_worse, paper), HOLDS);
    set(paper, "mucb", 100, 110.0);
    assert_int_equal(judged(segue_claims_check_order, paper), PARTLY);
    assert_int_equal(judged(segue_claims_check_mucb_never_worse, paper), FAILS);
    set(paper, "mucb", 1000, 150.0);
    set(paper, "mucb", 2000, 150.0);
    assert_int_equal(judged(segue_claims_check_order, paper), FAILS);
    destroy_synthetic_paper(paper);
}

static void the_prediction(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    set(paper, "ucb", 2000, 260.0);
    set(paper, "ucb+", 2000, 150.0);
    set(paper, "mucb", 2000, 33.0);
    assert_int_equal(judged(segue_claims_check_prediction, paper), HOLDS);
    set(paper, "mucb", 2000, 60.0);
    assert_int_equal(judged(segue_claims_check_prediction, paper), PARTLY);
    set(paper, "mucb", 2000, 200.0);
    assert_int_equal(judged(segue_claims_check_prediction, paper), FAILS);
    paper->average[SEGUE_COLUMN_MUCB] = NAN;
    assert_int_equal(judged(segue_claims_check_prediction, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

/* The flat arm of the paper's models is the third; the smallest gap to it is 0.275, of model 4. From
 * n = 1000 to 2000 stuck costs 275 or more, and 5 % of it is 14 or more. */
static void stuck_on_an_arm(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_results *lengths = paper->results[SEGUE_STUDY_LENGTHS];
    set(paper, "mucb", 2000, 101.0);
    assert_int_equal(judged(segue_claims_check_stuck, paper), HOLDS);
    for (size_t i = 0; i < lengths->n_cells; i++)
        if (strcmp(lengths->cell[i].policy, "mucb") == 0 && lengths->cell[i].steps == 2000)
            lengths->cell[i].by_model[3].mean = 100.0 + 275.0;
    assert_int_equal(judged(segue_claims_check_stuck, paper), PARTLY);
    set(paper, "mucb", 2000, 600.0);
    assert_int_equal(judged(segue_claims_check_stuck, paper), FAILS);
    set_regret_at(paper, SEGUE_STUDY_LENGTHS, "mucb", 2000, 110.0, 50.0);
    assert_int_equal(judged(segue_claims_check_stuck, paper), UNCLEAR);
    destroy_synthetic_paper(paper);
}

static void challenging_models(void **state)
{
    (void)state;
    segue_paper *paper = synthetic_paper();
    segue_regret *by_model = paper->ucb->by_model;
    assert_int_equal(judged(segue_claims_check_challenging, paper), UNCLEAR);
    by_model[0].mean = 120.0;
    assert_int_equal(judged(segue_claims_check_challenging, paper), PARTLY);
    by_model[4].mean = 120.0;
    assert_int_equal(judged(segue_claims_check_challenging, paper), HOLDS);
    by_model[0].mean = by_model[4].mean = 80.0;
    assert_int_equal(judged(segue_claims_check_challenging, paper), FAILS);
    destroy_synthetic_paper(paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables),         cmocka_unit_test(the_order),
        cmocka_unit_test(the_prediction),     cmocka_unit_test(stuck_on_an_arm),
        cmocka_unit_test(challenging_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
