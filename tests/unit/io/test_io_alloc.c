/* test_io_alloc.c - model sets and logs in files survive failing allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <unistd.h>

#include "alloc.h"
#include "core/atomic_file.h"
#include "io/log/history.h"
#include "io/log/log.h"
#include "io/log/samples_file.h"
#include "io/models_file.h"
#include "io/policy_list.h"
#include "io/tally/tally.h"

static const log_read_options plain = {.highest = 1.0};

static char file_name[] = "/tmp/segue-alloc-XXXXXX", tally_name[80];

static segue_status file_scenario(segue_error *err)
{
    segue_models_file file;
    segue_status status = segue_models_file_read(&file, file_name, SEGUE_MODELS_KNOWN, err);
    segue_models_file_fini(&file);
    if (status == SEGUE_OK)
        status = segue_atomic_file_write(file_name, "a,b\n.1,.2\n.3,.4\n", 16, err);
    return status;
}

static segue_status log_scenario(segue_error *err)
{
    segue_log log;
    segue_status status = segue_log_read(&log, file_name, &plain, err);
    segue_log_fini(&log);
    if (status == SEGUE_OK) {
        status = segue_log_read_consecutive(&log, file_name, &plain, err);
        segue_log_fini(&log);
    }
    return status;
}

/* A list that could not be made leaves nothing to free. */
static segue_status list_scenario(segue_error *err)
{
    segue_policy_list list;
    const segue_status status = segue_policy_list_parse(&list, "ts,tla", err);
    if (status == SEGUE_OK)
        segue_policy_list_fini(&list);
    return status;
}

/* A log with all columns is read, and its tasks are sorted by time. */
static segue_status history_scenario(segue_error *err)
{
    const log_read_options wanted = {.highest = 1.0, .time = true, .probability = true};
    segue_history history;
    size_t order[100];
    segue_status status = segue_history_read(&history, file_name, &wanted, err);
    if (status == SEGUE_OK)
        status = segue_history_order_by_time(&history, order, err);
    segue_history_fini(&history);
    return status;
}

static segue_status decisions_scenario(segue_error *err)
{
    const log_read_options named = {.highest = 1.0, .column = {"c.u"}};
    segue_history history;
    const segue_status status = segue_history_read(&history, file_name, &named, err);
    segue_history_fini(&history);
    return status;
}

/* A log without the columns: its message lists what it has, and without memory says less. */
static segue_status refused_scenario(segue_error *err)
{
    segue_history history;
    const segue_status status = segue_history_read(&history, file_name, &plain, err);
    segue_history_fini(&history);
    if (status == SEGUE_EPARSE && alloc_has_failed())
        return err->status = SEGUE_ENOMEM; /* as alloc_fail_each expects */
    return status == SEGUE_EPARSE ? SEGUE_OK : status;
}

/* A log is tallied, the tally is written and read again, and becomes the counts and rows of a log. */
static segue_status tally_scenario(segue_error *err)
{
    segue_tally tally, again = {.n_rows = 0};
    segue_bytes b = {.data = NULL};
    segue_log log = {.n_arms = 0};
    segue_history history = {.n_rows = 0};
    const tally_log_options wanted = {.path = file_name, .views = true};
    segue_status status = segue_tally_read_log(&tally, file_name, &plain, err);
    if (status == SEGUE_OK)
        status = segue_tally_serialize(&tally, &b, err);
    if (status == SEGUE_OK)
        status = segue_atomic_file_write(tally_name, b.data, b.size, err);
    if (status == SEGUE_OK)
        status = segue_tally_add_file(&again, tally_name, err);
    if (status == SEGUE_OK)
        status = segue_tally_make_history(&again, tally_name, 1, &history, err);
    segue_tally_fini(&again);
    if (status == SEGUE_OK)
        status = segue_tally_add_file(&again, tally_name, err);
    if (status == SEGUE_OK)
        status = segue_tally_make_log(&again, &wanted, &log, err);
    segue_tally_fini(&tally);
    segue_tally_fini(&again);
    segue_bytes_fini(&b);
    segue_log_fini(&log);
    segue_history_fini(&history);
    return status;
}

/* A log is read and played. */
static segue_status samples_scenario(segue_error *err)
{
    const segue_samples_options wanted = {.min_rewards = 1, .log = {.highest = 1.0}};
    segue_samples *samples = NULL;
    segue_simulation_result *result = NULL;
    segue_policy_spec spec;
    segue_status status = segue_policy_parse(&spec, "ucb", err);
    if (status == SEGUE_OK)
        status = segue_samples_file_read(&samples, file_name, &wanted, NULL, err);
    const segue_environment env = {.size = sizeof(segue_environment), .samples = samples};
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
                                  .policy = spec,
                                  .steps = 20,
                                  .tasks = 50,
                                  .runs = 20,
                                  .threads = 2};
    if (status == SEGUE_OK)
        status = segue_simulation_run(&result, &sim, err);
    segue_simulation_result_destroy(result);
    segue_samples_destroy(samples);
    return status;
}

/* Write 300 lines, with an arm from 1 and a task. */
static void write_log(const char *format)
{
    FILE *log = fopen(file_name, "w");
    assert_non_null(log);
    for (int i = 0; i < 300; i++)
        fprintf(log, format, 1 + i % 3, i % 100);
    assert_int_equal(fclose(log), 0);
}

static void files_survive_every_failing_allocation(void **state)
{
    (void)state;
    const int fd = mkstemp(file_name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a,b\n.1,.2\n.3,.4\n", 16), 16);
    close(fd);
    alloc_fail_each(list_scenario, 5);
    alloc_fail_each(file_scenario, 10);
    FILE *log = fopen(file_name, "w");
    assert_non_null(log);
    fputs("task,arm,reward\n", log);
    for (int i = 0; i < 300; i++)
        fprintf(log, "%d,%c,1\n", i % 100, 'a' + i % 3);
    assert_int_equal(fclose(log), 0);
    alloc_fail_each(log_scenario, 100);
    (void)snprintf(tally_name, sizeof tally_name, "%s.tally", file_name);
    alloc_fail_each(tally_scenario, 100);
    unlink(tally_name);
    alloc_fail_each(samples_scenario, 30);
    log = fopen(file_name, "w");
    assert_non_null(log);
    for (int i = 0; i < 300; i++)
        fprintf(log,
                "{\"x\":0,\"task\":%d,\"arm\":%d,\"reward\":1,\"time\":%d,\"probability\":1}\n",
                i % 100, i % 3, i);
    assert_int_equal(fclose(log), 0);
    alloc_fail_each(history_scenario, 20);
    write_log(
        "{\"_label_cost\":0,\"_label_Action\":%d,\"c\":{\"u\":%d,\"_multi\":[{\"_tag\":\"a\"},"
        "{\"_tag\":\"b\"},{\"_tag\":\"c\"}]}}\n");
    alloc_fail_each(decisions_scenario, 10);
    alloc_fail_each(refused_scenario, 5);
    write_log("user_%d,variant,click_%d\n");
    alloc_fail_each(refused_scenario, 5);
    unlink(file_name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
