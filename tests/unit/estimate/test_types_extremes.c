/* test_types_extremes.c - types of extreme tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "types_fixture.h"

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

static void extremes_stay_finite(void **state)
{
    (void)state;
    const make_task makers[] = {
        all_zeros,         all_ones, one_arm_is_best, some_arms_are_never_pulled,
        nothing_is_pulled, one_pull, the_longest,     short_and_long,
        fractions};
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
        segue_types *types = new_types(3, 1);
        double sum[3], pulls[3];
        for (int j = 0; j < repeats(10000); j++) {
            makers[k](j, sum, pulls);
            finish(types, sum, pulls);
            if (j % 100 == 0)
                check_numbers(types);
        }
        check_numbers(types);
        segue_types_destroy(types);
    }
}

static void a_hundred_thousand_equal_tasks_are_one_type(void **state)
{
    (void)state;
    segue_types *types = new_types(3, 1);
    const double sum[3] = {5, 1, 9}, pulls[3] = {10, 2, 10};
    for (int j = 0; j < repeats(100000); j++)
        finish(types, sum, pulls);
    check_numbers(types);
    assert_int_equal(segue_types_count(types), 1);
    assert_near(segue_types_arm(types, 1, 2).mean, 0.9, 0.01);
    segue_types_destroy(types);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1), *none = NULL;
    const double wrong[][4] = {{-1, 0, 1, 1},       {2, 0, 1, 1},        {NAN, 0, 1, 1},
                               {0, 0, 1, NAN},      {0, 0, INFINITY, 1}, {0, 0, 1, 1e16},
                               {0, INFINITY, 1, 1}, {0, 0, -1, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(segue_types_add_task(types, wrong[k], wrong[k] + 2, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_types_tasks(types), 0);
    segue_types_config config = segue_types_defaults();
    config.n_arms = 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config = segue_types_defaults();
    config.window = SEGUE_MIN_TYPES_WINDOW - 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config.window = SEGUE_MAX_TYPES_WINDOW + 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config = segue_types_defaults();
    config.cap = 0;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    config.cap = SEGUE_MAX_FITTED_TYPES + 1;
    assert_int_equal(segue_types_create(&none, &config, NULL), SEGUE_EDOMAIN);
    assert_null(none);
    segue_types_destroy(types);
}

/* A million tasks that are of no type, without a fit. */
static void a_type_that_is_not_seen_keeps_a_weight(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    const double sum[2] = {90, 10}, pulls[2] = {100, 100}, share[2] = {1.0, 0.0};
    for (int j = 0; j < 20; j++)
        finish(types, sum, pulls);
    assert_int_equal(segue_types_count(types), 1);
    for (int j = 0; j < repeats(1000000); j++)
        segue_mixture_learn(&types->mix, types->tasks.count, share, sum, pulls);
    check_numbers(types);
    segue_types_destroy(types);
}

/* A refit of nothing is nothing. */
static void without_tasks_there_are_no_types(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    double weight[1];
    assert_ok(segue_types_refit(types, NULL));
    check_numbers(types);
    segue_types_prior(types, weight);
    assert_int_equal(segue_types_count(types), 0);
    assert_near(weight[0], 1.0, 0.0);
    segue_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(a_hundred_thousand_equal_tasks_are_one_type),
        cmocka_unit_test(a_type_that_is_not_seen_keeps_a_weight),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(without_tasks_there_are_no_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
