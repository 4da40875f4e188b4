/* test_sampler_copy.c - sampled types as bytes, copied, merged, and with more arms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sampler_fixture.h"

static segue_bytes bytes_of(const segue_sampler *s)
{
    segue_bytes b = {.data = NULL};
    segue_sampler_serialize(s, &b);
    assert_false(b.failed);
    return b;
}

static void assert_same(const segue_sampler *a, const segue_sampler *b)
{
    segue_bytes left = bytes_of(a), right = bytes_of(b);
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
    segue_bytes_fini(&left);
    segue_bytes_fini(&right);
}

static segue_sampler *reread(const segue_sampler *s)
{
    segue_bytes b = bytes_of(s);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    segue_sampler *again = NULL;
    assert_ok(segue_sampler_create(&again, &s->config, NULL));
    assert_ok(segue_sampler_deserialize(again, &r, NULL));
    assert_int_equal(r.at, r.size);
    segue_bytes_fini(&b);
    return again;
}

/* Both continue with the same tasks, and stay the same to the last bit; also over a full window. */
static void what_is_saved_continues_bit_for_bit(void **state)
{
    (void)state;
    const int counts[] = {0, 1, 5, 60, 150};
    for (size_t k = 0; k < (repeats(10) < 10 ? 4 : 5); k++) {
        segue_rng rng, same;
        segue_rng_init(&rng, 85, k, 0, 0);
        segue_sampler *s = new_sampler(7, 5, 100, SEGUE_MAX_TYPES);
        learn_paper_tasks(s, &rng, counts[k], 20);
        segue_sampler *again = reread(s);
        assert_same(s, again);
        check_sampler(again);
        same = rng;
        learn_paper_tasks(s, &rng, 150, 20);
        learn_paper_tasks(again, &same, 150, 20);
        assert_same(s, again);
        segue_sampler_destroy(s);
        segue_sampler_destroy(again);
    }
}

/* Also in the middle between two refits. */
static void what_is_saved_between_refits_continues_bit_for_bit(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 86, 0, 0, 0);
    segue_sampler *s = new_sampler(7, 5, 64, SEGUE_MAX_TYPES);
    learn_paper_tasks(s, &rng, 99, 20);
    for (int k = 0; k < 8; k++) {
        segue_rng same = rng;
        segue_sampler *again = reread(s);
        learn_paper_tasks(s, &rng, 1, 20);
        learn_paper_tasks(again, &same, 1, 20);
        assert_same(s, again);
        segue_sampler_destroy(again);
    }
    segue_sampler_destroy(s);
}

/* ---- broken bytes ------------------------------------------------------------------------ */

/* Read bytes; what is accepted must do no harm: numbers stay finite as it learns on. */
static segue_status read_broken(const unsigned char *data, size_t size)
{
    const double sum[3] = {3, 1, 5}, pulls[3] = {5, 5, 5};
    segue_bytes_reader r = {.data = data, .size = size};
    segue_sampler *s = new_sampler(3, 5, 32, SEGUE_MAX_TYPES);
    const segue_status status = segue_sampler_deserialize(s, &r, NULL);
    if (status == SEGUE_OK) {
        check_sampler(s);
        for (int k = 0; k < 3; k++) {
            assert_ok(segue_sampler_add_task(s, sum, pulls, NULL));
            check_sampler(s);
        }
        segue_sampler_refit(s);
        check_sampler(s);
    }
    segue_sampler_destroy(s);
    return status;
}

/* A few types of three arms, and tasks of up to 20 pulls. */
static segue_bytes some_bytes(void)
{
    const double mean[3][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .1, .9}};
    segue_rng rng;
    segue_rng_init(&rng, 87, 0, 0, 0);
    segue_sampler *s = new_sampler(3, 5, 32, SEGUE_MAX_TYPES);
    learn_tasks_of(s, &rng, mean[0], 3, 20, 20);
    assert_true(s->types.n_types > 1);
    segue_bytes b = bytes_of(s);
    segue_sampler_destroy(s);
    return b;
}

static void cut_bytes_are_refused(void **state)
{
    (void)state;
    segue_bytes b = some_bytes();
    for (size_t size = 0; size < b.size; size++)
        assert_int_equal(read_broken(b.data, size), SEGUE_EDOMAIN);
    assert_ok(read_broken(b.data, b.size));
    segue_bytes_fini(&b);
}

