/* test_logs_memory.c - a log in memory gives what its file gives; a flag ends the reading.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdatomic.h>

#include "io/log/log.h"
#include "io/log/log_table.h"
#include "logs_fixture.h"

#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

enum { ROWS = 5 };
static const log_text tasks[ROWS] = {TEXT("s1"), TEXT("a long name of a task"), TEXT("s1"),
                                     TEXT("s1"), TEXT("a long name of a task")};
static const log_text arms[ROWS] = {TEXT("9"), TEXT("10"), TEXT("10"), TEXT("9"), TEXT("9")};
static const double rewards[ROWS] = {0.5, 1.0, 0.0, 0.25, 1.0};
static const double times[ROWS] = {3.0, 2.0, 4.0, 5.0, 6.0};
static const double chances[ROWS] = {0.5, 0.5, 0.5, 1.0, 0.5};
static const char file[] = "task,arm,reward,time,probability\n"
                           "s1,9,0.5,3,0.5\na long name of a task,10,1,2,0.5\ns1,10,0,4,0.5\n"
                           "s1,9,0.25,5,1\na long name of a task,9,1,6,0.5\n";

static log_table table_of(void)
{
    return (log_table){.name = "the table",
                       .n_rows = ROWS,
                       .task = tasks,
                       .arm = arms,
                       .reward = rewards,
                       .time = times,
                       .probability = chances};
}

static log_read_options options_of(const log_table *table)
{
    return (log_read_options){.highest = 1.0, .time = true, .probability = true, .table = table};
}

static void a_table_gives_the_rows_of_its_file(void **state)
{
    const log_table table = table_of();
    const log_read_options options = options_of(&table);
    segue_history found;
    (void)state;
    write_text(file);
    segue_history expected = must_read("the file");
    assert_int_equal(segue_history_read(&found, "", &options, NULL), SEGUE_OK);
    assert_int_equal(found.n_tasks, 2);
    assert_int_equal(found.n_rows, expected.n_rows);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(found.arm_name[i], expected.arm_name[i]);
        assert_string_equal(found.task_name[i], expected.task_name[i]);
    }
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(found.row[i].task, expected.row[i].task);
        assert_int_equal(found.row[i].arm, expected.row[i].arm);
        assert_true(found.row[i].reward == expected.row[i].reward);
        assert_true(found.time[i] == expected.time[i]);
        assert_true(found.probability[i] == expected.probability[i]);
    }
    segue_history_fini(&found);
    segue_history_fini(&expected);
}

static void expect_error(const log_table *table, segue_status expected, const char *message)
{
    const log_read_options options = options_of(table);
    segue_history history;
    segue_error err = {.status = SEGUE_OK};
    assert_int_equal(segue_history_read(&history, "", &options, &err), expected);
    assert_non_null(strstr(err.message, message));
    assert_null(history.row);
}

static void a_wrong_value_is_named_with_its_row(void **state)
{
    const log_text bad[ROWS] = {TEXT("s1"), TEXT("\xff"), TEXT("s1"), TEXT("s1"), TEXT("s1")};
    const log_text none[ROWS] = {TEXT("s1"), TEXT("s1"), {NULL, 0}, TEXT("s1"), TEXT("s1")};
    const log_text same[ROWS] = {TEXT("9"), TEXT("9"), TEXT("9"), TEXT("9"), TEXT("9")};
    const double high[ROWS] = {0.0, 0.0, 0.0, 2.0, 0.0}, zero[ROWS] = {1.0, 0.0, 1.0, 1.0, 1.0};
    const double missing[ROWS] = {0.0, 0.0, 0.0, 0.0, NAN};
    log_table table = table_of();
    (void)state;
    table.task = bad;
    expect_error(&table, SEGUE_EPARSE, "the table, row 2: field 'task': the name is not UTF-8");
    table.task = none;
    expect_error(&table, SEGUE_EPARSE, "row 3: field 'task': the value is missing");
    table = table_of();
    table.reward = high;
    expect_error(&table, SEGUE_EDOMAIN, "row 4: field 'reward': 2 is out of range");
    table.reward = missing;
    expect_error(&table, SEGUE_EPARSE, "row 5: field 'reward': the value is missing");
    table = table_of();
    table.probability = zero;
    expect_error(&table, SEGUE_EDOMAIN, "row 2: field 'probability'");
    table = table_of();
    table.arm = same;
    expect_error(&table, SEGUE_EDOMAIN, "there is only one arm, '9'");
    table.n_rows = 0;
    expect_error(&table, SEGUE_EPARSE, "there is no row with a reward");
}

static void missing_values_are_skipped_and_counted(void **state)
{
    const double missing[ROWS] = {0.5, NAN, 0.0, NAN, 1.0};
    log_table table = table_of();
    log_read_options options = options_of(&table);
    segue_log log;
    (void)state;
    table.reward = missing;
    options.skip_missing = true;
    assert_int_equal(segue_log_read(&log, "", &options, NULL), SEGUE_OK);
    assert_int_equal(log.n_rows, 3);
    assert_int_equal(log.rows.skipped.missing[LOG_REWARD], 2);
    segue_log_fini(&log);
}

static void a_flag_ends_the_reading(void **state)
{
    const atomic_bool stop = true;
    const log_table table = table_of();
    log_read_options options = options_of(&table);
    segue_history history;
    (void)state;
    options.stop = &stop;
    assert_int_equal(segue_history_read(&history, "", &options, NULL), SEGUE_ESTOPPED);
    options.table = NULL;
    write_text(file);
    assert_int_equal(segue_history_read(&history, own_path, &options, NULL), SEGUE_ESTOPPED);
    assert_null(history.row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_gives_the_rows_of_its_file),
        cmocka_unit_test(a_wrong_value_is_named_with_its_row),
        cmocka_unit_test(missing_values_are_skipped_and_counted),
        cmocka_unit_test(a_flag_ends_the_reading),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
