/* damaged.c - a service on a store that is damaged on purpose, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "damaged.h"

#include <sqlite3.h>

#include "mutate.h"
#include "request.h"

segue_service *damaged_service;
double damaged_clock;
char damaged_report[SEGUE_ERROR_SIZE];
size_t damaged_reports;
char damaged_tell[200];

static double show_clock(void)
{
    return damaged_clock;
}

static void hear_report(void *context, const char *message)
{
    (void)context;
    (void)snprintf(damaged_report, sizeof damaged_report, "%s", message);
    damaged_reports++;
}

segue_status damaged_try_start(segue_error *err)
{
    static char store[80];
    segue_service_config config = segue_service_defaults();
    (void)snprintf(store, sizeof store, "sqlite:%s", own_path);
    config.store = store;
    config.now = show_clock;
    config.report = hear_report;
    damaged_reports = 0;
    return segue_service_create(&damaged_service, &config, err);
}

void damaged_start(void)
{
    segue_error err;
    if (damaged_try_start(&err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

void damaged_stop(void)
{
    segue_service_destroy(damaged_service);
    damaged_service = NULL;
}

json_t *damaged_fetch(int status, const char *method, const char *path, const char *body)
{
    segue_response reply;
    const segue_request request = request_of(method, path, body);
    segue_service_handle_and_wait(damaged_service, &request, &reply);
    json_t *answer = json_loadb((const char *)reply.body.data, reply.body.size, 0, NULL);
    if (reply.status != status)
        fail_msg("%s %s: %d, not %d: %.*s", method, path, reply.status, status,
                 (int)reply.body.size, (const char *)reply.body.data);
    segue_response_fini(&reply);
    return answer;
}

void damaged_expect(int status, const char *method, const char *path, const char *body)
{
    json_decref(damaged_fetch(status, method, path, body));
}

void damaged_expect_rejected(int status, const char *says, const char *method, const char *path,
                             const char *body)
{
    json_t *answer = damaged_fetch(status, method, path, body);
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    if (!message || !strstr(message, says))
        fail_msg("'%s' does not say '%s'", message ? message : "nothing", says);
    json_decref(answer);
}

void damaged_play(const char *learner, const char *task, const char *reward)
{
    char path[80], body[80];
    (void)snprintf(path, sizeof path, "/v1/learners/%s/ask", learner);
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    json_t *answer = damaged_fetch(200, "POST", path, body);
    (void)snprintf(damaged_tell, sizeof damaged_tell, "{\"decision\":\"%s\",\"reward\":%s}",
                   json_string_value(json_object_get(answer, "decision")), reward ? reward : "1");
    json_decref(answer);
    if (reward)
        damaged_expect(200, "POST", "/v1/tell", damaged_tell);
}

int damaged_set_up(void **state)
{
    char task[16];
    assert_int_equal(make_own_folder(state), 0);
    damaged_clock = 1000.0;
    damaged_start();
    damaged_expect(201, "POST", "/v1/learners",
                   "{\"name\":\"a\",\"arms\":[\"A\",\"B\"],\"close_after\":2,\"control\":0}");
    damaged_expect(201, "POST", "/v1/learners",
                   "{\"name\":\"b\",\"arms\":[\"A\",\"B\"],\"close_after\":2,\"control\":0}");
    for (int i = 0; i < 7; i++) {
        (void)snprintf(task, sizeof task, "t%d", i / 2);
        damaged_play("a", task, "1");
        damaged_play("b", task, "0");
    }
    return 0;
}

int damaged_tear_down(void **state)
{
    damaged_stop();
    return remove_own_folder(state);
}

void damage_running(const char *text)
{
    char *why = NULL;
    sqlite3 *db = NULL;
    relax_schema(own_path);
    assert_int_equal(sqlite3_open(own_path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
    assert_true(sqlite3_total_changes(db) > 0);
    (void)sqlite3_close(db);
}

void damage_stopped(const char *text)
{
    damaged_stop();
    damage_running(text);
}

segue_status damaged_check(segue_store_check_result *found, segue_error *err)
{
    segue_store *store = NULL;
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_READ_IMMUTABLE, err));
    const segue_status status = segue_store_check_run(store, found, err);
    segue_store_close(store);
    return status;
}

void damaged_expect_found(const char *says)
{
    segue_store_check_result found;
    segue_error err;
    assert_int_equal(damaged_check(&found, &err), SEGUE_EFILE);
    if (!strstr(err.message, says))
        fail_msg("'%s' does not say '%s'", err.message, says);
}

void damaged_expect_sound(void)
{
    segue_store_check_result found;
    segue_error err;
    if (damaged_check(&found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}
