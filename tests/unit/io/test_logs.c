/* test_logs.c - strict reading of logs: many wrong ones, many odd but right ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "logs_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "io/log/log.h"
#include "io/text/lines.h"

/* ---- many small logs --------------------------------------------------------------------- */

typedef struct wrong_log {
    const char *what, *bytes;
    size_t size;
    const char *says;
} wrong_log;

typedef struct good_log {
    const char *what, *bytes;
    size_t size;
    size_t rows, tasks, arms;
} good_log;

#define TEXT(text) text, sizeof(text) - 1
#define PROB       "task,arm,reward,probability\n"
#define TIME       "task,arm,reward,time\n"

static const wrong_log refused_logs[] = {
    {"an empty file", TEXT(""), ": the file is empty"},
    {"blank lines only", TEXT("\n\r\n \n"), ": the file is empty"},
    {"no header", TEXT("u,a,1\nu,b,0\n"), ":1: the header has no column 'task'"},
    {"another header", TEXT("Task,arm,reward\n"), ":1: the header has no column 'task'"},
    {"a header only", TEXT(HEAD), ": there is no reward below the header"},
    {"two columns of a name", TEXT("task,arm,reward,arm\nu,a,1,b\n"),
     ":1: two columns are named 'arm'"},
    {"two probabilities", TEXT("probability,task,arm,reward,probability\n"),
     ":1: two columns are named 'probability'"},
    {"lines that end with CR", TEXT("task,arm,reward\ru,a,1\ru,b,0\r"),
     ":1: the header has a carriage return in it"},
    {"one arm only", TEXT(HEAD "u,a,1\nv,a,0\n"), ": there is only one arm"},
    {"a reward out of range", TEXT(HEAD "u,a,1\nu,b,1.5\n"),
     ":3: field 'reward': 1.5 is out of range; need 0 to 1"},
    {"a reward below it", TEXT(HEAD "u,a,-1e-300\n"), ":2: field 'reward': -1e-300 is out"},
    {"a reward that is infinite", TEXT(HEAD "u,a,inf\n"), ":2: field 'reward': 'inf' is not"},
    {"a reward that is too large", TEXT(HEAD "u,a,1e400\n"), ":2: field 'reward': '1e400' is too"},
    {"a reward that is none", TEXT(HEAD "u,a,much\n"), ":2: field 'reward': 'much' is not"},
    {"no reward", TEXT(HEAD "u,a,\n"), ":2: field 'reward': is empty"},
    {"no task", TEXT(HEAD "\"\",a,1\n"), ":2: field 'task': the name is empty"},
    {"too few fields", TEXT(HEAD "u,a,1\n\nu,b\n"), ":4: the row has 2 fields; the header has 3"},
    {"too many fields", TEXT(HEAD "u,a,1,\n"), ":2: the row has 4 fields; the header has 3"},
    {"an open quote", TEXT(HEAD "u,\"a,1\nu,b,1\n"), ":2: field 2: a quote is not closed"},
    {"text behind a quote", TEXT(HEAD "u,\"a\"b,1\n"), ":2: field 2: a quote is not closed before"},
    {"a name of two lines", TEXT(HEAD "u,\"a\nb\",1\n"),
     ":2: field 'arm': the name has a control character"},
    {"a CR in a name", TEXT(HEAD "u\rv,a,1\n"), ":2: field 'task': the name has a control"},
    {"Latin-1", TEXT(HEAD "caf\xe9,a,1\n"), ":2: field 'task': the name is not UTF-8"},
    {"UTF-16", TEXT("\xff\xfet\0a\0s\0k\0"), ":1: the file is UTF-16"},
    {"a NUL", TEXT(HEAD "u,a\0b,1\n"), ":2: the line contains a NUL byte"},
    {"a NUL in quotes", TEXT(HEAD "u,\"a\0b\",1\n"), ":2: the line contains a NUL byte"},
    {"CSV, then JSON", TEXT(HEAD "u,a,1\n{\"task\":1,\"arm\":2,\"reward\":0}\n"),
     ":3: field 2: a quote is not closed"},
    {"JSON, then CSV", TEXT("{\"task\":1,\"arm\":2,\"reward\":0}\nu,a,1\n"),
     ":2: need a JSON object, {..}, as on the lines before"},
    {"a JSON array", TEXT("[{\"task\":1,\"arm\":2,\"reward\":0}]\n"), ":1: this is a JSON array"},
    {"JSON over many lines", TEXT("{\n \"task\": 1,\n \"arm\": 2}\n"),
     ":1: the object is not closed on its line"},
    {"JSON without a reward", TEXT("{\"task\":1,\"arm\":2}\n"), ":1: there is no 'reward'"},
    {"a task that is null", TEXT("{\"task\":null,\"arm\":2,\"reward\":1}\n"),
     ":1: there is no 'task'"},
    {"a task that is true", TEXT("{\"task\":true,\"arm\":2,\"reward\":1}\n"),
     ":1: field 'task': need a string or a number"},
    {"a task that is a list", TEXT("{\"task\":[1],\"arm\":2,\"reward\":1}\n"),
     ":1: field 'task': need a string or a number"},
    {"a reward in quotes", TEXT("{\"task\":1,\"arm\":2,\"reward\":\"1\"}\n"),
     ":1: field 'reward': need a number"},
    {"a reward of JSON out of range", TEXT("{\"task\":1,\"arm\":2,\"reward\":2}\n"),
     ":1: field 'reward': 2 is out of range"},
    {"a key twice", TEXT("{\"task\":1,\"arm\":2,\"reward\":1,\"task\":1}\n"),
     ":1: the key 'task' is there twice"},
    {"another key twice", TEXT("{\"x\":1,\"task\":1,\"arm\":2,\"reward\":1,\"\\u0078\":1}\n"),
     ":1: the key 'x' is there twice"},
    {"text after the object", TEXT("{\"task\":1,\"arm\":2,\"reward\":1} {}\n"),
     ":1: byte 31: there is text after the object"},
    {"a comma too many", TEXT("{\"task\":1,\"arm\":2,\"reward\":1,}\n"),
     ":1: byte 30: need a key in quotes"},
    {"no comma", TEXT("{\"task\":1 \"arm\":2}\n"), ":1: byte 11: need a comma"},
    {"no colon", TEXT("{\"task\" 1}\n"), ":1: byte 9: need a colon"},
    {"a number of C", TEXT("{\"task\":1,\"arm\":2,\"reward\":.5}\n"), ":1: byte 28: need a value"},
    {"a number with a 0 before it", TEXT("{\"task\":01}\n"), ":1: byte 10: need a comma"},
    {"a number without digits", TEXT("{\"task\":1,\"arm\":2,\"reward\":1.}\n"),
     ":1: byte 30: a number goes on with a digit"},
    {"NaN", TEXT("{\"task\":1,\"arm\":2,\"reward\":NaN}\n"),
     ":1: byte 28: NaN is not JSON; write null"},
    {"bad UTF-8 in JSON", TEXT("{\"task\":1,\"x\":\"\xed\xa0\x80\"}\n"),
     ":1: byte 15: the string is not UTF-8"},
    {"half a pair", TEXT("{\"task\":\"\\ud83d\"}\n"), ":1: byte 10: there is no such escape"},
    {"an unknown escape", TEXT("{\"task\":\"\\x41\"}\n"), ":1: byte 10: there is no such escape"},
    {"an escaped NUL", TEXT("{\"task\":\"a\\u0000\"}\n"), ":1: byte 11: there is no such escape"},
    {"a tab in a string", TEXT("{\"task\":\"a\tb\"}\n"), ":1: byte 11: a control character"},
    {"an escaped end of a line", TEXT("{\"task\":\"a\\n\",\"arm\":2,\"reward\":1}\n"),
     ":1: field 'task': the name has a control character"},
    {"a NUL in JSON", TEXT("{\"task\":\"a\0\"}\n"), ":1: the line contains a NUL byte"},
    {"a wrong list inside", TEXT("{\"x\":[1,[2}],\"task\":1}\n"), ":1: byte 11: need a comma"},
    {"a wrong object inside", TEXT("{\"x\":{\"y\":1,},\"task\":1}\n"),
     ":1: byte 13: need a key in quotes"},
    {"a probability of 0", TEXT(PROB "u,a,1,0.5\nu,b,1,0\n"),
     ":3: field 'probability': 0 is out of range; need more than 0"},
    {"a probability above 1", TEXT(PROB "u,a,1,1.01\n"), ":2: field 'probability': 1.01 is out"},
    {"a probability is missing", TEXT(PROB "u,a,1,0.5\nu,b,1,\n"),
     ":3: field 'probability': is empty; give --missing skip"},
    {"one is missing in JSON",
     TEXT("{\"task\":1,\"arm\":2,\"reward\":1,\"probability\":1}\n"
          "{\"task\":1,\"arm\":3,\"reward\":1}\n"),
     ":2: there is no 'probability'; the rows before have one"},
    {"one is there in JSON",
     TEXT("{\"task\":1,\"arm\":2,\"reward\":1}\n"
          "{\"task\":1,\"arm\":3,\"reward\":1,\"time\":3}\n"),
     ":2: there is a 'time'; the rows before have none"},
    {"no time", TEXT(TIME "u,a,1,soon\n"), ":2: field 'time': 'soon' is not a time; need a number"},
    {"no such day", TEXT(TIME "u,a,1,2023-02-29\n"), ":2: field 'time': '2023-02-29' is not"},
    {"numbers and dates", TEXT(TIME "u,a,1,2024-02-29\nu,b,1,17\n"),
     ":3: field 'time': '17' is a number; those before are dates"},
};

