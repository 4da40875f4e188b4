/* test_token_file.c - lines of the token file, and what is wrong with others.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/access/token_file.h"

#define TOKEN "a-token-of-the-test"
#define X64   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X256  X64 X64 X64 X64

typedef struct seen {
    char text[1024];
    size_t count;
} seen;

static segue_status note(void *context, const segue_token_line *line, segue_error *err)
{
    seen *all = context;
    const size_t size = strlen(all->text);
    (void)err;
    (void)snprintf(all->text + size, sizeof all->text - size, "%zu|%s|%s|%s;", line->number,
                   line->name, segue_right_name(line->right), line->token);
    all->count++;
    return SEGUE_OK;
}

static segue_status read_text(const char *text, size_t size, seen *all, segue_error *err)
{
    FILE *file = fopen(own_path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    *all = (seen){.count = 0};
    return segue_token_file_read(own_path, note, all, err);
}

static void expect_lines(const char *text, const char *expected)
{
    segue_error err = {.message = ""};
    seen all;
    if (read_text(text, strlen(text), &all, &err) != SEGUE_OK)
        fail_msg("'%s': %s", text, err.message);
    assert_string_equal(all.text, expected);
}

static void expect_wrong(const char *text, const char *says)
{
    segue_error err = {.message = ""};
    seen all;
    assert_int_equal(read_text(text, strlen(text), &all, &err), SEGUE_EDOMAIN);
    if (!strstr(err.message, says))
        fail_msg("'%s': %s", text, err.message);
    assert_null(strstr(err.message, "a-token")); /* no part of a token is in a message */
}

static void a_token_alone_has_the_right_admin(void **state)
{
    (void)state;
    expect_lines(TOKEN "\n", "1|line 1|admin|" TOKEN ";");
    expect_lines("# one\r\n\n" TOKEN "\r\n" TOKEN "2",
                 "3|line 3|admin|" TOKEN ";4|line 4|admin|" TOKEN "2;");
}

static void a_line_gives_name_right_and_token(void **state)
{
    (void)state;
    expect_lines("web decide " TOKEN "\n\tops-1.x_Y\t admin\t" TOKEN "2 \r\n",
                 "1|web|decide|" TOKEN ";2|ops-1.x_Y|admin|" TOKEN "2;");
    expect_lines(" grafana   read   " TOKEN "\n \t \n#\n" TOKEN "2",
                 "1|grafana|read|" TOKEN ";4|line 4|admin|" TOKEN "2;");
}

static void names_and_tokens_have_limits(void **state)
{
    (void)state;
    expect_lines(X64 " read " X256, "1|" X64 "|read|" X256 ";");
    expect_wrong(X64 "x read " X256, "line 1: the first field is not a name; need 1 to 64");
    expect_wrong("web read " X256 "x", "line 1: a token has 16 to 256");
    expect_wrong("web read 123456789012345", "line 1: a token has 16 to 256");
    expect_wrong(X256 X256 X256, "line 1: a token has 16 to 256");
}

/* Fields of a line that is too long are not cut. */
static void a_line_that_is_too_long_is_wrong(void **state)
{
    char text[1024];
    (void)state;
    for (int blanks = 300; blanks < 600; blanks += 7) {
        (void)snprintf(text, sizeof text, "web %*s read " X64 X64, blanks, "");
        if (strlen(text) < 512)
            expect_lines(text, "1|web|read|" X64 X64 ";");
        else
            expect_wrong(text, "line 1: a token has 16 to 256");
    }
}

static void wrong_lines_are_named(void **state)
{
    (void)state;
    expect_wrong("#\n\nweb " TOKEN, "line 3: has two fields; need TOKEN, or NAME RIGHT TOKEN");
    expect_wrong(TOKEN "\nweb read " TOKEN " x", "line 2: has more than three fields");
    expect_wrong("web read " TOKEN " x y z", "line 1: has more than three fields");
    expect_wrong("web Read " TOKEN,
                 "line 1: the second field is not a right; need read, decide or");
    expect_wrong("web none " TOKEN, "line 1: the second field is not a right");
    expect_wrong("w\xc3\xa9"
                 "b read " TOKEN,
                 "line 1: the first field is not a name");
    expect_wrong("web read a-token-with-\x01-in-it", "line 1: a token has 16 to 256");
    expect_wrong(TOKEN " read web", "line 1: a token has 16 to 256"); /* the wrong order */
    expect_wrong("# none\n \n", "has no token; write one per line");
    expect_wrong("", "has no token");
}

static void a_nul_byte_is_part_of_no_token(void **state)
{
    static const char alone[] = TOKEN "\0xxxxxxxxxxxxxxxx\n", blank[] = "web\0read " TOKEN "\n";
    segue_error err;
    seen all;
    (void)state;
    assert_int_equal(read_text(alone, sizeof alone - 1, &all, &err), SEGUE_EDOMAIN);
    assert_int_equal(read_text(blank, sizeof blank - 1, &all, &err), SEGUE_EDOMAIN);
    assert_int_equal(all.count, 0);
}

static void a_missing_file_is_named(void **state)
{
    segue_error err;
    seen all = {.count = 0};
    (void)state;
    assert_int_equal(segue_token_file_read("/nonexistent/tokens", note, &all, &err), SEGUE_EFILE);
    assert_non_null(strstr(err.message, "tokens: cannot be opened: No such file"));
}

static void rights_have_names(void **state)
{
    segue_right right = RIGHT_NONE;
    (void)state;
    for (int i = RIGHT_READ; i <= RIGHT_ADMIN; i++) {
        assert_true(segue_right_parse(segue_right_name((segue_right)i), &right));
        assert_int_equal(right, i);
    }
    assert_false(segue_right_parse("none", &right));
    assert_false(segue_right_parse("", &right));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_alone_has_the_right_admin),
        cmocka_unit_test(a_line_gives_name_right_and_token),
        cmocka_unit_test(names_and_tokens_have_limits),
        cmocka_unit_test(a_line_that_is_too_long_is_wrong),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(a_nul_byte_is_part_of_no_token),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(rights_have_names),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
