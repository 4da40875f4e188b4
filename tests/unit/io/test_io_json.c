/* test_io_json.c - JSON that is built, written and laid out in lines.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <math.h>

#include "io/json_build.h"
#include "io/json_write.h"
#include "io/output.h"

static void assert_written(segue_bytes *b, const char *expected)
{
    segue_bytes_append(b, "", 1);
    assert_false(b->failed);
    assert_string_equal((const char *)b->data, expected);
    segue_bytes_fini(b);
}

static void keys_are_separated_by_commas(void **state)
{
    (void)state;
    segue_bytes b = {.data = NULL};
    segue_json_write_raw(&b, "{");
    segue_json_write_text(&b, "name", "a\"b\\c\n");
    segue_json_write_double(&b, "x", 0.1);
    segue_json_write_double(&b, "none", NAN);
    segue_json_write_integer(&b, "count", UINT64_MAX);
    segue_json_write_bool(&b, "yes", 1);
    segue_json_write_raw(&b, "}");
    assert_written(&b, "{\"name\":\"a\\\"b\\\\c\\u000a\",\"x\":0.1,\"none\":null,"
                       "\"count\":18446744073709551615,\"yes\":true}");
}

static void hidden_and_wrong_characters_are_escaped(void **state)
{
    (void)state;
    segue_bytes b = {.data = NULL};
    segue_json_write_string(&b, "\xc3\xa9\xe2\x80\xae\x7f\xff\xe2\x82");
    assert_written(&b, "\"\xc3\xa9\\u202e\\u007f\\ufffd\\ufffd\\ufffd\"");
}

static void numbers_of_a_value_read_back_unchanged(void **state)
{
    (void)state;
    const double x[] = {1.0, 0.1, 1.0 / 3.0, 0.1 + 0.2, 1e-300, 5e22};
    segue_bytes b = {.data = NULL};
    json_t *list = segue_json_exact(x, sizeof x / sizeof *x);
    assert_true(segue_json_write_value(&b, list));
    json_decref(list);
    json_t *back = json_loadb((const char *)b.data, b.size, 0, NULL);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        assert_true(json_real_value(json_array_get(back, i)) == x[i]);
    json_decref(back);
    assert_written(&b, "[1.0,0.1,0.3333333333333333,0.30000000000000004,1e-300,5e22]");
}

static void a_value_is_printed_as_jansson_indents_it(void **state)
{
    (void)state;
    json_t *value = json_pack("{s:[i, s, {}, [], n], s:{s:b, s:s}}", "list", 1, "a,{\"b\\\":[", //
                              "object", "yes", 1, "empty", "");
    char *expected = json_dumps(value, JSON_INDENT(1));
    segue_output output;
    assert_ok(segue_output_init(&output, NULL));
    assert_ok(segue_json_print(output.stream, value, NULL));
    assert_ok(segue_output_finish(&output, NULL));
    assert_int_equal(output.data[output.size - 1], '\n');
    output.data[output.size - 1] = '\0';
    assert_string_equal(output.data, expected);
    segue_output_fini(&output);
    free(expected);
}

static void any_bytes_are_indented_without_harm(void **state)
{
    (void)state;
    static const char hostile[] = "}\0]\"\\";
    segue_bytes b = {.data = NULL};
    segue_json_write_indented(&b, hostile, sizeof hostile - 1, 2);
    assert_false(b.failed);
    segue_bytes_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_separated_by_commas),
        cmocka_unit_test(hidden_and_wrong_characters_are_escaped),
        cmocka_unit_test(numbers_of_a_value_read_back_unchanged),
        cmocka_unit_test(a_value_is_printed_as_jansson_indents_it),
        cmocka_unit_test(any_bytes_are_indented_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
