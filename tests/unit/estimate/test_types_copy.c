/* test_types_copy.c - types as bytes, copied, merged, stopped, and with more arms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "types_fixture.h"

static segue_bytes bytes_of(const segue_types *types)
{
    segue_bytes b = {.data = NULL};
    segue_types_serialize(types, &b);
    assert_false(b.failed);
    return b;
}

static void assert_same(const segue_types *a, const segue_types *b)
{
    segue_bytes left = bytes_of(a), right = bytes_of(b);
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
    segue_bytes_fini(&left);
    segue_bytes_fini(&right);
}

static segue_types *reread(const segue_types *types, uint64_t seed)
{
    segue_bytes b = bytes_of(types);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    segue_types *again = new_types(segue_types_arms(types), seed);
    assert_ok(segue_types_deserialize(again, &r, NULL));
    assert_int_equal(r.at, r.size);
    segue_bytes_fini(&b);
    return again;
}

/* Both go on with the same tasks, and stay the same to the last bit; also over a full window. */
static void what_is_saved_goes_on_bit_for_bit(void **state)
{
    (void)state;
    const int counts[] = {0, 5, 60, 700};
    for (size_t k = 0; k < (repeats(10) < 10 ? 3 : 4); k++) {
        segue_rng rng, same;
        segue_rng_init(&rng, 79, k, 0, 0);
        segue_types *types = new_types(7, 5);
        finish_paper_tasks(types, &rng, counts[k], 20);
        segue_types *again = reread(types, 5);
        assert_same(types, again);
        same = rng;
        finish_paper_tasks(types, &rng, 300, 20);
        finish_paper_tasks(again, &same, 300, 20);
        assert_same(types, again);
        segue_types_destroy(types);
        segue_types_destroy(again);
    }
}

/* Fits from no types, and from those of an earlier fit. */
static void a_stop_leaves_the_types_of_the_last_fit(void **state)
{
    (void)state;
    const int counts[] = {0, 60};
    for (size_t k = 0; k < 2; k++) {
        atomic_bool stop = true;
        segue_error err;
        segue_rng rng;
        segue_rng_init(&rng, 86, k, 0, 0);
        segue_types *types = new_types(7, 5);
        finish_paper_tasks(types, &rng, counts[k], 20);
        add_paper_tasks(types, &rng, 40, 20);
        segue_types *before = reread(types, 5);
        assert_int_equal(segue_types_refit_until_stable(types, &stop, &err), SEGUE_ESTOPPED);
        assert_string_equal(err.message, "it was stopped before its end");
        assert_same(types, before);
        atomic_store(&stop, false);
        assert_ok(segue_types_refit_until_stable(types, &stop, NULL));
        assert_ok(segue_types_refit_until_stable(before, NULL, NULL));
        assert_same(types, before);
        assert_true(segue_types_count(types) > 0);
        segue_types_destroy(types);
        segue_types_destroy(before);
    }
}

static void broken_bytes_are_refused(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 80, 0, 0, 0);
    segue_types *types = new_types(7, 5);
    finish_paper_tasks(types, &rng, 20, 20);
    segue_bytes b = bytes_of(types);
    for (size_t size = 0; size < b.size; size += 7) { /* cut short */
        segue_bytes_reader r = {.data = b.data, .size = size};
        segue_types *again = new_types(7, 5);
        assert_int_equal(segue_types_deserialize(again, &r, NULL), SEGUE_EDOMAIN);
        segue_types_destroy(again);
    }
    for (size_t at = 0; at + 8 <= b.size; at += 8) { /* a number that is none */
        unsigned char saved[8];
        memcpy(saved, b.data + at, 8);
        memset(b.data + at, 0xff, 8);
        segue_bytes_reader r = {.data = b.data, .size = b.size};
        segue_types *again = new_types(7, 5);
        if (segue_types_deserialize(again, &r, NULL) == SEGUE_OK)
            check_numbers(again);
        segue_types_destroy(again);
        memcpy(b.data + at, saved, 8);
    }
    segue_bytes_fini(&b);
    segue_types_destroy(types);
}

/* Of the bytes: 6 numbers of the schedule, the count, the weights, the last tasks, the numbers. */
static void two_types_with_one_number_are_refused(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 82, 0, 0, 0);
    segue_types *types = new_types(7, 5), *again = new_types(7, 5);
    finish_paper_tasks(types, &rng, 60, 20);
    const size_t count = segue_types_count(types), at = 8 * (6 + 1 + count + 1 + count);
    assert_true(count > 1);
    segue_bytes b = bytes_of(types);
    memcpy(b.data + at, b.data + at + 8, 8);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    assert_int_equal(segue_types_deserialize(again, &r, NULL), SEGUE_EDOMAIN);
    segue_bytes_fini(&b);
    segue_types_destroy(types);
    segue_types_destroy(again);
}

/* A copy is refitted while tasks go on; then nothing shows of it: the same tasks finished in the
 * refitted types give the same. */
static void a_refitted_copy_is_adopted_with_what_came_meanwhile(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 81, 0, 0, 0);
    segue_models *models = paper_models();
    for (int meanwhile = 0; meanwhile <= 30; meanwhile += 15) {
        segue_types *types = new_types(7, 5), *copy = NULL, *plain = NULL;
        finish_paper_tasks(types, &rng, 40, 30);
        assert_ok(segue_types_copy(&copy, types, NULL));
        assert_same(types, copy);
        assert_ok(segue_types_copy(&plain, types, NULL));
        assert_ok(segue_types_refit(copy, NULL));
        assert_ok(segue_types_refit(plain, NULL));
        for (int j = 0; j < meanwhile; j++) {
            double sum[7], pulls[7];
            play(&rng, 7, models->mean + j % 5 * 7, 30, false, true, sum, pulls);
            assert_ok(segue_types_add_task(types, sum, pulls, NULL));
            assert_ok(segue_types_add_task(plain, sum, pulls, NULL));
        }
        assert_ok(segue_types_adopt(types, copy, NULL));
        assert_same(types, plain);
        segue_types_destroy(types);
        segue_types_destroy(copy);
        segue_types_destroy(plain);
    }
    segue_models_destroy(models);
}