static void odd_numbers_are_refused_or_harmless(void **state)
{
    (void)state;
    const double odd[] = {NAN,   INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, -1.0,
                          1e300, 1e16,     1e-300,    0.0,     0.5,      1.0,     1e9,    -5e-324};
    const uint64_t whole[] = {1, 2, 13, 14, 63, 64, 65, 1000, UINT64_C(1) << 53, UINT64_MAX};
    const size_t n_odd = sizeof odd / sizeof *odd, n_whole = sizeof whole / sizeof *whole;
    segue_bytes b = some_bytes();
    size_t refused = 0;
    for (size_t at = 0; at + 8 <= b.size; at += 8 * (size_t)(repeats(100) < 100 ? 5 : 1)) {
        unsigned char saved[8];
        memcpy(saved, b.data + at, 8);
        for (size_t k = 0; k < n_odd + n_whole; k++) {
            memcpy(b.data + at, k < n_odd ? (const void *)&odd[k] : &whole[k - n_odd], 8);
            const segue_status status = read_broken(b.data, b.size);
            assert_true(status == SEGUE_OK || status == SEGUE_EDOMAIN);
            refused += status != SEGUE_OK;
        }
        memcpy(b.data + at, saved, 8);
    }
    assert_true(refused > b.size / 8);
    segue_bytes_fini(&b);
}

/* ---- copies ------------------------------------------------------------------------------ */

/* Add `shift` to the ids from `first` on, and to the next one. */
static void shift_ids_from(segue_sampler *s, uint64_t first, uint64_t shift)
{
    for (size_t c = 0; c < s->types.n_types; c++)
        s->types.id[c] += s->types.id[c] >= first ? shift : 0;
    s->next_id += shift;
}

/* A copy is refitted while tasks go on; then nothing shows of it: the same tasks finished in the
 * refitted one give the same, but for ids, of which some are used up. */
static void a_refitted_copy_is_adopted_with_what_came_meanwhile(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 88, 0, 0, 0);
    segue_models *models = paper_models();
    for (int meanwhile = 0; meanwhile <= 30; meanwhile += 10) {
        segue_sampler *s = new_sampler(7, 5, 50, 40), *copy = NULL, *plain = NULL;
        learn_paper_tasks(s, &rng, 45, 30);
        assert_ok(segue_sampler_copy(&copy, s, NULL));
        assert_same(s, copy);
        assert_ok(segue_sampler_copy(&plain, s, NULL));
        segue_sampler_refit(copy);
        segue_sampler_refit(plain);
        const uint64_t first = s->next_id;
        for (int j = 0; j < meanwhile; j++) {
            double sum[7], pulls[7];
            play(&rng, 7, models->mean + j % 5 * 7, 30, false, true, sum, pulls);
            assert_ok(segue_sampler_add_task(s, sum, pulls, NULL));
            assert_ok(segue_sampler_add_task(plain, sum, pulls, NULL));
        }
        const uint64_t used = s->next_id - first;
        assert_ok(segue_sampler_adopt(s, copy, NULL));
        shift_ids_from(plain, first, used);
        assert_same(s, plain);
        check_sampler(s);
        segue_sampler_destroy(s);
        segue_sampler_destroy(copy);
        segue_sampler_destroy(plain);
    }
    segue_models_destroy(models);
}

/* Note in `used` the ids of `s` from `first` on; returns whether one was there already. */
static bool note_ids(const segue_sampler *s, uint64_t first, bool *used, size_t n_used)
{
    bool was_there = false;
    for (size_t c = 0; c < s->types.n_types; c++) {
        const uint64_t id = s->types.id[c];
        assert_in_range(id, 1, n_used - 1);
        was_there = was_there || (id >= first && used[id]);
        used[id] = true;
    }
    return was_there;
}

/* Types are found in the original while a copy is refitted, and by that refit: no id is given twice. */
static void an_id_is_of_one_type_for_ever(void **state)
{
    (void)state;
    int both = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        segue_rng rng;
        bool used[1000] = {false};
        segue_rng_init(&rng, 91, seed, 0, 0);
        segue_sampler *s = new_default(7, seed), *copy = NULL;
        learn_paper_tasks(s, &rng, 20, 30);
        assert_ok(segue_sampler_copy(&copy, s, NULL));
        const uint64_t first = s->next_id;
        segue_sampler_refit(copy);
        learn_paper_tasks(s, &rng, 12, 30);
        const bool found = s->next_id > first && copy->next_id > first;
        (void)note_ids(s, first, used, 1000);
        assert_ok(segue_sampler_adopt(s, copy, NULL));
        assert_false(note_ids(s, first, used, 1000));
        both += found;
        segue_sampler_destroy(s);
        segue_sampler_destroy(copy);
    }
    assert_in_range(both, 1, 20); /* or the test would show nothing */
}

