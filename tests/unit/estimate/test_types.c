/* test_types.c - types found in simulated tasks, and changes of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "types_fixture.h"

/* The paper's five models, 200 pulls of every arm, 300 tasks.  Of 200 other seeds none came to
 * another number than five; with a probability of 2 % each, 6 of 10 do so with one of 210 * 0.02^6
 * = 1.3e-8.  A type has about 60 tasks, 12000 pulls of an arm: its mean is off by 0.0046 (1 s.e.)
 * at most, and by 0.05, in any of 350, with a probability far below 1e-6. */
static void five_types_are_found(void **state)
{
    (void)state;
    const int seeds = repeats(10);
    segue_models *models = paper_models();
    int right = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        segue_rng rng;
        segue_rng_init(&rng, 75, seed, 0, 0);
        segue_types *types = new_types(7, seed);
        finish_paper_tasks(types, &rng, 300, 200);
        right += segue_types_count(types) == 5;
        for (size_t k = 0; k < 5 && segue_types_count(types) == 5; k++) {
            double smallest = 1.0;
            for (size_t q = 1; q <= 5; q++) {
                double largest = 0.0;
                for (size_t i = 0; i < 7; i++)
                    largest = fmax(
                        largest, fabs(segue_types_arm(types, q, i).mean - models->mean[k * 7 + i]));
                smallest = fmin(smallest, largest);
            }
            assert_true(smallest < 0.05);
        }
        segue_types_destroy(types);
    }
    assert_true(2 * right >= seeds - 1);
    segue_models_destroy(models);
}

/* Tasks that share nothing, every mean uniform: they are said to be of no type, or of types so wide
 * that a new task is played as if nothing were known.  Of 200 other seeds none came to more than
 * two types; with 2 %, 6 of 10 do so with a probability of 1.3e-8.  The standard deviation of a new
 * task's mean was never below 0.276. */
static void tasks_that_share_nothing_do_no_harm(void **state)
{
    (void)state;
    const int seeds = repeats(10);
    int few = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        double mean[7], sum[7], pulls[7], weight[SEGUE_MAX_FITTED_TYPES + 1], spread = 0.0;
        segue_rng rng;
        segue_rng_init(&rng, 76, seed, 0, 0);
        segue_types *types = new_types(7, seed);
        for (int j = 0; j < 200; j++) {
            for (size_t i = 0; i < 7; i++)
                mean[i] = segue_rng_uniform(&rng);
            play(&rng, 7, mean, 30, false, true, sum, pulls);
            finish(types, sum, pulls);
        }
        few += segue_types_count(types) <= 2;
        segue_types_prior(types, weight);
        for (size_t q = 0; q <= segue_types_count(types); q++)
            for (size_t i = 0; i < 7; i++) {
                const double a = segue_types_a(types)[q * 7 + i];
                const double b = segue_types_b(types)[q * 7 + i];
                spread += weight[q] / 7 * sqrt(a * b / (a + b + 1)) / (a + b);
            }
        assert_true(spread > 0.2); /* a uniform number has 0.289 */
        segue_types_destroy(types);
    }
    assert_true(2 * few >= seeds - 1);
}

/* Another set of types from task 200 on: the alarm, or that the old ones are gone, brings fits, and
 * the old ones are given up. */
static void types_that_are_gone_are_given_up(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 77, 0, 0, 0);
    const double old[2][3] = {{0.9, 0.1, 0.5}, {0.1, 0.9, 0.5}};
    const double fresh[2][3] = {{0.5, 0.5, 0.05}, {0.4, 0.3, 0.95}};
    segue_types *types = new_types(3, 1);
    double sum[3], pulls[3], share[SEGUE_MAX_FITTED_TYPES + 1];
    for (int j = 0; j < 400; j++) {
        const double *mean = j < 200 ? old[j % 2] : fresh[j % 2];
        play(&rng, 3, mean, 100, false, true, sum, pulls);
        finish(types, sum, pulls);
        if (j == 199)
            assert_int_equal(segue_types_count(types), 2);
    }
    assert_int_equal(segue_types_count(types), 2);
    assert_true(segue_types_in_window(types) <= 200); /* of 400: all the old ones are gone too */
    play(&rng, 3, old[0], 100, false, true, sum, pulls);
    (void)segue_types_posterior(types, sum, pulls, share);
    assert_true(share[0] > 0.99); /* it is of no type any more */
    segue_types_destroy(types);
}

/* 2 x `side` tasks, of the first two models up to the middle and of the last two after it. */
static task_window tasks_of_two_times(segue_rng *rng, const double mean[4][3], size_t side)
{
    task_window tasks;
    double sum[3], pulls[3];
    segue_task_window_init(&tasks, 3, 512);
    assert_ok(segue_task_window_reserve(&tasks, 2 * side, NULL));
    for (size_t l = 0; l < 2 * side; l++) {
        play(rng, 3, mean[2 * (l / side) + l % 2], 100, false, true, sum, pulls);
        segue_task_window_add(&tasks, l + 1, sum, pulls);
    }
    return tasks;
}

