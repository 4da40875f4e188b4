/* test_io.c - CSV, model files, writing aside.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "io/log/csv.h"
#include "io/log/log.h"
#include "io/log/samples_file.h"
#include "io/models_file.h"
#include "io/shell.h"
#include "io/utf8.h"

/* ---- texts ------------------------------------------------------------------------------- */

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t most, fits;
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
        assert_int_equal(segue_utf8_prefix_length(cases[i].text, cases[i].most), cases[i].fits);
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
        {"\xc3\xc3\xa9", "?\xc3\xa9"}, /* a character behind a wrong byte stays */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%s", cases[i][0]);
        segue_utf8_sanitize(text);
        assert_string_equal(text, cases[i][1]);
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

static void estimates_may_leave_the_unit_interval(void **state)
{
    (void)state;
    write_text("a,b\n1.05,-0.02\n");
    segue_models_file file;
    assert_ok(segue_models_file_read(&file, own_path, SEGUE_MODELS_ESTIMATED, NULL));
    segue_models_file_fini(&file);
}

/* ---- logs -------------------------------------------------------------------------------- */

static void a_log_goes_to_three_batches_in_turn(void **state)
{
    (void)state;
    write_text("time,task,reward,arm\n"
               "1,x,0,b\n1,x,1,a\n1,y,1,a\n1,x,1,b\n1,x,.5,a\n1,x,0,b\n1,x,0,a\n1,x,1,b\n");
    segue_log log;
    double views[6];
    assert_ok(segue_log_read(&log, own_path, 0.0, 1.0, NULL));
    assert_int_equal(log.n_arms, 2);
    assert_int_equal(log.n_tasks, 2);
    assert_int_equal(log.n_rows, 8);
    assert_string_equal(log.arm_name[0], "b"); /* the first that came */
    assert_string_equal(log.tasks[1].name, "y");
    assert_true(segue_log_views(&log, 0, views));
    const double expected[] = {0.5, 1, 1, .5, 0, 0}; /* b: 0 and 1, 1, 0; a: 1, .5, 0 */
    for (size_t i = 0; i < 6; i++)
        assert_near(views[i], expected[i], 0.0);
    assert_false(segue_log_views(&log, 1, views));
    segue_log_fini(&log);
}

static void numbered_arms_go_by_their_numbers(void **state)
{
    (void)state;
    write_text("task,arm,reward\n1,10,5\n1,9,-5\n1,-1,0\n");
    segue_log log;
    assert_ok(segue_log_read(&log, own_path, -5.0, 5.0, NULL));
    assert_string_equal(log.arm_name[0], "-1");
    assert_string_equal(log.arm_name[1], "9");
    assert_string_equal(log.arm_name[2], "10");
    assert_near(log.tasks[0].cells[log.arm_order[0]].sum[0], 0.5, 0.0);
    assert_near(log.tasks[0].cells[log.arm_order[2]].sum[0], 1.0, 0.0);
    segue_log_fini(&log);
}

/* So many names that the table of names grows many times, in two orders. */
static void many_tasks_keep_their_rewards(void **state)
{
    (void)state;
    enum { TASKS = 5000 };
    FILE *file = fopen(own_path, "w");
    assert_non_null(file);
    fputs("task,arm,reward\n", file);
    for (int i = 0; i < 6 * TASKS; i++)
        fprintf(file, "task %d,%s,%g\n", i % TASKS * 7919 % TASKS, i % 2 ? "left" : "right",
                (double)(i % TASKS * 7919 % TASKS) / TASKS);
    for (int i = 0; i < 6 * TASKS; i++)
        fprintf(file, "task %d,%s,%g\n", i % TASKS, i % 2 ? "right" : "left",
                (double)(i % TASKS) / TASKS);
    assert_int_equal(fclose(file), 0);
    segue_log log;
    assert_ok(segue_log_read(&log, own_path, 0.0, 1.0, NULL));
    assert_int_equal(log.n_tasks, TASKS);
    for (size_t task = 0; task < TASKS; task++) {
        double views[6];
        assert_true(segue_log_views(&log, task, views));
        for (size_t i = 0; i < 6; i++)
            assert_near(views[i], strtod(log.tasks[task].name + 5, NULL) / TASKS, 1e-12);
    }
    segue_log_fini(&log);
}

