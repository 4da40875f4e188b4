/* test_service_changes.c - settings of a learner that change, pauses, and tasks of earlier settings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

static const char tutor[] = "/v1/learners/tutor";

static json_int_t changes(void)
{
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    const json_int_t count = integer_at(answer, "changes", NULL);
    json_decref(answer);
    return count;
}

static bool is_paused(void)
{
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    const bool paused = json_is_true(json_object_get(answer, "paused"));
    json_decref(answer);
    return paused;
}

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static void a_full_disk_changes_nothing(void **state)
{
    char body[64];
    segue_error err;
    int count = 0;
    (void)state;
    create_tutor("");
    fill_disk();
    last_status = 200;
    while (last_status == 200) { /* until the last page is full */
        count++;
        (void)snprintf(body, sizeof body, "{\"idle\":%d,\"paused\":%s}", count,
                       count % 2 ? "true" : "false");
        json_decref(fetch("PATCH", tutor, body));
    }
    assert_int_equal(last_status, 503);
    assert_int_equal(changes(), count - 1);
    assert_int_equal(is_paused(), count % 2 == 0);
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    expect(200, "PATCH", tutor, body);
    assert_int_equal(changes(), count);
    assert_int_equal(is_paused(), count % 2 == 1);
    check_store();
}

/* Two rewards close the old task, four the new one. */
static void tasks_close_by_the_settings_of_their_opening(void **state)
{
    create_tutor(",\"steps\":2,\"control\":0");
    tell_new("old", 1.0);
    expect(200, "PATCH", tutor, "{\"steps\":4}");
    tell_new("new", 1.0);
    restart_service(state);
    tell_new("old", 0.0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(segue_service_open_tasks(service), 1);
        tell_new("new", 0.0);
    }
    assert_int_equal(segue_service_open_tasks(service), 0);
    restart_service(state);
    check_store();
}

static void default_rewards_come_by_the_settings_of_the_opening(void **state)
{
    (void)state;
    create_tutor(",\"reward_deadline\":100,\"default_reward\":0,\"idle\":0");
    ask_many("old", 3);
    expect(200, "PATCH", tutor, "{\"reward_deadline\":10,\"default_reward\":1}");
    ask_many("new", 2);
    pass_time(20.0, 2);
    expect_rewards("new", 2);
    expect_rewards("old", 0);
    pass_time(100.0, 2);
    expect_rewards("old", 3);
    expect(200, "PATCH", tutor, "{\"default_reward\":null}");
    ask_many("none", 2);
    pass_time(200.0, 3);
    expect_rewards("none", 0);
}

static void idle_times_are_those_of_the_opening(void **state)
{
    (void)state;
    create_tutor(",\"idle\":1000");
    ask_many("old", 1);
    expect(200, "PATCH", tutor, "{\"idle\":10}");
    ask_many("new", 1);
    pass_time(20.0, 1);
    pass_time(1000.0, 0);
}

static void a_pause_stops_the_time_of_idle_tasks(void **state)
{
    (void)state;
    create_tutor(",\"idle\":10");
    ask_many("s", 1);
    expect(200, "PATCH", tutor, "{\"paused\":true}");
    pass_time(100.0, 1);
    expect_rejected(409, "is paused", "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
    expect(200, "PATCH", tutor, "{\"paused\":false}");
    pass_time(5.0, 1);
    pass_time(10.0, 0);
}

static void a_learner_has_a_thousand_changes(void **state)
{
    char body[64];
    if (repeats(SEGUE_MAX_CHANGES) < SEGUE_MAX_CHANGES)
        skip();
    create_tutor("");
    for (int i = 0; i < SEGUE_MAX_CHANGES; i++) {
        (void)snprintf(body, sizeof body, "{\"idle\":%d}", 100 + i);
        expect(200, "PATCH", tutor, body);
    }
    expect_rejected(409, "1000 times", "PATCH", tutor, "{\"idle\":7}");
    expect(200, "PATCH", tutor, "{\"idle\":1099}"); /* as it is */
    expect(200, "PATCH", tutor, "{\"paused\":true}");
    restart_service(state);
    assert_int_equal(changes(), SEGUE_MAX_CHANGES);
    check_store();
}

/* Settings that the event log does not know are damage, and so is an event without its settings. */
static void settings_and_events_must_agree(void **state)
{
    skip_on_postgresql();
    segue_store_check_result found;
    segue_error err;
    (void)state;
    create_tutor("");
    expect(200, "PATCH", tutor, "{\"paused\":true}");
    assert_ok(segue_sqlite_execute(segue_sqlite_of(service->store),
                                   "DELETE FROM event WHERE kind = 9", &err));
    assert_int_equal(segue_store_check_run(service->store, &found, &err), SEGUE_EFILE);
    assert_non_null(strstr(err.message, "hash chain: event 1 is missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_full_disk_changes_nothing),
        IN_FILE(tasks_close_by_the_settings_of_their_opening),
        SERVED(default_rewards_come_by_the_settings_of_the_opening),
        SERVED(idle_times_are_those_of_the_opening),
        SERVED(a_pause_stops_the_time_of_idle_tasks),
        IN_FILE(a_learner_has_a_thousand_changes),
        SERVED(settings_and_events_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
