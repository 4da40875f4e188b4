/* test_learner_versions.c - files of older versions, and the sums of squares of newer ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner_bytes.h"

#include "estimate/types/types.h"

/* Reward k of task i of `trained`, of arm k mod 7. */
static double reward_of(size_t i, size_t k, bool graded)
{
    return graded ? 0.3 + 0.02 * (double)((3 * k + i) % 10) : i % 2 == k % 2;
}

/* Tell 20 tasks of 20 rewards; they are 0 or 1, or graded. */
static segue_learner *trained(const char *method, bool graded)
{
    const segue_learner_config config = config_of(method, 100);
    segue_learner *learner = learner_of(&config);
    segue_task *task = NULL;
    for (size_t i = 0; i < 20; i++) {
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (size_t k = 0; k < 20; k++)
            tell(task, k % 7, reward_of(i, k, graded));
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    return learner;
}

static void are_equal(const segue_learner *one, const segue_learner *two)
{
    segue_bytes a = {.data = NULL}, b = {.data = NULL};
    segue_learner_serialize(one, &a);
    segue_learner_serialize(two, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    segue_bytes_fini(&a);
    segue_bytes_fini(&b);
}

/* ---- older versions ------------------------------------------------------------------------ */

/* Bytes before the number of options, and before the number of names, of a number of options and no
 * retired arm. */
#define OPTIONS          (HEAD + 16 + 8 * (7 + 2))
#define NAMES(n_options) (OPTIONS + 8 * (1 + (n_options) + 3 + 1))
#define SQUARES          (3 * 7 * sizeof(double)) /* after the number of names, which is 0 */

/* Cut bytes out. */
static void cut(segue_bytes *b, size_t at, size_t count)
{
    memmove(b->data + at, b->data + at + count, b->size - at - count);
    b->size -= count;
}

/* Set the version, the number of options, the length and the checksum. */
static void set_head(segue_bytes *b, unsigned char version, size_t n_options)
{
    const uint64_t length = b->size - HEAD - TAIL;
    b->data[8] = version;
    b->data[OPTIONS] = (unsigned char)n_options;
    for (size_t i = 0; i < 8; i++)
        b->data[16 + i] = (unsigned char)(length >> (8 * i));
    set_checksum(b);
}

/* Append the types that version 7 fitted to the tasks of `trained`. */
static void append_fitted(segue_bytes *b)
{
    segue_types_config config = segue_types_defaults();
    segue_types *fitted = NULL;
    config.n_arms = 7;
    assert_ok(segue_types_create(&fitted, &config, NULL));
    for (size_t i = 0; i < 20; i++) {
        double sum[7] = {0.0}, pulls[7] = {0.0};
        for (size_t k = 0; k < 20; k++) {
            sum[k % 7] += reward_of(i, k, false);
            pulls[k % 7] += 1.0;
        }
        assert_ok(segue_types_add_task(fitted, sum, pulls, NULL));
        if (segue_types_due(fitted))
            assert_ok(segue_types_refit(fitted, NULL));
    }
    segue_types_serialize(fitted, b);
    segue_types_destroy(fitted);
}

/* Make bytes of a trained learner those of version 7: a learner of types has the option `hint`, which
 * is the first one, and types that were fitted by EM. */
static void make_version_7(segue_bytes *b, size_t n_options, bool has_types)
{
    if (has_types) {
        const size_t first = OPTIONS + 8, state = NAMES(n_options) + 8 + SQUARES;
        segue_bytes made = {.data = NULL};
        segue_bytes_append(&made, b->data, first);
        segue_bytes_append_u64(&made, 0);
        segue_bytes_append(&made, b->data + first, state - first);
        append_fitted(&made);
        segue_bytes_append_u64(&made, 0); /* the checksum */
        assert_false(made.failed);
        segue_bytes_fini(b);
        *b = made;
    }
    set_head(b, 7, n_options + has_types);
}

/* Make bytes of version 7 those of an older one.  Version 6 has no option `dispersion`, which is the
 * last one, and no sums of squares; version 5 no number of names. */
static void make_older(segue_bytes *b, unsigned char version, size_t n_options)
{
    cut(b, NAMES(n_options) + 8, SQUARES);
    if (version == 5)
        cut(b, NAMES(n_options), 8);
    cut(b, OPTIONS + 8 * n_options, 8);
    set_head(b, version, n_options - 1);
}

/* They know no sums of squares before version 7: these start at zero.  Types are learned again from
 * the tasks, which gives those that a learner of this version has; all else is as it was saved. */
static void files_of_versions_5_to_7_can_be_read(void **state)
{
    static const struct {
        const char *method;
        size_t n_options;
        bool has_types;
    } methods[] = {{"tts:cap=16", 3, true}, {"tla:cap=16", 3, true}, {"ts-prior", 1, false}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (unsigned char version = 5; version <= 7; version++) {
            const size_t n_options = methods[i].n_options;
            segue_learner *learner = trained(methods[i].method, false), *loaded = NULL;
            segue_bytes b = {.data = NULL}, expected = {.data = NULL}, found = {.data = NULL};
            segue_learner_serialize(learner, &b);
            segue_learner_serialize(learner, &expected);
            make_version_7(&b, n_options, methods[i].has_types);
            if (version < 7) {
                make_older(&b, version, n_options + methods[i].has_types);
                memset(expected.data + NAMES(n_options) + 8, 0, SQUARES);
                set_checksum(&expected);
            }
            assert_ok(segue_learner_deserialize(&loaded, b.data, b.size, "it", NULL));
            segue_learner_serialize(loaded, &found);
            assert_int_equal(found.size, expected.size);
            assert_memory_equal(found.data, expected.data, found.size);
            segue_bytes_fini(&b);
            segue_bytes_fini(&expected);
            segue_bytes_fini(&found);
            segue_learner_destroy(learner);
            segue_learner_destroy(loaded);
        }
}

/* A loaded learner expects the same dispersions: it goes on with the same bytes. */
static void sums_of_squares_are_saved(void **state)
{
    (void)state;
    static const char *const methods[] = {"tts", "tla", "ts-prior"};
    for (size_t i = 0; i < 3; i++) {
        segue_learner *learner = trained(methods[i], true), *loaded = NULL;
        segue_bytes b = {.data = NULL};
        segue_task *one = NULL, *two = NULL;
        segue_learner_serialize(learner, &b);
        assert_ok(segue_learner_deserialize(&loaded, b.data, b.size, "it", NULL));
        are_equal(learner, loaded);
        assert_ok(segue_learner_open_task(learner, &one, NULL));
        assert_ok(segue_learner_open_task(loaded, &two, NULL));
        for (size_t arm = 0; arm < 7; arm++) {
            const double each = segue_task_learned_weight(one, arm);
            assert_true(each > 5.0); /* the rewards vary from 0.3 to 0.48 */
            assert_near(each, segue_task_learned_weight(two, arm), 0.0);
        }
        segue_bytes_fini(&b);
        segue_learner_destroy(learner);
        segue_learner_destroy(loaded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_versions_5_to_7_can_be_read),
        cmocka_unit_test(sums_of_squares_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