static void wrong_logs_are_refused_with_line_and_field(void **state)
{
    (void)state;
    static const struct wrong_file wrong[] = {
        {"", ": the file is empty"},
        {"task,arm\n", ":1: the header has no column 'reward'"},
        {"t,arm,reward\n", ":1: the header has no column 'task'"},
        {"task,arm,reward\n", ": there is no reward below the header"},
        {"task,arm,reward\n1,a\n", ":2: the row has 2 fields; the header has 3"},
        {"task,arm,reward\n1,a,2\n", ":2: field 'reward': 2 is out of range; need 0 to 1"},
        {"task,arm,reward\n1,a,nan\n", ":2: field 'reward': 'nan' is not"},
        {"task,arm,reward\n,a,1\n", ":2: field 'task': there is no name"},
        {"task,arm,reward\n1,\xff,1\n", ":2: field 'arm': the name is not UTF-8"},
        {"task,arm,reward\n1,a,1\n2,a,0\n", ": there is only one arm"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_log log;
        segue_error err;
        write_text(wrong[i].text);
        const segue_status status = segue_log_read(&log, own_path, 0.0, 1.0, &err);
        assert_int_equal(segue_status_exit_code(status), 2);
        assert_null(log.tasks);
        if (strncmp(err.message + strlen(own_path), wrong[i].says, strlen(wrong[i].says)) != 0)
            fail_msg("\"%s\" does not go on with \"%s\"", err.message, wrong[i].says);
    }
}

static void a_log_becomes_samples(void **state)
{
    (void)state;
    write_text("reward,task,arm\n"
               "3,x,10\n-1,y,9\n1,x,9\n-1,x,10\n1,z,10\n3,z,9\n1,z,9\n3,x,10\n");
    const segue_samples_options wanted = {.least = 1, .lowest = -1.0, .highest = 3.0};
    segue_samples *samples = NULL;
    assert_ok(segue_samples_file_read(&samples, own_path, &wanted, NULL));
    assert_int_equal(samples->n_arms, 2);
    assert_int_equal(samples->n_tasks, 2); /* x and z; y has no arm 10 */
    assert_int_equal(samples->n_left_out, 1);
    const double reward[] = {.5, 1, 0, 1, 1, .5, .5}, mean[] = {.5, 2 / 3., .75, .5};
    const size_t start[] = {0, 1, 4, 6, 7}; /* arm 9 is before arm 10 */
    for (size_t i = 0; i < 7; i++)
        assert_near(samples->reward[i], reward[i], 0.0);
    for (size_t i = 0; i < 4; i++)
        assert_near(samples->mean[i], mean[i], 1e-15);
    assert_memory_equal(samples->start, start, sizeof start);
    segue_samples_destroy(samples);
}

static void logs_that_cannot_be_resampled_are_refused(void **state)
{
    (void)state;
    static const struct wrong_file wrong[] = {
        {"", ": the file is empty"},
        {"task,arm,reward\n1,a,1\n1,b,1\n2,b,1\n", ": none of the 2 tasks has 2 rewards"},
        {"task,arm,reward\n1,a,1\n1,b,1\n1,a,7\n", ":4: field 'reward': 7 is out of range"},
        {"task,arm,reward\n1,a,1\n1,a,1\n", ": there is only one arm"},
    };
    const segue_samples_options wanted = {.least = 2, .highest = 1.0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_samples *samples = NULL;
        segue_error err;
        write_text(wrong[i].text);
        const segue_status status = segue_samples_file_read(&samples, own_path, &wanted, &err);
        assert_int_equal(segue_status_exit_code(status), 2);
        assert_null(samples);
        if (strncmp(err.message + strlen(own_path), wrong[i].says, strlen(wrong[i].says)) != 0)
            fail_msg("\"%s\" does not go on with \"%s\"", err.message, wrong[i].says);
    }
}

/* ---- writing ----------------------------------------------------------------------------- */

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *dir = opendir(own_folder);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static void a_file_is_replaced_whole(void **state)
{
    (void)state;
    char text[16] = "";
    write_text("old");
    assert_ok(segue_atomic_file_write(own_path, "new!", 4, NULL));
    FILE *file = fopen(own_path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 4);
    fclose(file);
    assert_string_equal(text, "new!");
    assert_int_equal(files_in_folder(), 1);
}

static void a_link_is_written_through(void **state)
{
    (void)state;
    char link[sizeof own_path + 8];
    struct stat about;
    snprintf(link, sizeof link, "%s/link", own_folder);
    write_text("old");
    assert_int_equal(symlink(own_path, link), 0);
    assert_ok(segue_atomic_file_write(link, "new!", 4, NULL));
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_size, 4);
    unlink(link);
}