static const good_log read_logs[] = {
    {"one task only", TEXT(HEAD "u,a,1\nu,b,0\n"), 2, 1, 2},
    {"a task with one row", TEXT(HEAD "u,a,1\nv,b,0\nu,b,0\n"), 3, 2, 2},
    {"no LF at the end", TEXT(HEAD "u,a,1\nu,b,0"), 2, 1, 2},
    {"CRLF", TEXT("task,arm,reward\r\nu,a,1\r\n\r\nu,\"b\",0\r\n"), 2, 1, 2},
    {"CRLF behind a quote", TEXT("task,reward,arm\r\nu,1,\"a\"\r\nu,0,b\r\n"), 2, 1, 2},
    {"a byte-order mark", TEXT("\xef\xbb\xbf" HEAD "u,a,1\nu,b,0\n"), 2, 1, 2},
    {"commas and quotes in names", TEXT(HEAD "\"u, v\",\"a\"\"b\",1\n\"u, v\",b,0\n"), 2, 1, 2},
    {"another column of two lines", TEXT("task,note,arm,reward\nu,\"two\nlines\",a,1\nu,,b,1\n"), 2,
     1, 2},
    {"Latin-1 in another column", TEXT("task,note,arm,reward\nu,\xe9,a,1\nu,,b,1\n"), 2, 1, 2},
    {"names that are almost alike",
     TEXT(HEAD "a,12345678,1\naa,123456789,1\naaa,123456789012,1\n"
               "aaaa,1234567890123,1\nb,12345678901234567,1\n"
               "b,1234567890123,1\naa,12345678,1\n"),
     7, 5, 5},
    {"JSON",
     TEXT("{\"task\":\"u\",\"arm\":1,\"reward\":1}\n\n { \"reward\" : 0e0 ,\t\"arm\" : \"b\","
          "\"task\" : \"u\" } \r\n"),
     2, 1, 2},
    {"JSON, numbers and strings of a name",
     TEXT("{\"task\":1,\"arm\":1,\"reward\":1}\n{\"task\":\"1\",\"arm\":\"\\u0031\",\"reward\":1}\n"
          "{\"task\":1.0,\"arm\":-2e+1,\"reward\":-0.0}"),
     3, 2, 2},
    {"JSON with nested values",
     TEXT("\xef\xbb\xbf{\"x\":{\"task\":[1, {}, [ ] ,{\"y\":[{\"z\":null}]}],\"a\":\"\\\"]}\"},"
          "\"task\":1,\"arm\":1,\"reward\":1}\n{\"task\":1,\"arm\":2,\"reward\":0.5,\"y\":[true]}"
          "\n"),
     2, 1, 2},
    {"a time that is null",
     TEXT("{\"task\":1,\"arm\":1,\"reward\":1,\"time\":null}\n"
          "{\"task\":1,\"arm\":2,\"reward\":1}\n"),
     2, 1, 2},
    {"dates of JSON",
     TEXT("{\"task\":1,\"arm\":1,\"reward\":1,\"time\":\"2024-02-29\"}\n"
          "{\"task\":1,\"arm\":2,\"reward\":1,\"time\":\"2024-02-29T23:59Z\"}\n"),
     2, 1, 2},
};

