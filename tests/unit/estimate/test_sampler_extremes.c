/* test_sampler_extremes.c - sampled types of extreme tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sampler_fixture.h"

typedef void (*make_task)(int j, double *sum, double *pulls);

static void all_zeros(int j, double *sum, double *pulls)
{
    sum[0] = sum[1] = sum[2] = 0;
    pulls[0] = pulls[1] = pulls[2] = 10 + j % 3;
}

static void all_ones(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    memcpy(sum, pulls, 3 * sizeof *sum);
}

static void one_arm_is_best(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    sum[1] = pulls[1] = 1e6;
}

static void some_arms_are_never_pulled(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    pulls[0] = pulls[2] = 0;
    sum[1] = j % 5;
}

static void nothing_is_pulled(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    pulls[0] = pulls[1] = pulls[2] = 0;
}

static void one_pull(int j, double *sum, double *pulls)
{
    nothing_is_pulled(j, sum, pulls);
    pulls[j % 3] = 1;
    sum[j % 3] = j % 2;
}

static void the_longest(int j, double *sum, double *pulls)
{
    for (size_t i = 0; i < 3; i++) {
        pulls[i] = 1e15;
        sum[i] = (size_t)j % 3 == i ? 1e15 : 0.0;
    }
}

static void the_longest_all_ones(int j, double *sum, double *pulls)
{
    the_longest(j, sum, pulls);
    memcpy(sum, pulls, 3 * sizeof *sum);
}

static void short_and_long(int j, double *sum, double *pulls)
{
    (j % 2 ? the_longest : one_pull)(j, sum, pulls);
}

static void fractions(int j, double *sum, double *pulls)
{
    all_zeros(j, sum, pulls);
    for (size_t i = 0; i < 3; i++)
        sum[i] = pulls[i] * (0.5 + 0.5 * sin(j + 2.0 * (double)i));
}

/* A tiny share of a pull, won or lost. */
static void parts_of_a_pull(int j, double *sum, double *pulls)
{
    for (size_t i = 0; i < 3; i++) {
        pulls[i] = 1e-12;
        sum[i] = (size_t)j % 3 == i ? 1e-12 : 0.0;
    }
}

static void everything_in_turn(int j, double *sum, double *pulls)
{
    const make_task makers[] = {all_zeros, all_ones,  the_longest,      the_longest_all_ones,
                                one_pull,  fractions, nothing_is_pulled};
    makers[(size_t)j / 10 % (sizeof makers / sizeof *makers)](j, sum, pulls);
}

static const make_task makers[] = {
    all_zeros,         all_ones,  one_arm_is_best, some_arms_are_never_pulled,
    nothing_is_pulled, one_pull,  the_longest,     the_longest_all_ones,
    short_and_long,    fractions, parts_of_a_pull, everything_in_turn};

static void extremes_stay_finite(void **state)
{
    (void)state;
    const size_t windows[] = {16, 64};
    for (size_t k = 0; k < 2 * sizeof makers / sizeof *makers; k++) {
        segue_sampler *s = new_sampler(3, 1, windows[k % 2], SEGUE_MAX_TYPES);
        double sum[3], pulls[3];
        for (int j = 0; j < repeats(1000); j++) {
            makers[k / 2](j, sum, pulls);
            learn(s, sum, pulls);
            if (j % 10 == 0)
                check_sampler(s);
        }
        check_sampler(s);
        segue_sampler_destroy(s);
    }
}

/* Refits come late, or never. */
static void numbers_stay_finite_without_refits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
        segue_sampler *s = new_sampler(3, 1, 16, SEGUE_MAX_TYPES);
        double sum[3], pulls[3];
        for (int j = 0; j < repeats(3000); j++) {
            makers[k](j, sum, pulls);
            assert_ok(segue_sampler_add_task(s, sum, pulls, NULL));
            if (j % 10 == 0)
                check_sampler(s);
        }
        segue_sampler_refit(s);
        check_sampler(s);
        segue_sampler_destroy(s);
    }
}