/* More tasks came than the window holds: the newest remain, and all are counted. */
static void a_copy_that_is_older_than_the_window_is_adopted(void **state)
{
    (void)state;
    const double sum[2] = {5, 1}, pulls[2] = {10, 5};
    segue_sampler *s = new_sampler(2, 1, 16, 40), *copy = NULL;
    for (int j = 0; j < 10; j++)
        learn(s, sum, pulls);
    assert_ok(segue_sampler_copy(&copy, s, NULL));
    segue_sampler_refit(copy);
    for (int j = 0; j < 40; j++)
        assert_ok(segue_sampler_add_task(s, sum, pulls, NULL));
    assert_ok(segue_sampler_adopt(s, copy, NULL));
    assert_int_equal(segue_sampler_tasks(s), 50);
    assert_int_equal(segue_sampler_in_window(s), 16);
    assert_int_equal(segue_task_window_number(&s->tasks, 0), 35);
    assert_near(s->pulls, 50 * 15.0, 0.0);
    check_sampler(s);
    segue_sampler_destroy(s);
    segue_sampler_destroy(copy);
}

static void only_copies_are_adopted(void **state)
{
    (void)state;
    const double sum[4] = {0}, pulls[4] = {0};
    segue_sampler *s = new_default(3, 1), *copy = NULL;
    segue_sampler *others[] = {new_default(3, 2), new_sampler(3, 1, 100, 40),
                               new_sampler(3, 1, 512, 5), new_default(4, 1)};
    assert_ok(segue_sampler_copy(&copy, s, NULL));
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(segue_sampler_adopt(s, others[k], NULL), SEGUE_EDOMAIN);
        segue_sampler_destroy(others[k]);
    }
    assert_ok(segue_sampler_add_task(copy, sum, pulls, NULL)); /* it is ahead */
    assert_int_equal(segue_sampler_adopt(s, copy, NULL), SEGUE_EDOMAIN);
    assert_ok(segue_sampler_add_task(s, sum, pulls, NULL));
    assert_ok(segue_sampler_resize(s, 4, NULL));
    assert_int_equal(segue_sampler_adopt(s, copy, NULL), SEGUE_EDOMAIN);
    segue_sampler_destroy(s);
    segue_sampler_destroy(copy);
}

/* ---- merge ------------------------------------------------------------------------------- */

/* One has seen two types, the other two more: together they know all four.  100 pulls tell the
 * types with an error below 1e-9 a task. */
static bool knows_what_both_knew(uint64_t seed)
{
    const double mean[4][3] = {{.9, .1, .5}, {.1, .9, .5}, {.5, .1, .9}, {.1, .5, .1}};
    segue_rng rng;
    segue_rng_init(&rng, 89, seed, 0, 0);
    segue_sampler *left = new_default(3, seed), *right = new_default(3, seed + 1000);
    bool is_right = true;
    learn_tasks_of(left, &rng, mean[0], 2, 100, 100);
    learn_tasks_of(right, &rng, mean[2], 2, 120, 100);
    const uint64_t before = left->next_id, newest = before - 1 + segue_sampler_id(right, 1);
    assert_ok(segue_sampler_merge(left, right, NULL));
    assert_int_equal(segue_sampler_tasks(left), 220);
    assert_int_equal(segue_sampler_in_window(left), 220);
    assert_int_equal(segue_sampler_tasks(right), 120);
    assert_near(left->pulls, 220 * 300.0, 0.0);
    check_sampler(left);
    check_sampler(right);
    for (size_t k = 0; k < 4; k++)
        is_right = is_right && distance_to_model(left, mean[k]) < 0.1;
    is_right = is_right && number_of_id(left, newest) > 0;  /* of the longer history */
    for (size_t c = 1; c <= segue_sampler_count(left); c++) /* no type is one that `left` had */
        assert_in_range(segue_sampler_id(left, c), before, left->next_id - 1);
    segue_sampler_destroy(left);
    segue_sampler_destroy(right);
    return is_right;
}

static void merged_samplers_know_what_both_knew(void **state)
{
    (void)state;
    segue_sampler *one = new_default(3, 1), *wider = new_default(4, 1);
    assert_by_majority(knows_what_both_knew);
    assert_int_equal(segue_sampler_merge(one, wider, NULL), SEGUE_EDOMAIN);
    segue_sampler_destroy(one);
    segue_sampler_destroy(wider);
}

