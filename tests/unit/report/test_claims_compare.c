/* test_claims_compare.c - comparisons of a claim are decided together, by Holm's method.
 *
 * With three runs, two degrees of freedom, Student's p-value is 1 - t / sqrt(2 + t^2): the p-values
 * below are computed by hand from it. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "report/claims/compare.h"

/* Add a comparison that lies `t` standard errors from 0, over three runs. */
static void add(segue_compare_family *family, double t)
{
    segue_compare_add(family, (segue_regret){.mean = 100.0 + 5.0 * t, .se = 3.0},
                      (segue_regret){.mean = 100.0, .se = 4.0}, 3);
}

static void check(size_t n, const double *t, const int *expected)
{
    segue_compare_family family = {.n = 0};
    for (size_t i = 0; i < n; i++)
        add(&family, t[i]);
    segue_compare_decide(&family);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(family.item[i].outcome, expected[i]);
}

static void p_values_are_those_of_tables(void **state)
{
    (void)state;
    static const struct {
        double t;
        uint64_t count;
        double p;
    } rows[] = {{12.706, 2, 0.05},  {4.303, 3, 0.05},   {2.093, 20, 0.05},  {2.861, 20, 0.01},
                {3.883, 20, 0.001}, {1.972, 201, 0.05}, {1.96, 20001, 0.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fabs(segue_stats_student_p(rows[i].t, rows[i].count) / rows[i].p - 1.0) < 2e-3);
        assert_true(segue_stats_student_p(rows[i].t, rows[i].count) ==
                    segue_stats_student_p(-rows[i].t, rows[i].count));
    }
    assert_true(segue_stats_student_p(0.0, 5) == 1.0);
    assert_true(segue_stats_student_p(INFINITY, 5) == 0.0);
    assert_true(segue_stats_student_p(1e6, 20) >= 0.0);
    assert_true(isnan(segue_stats_student_p(1.0, 1)) && isnan(segue_stats_student_p(NAN, 5)));
}

/* p(30) = 0.0011, p(10) = 0.0099, p(7) = 0.0198, p(4.5) = 0.0460, p(4) = 0.0572. */
static void holm_decides_as_by_hand(void **state)
{
    (void)state;
    /* alone, 4.5 is decided (0.0460 < 0.05) and 4 is not */
    check(1, (double[]){4.5}, (int[]){1});
    check(1, (double[]){4.0}, (int[]){0});
    /* twice 4.5: 0.0460 is not below 0.05 / 2, and the second is not reached */
    check(2, (double[]){4.5, 4.5}, (int[]){0, 0});
    /* 0.0198 < 0.05 / 2, then 0.0460 < 0.05: both */
    check(2, (double[]){4.5, -7.0}, (int[]){1, -1});
    /* 0.0011 < 0.05 / 3, 0.0198 < 0.05 / 2, 0.0572 > 0.05; 0.05 / 3 for all would not decide 7 */
    check(3, (double[]){4.0, 7.0, 30.0}, (int[]){0, 1, 1});
    /* 0.0198 > 0.05 / 3 ends it at once: 7, 7 and 7 are not decided */
    check(3, (double[]){7.0, 7.0, 7.0}, (int[]){0, 0, 0});
    /* 0.0099 < 0.05 / 3, 0.0198 < 0.05 / 2, 0.0460 < 0.05 */
    check(3, (double[]){-10.0, 4.5, 7.0}, (int[]){-1, 1, 1});
}

static void differences_without_noise_are_certain(void **state)
{
    (void)state;
    segue_compare_family family = {.n = 0};
    segue_compare_add(&family, (segue_regret){.mean = 2.0}, (segue_regret){.mean = 1.0}, 3);
    segue_compare_add(&family, (segue_regret){.mean = 1.0}, (segue_regret){.mean = 1.0}, 3);
    segue_compare_add(&family, (segue_regret){.mean = 2.0, .se = NAN}, (segue_regret){.mean = 1.0},
                      1);
    segue_compare_decide(&family);
    assert_int_equal(family.item[0].outcome, 1);
    assert_int_equal(family.item[1].outcome, 0);
    assert_int_equal(family.item[2].outcome, 0); /* one run says nothing */
}

/* More comparisons than fit are not forgotten: they count as not decided, and in the level. */
static void comparisons_that_do_not_fit_are_not_decided(void **state)
{
    (void)state;
    static segue_compare_family family;
    segue_finding finding = {.n_comparisons = 0};
    for (size_t i = 0; i < SEGUE_MAX_COMPARISONS + 8; i++)
        segue_compare_add(&family, (segue_regret){.mean = 2.0}, (segue_regret){.mean = 1.0}, 3);
    segue_compare_judge(&family, &finding);
    assert_int_equal(finding.verdict, SEGUE_VERDICT_PARTLY);
    assert_int_equal(finding.n_comparisons, SEGUE_MAX_COMPARISONS + 8);
    assert_int_equal(segue_compare_count_all(&family).open, 8);
}

/* Of 1,000 families of ten comparisons without a difference, about 50 have a wrong decision: a
 * binomial (1000, 0.05) is above 50 + 4 sqrt(47.5) = 77 with probability below 1e-4. */
static segue_regret mean_of_five(segue_rng *rng)
{
    segue_stats stats = {.count = 0};
    for (int i = 0; i < 5; i++)
        segue_stats_add(&stats, segue_rng_normal(rng));
    return (segue_regret){.mean = stats.mean, .se = segue_stats_standard_error(&stats)};
}

static void few_families_have_a_wrong_decision(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 16, 0, 0, 0);
    int wrong = 0;
    for (int i = 0; i < 1000; i++) {
        segue_compare_family family = {.n = 0};
        for (int k = 0; k < 10; k++)
            segue_compare_add(&family, mean_of_five(&rng), mean_of_five(&rng), 5);
        segue_compare_decide(&family);
        wrong += segue_compare_count_all(&family).open < 10;
    }
    assert_true(wrong <= 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_values_are_those_of_tables),
        cmocka_unit_test(holm_decides_as_by_hand),
        cmocka_unit_test(differences_without_noise_are_certain),
        cmocka_unit_test(comparisons_that_do_not_fit_are_not_decided),
        cmocka_unit_test(few_families_have_a_wrong_decision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