static void logs_are_refused_with_file_and_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_logs / sizeof *refused_logs; i++) {
        write_bytes(refused_logs[i].bytes, refused_logs[i].size);
        refused(refused_logs[i].what, refused_logs[i].says);
    }
}

static void other_logs_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_logs / sizeof *read_logs; i++) {
        const good_log *log = &read_logs[i];
        write_bytes(log->bytes, log->size);
        segue_history history = must_read(log->what);
        if (history.n_rows != log->rows || history.n_tasks != log->tasks ||
            history.n_arms != log->arms)
            fail_msg("%s: %zu rows, %zu tasks, %zu arms", log->what, history.n_rows,
                     history.n_tasks, history.n_arms);
        segue_history_fini(&history);
    }
}

static void directories_and_missing_files_are_refused(void **state)
{
    (void)state;
    char *const file = strdup(own_path);
    assert_non_null(file);
    write_text(HEAD);
    (void)snprintf(own_path, sizeof own_path, "%s", own_folder);
    refused("a folder", ": is a directory; need a file");
    (void)snprintf(own_path, sizeof own_path, "%s/nothing", own_folder);
    refused("no file", ": cannot be opened: No such file");
    (void)snprintf(own_path, sizeof own_path, "%s/file.csv/log", own_folder);
    refused("a file in a file", ": cannot be opened: Not a directory");
    (void)snprintf(own_path, sizeof own_path, "%s", file);
    if (geteuid() != 0) { /* root reads everything */
        assert_int_equal(chmod(own_path, 0), 0);
        refused("a secret", ": cannot be opened: Permission denied");
        assert_int_equal(chmod(own_path, 0600), 0);
    }
    free(file);
}

