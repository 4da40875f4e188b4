/* test_io_models.c - model files and their errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "io/models_file.h"

/* ---- model files ------------------------------------------------------------------------- */

static void a_model_file_is_read_with_names_and_weights(void **state)
{
    (void)state;
    write_text(
        "weight,\"tutor, A\",\xe6\x95\x99\xe5\xb8\x88 \xf0\x9f\x8e\x93\n3,0.9,0.4\n1,.2,8e-1\n");
    segue_models_file file;
    assert_ok(segue_models_file_read(&file, own_path, SEGUE_MODELS_KNOWN, NULL));
    assert_int_equal(file.models->n_arms, 2);
    assert_int_equal(file.models->n_models, 2);
    assert_string_equal(file.arm_name[0], "tutor, A");
    assert_near(file.models->weight[0], 0.75, 0.0);
    assert_near(file.models->mean[3], 0.8, 0.0);
    segue_models_file_fini(&file);
    write_text("left,right\n0.9,0.4\n");
    assert_ok(segue_models_file_read(&file, own_path, SEGUE_MODELS_KNOWN, NULL));
    assert_near(file.models->weight[0], 1.0, 0.0);
    segue_models_file_fini(&file);
}

/* Each wrong file, and what its error must say after the path. */
static const struct wrong_file {
    const char *text;
    const char *says;
} wrong_files[] = {
    {"", ": the file is empty"},
    {"\n\n", ": the file is empty"},
    {"a,b\n", ": there is no model below the header"},
    {"0.1,0.2\n0.3,0.4\n", ":1: the header is missing"},
    {"a\n0.1\n", ":1: the header names 1 arm; need 2 to 10000"},
    {"weight\n1\n", ":1: the header names 0 arms"},
    {"weight,a\n1,0.5\n", ":1: the header names 1 arm"},
    {"a,\n0.1,0.2\n", ":1: field 2: an arm has no name"},
    {"a,weight\n0.1,0.2\n", ":1: field 2: 'weight' must be the first column"},
    {"a,b,a\n0.1,0.2,0.3\n", ":1: two arms are named 'a'"},
    {"a,b\n0.1\n", ":2: the row has 1 field; the header has 2"},
    {"a,b\n0.1,0.2,0.3\n", ":2: the row has 3 fields; the header has 2"},
    {"a,b\n0.1,0.2\n\n0.1,0.2,\n", ":4: the row has 3 fields"},
    {"a,b\n0.1,1.2\n", ":2: field 'b': the mean 1.2 is out of range; need 0 to 1"},
    {"a,b\n-0.1,0.2\n", ":2: field 'a': the mean -0.1 is out of range"},
    {"a,b\n0.1,nan\n", ":2: field 'b': 'nan' is not a finite decimal number"},
    {"a,b\n0.1,inf\n", ":2: field 'b': 'inf' is not"},
    {"a,b\n0.1,\n", ":2: field 'b': '' is not"},
    {"a,b\n0.1, 0.2\n", ":2: field 'b': ' 0.2' is not"},
    {"a,b\n0.1,1e999\n", ":2: field 'b': '1e999' is too large"},
    {"weight,a,b\n-1,0.1,0.2\n", ":2: field 'weight': -1 is negative"},
    {"weight,a,b\n0,0.1,0.2\n0,0.1,0.2\n", ": the weights sum to 0"},
    {"weight,a,b\nx,0.1,0.2\n", ":2: field 'weight': 'x' is not"},
    {"a,b\n\"0.1,0.2\n", ":2: field 1: a quote is not closed"},
    {"a,\"b\"c\n0.1,0.2\n", ":1: field 2: a quote is not closed"},
    {"a,caf\xe9\n0.1,0.2\n", ":1: field 2: the name is not UTF-8"},
    {"a,\xed\xa0\x80\n0.1,0.2\n", ":1: field 2: the name is not UTF-8"},
    {"a,\xc0\xaf\n0.1,0.2\n", ":1: field 2: the name is not UTF-8"},
};

static void wrong_model_files_are_refused_with_line_and_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_files / sizeof *wrong_files; i++) {
        segue_models_file file;
        segue_error err;
        write_text(wrong_files[i].text);
        const segue_status status =
            segue_models_file_read(&file, own_path, SEGUE_MODELS_KNOWN, &err);
        assert_int_equal(segue_status_exit_code(status), 2);
        assert_null(file.models);
        if (strncmp(err.message, own_path, strlen(own_path)) != 0 ||
            strncmp(err.message + strlen(own_path), wrong_files[i].says,
                    strlen(wrong_files[i].says)) != 0)
            fail_msg("\"%s\" does not go on with \"%s\"", err.message, wrong_files[i].says);
    }
}

static void hostile_files_are_refused(void **state)
{
    (void)state;
    segue_models_file file;
    segue_error err;
    write_bytes("a,b\n0.1,\0000.2\n", 14);
    assert_int_equal(segue_models_file_read(&file, own_path, SEGUE_MODELS_KNOWN, &err),
                     SEGUE_EPARSE);
    assert_non_null(strstr(err.message, ":2: the line contains a NUL byte"));

    char *line = malloc(10000000);
    assert_non_null(line);
    memset(line, '7', 10000000);
    write_bytes(line, 10000000);
    free(line);
    assert_int_equal(segue_models_file_read(&file, own_path, SEGUE_MODELS_KNOWN, &err),
                     SEGUE_EPARSE);
    assert_non_null(strstr(err.message, ":1: the line is longer than"));

    assert_int_equal(segue_models_file_read(&file, own_folder, SEGUE_MODELS_KNOWN, &err),
                     SEGUE_EFILE);
    assert_non_null(strstr(err.message, "is a directory"));
    assert_int_equal(segue_models_file_read(&file, "/nonexistent/file", SEGUE_MODELS_KNOWN, &err),
                     SEGUE_EFILE);
}

static void too_many_models_are_refused_at_their_line(void **state)
{
    (void)state;
    FILE *out = fopen(own_path, "w");
    assert_non_null(out);
    fputs("a,b\n", out);
    for (int i = 0; i < SEGUE_MAX_MODELS + 1; i++)
        fputs("0.1,0.2\n", out);
    assert_int_equal(fclose(out), 0);
    segue_models_file file;
    segue_error err;
    assert_int_equal(segue_models_file_read(&file, own_path, SEGUE_MODELS_KNOWN, &err),
                     SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, ":1002: more than 1000 models"));
}

static void estimates_may_lie_outside_the_unit_interval(void **state)
{
    (void)state;
    write_text("a,b\n1.05,-0.02\n");
    segue_models_file file;
    assert_ok(segue_models_file_read(&file, own_path, SEGUE_MODELS_ESTIMATED, NULL));
    segue_models_file_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_file_is_read_with_names_and_weights),
        cmocka_unit_test(wrong_model_files_are_refused_with_line_and_field),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(too_many_models_are_refused_at_their_line),
        cmocka_unit_test(estimates_may_lie_outside_the_unit_interval),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
