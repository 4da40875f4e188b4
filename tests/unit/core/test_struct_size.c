/* test_struct_size.c - configurations of programs that were compiled with an older version.
 *
 * `old_config` is the struct as an older program knows it; `config` has two fields more.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/struct_size.h"

#include <string.h>

#include "support.h"

typedef struct old_config {
    size_t size;
    double rate;
} old_config;

typedef struct config {
    size_t size;
    double rate;
    double limit;
    const char *name;
} config;

static const segue_struct_size known = {
    .type = "a_config", .first = sizeof(old_config), .now = sizeof(config)};
static const config defaults = {.size = sizeof(config), .rate = 0.5, .limit = 7.0, .name = "plain"};

static void an_older_struct_gets_the_defaults_of_newer_fields(void **state)
{
    (void)state;
    const old_config given = {.size = sizeof given, .rate = 0.25};
    config own = defaults;
    assert_ok(segue_struct_size_copy(&known, &given, &own, NULL));
    assert_int_equal(own.size, sizeof own);
    assert_true(own.rate == 0.25);
    assert_true(own.limit == 7.0);
    assert_string_equal(own.name, "plain");
}

static void a_struct_of_this_version_is_copied_whole(void **state)
{
    (void)state;
    const config given = {.size = sizeof given, .rate = 1.0, .limit = 2.0, .name = "own"};
    config own = defaults;
    assert_ok(segue_struct_size_copy(&known, &given, &own, NULL));
    assert_memory_equal(&own, &given, sizeof own);
}

/* The guard after the old struct must stay: the older program has no memory for newer fields. */
static void an_older_program_gets_only_the_fields_it_knows(void **state)
{
    (void)state;
    struct {
        old_config config;
        char guard[sizeof(config)];
    } older;
    memset(&older, 0x5a, sizeof older);
    segue_struct_size_init(&known, &defaults, &older.config, sizeof older.config);
    assert_int_equal(older.config.size, sizeof(old_config));
    assert_true(older.config.rate == 0.5);
    for (size_t i = 0; i < sizeof older.guard; i++)
        assert_int_equal(older.guard[i], 0x5a);
}

static void a_newer_program_gets_zeros_and_is_rejected(void **state)
{
    (void)state;
    struct {
        config config;
        double newer;
    } given = {.newer = 3.0};
    config own = defaults;
    segue_error err;
    segue_struct_size_init(&known, &defaults, &given, sizeof given);
    assert_int_equal(given.config.size, sizeof given);
    assert_true(given.config.limit == 7.0);
    assert_true(given.newer == 0.0);
    assert_int_equal(segue_struct_size_copy(&known, &given, &own, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "a_config has"));
    assert_memory_equal(&own, &defaults, sizeof own);
}

static void sizes_below_the_first_version_are_rejected(void **state)
{
    (void)state;
    const size_t wrong[] = {0, sizeof(size_t), sizeof(old_config) - 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const old_config given = {.size = wrong[i], .rate = 0.25};
        config own = defaults;
        assert_int_equal(segue_struct_size_copy(&known, &given, &own, NULL), SEGUE_EDOMAIN);
        assert_memory_equal(&own, &defaults, sizeof own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_struct_gets_the_defaults_of_newer_fields),
        cmocka_unit_test(a_struct_of_this_version_is_copied_whole),
        cmocka_unit_test(an_older_program_gets_only_the_fields_it_knows),
        cmocka_unit_test(a_newer_program_gets_zeros_and_is_rejected),
        cmocka_unit_test(sizes_below_the_first_version_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