/* ---- what they hold ---------------------------------------------------------------------- */

static void rows_are_grouped_by_task_in_the_order_of_the_file(void **state)
{
    (void)state;
    write_text("time,probability,task,arm,reward\n"
               "2024-01-02,1,y,10,5\n2024-01-01,.5,x,9,-5\n2024-01-03,0.25,y,9,0\n"
               "2023-12-31T23:00-02:00,1e-300,x,10,2.5\n");
    const log_read_options wanted = {
        .lowest = -5.0, .highest = 5.0, .time = true, .probability = true};
    const double reward[] = {1, 0.5, 0, 0.75}, probability[] = {1, .25, .5, 1e-300};
    const double time[] = {1704153600, 1704240000, 1704067200, 1704070800};
    const uint32_t arm[] = {1, 0, 0, 1};
    segue_history h;
    size_t order[2];
    assert_ok(segue_history_read(&h, own_path, &wanted, NULL));
    assert_string_equal(h.task_name[0], "y");
    assert_string_equal(h.arm_name[0], "9");
    assert_true(h.has_dates);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(h.row[i].task, i / 2);
        assert_int_equal(h.row[i].arm, arm[i]);
        assert_near(h.row[i].reward, reward[i], 0.0);
        assert_near(h.time[i], time[i], 0.0);
        assert_near(h.probability[i], probability[i], 0.0);
    }
    for (size_t task = 0; task <= 2; task++)
        assert_int_equal(h.start[task], 2 * task);
    assert_ok(segue_history_order_by_time(&h, order, NULL));
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 0);
    segue_history_fini(&h);
}

/* Of 3,000 tasks 1,000 are drawn: in their order, each with its rows, and the first half has half of
 * them within 5 standard errors, 5 sqrt(1500 * 1/3 * 2/3 * 1/2) = 65, but for once in 1.7 million. */