/* Two types that differ only on an arm, from one end of the scale to the other. */
static bool tells_ends_apart(uint64_t seed)
{
    const double pulls[3] = {1000, 1000, 1000}, one[3] = {1000, 0, 0}, two[3] = {1000, 0, 1000};
    const double mean[2][3] = {{1, 0, 0}, {1, 0, 1}};
    segue_sampler *s = new_default(3, seed);
    for (int j = 0; j < 100; j++)
        learn(s, j % 2 ? one : two, pulls);
    check_sampler(s);
    const bool is_right =
        distance_to_model(s, mean[0]) < 0.05 && distance_to_model(s, mean[1]) < 0.05;
    segue_sampler_destroy(s);
    return is_right;
}

static void means_at_the_ends_are_distinguished(void **state)
{
    (void)state;
    assert_by_majority(tells_ends_apart);
}

/* A refit may put a task that is like all others into a type of its own; a later one takes it back. */
static bool keeps_equal_tasks_together(uint64_t seed)
{
    segue_sampler *s = new_sampler(3, seed, 64, SEGUE_MAX_TYPES);
    const double sum[3] = {5, 1, 9}, pulls[3] = {10, 2, 10}, mean[3] = {0.5, 0.5, 0.9};
    for (int j = 0; j < 1000; j++)
        learn(s, sum, pulls);
    check_sampler(s);
    const bool is_right = segue_sampler_size(s, 1) > 32.0 && distance_to_model(s, mean) < 0.1;
    segue_sampler_destroy(s);
    return is_right;
}

static void equal_tasks_stay_together(void **state)
{
    (void)state;
    assert_by_majority(keeps_equal_tasks_together);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    segue_sampler *s = new_default(2, 1);
    const double wrong[][4] = {{-1, 0, 1, 1},       {2, 0, 1, 1},        {NAN, 0, 1, 1},
                               {0, 0, 1, NAN},      {0, 0, INFINITY, 1}, {0, 0, 1, 1e16},
                               {0, INFINITY, 1, 1}, {0, 0, -1, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(segue_sampler_add_task(s, wrong[k], wrong[k] + 2, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_sampler_tasks(s), 0);
    assert_int_equal(segue_sampler_in_window(s), 0);
    assert_false(segue_sampler_due(s));
    segue_sampler_destroy(s);
}

static void assert_refused(segue_sampler_config config)
{
    segue_sampler *none = NULL;
    assert_int_equal(segue_sampler_create(&none, &config, NULL), SEGUE_EDOMAIN);
    assert_null(none);
}

static void configs_out_of_range_are_refused(void **state)
{
    (void)state;
    segue_sampler_config config = segue_sampler_defaults();
    config.n_arms = SEGUE_MIN_ARMS - 1;
    assert_refused(config);
    config.n_arms = SEGUE_MAX_ARMS + 1;
    assert_refused(config);
    config = segue_sampler_defaults();
    config.window = SEGUE_MIN_SAMPLER_WINDOW - 1;
    assert_refused(config);
    config.window = SEGUE_MAX_SAMPLER_WINDOW + 1;
    assert_refused(config);
    config = segue_sampler_defaults();
    config.cap = 0;
    assert_refused(config);
    config.cap = SEGUE_MAX_TYPES + 1;
    assert_refused(config);
    segue_sampler_destroy(NULL);
}

/* A refit of nothing is nothing. */
static void without_tasks_there_are_no_types(void **state)
{
    (void)state;
    segue_sampler *s = new_default(2, 1);
    segue_sampler_refit(s);
    check_sampler(s);
    assert_int_equal(segue_sampler_count(s), 0);
    assert_int_equal(segue_sampler_arms(s), 2);
    assert_true(segue_sampler_bytes(s) > sizeof *s);
    segue_sampler_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(numbers_stay_finite_without_refits),
        cmocka_unit_test(means_at_the_ends_are_distinguished),
        cmocka_unit_test(equal_tasks_stay_together),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(configs_out_of_range_are_refused),
        cmocka_unit_test(without_tasks_there_are_no_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