static void a_new_file_has_the_usual_permissions(void **state)
{
    (void)state;
    struct stat about;
    unlink(own_path);
    const mode_t mask = umask(027);
    assert_ok(segue_atomic_file_write(own_path, "x", 1, NULL));
    umask(mask);
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(chmod(own_path, 0600), 0); /* and a private file stays private */
    assert_ok(segue_atomic_file_write(own_path, "y", 1, NULL));
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

/* The permissions of a file aside, which may have no name. */
static mode_t mode_temporary(const atomic_file *out)
{
    struct stat about;
    assert_int_equal(fstat(out->fd, &about), 0);
    return about.st_mode & 0777;
}

static void a_file_aside_is_as_private_as_it_will_be(void **state)
{
    (void)state;
    static atomic_file out;
    const mode_t mask = umask(022);
    unlink(own_path);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0, NULL));
    assert_int_equal(mode_temporary(&out), 0644);
    segue_atomic_file_rollback(&out);
    umask(0);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0600, NULL));
    assert_int_equal(mode_temporary(&out), 0600);
    segue_atomic_file_rollback(&out);
    write_text("old"); /* of which nobody knows yet how private its next text is */
    assert_int_equal(chmod(own_path, 0644), 0);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0, NULL));
    assert_int_equal(mode_temporary(&out), 0600);
    assert_ok(segue_atomic_file_commit(&out, NULL));
    umask(mask);
    struct stat about;
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    assert_int_equal(files_in_folder(), 1);
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    segue_error err;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(segue_atomic_file_write("/dev/full", "x", 1, &err), SEGUE_EIO);
    assert_non_null(strstr(err.message, "No space left"));
}

static void what_cannot_be_written_is_told_beforehand(void **state)
{
    (void)state;
    segue_error err;
    assert_int_equal(segue_atomic_file_check("", &err), SEGUE_EFILE);
    assert_int_equal(segue_atomic_file_check(own_folder, &err), SEGUE_EFILE);
    assert_int_equal(segue_atomic_file_check("/nonexistent/folder/file", &err), SEGUE_EFILE);
    assert_ok(segue_atomic_file_check(own_path, &err));
    assert_ok(segue_atomic_file_check("/dev/null", &err));
}

/* ---- shells ------------------------------------------------------------------------------ */

static void words_are_quoted_where_a_shell_needs_it(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool is_file;
        const char *quoted;
    } words[] = {{"log.csv", true, "log.csv"}, {"", false, "''"},
                 {"-n", true, "./-n"},         {"-n", false, "-n"},
                 {"a b", true, "'a b'"},       {"`x` $y", false, "'`x` $y'"},
                 {"it's", true, "'it'\\''s'"}, {"-'", true, "'./-'\\'''"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *quoted = segue_shell_quote(words[i].word, words[i].is_file);
        assert_string_equal(quoted, words[i].quoted);
        free(quoted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(wrong_bytes_become_question_marks),
        cmocka_unit_test(fields_come_as_written),
        cmocka_unit_test(lines_longer_than_the_buffer_are_whole),
        cmocka_unit_test(a_model_file_is_read_with_names_and_weights),
        cmocka_unit_test(wrong_model_files_are_refused_with_line_and_field),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(too_many_models_are_refused_at_their_line),
        cmocka_unit_test(estimates_may_leave_the_unit_interval),
        cmocka_unit_test(a_log_goes_to_three_batches_in_turn),
        cmocka_unit_test(numbered_arms_go_by_their_numbers),
        cmocka_unit_test(many_tasks_keep_their_rewards),
        cmocka_unit_test(wrong_logs_are_refused_with_line_and_field),
        cmocka_unit_test(a_log_becomes_samples),
        cmocka_unit_test(logs_that_cannot_be_resampled_are_refused),
        cmocka_unit_test(a_file_is_replaced_whole),
        cmocka_unit_test(a_link_is_written_through),
        cmocka_unit_test(a_new_file_has_the_usual_permissions),
        cmocka_unit_test(a_file_aside_is_as_private_as_it_will_be),
        cmocka_unit_test(a_full_device_is_an_error),
        cmocka_unit_test(what_cannot_be_written_is_told_beforehand),
        cmocka_unit_test(words_are_quoted_where_a_shell_needs_it),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
