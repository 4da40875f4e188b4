/* test_types_saved.c - types as bytes, and stopped fits.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_goes_on_bit_for_bit),
        cmocka_unit_test(a_stop_leaves_the_types_of_the_last_fit),
        cmocka_unit_test(broken_bytes_are_refused),
        cmocka_unit_test(two_types_with_one_number_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
