/* tutor.c - a service with one learner, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tutor.h"

#include "postgresql.h"
#include "request.h"
#include "service/jobs/timer.h"
#include "store/sqlite/sqlite.h"
#include "support.h"

double clock_now = 1000.0, wall_offset;
segue_service *service;
int last_status;

static bool in_file; /* the store stays over a restart */

static double now(void)
{
    return clock_now + wall_offset;
}

static double steady(void)
{
    return clock_now;
}

static bool is_on_postgresql(void)
{
    const char *chosen = getenv("SEGUE_TEST_STORE");
    return chosen && strcmp(chosen, "postgresql") == 0;
}

void skip_on_postgresql(void)
{
    if (is_on_postgresql())
        skip();
}

/* The store on PostgreSQL; the server is started once and ends with this process. */
static void name_on_postgresql(char *out, size_t size)
{
    static bool started;
    if (!started && !postgresql_start())
        exit(77); /* it said why */
    if (!started)
        (void)atexit(postgresql_stop);
    started = true;
    if (!in_file)
        postgresql_run("SET client_min_messages = error; DROP SCHEMA IF EXISTS tutor CASCADE");
    postgresql_store_name(out, size, "tutor");
}

void start_service_with(segue_service_config config)
{
    segue_error err;
    static char location[160]; /* the service borrows it */
    if (is_on_postgresql())
        name_on_postgresql(location, sizeof location);
    else
        (void)snprintf(location, sizeof location, "%s", in_file ? own_path : "sqlite::memory:");
    config.store = location;
    config.now = now;
    config.steady = steady;
    if (segue_service_create(&service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

int start_service(void **state)
{
    (void)state;
    clock_now = 1000.0;
    wall_offset = 0.0;
    start_service_with(segue_service_defaults());
    return 0;
}

int stop_service(void **state)
{
    (void)state;
    segue_service_destroy(service);
    service = NULL;
    return 0;
}

json_t *fetch(const char *method, const char *path, const char *body)
{
    char copy[REQUEST_PATH];
    segue_response reply;
    const segue_request request = request_with_query(copy, method, path, body);
    segue_service_handle_and_wait(service, &request, &reply);
    last_status = reply.status;
    assert_false(reply.body.failed);
    json_t *answer = json_loadb((const char *)reply.body.data, reply.body.size, 0, NULL);
    segue_response_fini(&reply);
    return answer;
}

json_t *fetch_ok(int status, const char *method, const char *path, const char *body)
{
    json_t *answer = fetch(method, path, body);
    if (last_status != status) {
        char *text = json_dumps(answer, 0);
        fail_msg("%s %s %s: %d, not %d: %s", method, path, body ? body : "", last_status, status,
                 text ? text : "nothing");
    }
    assert_non_null(answer);
    return answer;
}

static void ignore(void *context)
{
    (void)context;
}

size_t ask_together(size_t count, int status)
{
    enum { MAX = 8 };
    char path[MAX][64], body[MAX][64];
    segue_response reply[MAX];
    size_t found = 0;
    assert_true(count <= MAX);
    for (size_t i = 0; i < count; i++) {
        (void)strcpy(path[i], "/v1/learners/tutor/ask");
        (void)snprintf(body[i], sizeof body[i], "{\"task\":\"together%zu\"}", i);
        const segue_request request = request_of("POST", path[i], body[i]);
        assert_false(segue_service_handle(service, &request, &reply[i], ignore, NULL));
    }
    segue_service_run_pending(service);
    for (size_t i = 0; i < count; i++) {
        found += reply[i].status == status;
        segue_response_fini(&reply[i]);
    }
    return found;
}

void expect(int status, const char *method, const char *path, const char *body)
{
    json_decref(fetch_ok(status, method, path, body));
}

void expect_rejected(int status, const char *says, const char *method, const char *path,
                     const char *body)
{
    json_t *answer = fetch_ok(status, method, path, body);
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    assert_non_null(message);
    if (!strstr(message, says))
        fail_msg("'%s' does not say '%s'", message, says);
    json_decref(answer);
}

void create_tutor(const char *more)
{
    char body[512];
    (void)snprintf(body, sizeof body, "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\",\"C\"]%s}", more);
    expect(201, "POST", "/v1/learners", body);
}

void ask_id(const char *task, char id[SEGUE_DECISION_ID_LENGTH + 1])
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
    const char *text = json_string_value(json_object_get(answer, "decision"));
    assert_non_null(text);
    assert_int_equal(strlen(text), SEGUE_DECISION_ID_LENGTH);
    memcpy(id, text, SEGUE_DECISION_ID_LENGTH + 1);
    json_decref(answer);
}

json_t *tell_id(int status, const char *id, double reward)
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%g}", id, reward);
    return fetch_ok(status, "POST", "/v1/tell", body);
}

void expect_tell(const char *expected, const char *id, double reward)
{
    json_t *answer = tell_id(200, id, reward);
    assert_string_equal(json_string_value(json_object_get(answer, "status")), expected);
    json_decref(answer);
}

void tell_new(const char *task, double reward)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    ask_id(task, id);
    expect_tell("counted", id, reward);
}

json_int_t integer_at(const json_t *object, const char *a, const char *b)
{
    const json_t *at = json_object_get(object, a);
    return json_integer_value(b ? json_object_get(at, b) : at);
}

void pass_time(double seconds, uint64_t n_open)
{
    clock_now += seconds;
    segue_timer_tick(service);
    segue_service_run_pending(service);
    assert_int_equal(segue_service_open_tasks(service), n_open);
}

int start_service_in_file(void **state)
{
    if (is_on_postgresql()) {
        char name[160];
        in_file = false;
        name_on_postgresql(name, sizeof name); /* an empty one */
    }
    in_file = true;
    return make_own_folder(state) == 0 ? start_service(state) : -1;
}

int stop_service_in_file(void **state)
{
    (void)stop_service(state);
    in_file = false;
    return remove_own_folder(state);
}

void restart_service(void **state)
{
    (void)stop_service(state);
    start_service_with(segue_service_defaults());
}

void ask_many(const char *task, int count)
{
    char body[128];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\",\"count\":%d}", task, count);
    expect(200, "POST", "/v1/learners/tutor/ask", body);
}

void expect_rewards(const char *task, int count)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s", task);
    json_t *answer = fetch_ok(200, "GET", path, NULL);
    assert_int_equal(integer_at(answer, "rewards", NULL), count);
    json_decref(answer);
}

void fill_disk(void)
{
    char task[300];
    int i = 0;
    skip_on_postgresql();
    assert_ok(segue_sqlite_limit_pages(service->store, 1, NULL)); /* as it is now */
    do {
        (void)snprintf(task, sizeof task, "{\"task\":\"%0200d\"}", i++);
        json_decref(fetch("POST", "/v1/learners/tutor/tasks", task));
    } while (last_status == 201 && i < 10000);
    assert_int_equal(last_status, 503);
}
