/* test_stats.c - running moments, quantiles, Student's t.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void running_moments_equal_the_two_pass_ones(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 16, 0, 0, 0);
    double x[1000], sum = 0, squares = 0;
    segue_stats all = {0}, left = {0}, right = {0};
    for (size_t i = 0; i < 1000; i++) {
        x[i] = 1e6 + segue_rng_normal(&rng);
        sum += x[i];
        segue_stats_add(&all, x[i]);
        segue_stats_add(i < 300 ? &left : &right, x[i]);
    }
    for (size_t i = 0; i < 1000; i++)
        squares += (x[i] - sum / 1000) * (x[i] - sum / 1000);
    assert_near(all.mean, sum / 1000, 1e-8);
    assert_near(segue_stats_variance(&all), squares / 999, 1e-8);
    assert_near(segue_stats_standard_error(&all), sqrt(squares / 999 / 1000), 1e-8);
    segue_stats_merge(&left, &right);
    assert_int_equal(left.count, 1000);
    assert_near(left.mean, all.mean, 1e-8);
    assert_near(left.squares, all.squares, 1e-6);
}

static void too_few_numbers_have_no_error(void **state)
{
    (void)state;
    segue_stats stats = {0}, none = {0};
    assert_true(isnan(segue_stats_standard_error(&stats)));
    segue_stats_add(&stats, 3.0);
    assert_true(isnan(segue_stats_variance(&stats)));
    segue_stats_merge(&stats, &none);
    assert_int_equal(stats.count, 1);
    segue_stats_merge(&none, &stats);
    assert_near(none.mean, 3.0, 0.0);
}

static void quantiles_go_between_the_numbers(void **state)
{
    (void)state;
    double x[] = {4, 1, 3, 2};
    assert_near(segue_stats_quantile(x, 4, 0.0), 1.0, 0.0);
    assert_near(segue_stats_quantile(x, 4, 0.5), 2.5, 1e-15);
    assert_near(segue_stats_quantile(x, 4, 1.0), 4.0, 0.0);
    assert_near(segue_stats_quantile(x, 4, 0.25), 1.75, 1e-15);
    assert_near(segue_stats_quantile(x, 1, 0.7), 1.0, 0.0);
}

/* Published quantiles of Student's t, to three decimals. */
static void few_numbers_give_wider_intervals(void **state)
{
    (void)state;
    static const struct {
        uint64_t freedom;
        double quantile;
    } table[] = {{1, 12.706}, {2, 4.303}, {3, 3.182},  {4, 2.776},  {5, 2.571},
                 {6, 2.447},  {9, 2.262}, {10, 2.228}, {30, 2.042}, {120, 1.980}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_near(segue_stats_student_95(table[i].freedom + 1), table[i].quantile, 5e-4);
    assert_true(isnan(segue_stats_student_95(1)));
    assert_near(segue_stats_student_95(1000000), 1.959964, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_moments_equal_the_two_pass_ones),
        cmocka_unit_test(too_few_numbers_have_no_error),
        cmocka_unit_test(quantiles_go_between_the_numbers),
        cmocka_unit_test(few_numbers_give_wider_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
