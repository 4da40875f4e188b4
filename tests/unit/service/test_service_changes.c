/* test_service_changes.c - settings of a learner that change, pauses, and tasks of earlier settings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "io/json_write.h"

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

static double idle(void)
{
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    const double seconds = json_number_value(json_object_get(answer, "idle"));
    json_decref(answer);
    return seconds;
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
    assert_true(idle() == count - 1);
    assert_int_equal(is_paused(), count % 2 == 0);
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    expect(200, "PATCH", tutor, body);
    assert_true(idle() == count);
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

static void open_task(const char *learner, int number)
{
    char path[64], body[64];
    (void)snprintf(path, sizeof path, "/v1/learners/%s/tasks", learner);
    (void)snprintf(body, sizeof body, "{\"task\":\"%d\"}", number);
    expect(201, "POST", path, body);
}

/* Memory of the lists of numbers in all settings. */
static size_t lists_bytes(void)
{
    size_t count = 0, bytes = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; i < count; i++) {
        bytes += segue_arm_numbers_bytes(all[i]->settings.numbers);
        segue_learner_state_release(all[i]);
    }
    free(all);
    return bytes;
}

/* Tasks of another learner do not matter. */
static void changes_without_a_task_between_them_are_one(void **state)
{
    char body[64];
    create_tutor(",\"steps\":5");
    expect(201, "POST", "/v1/learners", "{\"name\":\"other\",\"arms\":[\"a\",\"b\"]}");
    for (int i = 1; i <= 9; i++) {
        (void)snprintf(body, sizeof body, "{\"idle\":%d,\"costs\":{\"A\":0.%d}}", i, i);
        expect(200, "PATCH", tutor, body);
        open_task("other", i);
        assert_int_equal(changes(), 1);
    }
    ask_many("s", 1);
    const size_t bytes = lists_bytes();
    assert_true(bytes > 0);
    expect(200, "PATCH", tutor, "{\"idle\":10,\"costs\":{\"B\":0.25}}");
    expect(200, "PATCH", tutor, "{\"idle\":7,\"costs\":{\"B\":0.5}}");
    assert_int_equal(changes(), 2);
    assert_true(lists_bytes() == 2 * bytes);
    check_store();
    restart_service(state);
    assert_int_equal(changes(), 2);
    assert_true(idle() == 7);
    pass_time(8.0, 1 + 9); /* the task keeps its idle time */
    check_store();
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
        open_task("tutor", i);
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

/* ---- lists of numbers -------------------------------------------------------------------- */

#define N_ARMS 1000

/* Append {"arm 0":x,...} with numbers that depend on `seed`. */
static void append_costs(segue_bytes *b, int seed)
{
    segue_json_write_raw(b, "{\"costs\":{");
    for (int i = 0; i < N_ARMS; i++)
        segue_json_write_format(b, "%s\"arm %d\":%.17g", i > 0 ? "," : "", i,
                                0.5 + 0.4 * sin(seed * 7919.0 + i));
    segue_json_write_raw(b, "}}");
    segue_bytes_append(b, "", 1);
}

/* Change the costs of all arms and open a task; returns the status of the change. */
static int change_costs(int seed, int task)
{
    segue_bytes b = {.data = NULL};
    append_costs(&b, seed);
    json_decref(fetch("PATCH", "/v1/learners/many", (char *)b.data));
    segue_bytes_fini(&b);
    const int status = last_status;
    if (status == 200)
        open_task("many", task);
    return status;
}

static void create_many(void)
{
    segue_bytes b = {.data = NULL};
    segue_json_write_raw(&b, "{\"name\":\"many\",\"method\":\"ts\",\"arms\":[");
    for (int i = 0; i < N_ARMS; i++)
        segue_json_write_format(&b, "%s\"arm %d\"", i > 0 ? "," : "", i);
    segue_json_write_raw(&b, "]}");
    segue_bytes_append(&b, "", 1);
    expect(201, "POST", "/v1/learners", (char *)b.data);
    segue_bytes_fini(&b);
}

static size_t stored_size(void)
{
    segue_rows rows;
    segue_stored_learner row;
    segue_error err;
    size_t size = 0;
    segue_rows_open(&rows, service->store, &(segue_query){.kind = SEGUE_QUERY_LEARNERS}, &err);
    while (segue_rows_next_learner(&rows, &row))
        size = strlen(row.config);
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    return size;
}

static double cost_of_first(void)
{
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/many", NULL);
    const json_t *costs = json_object_get(json_object_get(answer, "settings"), "costs");
    const double cost = json_number_value(json_object_get(costs, "arm 0"));
    json_decref(answer);
    return cost;
}

static void a_list_of_numbers_is_stored_once(void **state)
{
    create_many();
    for (int i = 0; i < 2; i++)
        assert_int_equal(change_costs(i, i), 200);
    const size_t two = stored_size();
    for (int i = 2; i < 12; i++)
        assert_int_equal(change_costs(i % 2, i), 200);
    assert_true(stored_size() < two + 10 * 500);
    check_store();
    restart_service(state);
    for (int i = 12; i < 22; i++)
        assert_int_equal(change_costs(i % 2, i), 200);
    assert_true(stored_size() < two + 20 * 500);
    assert_true(fabs(cost_of_first() - (0.5 + 0.4 * sin(7919.0))) < 1e-12);
    restart_service(state);
    assert_true(fabs(cost_of_first() - (0.5 + 0.4 * sin(7919.0))) < 1e-12);
    check_store();
}

/* The writer stores all of them with each change, so their size is limited. */
static void settings_of_a_learner_have_a_largest_size(void **state)
{
    int count = 0;
    if (repeats(SEGUE_MAX_CHANGES) < SEGUE_MAX_CHANGES)
        skip();
    create_many();
    while (change_costs(count, count) == 200)
        count++;
    assert_int_equal(last_status, 409);
    assert_in_range(count, 25, 50);
    assert_true(stored_size() <= SEGUE_MAX_SETTINGS_SIZE);
    expect(200, "PATCH", "/v1/learners/many", "{\"paused\":true}");
    restart_service(state);
    assert_true(fabs(cost_of_first() - (0.5 + 0.4 * sin((count - 1) * 7919.0))) < 1e-12);
    assert_int_equal(change_costs(count, count), 409);
    check_store();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_full_disk_changes_nothing),
        IN_FILE(tasks_close_by_the_settings_of_their_opening),
        SERVED(default_rewards_come_by_the_settings_of_the_opening),
        SERVED(idle_times_are_those_of_the_opening),
        SERVED(a_pause_stops_the_time_of_idle_tasks),
        IN_FILE(changes_without_a_task_between_them_are_one),
        IN_FILE(a_learner_has_a_thousand_changes),
        IN_FILE(a_list_of_numbers_is_stored_once),
        IN_FILE(settings_of_a_learner_have_a_largest_size),
        SERVED(settings_and_events_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
