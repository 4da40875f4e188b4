/* test_clock.c - service time with both clocks in the test's hands: the wall clock jumps, the
 * steady one does not.
 *
 * `crash` ends a service as a kill does: what is not stored is lost.  `restart` ends it in order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "calls.h"
#include "service/jobs/timer.h"
#include "store/sqlite/sqlite.h"

#define DAY   86400.0
#define START 1.7e9 /* wall time of the first start */

static double steady_now, wall_offset; /* the wall clock is so far ahead of START + steady_now */

static double wall(void)
{
    return START + steady_now + wall_offset;
}

static double steady(void)
{
    return steady_now;
}

static segue_service *service;

static void start_service(double rate)
{
    segue_service_config config = segue_service_defaults();
    segue_error err;
    config.store = own_path;
    config.now = wall;
    config.steady = steady;
    config.rate = rate;
    if (segue_service_create(&service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static int set_up(void **state)
{
    steady_now = 100.0;
    wall_offset = -100.0;
    if (make_own_folder(state) != 0)
        return -1;
    start_service(0.0);
    return 0;
}

static int tear_down(void **state)
{
    segue_service_destroy(service);
    return remove_own_folder(state);
}

/* The machine is off for `seconds`, and its steady clock starts again at 0. */
static void be_off(double seconds)
{
    wall_offset += steady_now + seconds;
    steady_now = 0.0;
}

static void crash(double seconds)
{
    segue_service_destroy(service); /* it has no threads, and then stores nothing at its end */
    be_off(seconds);
    start_service(0.0);
}

static void restart(double seconds)
{
    assert_ok(segue_service_start(service, NULL));
    segue_service_stop(service);
    crash(seconds);
}

/* Let time pass, and the service do what is due. */
static void pass(double seconds)
{
    steady_now += seconds;
    for (int i = 0; i < 3; i++) {
        segue_timer_tick(service);
        segue_service_run_pending(service);
    }
}

static void count_is(uint64_t open, double defaults)
{
    assert_int_equal(segue_service_open_tasks(service), open);
    assert_near(call_metric(service, "segue_defaults_total"), defaults, 0.0);
}

/* ---- service time itself ----------------------------------------------------------------- */

static void it_starts_at_the_wall_time(void **state)
{
    (void)state;
    assert_near(segue_service_time(service), START, 1e-6);
    steady_now += 5.0;
    assert_near(segue_service_time(service), START + 5.0, 1e-6);
}

static void no_jump_of_the_wall_clock_moves_it(void **state)
{
    static const double jumps[] = {DAY, -2.0 * DAY, 1e9, -3e9};
    (void)state;
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        wall_offset += jumps[i];
        assert_near(segue_service_time(service), START, 1e-6);
        assert_near(segue_service_wall_time(service), wall(), 1e-6);
    }
}

static void it_continues_after_a_restart(void **state)
{
    (void)state;
    steady_now += 1000.0;
    restart(DAY); /* which does not count */
    assert_near(segue_service_time(service), START + 1000.0, 1e-6);
    steady_now += 10.0;
    restart(-7.0 * DAY);
    assert_near(segue_service_time(service), START + 1010.0, 1e-6);
}

/* A service that stores something loses a second at most, and an idle one a minute. */
static void a_crash_loses_no_more_than_a_minute(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    call_create(service, "");
    steady_now += 50.0;
    call_ask(service, "s", id); /* opens a task, which is stored */
    steady_now += 0.5;
    crash(DAY);
    assert_near(segue_service_time(service), START + 50.0, 1e-6);
    for (int i = 0; i < 1000; i++)
        pass(0.1);
    const double before = segue_service_time(service);
    crash(DAY);
    assert_true(segue_service_time(service) <= before);
    assert_true(segue_service_time(service) >= before - 60.2);
}

/* Without open tasks nothing depends on service time, and nothing is written. */
static void an_unused_service_writes_nothing(void **state)
{
    (void)state;
    call_create(service, "");
    const double groups = call_metric(service, "segue_transactions_total");
    for (int i = 0; i < 100; i++)
        pass(10.0);
    assert_near(call_metric(service, "segue_transactions_total"), groups, 0.0);
}

/* Run a statement on the store of a service that has ended. */
static void change_store(const char *sql)
{
    segue_store *store = NULL;
    segue_service_destroy(service);
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_CHANGE, NULL));
    assert_ok(segue_sqlite_execute(segue_sqlite_of(store), sql, NULL));
    segue_store_close(store);
}

/* As after an upgrade: the decisions of the older program have wall times. */
static void a_store_without_it_starts_at_the_wall_time(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    call_create(service, ",\"reward_deadline\":100,\"default_reward\":0");
    call_ask(service, "s", id); /* service time and wall time are the same so far */
    pass(1.0);
    change_store("DELETE FROM meta WHERE name = 'clock'");
    be_off(40.0);
    start_service(0.0);
    assert_near(segue_service_time(service), START + 41.0, 1e-6);
    pass(50.0);
    count_is(1, 0);
    pass(15.0);
    count_is(1, 1);
    call_tell(service, 410, id, 1.0);
}

