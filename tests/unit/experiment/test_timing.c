/* test_timing.c - data/timing.json: entries are added, replaced and compared with result files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/suite/timing.h"
#include "fixture.h"

static void write_file(const char *name, const char *text)
{
    char path[128];
    path_in(path, sizeof path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* FNV-1a of "" and "a", from its authors' page. */
static void hashes_bytes_as_published(void **state)
{
    (void)state;
    uint64_t hash = SEGUE_BUILD_ID_EMPTY;
    segue_build_id_add(&hash, "", 0);
    assert_true(hash == UINT64_C(0xcbf29ce484222325));
    segue_build_id_add(&hash, "a", 1);
    assert_true(hash == UINT64_C(0xaf63dc4c8601ec8c));
    char text[SEGUE_BUILD_ID_SIZE];
    segue_build_id_print(text, hash);
    assert_string_equal(text, "af63dc4c8601ec8c");
}

static void keeps_the_entries_of_others(void **state)
{
    (void)state;
    const segue_timing first = {
        .finished = true, .key = "01", .threads = 2, .wall_seconds = 1.5, .cpu_seconds = 2.75};
    const segue_timing second = {.finished = false, .key = "02"};
    segue_timing found;
    bool there = true;
    assert_ok(segue_timing_read(&found, folder, "one", &there, NULL));
    assert_false(there);
    assert_ok(segue_timing_write(&first, folder, "one", NULL));
    assert_ok(segue_timing_write(&second, folder, "two", NULL));
    assert_ok(segue_timing_read(&found, folder, "one", &there, NULL));
    assert_true(there && found.finished && found.threads == 2);
    assert_true(found.wall_seconds == 1.5 && found.cpu_seconds == 2.75);
    assert_string_equal(found.key, "01");
    assert_ok(segue_timing_write(&first, folder, "two", NULL));
    assert_ok(segue_timing_read(&found, folder, "two", &there, NULL));
    assert_true(there && found.finished);
}

static void a_damaged_file_counts_as_missing(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{", "[]", "{\"one\": 3}", "{\"one\": [1]}"};
    segue_timing found;
    bool there = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file("timing.json", texts[i]);
        assert_ok(segue_timing_read(&found, folder, "one", &there, NULL));
        assert_false(there);
    }
    write_file("timing.json", "{\"one\": {\"finished\": 1, \"key\": 7, \"threads\": -1}}");
    assert_ok(segue_timing_read(&found, folder, "one", &there, NULL));
    assert_true(there && !found.finished && found.threads == 0 && *found.key == '\0');
}

static void notices_a_changed_result_file(void **state)
{
    (void)state;
    static const char *const files[] = {"x.json", "x.csv", "x-curve.csv"};
    segue_timing timing = {.finished = true};
    bool is_of = true;
    assert_ok(segue_timing_verify(&timing, folder, "x", &is_of, NULL));
    assert_false(is_of); /* no hash yet */
    for (size_t i = 0; i < 3; i++)
        write_file(files[i], "a");
    assert_ok(segue_timing_sign(&timing, folder, "x", NULL));
    assert_int_equal(strlen(timing.played), 20);
    for (size_t i = 0; i < 3; i++) {
        assert_ok(segue_timing_verify(&timing, folder, "x", &is_of, NULL));
        assert_true(is_of);
        write_file(files[i], "b");
        assert_ok(segue_timing_verify(&timing, folder, "x", &is_of, NULL));
        assert_false(is_of);
        write_file(files[i], "a");
    }
}

static void the_key_depends_on_experiment_and_build(void **state)
{
    (void)state;
    char first[SEGUE_BUILD_ID_SIZE], other[SEGUE_BUILD_ID_SIZE];
    segue_experiment *experiment = experiment_of(mixed);
    assert_ok(segue_timing_key(first, experiment, 1, NULL));
    assert_ok(segue_timing_key(other, experiment, 1, NULL));
    assert_string_equal(first, other);
    assert_ok(segue_timing_key(other, experiment, 2, NULL));
    assert_string_not_equal(first, other);
    assert_int_equal(json_object_set_new(experiment->json, "seed", json_integer(5)), 0);
    assert_ok(segue_timing_key(other, experiment, 1, NULL));
    assert_string_not_equal(first, other);
    segue_experiment_destroy(experiment);
    uint64_t build = 0, again = 1;
    assert_ok(segue_build_id_read(&build, NULL));
    assert_ok(segue_build_id_read(&again, NULL));
    assert_true(build == again && build != SEGUE_BUILD_ID_EMPTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_bytes_as_published),
        cmocka_unit_test(keeps_the_entries_of_others),
        cmocka_unit_test(a_damaged_file_counts_as_missing),
        cmocka_unit_test(notices_a_changed_result_file),
        cmocka_unit_test(the_key_depends_on_experiment_and_build),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