static void only_copies_are_adopted(void **state)
{
    (void)state;
    const double sum[3] = {0}, pulls[3] = {0};
    segue_types *types = new_types(3, 1), *copy = NULL, *other = new_types(3, 2);
    assert_ok(segue_types_copy(&copy, types, NULL));
    assert_int_equal(segue_types_adopt(types, other, NULL), SEGUE_EDOMAIN);
    assert_ok(segue_types_add_task(copy, sum, pulls, NULL)); /* it is ahead */
    assert_int_equal(segue_types_adopt(types, copy, NULL), SEGUE_EDOMAIN);
    assert_ok(segue_types_add_task(types, sum, pulls, NULL));
    assert_ok(segue_types_resize(types, 4, NULL));
    assert_int_equal(segue_types_adopt(types, copy, NULL), SEGUE_EDOMAIN);
    segue_types_destroy(types);
    segue_types_destroy(copy);
    segue_types_destroy(other);
}

/* One has seen two types, the other two more: together they know all four. */
static void merged_types_know_what_both_knew(void **state)
{
    (void)state;
    const double mean[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .1, .9}, {.1, .5, .1}};
    segue_rng rng;
    segue_rng_init(&rng, 82, 0, 0, 0);
    segue_types *left = new_types(3, 1), *right = new_types(3, 2), *wider = new_types(4, 1);
    double sum[3], pulls[3];
    for (int j = 0; j < 120; j++) {
        play(&rng, 3, mean[j % 2], 100, false, true, sum, pulls);
        finish(left, sum, pulls);
        play(&rng, 3, mean[2 + j % 2], 100, false, true, sum, pulls);
        finish(right, sum, pulls);
    }
    assert_ok(segue_types_merge(left, right, NULL));
    assert_int_equal(segue_types_tasks(left), 240);
    assert_int_equal(segue_types_in_window(left), 240);
    assert_int_equal(segue_types_count(left), 4);
    assert_int_equal(segue_types_count(right), 2);
    check_numbers(left);
    assert_int_equal(segue_types_merge(left, wider, NULL), SEGUE_EDOMAIN);
    segue_types_destroy(left);
    segue_types_destroy(right);
    segue_types_destroy(wider);
}

/* Of full windows, the newer halves stay, in turn and in their order. */
static void merged_windows_keep_the_newest_of_both(void **state)
{
    (void)state;
    segue_types_config config = segue_types_defaults();
    config.window = 16;
    segue_types *both[2];
    for (size_t k = 0; k < 2; k++) {
        assert_ok(segue_types_create(&both[k], &config, NULL));
        for (int j = 0; j < (k ? 20 : 6); j++) {
            const double sum[2] = {0, 0}, pulls[2] = {100.0 * (double)k + j, 1};
            finish(both[k], sum, pulls);
        }
    }
    assert_ok(segue_types_merge(both[0], both[1], NULL));
    const double expected[16] = {110, 111, 112, 113, 114, 0, 115, 1,
                                 116, 2,   117, 3,   118, 4, 119, 5};
    double seen[16];
    for (size_t l = 0; l < 16; l++) {
        seen[l] = segue_task_window_pulls(&both[0]->tasks, l)[0];
        assert_int_equal(segue_task_window_number(&both[0]->tasks, l), 26 - 15 + l);
        assert_near(seen[l], expected[l], 0.0);
    }
    segue_types_destroy(both[0]);
    segue_types_destroy(both[1]);
}

/* A new arm is unknown to every type until it is pulled; the others are as they were. */
static void an_arm_can_be_added(void **state)
{
    (void)state;
    segue_types *types = new_types(2, 1);
    const double sum[3] = {9, 1, 8}, pulls[3] = {10, 10, 10};
    for (int j = 0; j < 40; j++)
        finish(types, sum, pulls);
    const segue_type_arm before = segue_types_arm(types, 1, 0);
    assert_ok(segue_types_resize(types, 3, NULL));
    assert_int_equal(segue_types_arms(types), 3);
    assert_near(segue_types_arm(types, 1, 0).mean, before.mean, 0.0);
    const segue_type_arm added = segue_types_arm(types, 1, 2);
    assert_near(added.mean, 0.5, 0.0);
    assert_near(added.low, 0.0, 1e-12);
    assert_near(added.high, 1.0, 1e-12);
    assert_near(segue_types_a(types)[5], segue_types_b(types)[5], 0.0);
    for (int j = 0; j < 40; j++)
        finish(types, sum, pulls);
    check_numbers(types);
    assert_near(segue_types_arm(types, 1, 2).mean, 0.8, 0.02);
    assert_int_equal(segue_types_resize(types, 2, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_types_resize(types, SEGUE_MAX_ARMS + 1, NULL), SEGUE_EDOMAIN);
    segue_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_goes_on_bit_for_bit),
        cmocka_unit_test(a_stop_leaves_the_types_of_the_last_fit),
        cmocka_unit_test(broken_bytes_are_refused),
        cmocka_unit_test(two_types_with_one_number_are_refused),
        cmocka_unit_test(a_refitted_copy_is_adopted_with_what_came_meanwhile),
        cmocka_unit_test(only_copies_are_adopted),
        cmocka_unit_test(merged_types_know_what_both_knew),
        cmocka_unit_test(merged_windows_keep_the_newest_of_both),
        cmocka_unit_test(an_arm_can_be_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