static void a_damaged_one_starts_at_the_wall_time(void **state)
{
    static const char *const values[] = {"-1.5", "1e300", "'text'", "NULL", "x'00'", "9e999"};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char sql[128];
        (void)snprintf(sql, sizeof sql, "UPDATE meta SET value = %s WHERE name = 'clock'",
                       values[i]);
        change_store(sql);
        start_service(0.0);
        assert_near(segue_service_time(service), wall(), 1e-6);
    }
}

static void a_wall_clock_before_1970_starts_it_at_zero(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    change_store("DELETE FROM meta WHERE name = 'clock'");
    wall_offset -= 2e9;
    start_service(0.0);
    assert_near(segue_service_time(service), 0.0, 0.0);
    call_create(service, ",\"reward_deadline\":100");
    call_ask(service, "s", id);
    call_tell(service, 200, id, 1.0);
}

/* ---- what it is for ---------------------------------------------------------------------- */

static void no_jump_closes_a_task_or_counts_a_default(void **state)
{
    static const double jumps[] = {DAY, -2.0 * DAY, 1e9, -1e9};
    char id[SEGUE_DECISION_ID_LENGTH + 1], last[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    call_create(service, ",\"reward_deadline\":600,\"default_reward\":0,\"idle\":600");
    call_ask(service, "s", id);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        wall_offset += jumps[i];
        pass(2.0);
        call_ask(service, "s", last);
        count_is(1, 0);
    }
    call_tell(service, 200, id, 1.0);
    call_tell(service, 200, last, 1.0);
}

static void a_deadline_spans_restarts(void **state)
{
    char early[SEGUE_DECISION_ID_LENGTH + 1], late[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    call_create(service, ",\"reward_deadline\":100,\"default_reward\":0");
    call_ask(service, "s", early);
    pass(60.0);
    call_ask(service, "s", late);
    restart(DAY);
    pass(39.0);
    count_is(1, 0);
    restart(-DAY);
    pass(2.0);
    count_is(1, 1);
    call_tell(service, 410, early, 1.0);
    call_tell(service, 200, late, 1.0);
    pass(100.0);
    count_is(1, 1);
}

/* A start counts as an ask. */
static void an_idle_task_closes_in_service_time(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    call_create(service, ",\"idle\":100");
    call_ask(service, "s", id);
    wall_offset -= DAY;
    pass(99.0);
    count_is(1, 0);
    pass(2.0);
    count_is(0, 0);
    call_ask(service, "t", id);
    restart(DAY);
    pass(99.0);
    count_is(1, 0);
    pass(2.0);
    count_is(0, 0);
}

/* A restored backup: its service time is older than decisions that were given after it. */
static void a_decision_from_the_future_is_as_one_asked_now(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], first[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    call_create(service, ",\"reward_deadline\":100,\"default_reward\":0");
    pass(1000.0);
    call_ask(service, "s", id);
    call_ask(service, "s", first);
    pass(1.0);
    change_store("UPDATE meta SET value = 1700000000.0 WHERE name = 'clock'");
    start_service(0.0);
    assert_near(segue_service_time(service), START, 1e-6);
    call_tell(service, 200, first, 1.0);
    pass(99.0);
    count_is(1, 0);
    pass(2.0);
    count_is(1, 1);
}

static void people_see_the_wall_time(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], out[CALL_BODY], expected[64];
    (void)state;
    call_create(service, "");
    wall_offset += DAY;
    call_ask(service, "s", id);
    call_tell(service, 200, id, 1.0);
    (void)snprintf(expected, sizeof expected, "%.0f", wall());
    call(service, 200, "GET", "/v1/learners/l/tasks/s", NULL, out);
    assert_non_null(strstr(out, expected));
    call(service, 200, "GET", "/v1/learners/l/decisions", NULL, out);
    assert_non_null(strstr(out, expected));
}

/* A bucket holds the requests of a second. */
static void a_rate_does_not_depend_on_the_wall_clock(void **state)
{
    char out[CALL_BODY];
    (void)state;
    segue_service_destroy(service);
    start_service(2.0);
    for (int i = 0; i < 3; i++) {
        wall_offset += i % 2 ? -DAY : DAY;
        call(service, 200, "GET", "/v1/learners", NULL, out);
        call(service, 200, "GET", "/v1/learners", NULL, out);
        wall_offset += i % 2 ? -DAY : DAY;
        call(service, 429, "GET", "/v1/learners", NULL, out);
        steady_now += 1.0;
    }
}

int main(void)
{
#define TIMED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TIMED(it_starts_at_the_wall_time),
        TIMED(no_jump_of_the_wall_clock_moves_it),
        TIMED(it_continues_after_a_restart),
        TIMED(a_crash_loses_no_more_than_a_minute),
        TIMED(an_unused_service_writes_nothing),
        TIMED(a_store_without_it_starts_at_the_wall_time),
        TIMED(a_damaged_one_starts_at_the_wall_time),
        TIMED(a_wall_clock_before_1970_starts_it_at_zero),
        TIMED(no_jump_closes_a_task_or_counts_a_default),
        TIMED(a_deadline_spans_restarts),
        TIMED(an_idle_task_closes_in_service_time),
        TIMED(a_decision_from_the_future_is_as_one_asked_now),
        TIMED(people_see_the_wall_time),
        TIMED(a_rate_does_not_depend_on_the_wall_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
