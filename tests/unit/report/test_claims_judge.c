/* test_claims_judge.c - every verdict function returns each of its outcomes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "report/claims/judge.h"

enum {
    HOLDS = SEGUE_VERDICT_HOLDS,
    PARTLY = SEGUE_VERDICT_PARTLY,
    FAILS = SEGUE_VERDICT_FAILS,
    UNCLEAR = SEGUE_VERDICT_UNCLEAR
};

static segue_compare_counts of(size_t right, size_t wrong, size_t open)
{
    return (segue_compare_counts){.right = right, .wrong = wrong, .open = open};
}

static void of_comparisons(void **state)
{
    (void)state;
    assert_int_equal(segue_judge_all(of(3, 0, 0)), HOLDS);
    assert_int_equal(segue_judge_all(of(3, 0, 1)), PARTLY);
    assert_int_equal(segue_judge_all(of(3, 1, 0)), PARTLY);
    assert_int_equal(segue_judge_all(of(0, 1, 2)), FAILS);
    assert_int_equal(segue_judge_all(of(0, 0, 3)), UNCLEAR);
    assert_int_equal(segue_judge_all(of(0, 0, 0)), UNCLEAR);
    assert_int_equal(segue_judge_never(of(3, 0, 0)), HOLDS);
    assert_int_equal(segue_judge_never(of(3, 0, 1)), PARTLY);
    assert_int_equal(segue_judge_never(of(30, 1, 0)), FAILS);
    assert_int_equal(segue_judge_never(of(0, 0, 3)), UNCLEAR);
}

static void of_tables_and_theory(void **state)
{
    (void)state;
    assert_int_equal(segue_judge_table(18, 18), HOLDS);
    assert_int_equal(segue_judge_table(15, 18), PARTLY);
    assert_int_equal(segue_judge_table(14, 18), FAILS);
    assert_int_equal(segue_judge_table(0, 0), UNCLEAR);
    assert_int_equal(segue_judge_spectrum(0.00393, 0.00377), HOLDS);
    assert_int_equal(segue_judge_spectrum(0.00393, 0.0042), PARTLY);
    assert_int_equal(segue_judge_spectrum(0.0045, 0.0042), FAILS);
    assert_int_equal(segue_judge_spectrum(NAN, 0.0038), UNCLEAR);
    assert_int_equal(segue_judge_bounds((segue_judge_exceeded){9, 0}, (segue_judge_exceeded){9, 0}),
                     HOLDS);
    assert_int_equal(segue_judge_bounds((segue_judge_exceeded){9, 0}, (segue_judge_exceeded){9, 2}),
                     PARTLY);
    assert_int_equal(segue_judge_bounds((segue_judge_exceeded){9, 1}, (segue_judge_exceeded){9, 0}),
                     FAILS);
    assert_int_equal(segue_judge_bounds((segue_judge_exceeded){0, 0}, (segue_judge_exceeded){9, 0}),
                     UNCLEAR);
}

static void of_ratios(void **state)
{
    (void)state;
    const double expected[] = {2.0, 8.0};
    assert_int_equal(segue_judge_prediction(expected, (double[]){2.2, 7.0}), HOLDS);
    assert_int_equal(segue_judge_prediction(expected, (double[]){1.5, 4.5}), PARTLY);
    assert_int_equal(segue_judge_prediction(expected, (double[]){4.5, 1.5}), FAILS);
    assert_int_equal(segue_judge_prediction(expected, (double[]){4.5, NAN}), UNCLEAR);
    assert_int_equal(segue_judge_start(-0.02), HOLDS);
    assert_int_equal(segue_judge_start(0.07), PARTLY);
    assert_int_equal(segue_judge_start(-0.2), FAILS);
    assert_int_equal(segue_judge_start(NAN), UNCLEAR);
    assert_int_equal(segue_judge_single_runs(80.0, 101.0), HOLDS);
    assert_int_equal(segue_judge_single_runs(80.0, 90.0), PARTLY);
    assert_int_equal(segue_judge_single_runs(80.0, 81.0), FAILS);
    assert_int_equal(segue_judge_single_runs(80.0, NAN), UNCLEAR);
}

static void of_curves(void **state)
{
    (void)state;
    assert_int_equal(segue_judge_complexity(1, 1, 0), HOLDS);
    assert_int_equal(segue_judge_complexity(1, 1, 18), PARTLY);
    assert_int_equal(segue_judge_complexity(-1, 1, 0), FAILS);
    assert_int_equal(segue_judge_complexity(1, -1, 0), FAILS);
    assert_int_equal(segue_judge_complexity(0, 1, 0), UNCLEAR);
    assert_int_equal(segue_judge_complexity(1, 0, 0), UNCLEAR);
    assert_int_equal(segue_judge_remark(400.0, 1000.0), HOLDS);
    assert_int_equal(segue_judge_remark(600.0, 1000.0), PARTLY);
    assert_int_equal(segue_judge_remark(1001.0, 1000.0), FAILS);
    assert_int_equal(segue_judge_remark(NAN, 1000.0), FAILS);
    assert_int_equal(segue_judge_remark(600.0, NAN), UNCLEAR);
    assert_int_equal(segue_judge_error(true, 0.1, 0.13, 0.09), HOLDS);
    assert_int_equal(segue_judge_error(true, 0.1, 0.11, 0.09), PARTLY);
    assert_int_equal(segue_judge_error(true, 0.1, 0.13, 0.2), PARTLY);
    assert_int_equal(segue_judge_error(false, 0.1, 0.13, 0.2), FAILS);
    assert_int_equal(segue_judge_error(true, NAN, 0.13, 0.2), UNCLEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_comparisons),
        cmocka_unit_test(of_tables_and_theory),
        cmocka_unit_test(of_ratios),
        cmocka_unit_test(of_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