/* Return true if a change is detected in the middle, where there may be one. */
static bool is_change_seen(segue_rng *rng, const double mean[4][3], size_t side)
{
    task_window tasks = tasks_of_two_times(rng, mean, side);
    const segue_change_point cut = {.last = side, .now = 2 * side};
    const mixture_refit_options options = {.now = cut.now};
    bool has_changed = false;
    mixture mix;
    assert_ok(segue_mixture_init(&mix, 3, 16, NULL));
    assert_ok(segue_mixture_refit(&mix, &tasks, &options, rng, NULL));
    assert_ok(segue_change_detect(&has_changed, &mix, &tasks, &cut, rng, NULL));
    segue_change_forget(&tasks, &cut);
    assert_int_equal(tasks.count, side);
    segue_mixture_fini(&mix);
    segue_task_window_fini(&tasks);
    return has_changed;
}

/* Two types that stay; two others; and too few tasks to tell.  The models are so far apart that
 * 100 pulls of each arm tell them with an error below 1e-9 a task. */
static void a_change_is_distinguished_from_none(void **state)
{
    (void)state;
    const double same[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.9, .1, .5}, {.1, .9, .5}};
    const double others[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .5, .05}, {.4, .3, .95}};
    segue_rng rng;
    segue_rng_init(&rng, 78, 0, 0, 0);
    for (size_t side = 4; side <= 128; side *= 2) {
        assert_false(is_change_seen(&rng, same, side));
        assert_int_equal(is_change_seen(&rng, others, side), side >= MIN_SIDE);
    }
}

/* After a change there are no types for eight tasks, and nothing remains of the tasks before. */
static void a_change_begins_anew(void **state)
{
    (void)state;
    const double mean[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .5, .05}, {.4, .3, .95}};
    segue_rng rng;
    segue_rng_init(&rng, 79, 0, 0, 0);
    segue_types *types = new_types(3, 1);
    double sum[3], pulls[3];
    size_t without = 0;
    for (size_t j = 0; j < 260; j++) {
        play(&rng, 3, mean[2 * (j / 200) + j % 2], 100, false, true, sum, pulls);
        finish(types, sum, pulls);
        without += j >= 200 && segue_types_count(types) == 0;
    }
    assert_int_equal(without, 8);
    assert_int_equal(segue_types_count(types), 2);
    assert_int_equal(segue_types_in_window(types), 60);
    segue_types_destroy(types);
}

/* When fits are due: at 8 tasks, 12, 16, 20, 26, ... */
static void fits_are_due_as_tasks_grow(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    uint64_t due = 8;
    for (uint64_t j = 1; j <= 100; j++) {
        const double sum[2] = {8, 2}, pulls[2] = {10, 10};
        assert_ok(segue_types_add_task(types, sum, pulls, NULL));
        assert_int_equal(segue_types_due(types), j == due);
        if (j < due)
            continue;
        assert_ok(segue_types_refit(types, NULL));
        due = j + (j * 3 / 10 > 4 ? j * 3 / 10 : 4);
    }
    segue_types_destroy(types);
}

static void a_surprise_raises_none_at_once(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    const double sum[2] = {90, 10}, other[2] = {10, 90}, pulls[2] = {100, 100};
    double before[SEGUE_MAX_FITTED_TYPES + 1], after[SEGUE_MAX_FITTED_TYPES + 1];
    for (int j = 0; j < 100; j++)
        finish(types, sum, pulls);
    segue_types_prior(types, before);
    assert_true(before[0] >= 0.005 && before[0] < 0.011); /* 1 of 102 */
    for (int k = 1; k <= 3; k++)
        assert_ok(segue_types_add_task(types, other, pulls, NULL));
    segue_types_prior(types, after);
    assert_true(after[0] > 0.4); /* 1 - 0.8^3 = 0.488 */
    assert_near(after[0] + after[1], 1.0, 1e-12);
    assert_false(segue_types_due(types));
    assert_ok(segue_types_add_task(types, other, pulls, NULL));
    assert_true(segue_types_due(types)); /* 4 (1 - w) > 3 */
    segue_types_destroy(types);
}

/* The cap holds, and a hint does no more than help the first fit. */
static void a_cap_holds(void **state)
{
    (void)state;
    for (size_t cap = 1; cap <= 3; cap++) {
        segue_rng rng;
        segue_rng_init(&rng, 78, cap, 0, 0);
        segue_types_config config = segue_types_defaults();
        segue_types *types = NULL;
        config.n_arms = 7;
        config.cap = cap;
        config.hint = 12;
        assert_ok(segue_types_create(&types, &config, NULL));
        finish_paper_tasks(types, &rng, repeats(200), 100);
        assert_true(segue_types_count(types) <= cap);
        segue_types_destroy(types);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_types_are_found),
        cmocka_unit_test(tasks_that_share_nothing_do_no_harm),
        cmocka_unit_test(types_that_are_gone_are_given_up),
        cmocka_unit_test(a_change_is_distinguished_from_none),
        cmocka_unit_test(a_change_begins_anew),
        cmocka_unit_test(fits_are_due_as_tasks_grow),
        cmocka_unit_test(a_surprise_raises_none_at_once),
        cmocka_unit_test(a_cap_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