static void a_sample_has_tasks_with_their_rows(void **state)
{
    const log_read_options wanted = {.highest = 1.0, .time = true, .probability = true};
    segue_history h, again, other;
    size_t early = 0, n_equal = 0;
    FILE *out = fopen(own_path, "w");
    (void)state;
    assert_non_null(out);
    (void)fputs("task,arm,reward,time,probability\n", out);
    for (int i = 0; i < 6000;
         i++) /* task t has the rows t and 3000 + t, and one more if t is even */
        for (int copy = 0; copy <= (i < 3000 && i % 2 == 0); copy++)
            (void)fprintf(out, "%d,%d,%g,%d,%g\n", i % 3000, i % 7, i / 6000.0, i,
                          (i + 1) / 6000.0);
    assert_int_equal(fclose(out), 0);
    assert_ok(segue_history_read(&h, own_path, &wanted, NULL));
    assert_ok(segue_history_read(&again, own_path, &wanted, NULL));
    assert_ok(segue_history_read(&other, own_path, &wanted, NULL));
    segue_history_sample(&h, 1000, 7);
    segue_history_sample(&other, 1000, 8);
    segue_history_sample(&again, 1000, 7);
    assert_int_equal(h.n_tasks, 1000);
    assert_int_equal(h.drawn_from, 3000);
    assert_int_equal(h.n_rows, h.start[1000]);
    for (size_t task = 0; task < 1000; task++) {
        const long named = strtol(h.task_name[task], NULL, 10);
        early += named < 1500;
        n_equal += strcmp(h.task_name[task], other.task_name[task]) == 0;
        assert_string_equal(h.task_name[task], again.task_name[task]);
        assert_true(task == 0 || named > strtol(h.task_name[task - 1], NULL, 10));
        assert_int_equal(h.start[task + 1] - h.start[task], 2 + (named % 2 == 0));
        for (size_t i = h.start[task]; i < h.start[task + 1]; i++) {
            const long row = i + 1 < h.start[task + 1] ? named : 3000 + named;
            assert_int_equal(h.row[i].task, task);
            assert_int_equal(h.row[i].arm, row % 7);
            assert_near(h.row[i].reward, (double)row / 6000.0, 1e-6);
            assert_near(h.time[i], (double)row, 0.0);
            assert_near(h.probability[i], (double)(row + 1) / 6000.0, 1e-6);
        }
    }
    assert_near((double)early, 500.0, 65.0);
    assert_true(n_equal < 1000);
    segue_history_sample(&h, 1000, 8); /* nothing is left to drop */
    assert_int_equal(h.drawn_from, 3000);
    segue_history_fini(&h);
    segue_history_fini(&again);
    segue_history_fini(&other);
}

static void unused_columns_are_skipped(void **state)
{
    (void)state;
    write_text("task,arm,reward,time,probability,time\nu,a,1,soon,7,0\nu,b,1,,,\n");
    const log_read_options wanted = {.highest = 1.0};
    segue_history h;
    segue_log log;
    assert_ok(segue_history_read(&h, own_path, &wanted, NULL));
    assert_null(h.time);
    assert_null(h.probability);
    segue_history_fini(&h);
    assert_ok(segue_log_read(&log, own_path, &plain, NULL));
    segue_log_fini(&log);
    write_text("{\"task\":1,\"arm\":2,\"reward\":1,\"time\":[]}\n"
               "{\"task\":1,\"arm\":3,\"reward\":1,\"probability\":\"no\"}\n");
    assert_ok(segue_history_read(&h, own_path, &wanted, NULL));
    segue_history_fini(&h);
}

/* Names of every length up to 300 bytes, each three times, in three orders. */
static void names_of_any_length_are_distinct(void **state)
{
    (void)state;
    enum { LONGEST = 300, TIMES = 3 };
    char name[LONGEST + 1];
    FILE *file = fopen(own_path, "w");
    assert_non_null(file);
    fputs(HEAD, file);
    memset(name, 'n', sizeof name);
    for (int i = 0; i < TIMES * LONGEST; i++) {
        const int length = 1 + (i < LONGEST ? i : 7 * i % LONGEST);
        fprintf(file, "%.*s,%c%.*s,1\n", length, name, "xy"[i % 2], length - 1, name);
    }
    assert_int_equal(fclose(file), 0);
    segue_history h = must_read("names");
    assert_int_equal(h.n_tasks, LONGEST);
    for (size_t task = 0; task < h.n_tasks; task++) {
        assert_int_equal(strlen(h.task_name[task]), task + 1);
        assert_int_equal(h.start[task + 1] - h.start[task], TIMES);
        for (size_t i = h.start[task]; i < h.start[task + 1]; i++)
            assert_int_equal(strlen(h.arm_name[h.row[i].arm]), task + 1);
    }
    segue_history_fini(&h);
}

