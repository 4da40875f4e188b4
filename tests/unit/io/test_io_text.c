/* test_io_text.c - UTF-8, encodings, shell quotes, fields of CSV.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "io/encode.h"
#include "io/shell.h"
#include "io/text/csv.h"
#include "io/utf8.h"

/* ---- texts ------------------------------------------------------------------------------- */

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max, fits;
    } cases[] = {
        {"", 3, 0},
        {"abc", 3, 3},
        {"abc", 2, 2},
        {"a\xc3\xa9", 3, 3},
        {"a\xc3\xa9", 2, 1},
        {"a\xc3", 9, 1}, /* cut before */
        {"\xe2\x82\xac", 2, 0},
        {"\xf0\x9f\x98\x80x", 4, 4},
        {"\xf0\x9f\x98\x80x", 3, 0},
        {"x", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(segue_utf8_prefix_length(cases[i].text, cases[i].max), cases[i].fits);
}

static void wrong_bytes_become_question_marks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"a\xc3\xa9\xf0\x9f\x98\x80", "a\xc3\xa9\xf0\x9f\x98\x80"},
        {"\xff.csv", "?.csv"},
        {"\xe9t\xe9", "?t?"},          /* Latin-1 */
        {"a\xe2\x82", "a??"},          /* cut */
        {"\xed\xa0\x80x", "???x"},     /* a surrogate */
        {"\xc3\xc3\xa9", "?\xc3\xa9"}, /* a character after a wrong byte stays */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%s", cases[i][0]);
        segue_utf8_sanitize(text);
        assert_string_equal(text, cases[i][1]);
    }
}

/* ---- encodings --------------------------------------------------------------------------- */

static void base64_pads_the_last_group(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "+/8="},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SEGUE_ENCODE_BASE64_LENGTH(6) + 1];
        const size_t size = strlen(cases[i][0]);
        const size_t length = segue_encode_base64(text, (const unsigned char *)cases[i][0], size);
        assert_int_equal(length, SEGUE_ENCODE_BASE64_LENGTH(size));
        text[length] = '\0';
        assert_string_equal(text, cases[i][1]);
    }
}

static void bytes_come_back_from_hexadecimal_digits(void **state)
{
    (void)state;
    const unsigned char bytes[] = {0x00, 0x7f, 0xab, 0xff};
    unsigned char back[sizeof bytes];
    char text[2 * sizeof bytes + 1];
    segue_encode_hex(text, bytes, sizeof bytes);
    assert_string_equal(text, "007fabff");
    assert_true(segue_encode_hex_decode(back, "007FabFF", sizeof bytes));
    assert_memory_equal(back, bytes, sizeof bytes);
    assert_false(segue_encode_hex_decode(back, "0g", 1));
    assert_false(segue_encode_hex_decode(back, "0", 1)); /* the NUL is not a digit */
}

static void names_survive_percent_encoding(void **state)
{
    (void)state;
    char encoded[64], back[16];
    const char *name = "a/b %\xc3\xa9~";
    const size_t length = segue_encode_percent(encoded, name);
    assert_string_equal(encoded, "a%2Fb%20%25%C3%A9~");
    assert_int_equal(length, strlen(encoded));
    assert_true(segue_encode_percent_decode(back, sizeof back, encoded, length));
    assert_string_equal(back, name);
    static const char *const wrong[] = {"%", "%4", "%4g", "%00", "sixteen letters!"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(segue_encode_percent_decode(back, sizeof back, wrong[i], strlen(wrong[i])));
    assert_true(segue_encode_percent_decode(back, sizeof back, "fifteen letters", 15));
}

/* ---- shells ------------------------------------------------------------------------------ */

static void arguments_are_quoted_where_a_shell_needs_it(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_file;
        const char *quoted;
    } cases[] = {{"log.csv", true, "log.csv"}, {"", false, "''"},
                 {"-n", true, "./-n"},         {"-n", false, "-n"},
                 {"a b", true, "'a b'"},       {"`x` $y", false, "'`x` $y'"},
                 {"it's", true, "'it'\\''s'"}, {"-'", true, "'./-'\\'''"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *quoted = segue_shell_quote(cases[i].text, cases[i].is_file);
        assert_string_equal(quoted, cases[i].quoted);
        free(quoted);
    }
}

/* ---- lines and fields -------------------------------------------------------------------- */

static void fields_come_as_written(void **state)
{
    (void)state;
    write_text("\xef\xbb\xbf"
               "a,b ,\r\n\n\"x, \"\"y\"\"\",,z");
    segue_csv csv;
    bool more = false;
    assert_ok(segue_csv_open(&csv, own_path, NULL));
    assert_ok(segue_csv_next(&csv, &more, NULL));
    assert_true(more);
    assert_int_equal(segue_csv_n_fields(&csv), 3);
    assert_string_equal(segue_csv_field(&csv, 0), "a");
    assert_string_equal(segue_csv_field(&csv, 1), "b ");
    assert_string_equal(segue_csv_field(&csv, 2), "");
    assert_ok(segue_csv_next(&csv, &more, NULL));
    assert_int_equal(segue_csv_line(&csv), 3);
    assert_int_equal(segue_csv_n_fields(&csv), 3);
    assert_string_equal(segue_csv_field(&csv, 0), "x, \"y\"");
    assert_string_equal(segue_csv_field(&csv, 1), "");
    assert_string_equal(segue_csv_field(&csv, 2), "z");
    assert_ok(segue_csv_next(&csv, &more, NULL));
    assert_false(more);
    segue_csv_close(&csv);
}

static void lines_longer_than_the_buffer_are_whole(void **state)
{
    (void)state;
    enum { LENGTH = 200000 };
    char *line = malloc(LENGTH + 3);
    assert_non_null(line);
    memset(line, 'x', LENGTH);
    line[70000] = ',';
    line[LENGTH] = '\n';
    line[LENGTH + 1] = 'b';
    write_bytes(line, LENGTH + 2);
    segue_csv csv;
    bool more = false;
    assert_ok(segue_csv_open(&csv, own_path, NULL));
    assert_ok(segue_csv_next(&csv, &more, NULL));
    assert_int_equal(segue_csv_n_fields(&csv), 2);
    assert_int_equal(strlen(segue_csv_field(&csv, 0)), 70000);
    assert_int_equal(strlen(segue_csv_field(&csv, 1)), LENGTH - 70001);
    assert_ok(segue_csv_next(&csv, &more, NULL));
    assert_string_equal(segue_csv_field(&csv, 0), "b");
    segue_csv_close(&csv);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(wrong_bytes_become_question_marks),
        cmocka_unit_test(base64_pads_the_last_group),
        cmocka_unit_test(bytes_come_back_from_hexadecimal_digits),
        cmocka_unit_test(names_survive_percent_encoding),
        cmocka_unit_test(arguments_are_quoted_where_a_shell_needs_it),
        cmocka_unit_test(fields_come_as_written),
        cmocka_unit_test(lines_longer_than_the_buffer_are_whole),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
