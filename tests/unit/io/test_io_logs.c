/* test_io_logs.c - logs summed per task and arm, and resampled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "io/log/log.h"
#include "io/log/samples_file.h"

static const log_read_options plain = {.highest = 1.0};

/* A wrong file, and what its error must say after the path. */
struct wrong_file {
    const char *text;
    const char *says;
};

/* ---- logs -------------------------------------------------------------------------------- */

static void a_log_goes_to_three_batches_in_turn(void **state)
{
    (void)state;
    write_text("time,task,reward,arm\n"
               "1,x,0,b\n1,x,1,a\n1,y,1,a\n1,x,1,b\n1,x,.5,a\n1,x,0,b\n1,x,0,a\n1,x,1,b\n");
    segue_log log;
    double views[6];
    assert_ok(segue_log_read(&log, own_path, &plain, NULL));
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

/* Of T rewards the first floor(T/3), the next floor(T/3), and the rest; a task's rows are mixed with
 * another's. */
static void a_log_goes_to_three_consecutive_batches(void **state)
{
    (void)state;
    write_text("task,arm,reward\n"
               "x,b,0\ny,a,1\nx,a,1\nx,b,1\nx,a,.5\nx,b,0\nx,a,0\nx,b,1\ny,a,0\nx,b,1\n");
    segue_log log;
    double views[6], sum[2], pulls[2];
    assert_ok(segue_log_read_consecutive(&log, own_path, &plain, NULL));
    assert_true(segue_log_views(&log, 0, views));
    const double expected[] = {0, 1, 1, .5, 2.0 / 3.0, 0}; /* b: 0, 1, then 0, 1, 1; a: 1, .5, 0 */
    for (size_t i = 0; i < 6; i++)
        assert_near(views[i], expected[i], 1e-15);
    segue_log_counts(&log, 0, sum, pulls);
    assert_near(sum[0], 3.0, 0.0);
    assert_near(pulls[0], 5.0, 0.0);
    assert_false(segue_log_views(&log, 1, views));
    segue_log_counts(&log, 1, sum, pulls);
    assert_near(sum[1], 1.0, 0.0);
    assert_near(pulls[1], 2.0, 0.0);
    segue_log_fini(&log);
}

static void numbered_arms_go_by_their_numbers(void **state)
{
    (void)state;
    write_text("task,arm,reward\n1,10,5\n1,9,-5\n1,-1,0\n");
    segue_log log;
    assert_ok(
        segue_log_read(&log, own_path, &(log_read_options){.lowest = -5.0, .highest = 5.0}, NULL));
    assert_string_equal(log.arm_name[0], "-1");
    assert_string_equal(log.arm_name[1], "9");
    assert_string_equal(log.arm_name[2], "10");
    assert_near(log.tasks[0].cells[log.arm_order[0]].sum[0], 0.5, 0.0);
    assert_near(log.tasks[0].cells[log.arm_order[2]].sum[0], 1.0, 0.0);
    segue_log_fini(&log);
}

/* Enough names to grow the string table many times, in two orders. */
static void each_of_many_tasks_gets_its_rewards(void **state)
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
    assert_ok(segue_log_read(&log, own_path, &plain, NULL));
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
        {"task,arm,reward\n1,a,nan\n", ":2: field 'reward': is nan; give --missing skip"},
        {"task,arm,reward\n,a,1\n", ":2: field 'task': the name is empty"},
        {"task,arm,reward\n1,\xff,1\n", ":2: field 'arm': the name is not UTF-8"},
        {"task,arm,reward\n1,a,1\n2,a,0\n", ": there is only one arm"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_log log;
        segue_error err;
        write_text(wrong[i].text);
        const segue_status status = segue_log_read(&log, own_path, &plain, &err);
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
    const segue_samples_options wanted = {.min_rewards = 1,
                                          .log = {.lowest = -1.0, .highest = 3.0}};
    segue_samples *samples = NULL;
    assert_ok(segue_samples_file_read(&samples, own_path, &wanted, NULL, NULL));
    assert_int_equal(samples->n_arms, 2);
    assert_int_equal(samples->n_tasks, 2); /* x and z; y has no arm 10 */
    assert_int_equal(samples->n_skipped, 1);
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
    const segue_samples_options wanted = {.min_rewards = 2, .log = {.highest = 1.0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_samples *samples = NULL;
        segue_error err;
        write_text(wrong[i].text);
        const segue_status status =
            segue_samples_file_read(&samples, own_path, &wanted, NULL, &err);
        assert_int_equal(segue_status_exit_code(status), 2);
        assert_null(samples);
        if (strncmp(err.message + strlen(own_path), wrong[i].says, strlen(wrong[i].says)) != 0)
            fail_msg("\"%s\" does not go on with \"%s\"", err.message, wrong[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_goes_to_three_batches_in_turn),
        cmocka_unit_test(a_log_goes_to_three_consecutive_batches),
        cmocka_unit_test(numbered_arms_go_by_their_numbers),
        cmocka_unit_test(each_of_many_tasks_gets_its_rewards),
        cmocka_unit_test(wrong_logs_are_refused_with_line_and_field),
        cmocka_unit_test(a_log_becomes_samples),
        cmocka_unit_test(logs_that_cannot_be_resampled_are_refused),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
