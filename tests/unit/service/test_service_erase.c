/* test_service_erase.c - tasks are erased and old rewards removed, or with a full disk nothing has
 * changed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/engine/service_internal.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

#define TASK "/v1/learners/tutor/tasks/t"

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static void close_tasks(int count)
{
    char path[80], name[16];
    for (int i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "t%d", i);
        tell_new(name, 1.0);
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/t%d/close", i);
        expect(200, "POST", path, NULL);
    }
}

/* An erasure stores more than it frees: some fit into the pages that there are. */
static void a_full_disk_erases_nothing(void **state)
{
    enum { TASKS = 400 };
    char path[80] = "";
    segue_error err;
    int n = 0;
    (void)state;
    create_tutor("");
    close_tasks(TASKS);
    fill_disk();
    for (last_status = 200; n < TASKS && last_status == 200; n++) {
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/t%d", n);
        json_decref(fetch("DELETE", path, NULL));
    }
    assert_int_equal(last_status, 503);
    expect(200, "GET", path, NULL);
    check_store();
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    expect(200, "DELETE", path, NULL);
    expect(404, "GET", path, NULL);
    check_store();
}

static void an_open_task_is_discarded_and_can_be_opened_again(void **state)
{
    (void)state;
    create_tutor("");
    tell_new("t", 1.0);
    expect(200, "DELETE", TASK, NULL);
    expect(404, "DELETE", TASK, NULL);
    tell_new("t", 0.0);
    expect_rewards("t", 1);
    check_store();
}

/* ---- --keep ------------------------------------------------------------------------------ */

#define KEEP 1000.0

static int start_with_keep(void **state)
{
    segue_service_config config = segue_service_defaults();
    (void)state;
    clock_now = 1000.0;
    wall_offset = 0.0;
    config.keep = KEEP;
    start_service_with(config);
    return 0;
}

static int64_t count_of(const char *select)
{
    skip_on_postgresql();
    int64_t count = -1;
    segue_error err;
    if (segue_sqlite_query_integer((sqlite_store *)service->store, select, &count, &err) !=
        SEGUE_OK)
        fail_msg("%s", err.message);
    return count;
}

/* The timer searches for old rewards again and again; some tasks are removed per transaction. */
static void search_for_old_rewards(int times)
{
    for (int i = 0; i < times; i++)
        pass_time(KEEP / 4.0, segue_service_open_tasks(service));
}

/* The snapshot that replaces the rewards is copied first, and needs more pages than there are. */
static void a_full_disk_removes_no_old_rewards(void **state)
{
    enum { TASKS = 150 };
    segue_error err;
    (void)state;
    create_tutor("");
    close_tasks(TASKS);
    segue_service_run_pending(service);
    learner_state *tutor = segue_service_find(service, "tutor");
    segue_commit_queue_add_job_once(service, tutor, &op_snapshot);
    segue_learner_state_release(tutor);
    segue_service_run_pending(service);
    assert_int_equal(count_of("SELECT count(*) > 0 FROM snapshot"), 1);
    fill_disk();
    const uint64_t failures = atomic_load(&service->metrics.failures);
    search_for_old_rewards(6);
    assert_true(atomic_load(&service->metrics.failures) > failures);
    assert_int_equal(count_of("SELECT count(*) FROM reward"), TASKS);
    assert_int_equal(count_of("SELECT count(*) FROM removed"), 0);
    assert_int_equal(count_of("SELECT count(*) FROM base"), 0);
    assert_int_equal(count_of("SELECT count(*) FROM event WHERE kind = 10"), 0);
    check_store();
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    search_for_old_rewards(3);
    assert_int_equal(count_of("SELECT count(*) FROM reward"), 0);
    assert_int_equal(count_of("SELECT count(*) FROM removed"), TASKS);
    check_store();
}

static int count_rewards(int64_t task)
{
    segue_rows rows;
    segue_error err;
    segue_stored_reward reward;
    int count = 0;
    segue_rows_open(&rows, service->store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task},
                    &err);
    while (segue_rows_next_reward(&rows, &reward))
        count++;
    assert_int_equal(segue_rows_close(&rows, SEGUE_OK), SEGUE_OK);
    return count;
}

/* Close three tasks, the one in the middle with the clock set by `offset`. */
static void close_three(double offset)
{
    wall_offset = 100.0 * KEEP;
    create_tutor("");
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), 0}, path[80];
        wall_offset += i == 1 ? offset : 0.0;
        tell_new(name, 1.0);
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s/close", name);
        expect(200, "POST", path, NULL);
        wall_offset -= i == 1 ? offset : 0.0;
    }
}

static double oldest_stored(void)
{
    learner_state *tutor = segue_service_find(service, "tutor");
    const double time = tutor->oldest_stored;
    segue_learner_state_release(tutor);
    return time;
}

static void expect_removal_in_time(void)
{
    search_for_old_rewards(3);
    for (int64_t task = 1; task <= 3; task++)
        assert_int_equal(count_rewards(task), 1);
    assert_true(oldest_stored() > 100.0 * KEEP);
    search_for_old_rewards(4);
    for (int64_t task = 1; task <= 3; task++)
        assert_int_equal(count_rewards(task), 0);
    assert_true(oldest_stored() <= 0.0);
    check_store();
}

static void a_clock_that_was_ahead_keeps_no_rewards(void **state)
{
    (void)state;
    close_three(50.0 * KEEP);
    expect_removal_in_time();
}

static void a_clock_that_was_behind_removes_none_early(void **state)
{
    (void)state;
    close_three(-50.0 * KEEP);
    expect_removal_in_time();
}

/* Nothing bounds the age of the last task then. */
static void a_last_task_from_the_future_stays(void **state)
{
    (void)state;
    close_three(0.0);
    wall_offset += 50.0 * KEEP;
    tell_new("last", 1.0);
    expect(200, "POST", "/v1/learners/tutor/tasks/last/close", NULL);
    wall_offset -= 50.0 * KEEP;
    search_for_old_rewards(8);
    assert_int_equal(count_rewards(3), 0);
    assert_int_equal(count_rewards(4), 1);
    assert_true(oldest_stored() > 140.0 * KEEP);
    search_for_old_rewards(4 * 51);
    assert_int_equal(count_rewards(4), 0);
    check_store();
}

#define WITH_KEEP(test) cmocka_unit_test_setup_teardown(test, start_with_keep, stop_service)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_full_disk_erases_nothing),
        SERVED(an_open_task_is_discarded_and_can_be_opened_again),
        WITH_KEEP(a_full_disk_removes_no_old_rewards),
        WITH_KEEP(a_clock_that_was_ahead_keeps_no_rewards),
        WITH_KEEP(a_clock_that_was_behind_removes_none_early),
        WITH_KEEP(a_last_task_from_the_future_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