/* Of full windows, the newer halves stay, in turn and in their order. */
static void merged_windows_keep_the_newest_of_both(void **state)
{
    (void)state;
    segue_sampler *both[2];
    for (size_t k = 0; k < 2; k++) {
        both[k] = new_sampler(2, 1, 16, 40);
        for (int j = 0; j < (k ? 20 : 6); j++) {
            const double sum[2] = {0, 0}, pulls[2] = {100.0 * (double)k + j, 1};
            learn(both[k], sum, pulls);
        }
    }
    assert_ok(segue_sampler_merge(both[0], both[1], NULL));
    const double expected[16] = {110, 111, 112, 113, 114, 0, 115, 1,
                                 116, 2,   117, 3,   118, 4, 119, 5};
    for (size_t l = 0; l < 16; l++) {
        assert_int_equal(segue_task_window_number(&both[0]->tasks, l), 26 - 15 + l);
        assert_near(segue_task_window_pulls(&both[0]->tasks, l)[0], expected[l], 0.0);
    }
    check_sampler(both[0]);
    segue_sampler_destroy(both[0]);
    segue_sampler_destroy(both[1]);
}

/* With nothing, with a larger window, and with a smaller cap, which holds. */
static void merges_keep_to_the_config(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 90, 0, 0, 0);
    segue_sampler *few = new_sampler(7, 1, 32, 2), *many = new_default(7, 2);
    segue_sampler *none = new_default(7, 3);
    learn_paper_tasks(many, &rng, 100, 50);
    learn_paper_tasks(few, &rng, 10, 50);
    assert_ok(segue_sampler_merge(few, many, NULL));
    assert_in_range(few->types.n_types, 1, 2);
    assert_int_equal(segue_sampler_in_window(few), 32);
    assert_int_equal(segue_sampler_tasks(few), 110);
    check_sampler(few);
    assert_ok(segue_sampler_merge(many, none, NULL));
    check_sampler(many);
    assert_int_equal(segue_sampler_in_window(many), 100);
    assert_ok(segue_sampler_merge(none, many, NULL));
    assert_int_equal(segue_sampler_in_window(none), 100);
    check_sampler(none);
    segue_sampler_destroy(few);
    segue_sampler_destroy(many);
    segue_sampler_destroy(none);
}

/* ---- arms -------------------------------------------------------------------------------- */

/* A new arm is unknown to every type until it is pulled; the others are as they were. */
static void an_arm_can_be_added(void **state)
{
    (void)state;
    segue_sampler *s = new_default(2, 1);
    const double sum[3] = {90, 10, 80}, pulls[3] = {100, 100, 100};
    for (int j = 0; j < 40; j++)
        learn(s, sum, pulls);
    const segue_sampled_arm before = segue_sampler_arm(s, 1, 0);
    assert_ok(segue_sampler_resize(s, 3, NULL));
    assert_int_equal(segue_sampler_arms(s), 3);
    assert_near(segue_sampler_arm(s, 1, 0).mean, before.mean, 0.0);
    const segue_sampled_arm added = segue_sampler_arm(s, 1, 2);
    assert_near(added.mean, 0.5, 0.0);
    assert_near(added.low, 0.0, 1e-12);
    assert_near(added.high, 1.0, 1e-12);
    assert_near(s->types.play_a[2], 1.0, 0.0);
    check_sampler(s);
    for (int j = 0; j < 40; j++)
        learn(s, sum, pulls);
    check_sampler(s);
    assert_near(segue_sampler_arm(s, 1, 2).mean, 0.8, 0.02);
    assert_int_equal(segue_sampler_resize(s, 2, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_sampler_resize(s, SEGUE_MAX_ARMS + 1, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_sampler_arms(s), 3);
    segue_sampler_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_continues_bit_for_bit),
        cmocka_unit_test(what_is_saved_between_refits_continues_bit_for_bit),
        cmocka_unit_test(cut_bytes_are_refused),
        cmocka_unit_test(odd_numbers_are_refused_or_harmless),
        cmocka_unit_test(a_refitted_copy_is_adopted_with_what_came_meanwhile),
        cmocka_unit_test(an_id_is_of_one_type_for_ever),
        cmocka_unit_test(a_copy_that_is_older_than_the_window_is_adopted),
        cmocka_unit_test(only_copies_are_adopted),
        cmocka_unit_test(merged_samplers_know_what_both_knew),
        cmocka_unit_test(merged_windows_keep_the_newest_of_both),
        cmocka_unit_test(merges_keep_to_the_config),
        cmocka_unit_test(an_arm_can_be_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