static void escapes_of_json_are_characters(void **state)
{
    (void)state;
    write_text(
        "{\"task\":\"\\u00e9\\/\\\"\\\\\\u20AC\\ud83c\\udf93\xf0\x9f\x8e\x93\",\"\\u0061rm\":\"a\","
        "\"reward\":1}\n{\"task\":\"z\",\"arm\":\"b\",\"reward\":1}\n");
    segue_history h = must_read("escapes");
    assert_string_equal(h.task_name[0],
                        "\xc3\xa9/\"\\\xe2\x82\xac\xf0\x9f\x8e\x93\xf0\x9f\x8e\x93");
    segue_history_fini(&h);
}

/* Rows of every length around the end of a block, in both formats. */
static void rows_may_cross_the_ends_of_blocks(void **state)
{
    (void)state;
    for (int json = 0; json < 2; json++) {
        FILE *file = fopen(own_path, "w");
        assert_non_null(file);
        fputs(json ? "" : "note,task,arm,reward\n", file);
        const int rows = repeats(20000);
        for (int i = 0; i < rows; i++)
            fprintf(file,
                    json ? "{\"note\":\"%*s\",\"task\":\"t%d\",\"arm\":\"a%d\",\"reward\":0.%04d}\n"
                         : "\"%*s\n\"\"\",t%d,a%d,0.%04d\n",
                    i % 97, "", i % 1000, i % 3, i % 10000);
        assert_int_equal(fclose(file), 0);
        segue_history h = must_read("blocks");
        assert_int_equal(h.n_rows, rows);
        for (size_t i = 0; i < h.n_rows; i++) {
            const size_t row = h.row[i].task + 1000 * (i - h.start[h.row[i].task]);
            assert_int_equal(h.row[i].arm, row % 3);
            assert_near(h.row[i].reward, (double)(row % 10000) / 10000, 1e-15);
        }
        segue_history_fini(&h);
    }
}

/* ---- long lines -------------------------------------------------------------------------- */

/* A log with one long line, the second: `length` bytes with what is around the filling. */
static void write_long(const char *before, const char *after, size_t length)
{
    FILE *file = fopen(own_path, "w");
    assert_non_null(file);
    const bool json = *before == '{';
    fputs(json ? "{\"task\":1,\"arm\":2,\"reward\":1}\n" : "task,arm,reward\n", file);
    fputs(before, file);
    for (size_t i = strlen(before) + strlen(after); i < length; i++)
        fputc('x', file);
    fprintf(file, "%s\n%s", after, json ? "" : "u,a,1\n");
    assert_int_equal(fclose(file), 0);
}

static void long_lines_are_read_up_to_a_length(void **state)
{
    (void)state;
    static const char *const around[][2] = {{"", ",b,1"},
                                            {"\"", "\",b,1"},
                                            {"\"\n", "\",b,1"},
                                            {"{\"task\":\"", "\",\"arm\":1,\"reward\":1}"}};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        write_long(around[i][0], around[i][1], SEGUE_MAX_LINE);
        if (i == 2) {
            refused("a long name of two lines", ":2: field 'task': the name has a control");
        } else {
            segue_history h = must_read("a long line");
            assert_int_equal(h.n_rows, 2);
            segue_history_fini(&h);
        }
        write_long(around[i][0], around[i][1], SEGUE_MAX_LINE + 1);
        refused("too long a line", ":2: the line is longer than 1048576 bytes");
        write_long(around[i][0], around[i][1], 5 * SEGUE_MAX_LINE);
        refused("a line of 5 MiB", ":2: the line is longer than 1048576 bytes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_refused_with_file_and_line),
        cmocka_unit_test(other_logs_are_read),
        cmocka_unit_test(directories_and_missing_files_are_refused),
        cmocka_unit_test(rows_are_grouped_by_task_in_the_order_of_the_file),
        cmocka_unit_test(a_sample_has_tasks_with_their_rows),
        cmocka_unit_test(unused_columns_are_skipped),
        cmocka_unit_test(names_of_any_length_are_distinct),
        cmocka_unit_test(escapes_of_json_are_characters),
        cmocka_unit_test(rows_may_cross_the_ends_of_blocks),
        cmocka_unit_test(long_lines_are_read_up_to_a_length),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
