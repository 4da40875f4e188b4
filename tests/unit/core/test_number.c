/* test_number.c - strict parsing of numbers; suggestions for mistyped names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/path.h"
#include "core/text.h"
#include "support.h"

static void numbers_are_parsed_strictly(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      " 1",  "1 ",  "abc", "nan",    "inf", "-inf",
                                        "0x1p3", "1e",  "1e+", ".",   "-",      "+",   "e5",
                                        "1..2",  "1,5", "1_0", "--1", "1e9999", "1d3", "\302\2401"};
    segue_error err;
    double x = 42.0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (segue_number_parse_double(wrong[i], &x, &err) != SEGUE_EPARSE)
            fail_msg("'%s' was read as %g", wrong[i], x);
        assert_near(x, 42.0, 0.0);
    }
}

static void numbers_are_parsed_to_the_nearest_double(void **state)
{
    (void)state;
    static const char *const fixed[] = {"0",
                                        "-0.0",
                                        "1",
                                        ".5",
                                        "5.",
                                        "+2.5",
                                        "1e22",
                                        "1E-22",
                                        "1e23",
                                        "0.1",
                                        "1e-400",
                                        "5e-324",
                                        "000001",
                                        "123456789012345678",
                                        "0.30000000000000004",
                                        "1.7976931348623157e308",
                                        "2.2250738585072011e-308",
                                        "0.000000000000000000000123"};
    double x;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        assert_ok(segue_number_parse_double(fixed[i], &x, NULL));
        const double expected = strtod(fixed[i], NULL);
        assert_memory_equal(&x, &expected, sizeof x);
    }
    segue_rng rng;
    segue_rng_init(&rng, 17, 0, 0, 0);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        const int digits = (int)random_between(&rng, 1, 20);
        const int power = (int)random_between(&rng, 0, 60) - 30;
        snprintf(text, sizeof text, "%.*ge%d", digits, segue_rng_uniform(&rng), power);
        if (strstr(text, "e-0") && strchr(strchr(text, 'e') + 1, 'e'))
            continue; /* printf wrote an exponent of its own */
        const double expected = strtod(text, NULL);
        assert_ok(segue_number_parse_double(text, &x, NULL));
        assert_memory_equal(&x, &expected, sizeof x);
    }
}

static void whole_numbers_outside_their_range_are_rejected(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "-5", "+5", "1.0", "1e3", " 7", "0x10", "seven"};
    uint64_t x = 9;
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(segue_number_parse_integer(wrong[i], 0, 100, &x, &err), SEGUE_EPARSE);
    assert_int_equal(segue_number_parse_integer("101", 0, 100, &x, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_number_parse_integer("0", 1, 100, &x, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_number_parse_integer("18446744073709551616", 0, UINT64_MAX, &x, &err),
                     SEGUE_EDOMAIN);
    assert_int_equal(
        segue_number_parse_integer("99999999999999999999999999", 0, UINT64_MAX, &x, &err),
        SEGUE_EDOMAIN);
    assert_true(x == 9);
    assert_ok(segue_number_parse_integer("18446744073709551615", 0, UINT64_MAX, &x, &err));
    assert_true(x == UINT64_MAX);
}

static const char *nth(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

static void a_typing_error_is_close_to_its_name(void **state)
{
    (void)state;
    assert_int_equal(segue_text_edit_distance("mucb", "mucb"), 0);
    assert_int_equal(segue_text_edit_distance("mcub", "mucb"), 1);
    assert_int_equal(segue_text_edit_distance("", "ucb"), 3);
    assert_int_equal(segue_text_edit_distance("kitten", "sitting"), 3);
    const char *const names[] = {"simulate", "complexity", "ucb"};
    assert_string_equal(segue_text_closest("simulat", names, 3, nth), "simulate");
    assert_string_equal(segue_text_closest("ucv", names, 3, nth), "ucb");
    assert_null(segue_text_closest("xyz", names, 3, nth));
    char long_name[300];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(segue_text_closest(long_name, names, 3, nth));
    assert_int_equal(strlen(segue_path_tail(long_name)), 200);
    assert_string_equal(segue_path_tail("short"), "short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_parsed_strictly),
        cmocka_unit_test(numbers_are_parsed_to_the_nearest_double),
        cmocka_unit_test(whole_numbers_outside_their_range_are_rejected),
        cmocka_unit_test(a_typing_error_is_close_to_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
