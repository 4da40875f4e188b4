/* test_service.c - the service without its sockets: requests in, replies out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <jansson.h>

#include "io/json_write.h"
#include "request.h"
#include "service/api/decision_id.h"
#include "service/api/http/listen.h"
#include "service/engine/commit_queue.h"
#include "service/engine/decide.h"
#include "service/engine/service_internal.h"
#include "service/jobs/timer.h"
#include "service/state/hash_map.h"
#include "service/state/keyed_hash.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"

/* ---- a service to talk to ------------------------------------------------------------------ */

static double clock_now = 1000.0, wall_offset;

static double now(void)
{
    return clock_now + wall_offset;
}

static double steady(void)
{
    return clock_now;
}

static segue_service *service;
static int last_status;

static const char *where = "sqlite::memory:";

static void start_with(segue_service_config config)
{
    segue_error err;
    config.store = where;
    config.now = now;
    config.steady = steady;
    if (segue_service_create(&service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static int start(void **state)
{
    (void)state;
    clock_now = 1000.0;
    wall_offset = 0.0;
    start_with(segue_service_defaults());
    return 0;
}

static int stop(void **state)
{
    (void)state;
    segue_service_destroy(service);
    service = NULL;
    return 0;
}

/* One request; the caller frees what it gives. */
static json_t *send(const char *method, const char *path, const char *body)
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

static json_t *send_ok(int status, const char *method, const char *path, const char *body)
{
    json_t *answer = send(method, path, body);
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

/* Several asks for new tasks in one transaction; how many were answered so. */
static size_t ask_together(size_t count, int status)
{
    enum { MOST = 8 };
    char path[MOST][64], body[MOST][64];
    segue_response reply[MOST];
    size_t found = 0;
    assert_true(count <= MOST);
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

/* Send, expect the status, and forget the answer. */
static void check(int status, const char *method, const char *path, const char *body)
{
    json_decref(send_ok(status, method, path, body));
}

/* Refused with a sentence that has these words. */
static void refused(int status, const char *words_said, const char *method, const char *path,
                    const char *body)
{
    json_t *answer = send_ok(status, method, path, body);
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    assert_non_null(message);
    if (!strstr(message, words_said))
        fail_msg("'%s' does not say '%s'", message, words_said);
    json_decref(answer);
}

static void create(const char *more)
{
    char body[512];
    (void)snprintf(body, sizeof body, "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\",\"C\"]%s}", more);
    check(201, "POST", "/v1/learners", body);
}

/* Ask; the id of the decision. */
static void ask(const char *task, char id[SEGUE_DECISION_ID_LENGTH + 1])
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", body);
    const char *text = json_string_value(json_object_get(answer, "decision"));
    assert_non_null(text);
    assert_int_equal(strlen(text), SEGUE_DECISION_ID_LENGTH);
    memcpy(id, text, SEGUE_DECISION_ID_LENGTH + 1);
    json_decref(answer);
}

static json_t *tell_id(int status, const char *id, double reward)
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%g}", id, reward);
    return send_ok(status, "POST", "/v1/tell", body);
}

static void told(const char *expected, const char *id, double reward)
{
    json_t *answer = tell_id(200, id, reward);
    assert_string_equal(json_string_value(json_object_get(answer, "status")), expected);
    json_decref(answer);
}

static void tell_one(const char *task, double reward)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    ask(task, id);
    told("counted", id, reward);
}

static json_int_t number(const json_t *object, const char *a, const char *b)
{
    const json_t *at = json_object_get(object, a);
    return json_integer_value(b ? json_object_get(at, b) : at);
}

/* ---- parts --------------------------------------------------------------------------------- */

/* From the reference implementation's published vectors: key 00 .. 0f, data 00, 01, ... */
static void keyed_hash_gives_the_published_siphash_vectors(void **state)
{
    static const unsigned char empty[16] = {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6,
                                            0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93};
    unsigned char key[16], data[64], sum[16];
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        data[i] = (unsigned char)i;
    memcpy(key, data, 16);
    assert_true(segue_keyed_hash(key, data, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(segue_keyed_hash(key, data, 15) == UINT64_C(0xa129ca6149be45e5));
    segue_keyed_hash_128(key, data, 0, sum);
    assert_memory_equal(sum, empty, 16);
}

static void an_id_comes_back_and_a_changed_one_does_not(void **state)
{
    const unsigned char key[16] = {1, 2, 3};
    const decision d = {.learner = 7,
                        .task = INT64_C(1) << 40,
                        .number = (UINT64_C(3) << 32) + 9,
                        .arm = 999,
                        .version = 12345,
                        .asked = 1763270000.125};
    decision back;
    char text[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    segue_decision_id_encode(&d, key, text);
    assert_true(segue_decision_id_decode(&back, key, text));
    assert_true(back.learner == d.learner && back.task == d.task && back.number == d.number);
    assert_true(back.arm == d.arm && back.version == d.version);
    assert_true(fabs(back.asked - d.asked) < 1e-3);
    for (size_t i = 0; i < SEGUE_DECISION_ID_LENGTH; i++) {
        const char kept = text[i];
        text[i] = kept == 'A' ? 'B' : 'A';
        assert_false(segue_decision_id_decode(&back, key, text));
        text[i] = kept;
    }
    text[SEGUE_DECISION_ID_LENGTH - 1] = '\0';
    assert_false(segue_decision_id_decode(&back, key, text));
}

static void this_machine_has_many_names(void **state)
{
    static const char *const local[] = {"localhost",      "LOCALHOST:80", "127.0.0.1",
                                        "127.0.0.5:8080", "127.255.1.2",  "[::1]",
                                        "[::1]:8080",     "[0:0::0:1]:1"};
    static const char *const other[] = {"",
                                        ":80",
                                        "localhost.",
                                        "localhost.evil.example",
                                        "127.0.0.1.evil.example",
                                        "128.0.0.1",
                                        "0.0.0.0",
                                        "::1",
                                        "[::1",
                                        "[::1]x",
                                        "[::2]:80",
                                        "[]",
                                        "[127.0.0.1]",
                                        "127.1",
                                        "[::ffff:127.0.0.1]",
                                        "evil:@[::1]"};
    (void)state;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (!segue_listen_is_local(local[i]))
            fail_msg("'%s' is not local", local[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (segue_listen_is_local(other[i]))
            fail_msg("'%s' is local", other[i]);
}

static void a_map_finds_what_was_put(void **state)
{
    const unsigned char key[16] = {5};
    static int values[1000];
    map m;
    (void)state;
    segue_hash_map_init(&m, key);
    assert_null(segue_hash_map_find(&m, "x", 1));
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(segue_hash_map_set(&m, &i, sizeof i, &values[i]));
    for (uint64_t i = 0; i < 1000; i += 3)
        segue_hash_map_remove(&m, &i, sizeof i);
    for (uint64_t i = 0; i < 1000; i++)
        assert_ptr_equal(segue_hash_map_find(&m, &i, sizeof i), i % 3 == 0 ? NULL : &values[i]);
    size_t place = 0, count = 0;
    const hash_map_entry *within = NULL;
    while (segue_hash_map_next(&m, &place, &within))
        count++;
    assert_int_equal(count, 666);
    segue_hash_map_fini(&m);
}

/* ---- learners ------------------------------------------------------------------------------ */

static void the_same_words_give_the_same_learner(void **state)
{
    (void)state;
    create("");
    check(200, "POST", "/v1/learners", "{\"arms\":[\"A\",\"B\",\"C\"],\"name\":\"tutor\"}");
    refused(409, "already exists with different settings (", "POST", "/v1/learners",
            "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\"]}");
    json_t *list = send_ok(200, "GET", "/v1/learners", NULL);
    assert_int_equal(json_array_size(json_object_get(list, "learners")), 1);
    json_decref(list);
}

static void a_learner_is_gone_when_it_is_deleted(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create("");
    ask("s", id);
    check(200, "DELETE", "/v1/learners/tutor", NULL);
    refused(404, "no learner", "GET", "/v1/learners/tutor", NULL);
    json_decref(tell_id(404, id, 1.0));
    create(",\"steps\":5"); /* under the same name, and nothing of the old one is left */
    json_decref(tell_id(404, id, 1.0));
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor/tasks", NULL);
    assert_int_equal(json_array_size(json_object_get(answer, "tasks")), 0);
    json_decref(answer);
    assert_int_equal(segue_service_open_tasks(service), 0);
}

static void wrong_words_are_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *body, *says;
    } wrong[] = {
        {"{\"arms\":[\"A\",\"B\"]}", "'name': is missing; need a text"},
        {"{\"name\":\"x\"}", "arms"},
        {"{\"name\":\"x\",\"arms\":[\"A\"]}", "2 to 1000"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"A\"]}", "twice"},
        {"{\"name\":\"x\",\"arms\":[\"A\",7]}", "arms"},
        {"{\"name\":\"\",\"arms\":[\"A\",\"B\"]}", "is empty"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"magic\"}", "magic"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"tucb\",\"steps\":9}",
         "'models': is missing"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[1,0]}", "range"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[1]}", "range"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[0,1e308]}", "1e+100"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[0,1e-200]}", "1e-100"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"steps\":-1}", "steps"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"steps\":2.5}", "steps"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"control\":1.5}", "control"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"default_reward\":0}", "reward_deadline"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"reward_deadline\":1,\"default_reward\":7}",
         "default"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"stepz\":1}", "steps"},
        {"{\"name\":\"x\",\"name\":\"y\",\"arms\":[\"A\",\"B\"]}", "JSON"},
        {"[]", "object"},
        {"{", "JSON"},
        {"{\"name\":\"\\u0000\",\"arms\":[\"A\",\"B\"]}", "has \\u0000"},
        {"{\"\\u0000\":1}", "has \\u0000"},
        {"", "the body is empty"},
        {"{\"name\":\"a\\n\",\"arms\":[\"A\",\"B\"]}", "control character U+000A"},
        {"{\"name\":\".\",\"arms\":[\"A\",\"B\"]}", "path"},
        {"{\"name\":\"..\",\"arms\":[\"A\",\"B\"]}", "path"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"tla\"}", "'steps': is missing"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"tucb\"}", "'steps': is missing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(400, wrong[i].says, "POST", "/v1/learners", wrong[i].body);
}

static void arms_come_and_go(void **state)
{
    (void)state;
    create("");
    check(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    refused(409, "already", "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    refused(404, "no arm", "DELETE", "/v1/learners/tutor/arms/E", NULL);
    check(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    check(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    check(200, "DELETE", "/v1/learners/tutor/arms/B", NULL);
    check(200, "DELETE", "/v1/learners/tutor/arms/C", NULL);
    refused(409, "last", "DELETE", "/v1/learners/tutor/arms/D", NULL);
    refused(409, "does not come back", "POST", "/v1/learners/tutor/arms", "{\"arm\":\"A\"}");
    refused(400, "in a path", "POST", "/v1/learners/tutor/arms", "{\"arm\":\"..\"}");
    for (int i = 0; i < 5; i++) {
        json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
        assert_string_equal(json_string_value(json_object_get(answer, "arm")), "D");
        json_decref(answer);
    }
}

/* ---- tasks --------------------------------------------------------------------------------- */

static void the_same_key_gives_the_same_task(void **state)
{
    (void)state;
    create("");
    check(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"s 1/\xc3\xa4\"}");
    check(200, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"s 1/\xc3\xa4\"}");
    check(200, "GET", "/v1/learners/tutor/tasks/s%201%2F%c3%a4", NULL);
    check(201, "POST", "/v1/learners/tutor/tasks", NULL); /* a key is made up */
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor/tasks?open=true&limit=1", NULL);
    assert_int_equal(json_array_size(json_object_get(answer, "tasks")), 1);
    json_decref(answer);
    refused(400, "limit", "GET", "/v1/learners/tutor/tasks?limit=0", NULL);
    refused(400, "query", "GET", "/v1/learners/tutor/tasks?x=1", NULL);
    refused(404, "no task", "GET", "/v1/learners/tutor/tasks/other", NULL);
}

static void a_closed_task_is_learned_from_once(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], late[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create("");
    ask("s", id);
    ask("s", late);
    told("counted", id, 1.0);
    check(200, "POST", "/v1/learners/tutor/tasks/s/close", NULL);
    check(200, "POST", "/v1/learners/tutor/tasks/s/close", "{}");
    refused(404, "no task", "POST", "/v1/learners/tutor/tasks/t/close", NULL);
    refused(409, "closed", "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
    told("duplicate", id, 1.0);
    json_decref(tell_id(409, id, 0.0));
    json_decref(tell_id(410, late, 1.0));
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor", NULL);
    assert_int_equal(number(answer, "tasks", "closed"), 1);
    assert_int_equal(number(answer, "rewards", NULL), 1);
    json_decref(answer);
}

static void a_task_closes_after_so_many_rewards(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create(",\"close_after\":3");
    tell_one("s", 1.0);
    tell_one("s", 0.0);
    ask("s", id);
    json_t *answer = tell_id(200, id, 1.0);
    assert_true(json_is_true(json_object_get(answer, "closed")));
    json_decref(answer);
    refused(409, "closed", "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
}

/* So many tasks are open after so many seconds. */
static void wait_for(double seconds, uint64_t n_open)
{
    clock_now += seconds;
    segue_timer_tick(service);
    segue_service_run_pending(service);
    assert_int_equal(segue_service_open_tasks(service), n_open);
}

static void an_idle_task_closes_by_itself(void **state)
{
    (void)state;
    create(",\"idle\":60");
    tell_one("s", 1.0);
    wait_for(30, 1);
    wait_for(61, 0);
}

/* With a store in a file, which outlasts the service. */
static int start_in_file(void **state)
{
    where = own_path;
    return make_own_folder(state) == 0 ? start(state) : -1;
}

static int stop_in_file(void **state)
{
    (void)stop(state);
    where = "sqlite::memory:";
    return remove_own_folder(state);
}

static void start_again(void **state)
{
    (void)stop(state);
    start_with(segue_service_defaults());
}

/* What was asked in memory only is lost with the process: a start counts as the last of it. */
static void a_start_counts_as_an_ask(void **state)
{
    create(",\"idle\":60");
    tell_one("s", 1.0);
    clock_now += 50;
    start_again(state);
    wait_for(50, 1);
    wait_for(11, 0);
}

/* What was asked last is on the disk when the service has ended. */
static void an_end_loses_no_default(void **state)
{
    assert_ok(segue_service_start(service, NULL));
    create(",\"reward_deadline\":10,\"default_reward\":0.5");
    check(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"count\":1000}");
    segue_service_stop(service);
    check(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"count\":500}");
    start_again(state);
    learner_state *live = segue_service_find(service, "tutor");
    assert_int_equal(live->deadlines.count, 1500);
    segue_learner_state_release(live);
}

static void a_task_keeps_its_arms_over_a_start(void **state)
{
    static const char *const tasks[] = {"s", "with a control"};
    char body[256];
    for (int control = 0; control < 2; control++) {
        (void)snprintf(body, sizeof body, ",\"control\":%d", control);
        create(body);
        tell_one(tasks[control], 1.0);
        check(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
        start_again(state);
        (void)snprintf(body, sizeof body,
                       "{\"task\":\"%s\",\"count\":200,\"probability\":true,\"explain\":true}",
                       tasks[control]);
        json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", body);
        char *text = json_dumps(answer, 0);
        assert_null(strstr(text, "\"D\""));
        free(text);
        json_decref(answer);
        (void)snprintf(body, sizeof body, "{\"task\":\"%s\",\"exclude\":[\"A\",\"B\",\"C\"]}",
                       tasks[control]);
        refused(409, "no arm", "POST", "/v1/learners/tutor/ask", body);
        check(200, "POST", "/v1/learners/tutor/ask",
              "{\"task\":\"new\",\"exclude\":[\"A\",\"B\",\"C\"]}");
        segue_store_check_result found;
        assert_ok(segue_store_check_run(service->store, &found, NULL));
        check(200, "DELETE", "/v1/learners/tutor", NULL);
    }
}

static void too_many_open_tasks_are_refused(void **state)
{
    segue_service_config config = segue_service_defaults();
    (void)stop(state);
    config.open_most = 2;
    start_with(config);
    create("");
    check(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"1\"}");
    check(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"2\"}");
    refused(429, "open", "POST", "/v1/learners/tutor/tasks", "{\"task\":\"3\"}");
    check(200, "POST", "/v1/learners/tutor/tasks/1/close", NULL);
    assert_int_equal(ask_together(8, 429), 7); /* also where they come at once */
    assert_int_equal(segue_service_open_tasks(service), 2);
}

/* ---- decisions ----------------------------------------------------------------------------- */

static void a_reward_told_again_counts_once(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create("");
    ask("s", id);
    told("counted", id, 0.25);
    told("duplicate", id, 0.25);
    json_decref(tell_id(409, id, 0.5));
    told("duplicate", id, 0.25);
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(number(answer, "rewards", NULL), 1);
    json_decref(answer);
}

static void wrong_rewards_are_refused(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], body[256];
    (void)state;
    create("");
    ask("s", id);
    json_decref(tell_id(400, id, 1.5));
    json_decref(tell_id(400, id, -0.1));
    refused(400, "reward", "POST", "/v1/tell", "{\"rewards\":1}");
    refused(400, "decision", "POST", "/v1/tell", "{\"decision\":\"x\",\"reward\":1}");
    id[3] = id[3] == 'x' ? 'y' : 'x';
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":1}", id);
    refused(400, "not an id", "POST", "/v1/tell", body);
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":\"1\"}", id);
    refused(400, "reward", "POST", "/v1/tell", body);
}

static void the_same_event_gives_the_same_decision(void **state)
{
    static const char one[] = "{\"task\":\"s\",\"event\":\"e\"}";
    static const char three[] = "{\"task\":\"s\",\"event\":\"f\",\"count\":3}";
    (void)state;
    create("");
    json_t *first = send_ok(200, "POST", "/v1/learners/tutor/ask", one);
    json_t *again = send_ok(200, "POST", "/v1/learners/tutor/ask", one);
    assert_true(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    first = send_ok(200, "POST", "/v1/learners/tutor/ask", three);
    check(200, "POST", "/v1/learners/tutor/tasks/s/close", NULL);
    again = send_ok(200, "POST", "/v1/learners/tutor/ask", three); /* closed or not */
    assert_true(json_equal(first, again));
    assert_int_equal(json_array_size(json_object_get(first, "decisions")), 3);
    json_decref(first);
    json_decref(again);
    refused(409, "event", "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"event\":\"f\"}");
}

static void an_event_keeps_its_probability(void **state)
{
    static const char full[] =
        "{\"task\":\"s\",\"event\":\"e\",\"probability\":true,\"explain\":true}";
    (void)state;
    create(",\"control\":0");
    json_t *first = send_ok(200, "POST", "/v1/learners/tutor/ask", full);
    json_t *again = send_ok(200, "POST", "/v1/learners/tutor/ask", full);
    assert_true(json_equal(first, again));
    assert_true(json_number_value(json_object_get(first, "probability")) > 0.0);
    assert_non_null(json_object_get(first, "explanation"));
    json_decref(first);
    json_decref(again);
    /* one that was not wanted then is not known now */
    json_decref(send_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"event\":\"f\"}"));
    again = send_ok(200, "POST", "/v1/learners/tutor/ask",
                    "{\"task\":\"s\",\"event\":\"f\",\"probability\":true}");
    assert_true(json_is_null(json_object_get(again, "probability")));
    assert_null(json_object_get(again, "probability_by"));
    json_decref(again);
}

static void excluded_arms_are_not_chosen(void **state)
{
    (void)state;
    create("");
    refused(409, "can be chosen", "POST", "/v1/learners/tutor/ask",
            "{\"task\":\"s\",\"exclude\":[\"A\",\"B\",\"C\"]}");
    refused(400, "no arm", "POST", "/v1/learners/tutor/ask",
            "{\"task\":\"s\",\"event\":\"e\",\"exclude\":[\"D\"]}");
    refused(404, "no task", "GET", "/v1/learners/tutor/tasks/s", NULL); /* none was opened */
    for (int i = 0; i < 20; i++) {
        json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask",
                                 "{\"task\":\"s\",\"exclude\":[\"A\",\"C\"]}");
        assert_string_equal(json_string_value(json_object_get(answer, "arm")), "B");
        json_decref(answer);
    }
    refused(409, "can be chosen", "POST", "/v1/learners/tutor/ask",
            "{\"task\":\"s\",\"exclude\":[\"A\",\"B\",\"C\"]}");
    refused(400, "no arm", "POST", "/v1/learners/tutor/ask",
            "{\"task\":\"s\",\"exclude\":[\"D\"]}");
}

static void an_ask_tells_probability_and_types(void **state)
{
    (void)state;
    create(",\"steps\":20,\"control\":0");
    json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask",
                             "{\"task\":\"s\",\"probability\":true,\"explain\":true,\"count\":4}");
    const json_t *list = json_object_get(answer, "decisions");
    assert_int_equal(json_array_size(list), 4);
    for (size_t i = 0; i < 4; i++) {
        const double p = json_number_value(json_object_get(json_array_get(list, i), "probability"));
        assert_true(p > 0.0 && p <= 1.0);
    }
    assert_non_null(json_object_get(answer, "probability_by"));
    const json_t *types = json_object_get(json_object_get(answer, "explanation"), "types");
    assert_int_equal(json_array_size(types), 1);
    json_decref(answer);
}

static void an_ask_can_tell_before(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], body[256];
    (void)state;
    create("");
    ask("s", id);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"new\",\"tell\":{\"decision\":\"%s\",\"reward\":1}}", id);
    json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", body);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "tell"), "status")), "counted");
    assert_non_null(json_object_get(answer, "decision"));
    json_decref(answer);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"new\",\"tell\":{\"decision\":\"%s\",\"reward\":0}}", id);
    refused(409, "already", "POST", "/v1/learners/tutor/ask", body);
}

/* The last step of a task that asks and tells in one: nothing is decided, and that is no error. */
static void an_ask_whose_reward_ends_the_task_says_so(void **state)
{
    static const char *const statuses[] = {"counted", "duplicate"};
    char id[SEGUE_DECISION_ID_LENGTH + 1], body[256];
    (void)state;
    create(",\"close_after\":1");
    ask("s", id);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"s\",\"tell\":{\"decision\":\"%s\",\"reward\":1}}", id);
    for (size_t i = 0; i < 2; i++) { /* and when it is asked again */
        json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", body);
        const json_t *told_of = json_object_get(answer, "tell");
        assert_true(json_is_true(json_object_get(answer, "closed")));
        assert_null(json_object_get(answer, "decision"));
        assert_string_equal(json_string_value(json_object_get(told_of, "status")), statuses[i]);
        assert_string_equal(json_string_value(json_object_get(told_of, "task")), "s");
        json_decref(answer);
    }
    /* an ask that is refused does not hide that the reward was counted */
    ask("u", id);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"s\",\"tell\":{\"decision\":\"%s\",\"reward\":1}}", id);
    json_t *answer = send_ok(409, "POST", "/v1/learners/tutor/ask", body);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "tell"), "status")), "counted");
    assert_non_null(json_object_get(answer, "error"));
    json_decref(answer);
}

static void a_retired_arm_is_not_explained(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create(",\"control\":0,\"steps\":20");
    for (int i = 0; i < 9; i++) { /* A is by far the best */
        json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
        const bool is_a = strcmp(json_string_value(json_object_get(answer, "arm")), "A") == 0;
        (void)strcpy(id, json_string_value(json_object_get(answer, "decision")));
        json_decref(answer);
        told("counted", id, is_a ? 1.0 : 0.0);
    }
    check(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    json_t *answer =
        send_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"explain\":true}");
    assert_string_not_equal(
        json_string_value(json_object_get(json_object_get(answer, "explanation"), "arm")), "A");
    json_decref(answer);
    answer = send_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_string_not_equal(
        json_string_value(json_object_get(json_object_get(answer, "explanation"), "arm")), "A");
    json_decref(answer);
}

/* What a learner was made with can be read again, defaults too. */
static void a_task_that_was_left_is_closed_after_a_day(void **state)
{
    static const struct {
        const char *more;
        double idle;
    } made_of[] = {{"", 86400.0},
                   {",\"steps\":9.0", 86400.0},
                   {",\"close_after\":9", 86400.0},
                   {",\"steps\":9,\"close_after\":0", 86400.0},
                   {",\"reward_deadline\":1e6", 2e6},
                   {",\"idle\":0", 0.0}};
    (void)state;
    for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++) {
        create(made_of[i].more);
        json_t *answer = send_ok(200, "GET", "/v1/learners/tutor", NULL);
        const json_t *made = json_object_get(answer, "settings");
        assert_near(json_number_value(json_object_get(made, "idle")), made_of[i].idle, 0.0);
        assert_string_equal(json_string_value(json_object_get(made, "method")), "auto");
        json_decref(answer);
        check(200, "DELETE", "/v1/learners/tutor", NULL);
    }
    refused(400, "too large", "POST", "/v1/learners",
            "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"seed\":9223372036854775808}");
    refused(400, "'steps': is a decimal number", "POST", "/v1/learners",
            "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"steps\":30.5}");
    refused(400, "'idle': is 1", "POST", "/v1/learners",
            "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"reward_deadline\":2,\"default_reward\":0,"
            "\"idle\":1}");
    refused(400, "in a path", "POST", "/v1/learners", "{\"name\":\"x\",\"arms\":[\"A\",\".\"]}");
    create("");
    refused(400, "in a path", "POST", "/v1/learners/tutor/ask", "{\"task\":\"..\"}");
}

static void a_late_reward_is_ignored(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], told_id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create(",\"reward_deadline\":10");
    ask("s", id);
    ask("s", told_id);
    told("counted", told_id, 1.0);
    clock_now += 11;
    json_decref(tell_id(410, id, 1.0));
    told("duplicate", told_id, 1.0);
    json_decref(tell_id(409, told_id, 0.0));
}

static void a_default_counts_when_the_wait_is_over(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], told_id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask("s", id);
    ask("s", told_id);
    told("counted", told_id, 1.0);
    clock_now += 5;
    segue_timer_tick(service); /* keeps it on the disk */
    segue_service_run_pending(service);
    clock_now += 6;
    segue_timer_tick(service);
    segue_service_run_pending(service);
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(number(answer, "rewards", NULL), 2);
    assert_true(fabs(json_number_value(json_object_get(answer, "reward_per_step")) - 0.75) < 1e-12);
    json_decref(answer);
    json_decref(tell_id(410, id, 1.0));
    told("duplicate", told_id, 1.0);
}

/* Decisions on the disk that wait, of the first learner. */
static size_t n_kept(void)
{
    segue_rows rows;
    segue_stored_decision row;
    segue_rows_open(&rows, service->store, &(segue_query){SEGUE_QUERY_PENDING_DECISIONS, .id = 1},
                    NULL);
    while (segue_rows_next_decision(&rows, &row))
        continue;
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    return rows.count;
}

static void ask_many(const char *task, int count)
{
    char body[128];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\",\"count\":%d}", task, count);
    check(200, "POST", "/v1/learners/tutor/ask", body);
}

static void rewards_are(const char *task, int count)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s", task);
    json_t *answer = send_ok(200, "GET", path, NULL);
    assert_int_equal(number(answer, "rewards", NULL), count);
    json_decref(answer);
}

static void all_that_wait_are_kept(void **state)
{
    (void)state;
    create(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_many("s", 300);
    segue_timer_tick(service);
    segue_timer_tick(service); /* before the first is stored */
    ask_many("s", 300);
    segue_timer_tick(service);
    segue_service_run_pending(service);
    assert_int_equal(n_kept(), 600);
}

/* The store may not grow, and what it has is filled up. */
static void fill_disk(void)
{
    char task[300];
    int i = 0;
    assert_ok(segue_sqlite_limit_pages(service->store, 1, NULL)); /* as it is now */
    do {
        (void)snprintf(task, sizeof task, "{\"task\":\"%0200d\"}", i++);
        json_decref(send("POST", "/v1/learners/tutor/tasks", task));
    } while (last_status == 201 && i < 10000);
    assert_int_equal(last_status, 503);
}

static void defaults_outlast_a_full_disk(void **state)
{
    segue_error err;
    (void)state;
    create(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_many("s", 1000);
    clock_now += 11;
    fill_disk();
    for (int tick = 0; tick < 3; tick++) {
        segue_timer_tick(service);
        segue_service_run_pending(service);
    }
    rewards_are("s", 0);
    assert_ok(segue_sqlite_limit_pages(service->store, 0, &err));
    segue_timer_tick(service);
    segue_service_run_pending(service);
    rewards_are("s", 1000);
}

static void decisions_of_closed_tasks_wait_no_more(void **state)
{
    char task[32], path[64];
    (void)state;
    create(",\"reward_deadline\":10,\"default_reward\":0.5");
    for (int i = 0; i < 50; i++) {
        (void)snprintf(task, sizeof task, "s%d", i);
        ask_many(task, 100);
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s/close", task);
        check(200, "POST", path, NULL);
    }
    learner_state *live = segue_service_find(service, "tutor");
    assert_true(live->deadlines.capacity <= 256);
    wait_for(0, 0);
    assert_int_equal(live->deadlines.count, 0);
    segue_learner_state_release(live);
}

/* Three thousand defaults are due, a thousand of which are counted at a time. */
static void an_idle_task_gets_its_defaults_first(void **state)
{
    (void)state;
    create(",\"reward_deadline\":10,\"default_reward\":0.5,\"idle\":10");
    for (int i = 0; i < 3; i++)
        ask_many("s", 1000);
    clock_now += 11;
    for (int tick = 0; tick < 3; tick++) {
        segue_timer_tick(service);
        segue_service_run_pending(service);
    }
    rewards_are("s", 3000);
    assert_int_equal(segue_service_open_tasks(service), 1);
    wait_for(11, 0);
}

static void an_ask_comes_before_the_end_of_an_idle_task(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create(",\"idle\":60");
    ask("s", id);
    clock_now += 61;
    segue_timer_tick(service); /* it is to be closed, and is not yet */
    ask("s", id);
    segue_service_run_pending(service);
    told("counted", id, 1.0);
}

static void the_clock_may_be_set_back(void **state)
{
    (void)state;
    create(",\"idle\":60");
    tell_one("s", 1.0);
    wait_for(1, 1);
    wall_offset -= 500;
    wait_for(0, 1);
    wait_for(59, 1);
    wait_for(2, 0);
}

static void defaults_come_also_when_the_clock_was_set_back(void **state)
{
    (void)state;
    create(",\"reward_deadline\":10,\"default_reward\":0.5,\"idle\":20");
    ask_many("s", 5);
    wall_offset -= 500;
    ask_many("t", 5);
    wait_for(0, 2);
    wait_for(11, 2);
    rewards_are("s", 5);
    rewards_are("t", 5);
}

/* However long the disk takes, what is wished waits once. */
static void wishes_do_not_pile_up(void **state)
{
    (void)state;
    create(",\"idle\":60");
    tell_one("s", 1.0);
    tell_one("t", 1.0);
    atomic_store(&service->failing, true);
    for (int i = 0; i < 20; i++) {
        clock_now += 61;
        segue_timer_tick(service);
    }
    assert_int_equal(segue_commit_queue_length(&service->queue), 3); /* two ends, and a probe */
    wait_for(0, 0);
}

/* ---- learning ------------------------------------------------------------------------------ */

/* Students of two types: one likes A, the other C. */
static void play_students(int count)
{
    char task[32], body[256];
    segue_rng rng;
    segue_rng_init(&rng, 1, 0, 0, 0);
    for (int i = 0; i < count; i++) {
        (void)snprintf(task, sizeof task, "s%d", i);
        for (int step = 0; step < 20; step++) {
            (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
            json_t *answer = send_ok(200, "POST", "/v1/learners/tutor/ask", body);
            const char arm = json_string_value(json_object_get(answer, "arm"))[0];
            const double mean = arm == 'B' ? 0.3 : (arm == 'A') == (i % 2 == 0) ? 0.9 : 0.1;
            char id[SEGUE_DECISION_ID_LENGTH + 1];
            memcpy(id, json_string_value(json_object_get(answer, "decision")), sizeof id);
            json_decref(answer);
            told("counted", id, segue_rng_uniform(&rng) < mean);
        }
    }
}

static void it_learns_and_says_what_transfer_is_worth(void **state)
{
    (void)state;
    const int students = repeats(120) < 120 ? 30 : 120; /* few under valgrind */
    create(",\"steps\":20,\"control\":0.3");
    play_students(students);
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor", NULL);
    assert_int_equal(number(answer, "tasks", "closed"), students);
    assert_true(number(answer, "version", NULL) > 0);
    assert_true(students < 120 || json_array_size(json_object_get(answer, "types")) >= 2);
    const json_t *worth = json_object_get(answer, "effect");
    const json_t *interval = json_object_get(worth, "interval");
    const double difference = json_number_value(json_object_get(worth, "difference"));
    assert_true(json_number_value(json_array_get(interval, 0)) < difference);
    assert_true(json_number_value(json_array_get(interval, 1)) > difference);
    assert_int_equal(number(json_object_get(worth, "transfer"), "tasks", NULL) +
                         number(json_object_get(worth, "control"), "tasks", NULL),
                     students);
    json_decref(answer);
    answer = send_ok(200, "GET", "/v1/learners/tutor/history", NULL);
    const json_t *groups = json_object_get(answer, "groups");
    assert_true(json_array_size(groups) > 0 && json_array_size(groups) <= 100);
    assert_int_equal(number(json_array_get(groups, json_array_size(groups) - 1), "to", NULL),
                     students);
    json_decref(answer);
}

static void the_journal_leads_to_what_is_there(void **state)
{
    segue_store_check_result found;
    segue_error err;
    (void)state;
    create(",\"steps\":20");
    play_students(repeats(60) < 60 ? 20 : 60);
    check(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    check(200, "DELETE", "/v1/learners/tutor/arms/B", NULL);
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    assert_int_equal(found.learners, 1);
    assert_true(found.events > 20);
}

/* ---- the disk ------------------------------------------------------------------------------ */

static void a_full_disk_refuses_tells_and_not_asks(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    segue_error err;
    (void)state;
    create("");
    ask("s", id);
    fill_disk();
    refused(503, "cannot be written", "GET", "/readyz", NULL);
    char other[SEGUE_DECISION_ID_LENGTH + 1];
    ask("s", other); /* asks go on */
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    told("counted", id, 1.0);
    told("counted", other, 1.0);
    check(200, "GET", "/readyz", NULL);
    json_t *answer = send_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(number(answer, "rewards", NULL), 2);
    json_decref(answer);
}

static segue_store *store_of_learner(void)
{
    segue_store *store = NULL;
    segue_stored_learner learner = {.name = "tutor", .config = "{}", .created = 1.0};
    segue_error err;
    if (segue_store_open(&store, "sqlite::memory:", SEGUE_STORE_CREATE, &err) != SEGUE_OK ||
        segue_store_add_learner(store, &learner, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    assert_int_equal(learner.id, 1);
    return store;
}

static int64_t rows_of(segue_store *store, const char *table)
{
    char text[64];
    int64_t count = 0;
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM %s", table);
    assert_ok(segue_sqlite_query_integer(segue_sqlite_of(store), text, &count, NULL));
    return count;
}

/* Tasks of one reward and one that has many of them, events, decisions. */
static void fill(segue_store *store)
{
    segue_stored_task task = {.learner = 1, .n_arms = 2};
    segue_stored_event event = {.learner = 1, .kind = SEGUE_EVENT_RETIRE_ARM};
    bool is_new = false;
    char key[32];
    assert_ok(segue_store_begin(store, NULL));
    for (uint64_t i = 0; i < 2500; i++) {
        task.key = key;
        (void)snprintf(key, sizeof key, "t%d", (int)i);
        assert_ok(segue_store_add_event(store, &event, NULL));
        assert_ok(segue_store_add_task(store, &task, NULL));
        assert_ok(segue_store_add_reward(
            store, &(segue_stored_reward){.task = task.id, .number = i}, &is_new, NULL));
        assert_ok(segue_store_add_reward(
            store, &(segue_stored_reward){.task = 1, .number = 5000 + i}, &is_new, NULL));
        assert_ok(segue_store_add_decision(
            store, &(segue_stored_decision){.task = 1 + (int64_t)i % 2, .number = i}, NULL));
    }
    assert_ok(segue_store_commit(store, NULL));
}

static void a_learner_is_purged_a_part_at_a_time(void **state)
{
    static const char *const tables[] = {"reward", "decision", "task", "event", "learner"};
    segue_store *store = store_of_learner();
    int64_t left[5] = {0};
    bool more = true;
    (void)state;
    fill(store);
    assert_ok(segue_store_delete_learner(store, 1, NULL));
    for (size_t i = 0; i < 5; i++)
        left[i] = rows_of(store, tables[i]);
    assert_int_equal(left[0], 5000);
    while (more) {
        assert_ok(segue_store_purge(store, &more, NULL));
        for (size_t i = 0; i < 5; i++) {
            const int64_t now_left = rows_of(store, tables[i]);
            assert_true(left[i] - now_left <= 1000);
            left[i] = now_left;
        }
    }
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(left[i], 0);
    segue_store_close(store);
}

static int interrupt(void *context)
{
    (void)context;
    return 1;
}

static void a_read_that_fails_is_not_called_damage(void **state)
{
    segue_store *store = store_of_learner();
    segue_stored_task task = {.learner = 1, .key = "s", .n_arms = 2};
    unsigned char key[SEGUE_STORE_KEY_SIZE];
    char name[SEGUE_MAX_STORE_NAME + 1];
    uint64_t boot = 0;
    segue_error err;
    (void)state;
    assert_ok(segue_store_add_task(store, &task, NULL));
    assert_int_equal(segue_store_task_key(store, task.id + 1, name, &err), SEGUE_EFILE);
    sqlite3_progress_handler(segue_sqlite_of(store)->db, 1, interrupt, NULL);
    assert_int_equal(segue_store_task_key(store, task.id, name, &err), SEGUE_EIO);
    assert_non_null(strstr(err.message, "interrupted"));
    assert_int_equal(segue_store_start(store, key, &boot, &err), SEGUE_EIO);
    assert_non_null(strstr(err.message, "interrupted"));
    sqlite3_progress_handler(segue_sqlite_of(store)->db, 0, NULL, NULL);
    assert_ok(segue_store_task_key(store, task.id, name, &err));
    assert_string_equal(name, "s");
    assert_ok(segue_store_start(store, key, &boot, &err));
    segue_store_close(store);
}

static void what_is_too_long_is_called_so(void **state)
{
    static const char data[2000];
    segue_store *store = store_of_learner();
    segue_stored_learner learner = {.name = "other"};
    segue_error err;
    char text[2000];
    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)sqlite3_limit(segue_sqlite_of(store)->db, SQLITE_LIMIT_LENGTH, 1000);
    assert_int_equal(segue_store_add_snapshot(store, 1, 1, data, sizeof data, &err), SEGUE_EIO);
    assert_non_null(strstr(err.message, "too big"));
    learner.config = text;
    assert_int_equal(segue_store_add_learner(store, &learner, &err), SEGUE_EIO);
    assert_non_null(strstr(err.message, "too big"));
    learner.config = "{}";
    assert_ok(segue_store_add_learner(store, &learner, &err));
    assert_ok(segue_store_add_snapshot(store, 1, 1, data, 500, &err));
    segue_store_close(store);
}

static bool counted_as_ready(void)
{
    segue_response reply;
    const segue_request request = {
        .method = "GET", .path = "/metrics", .host = "localhost", .id = "test"};
    segue_service_handle_and_wait(service, &request, &reply);
    segue_bytes_append(&reply.body, "", 1);
    const bool is_ready = strstr((const char *)reply.body.data, "\nsegue_ready 1\n") != NULL;
    segue_response_fini(&reply);
    return is_ready;
}

static void a_broken_service_is_not_ready_however_one_asks(void **state)
{
    segue_error err;
    (void)state;
    (void)!segue_fail(&err, SEGUE_EIO, "it is torn");
    assert_true(counted_as_ready());
    segue_service_fail(service, &err);
    refused(503, "it is torn", "GET", "/readyz", NULL);
    assert_false(counted_as_ready());
}

/* ---- paths --------------------------------------------------------------------------------- */

static void other_paths_and_methods_are_refused(void **state)
{
    (void)state;
    refused(404, "this path does not exist", "GET", "/v1/nothing", NULL);
    refused(404, "this path does not exist", "GET", "/../etc/passwd", NULL);
    refused(400, "name", "GET", "/v1/learners/", NULL);
    refused(404, "no learner", "GET", "/v1/learners/..", NULL);
    refused(400, "name", "GET", "/v1/learners/%00", NULL);
    refused(400, "name", "GET", "/v1/learners/%ff", NULL);
    refused(400, "name", "GET", "/v1/learners/%4", NULL);
    refused(400, "no field is", "POST", "/v1/learners/tutor/tasks/s/close", "{\"x\":1}");
    refused(405, "GET, HEAD, POST", "PUT", "/v1/learners", NULL);
    refused(405, "POST", "GET", "/v1/tell", NULL);
    refused(405, "GET", "POST", "/healthz", NULL);
    refused(405, "GET, HEAD", "TRACE", "/", NULL);
    refused(400, "the body is empty", "POST", "/v1/tell", NULL);
    refused(400, "no query", "GET", "/v1/learners?x", NULL);
    check(200, "GET", "/healthz", NULL);
    check(200, "HEAD", "/readyz", NULL);
}

int main(void)
{
#define SERVED(test) cmocka_unit_test_setup_teardown(test, start, stop)
#define FILED(test)  cmocka_unit_test_setup_teardown(test, start_in_file, stop_in_file)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keyed_hash_gives_the_published_siphash_vectors),
        cmocka_unit_test(an_id_comes_back_and_a_changed_one_does_not),
        cmocka_unit_test(this_machine_has_many_names),
        cmocka_unit_test(a_map_finds_what_was_put),
        SERVED(the_same_words_give_the_same_learner),
        SERVED(a_learner_is_gone_when_it_is_deleted),
        SERVED(wrong_words_are_refused_with_a_sentence),
        SERVED(arms_come_and_go),
        SERVED(the_same_key_gives_the_same_task),
        SERVED(a_closed_task_is_learned_from_once),
        SERVED(a_task_closes_after_so_many_rewards),
        SERVED(an_idle_task_closes_by_itself),
        FILED(a_start_counts_as_an_ask),
        FILED(an_end_loses_no_default),
        FILED(a_task_keeps_its_arms_over_a_start),
        SERVED(too_many_open_tasks_are_refused),
        SERVED(a_reward_told_again_counts_once),
        SERVED(wrong_rewards_are_refused),
        SERVED(the_same_event_gives_the_same_decision),
        SERVED(an_event_keeps_its_probability),
        SERVED(excluded_arms_are_not_chosen),
        SERVED(an_ask_tells_probability_and_types),
        SERVED(an_ask_can_tell_before),
        SERVED(an_ask_whose_reward_ends_the_task_says_so),
        SERVED(a_retired_arm_is_not_explained),
        SERVED(a_task_that_was_left_is_closed_after_a_day),
        SERVED(a_late_reward_is_ignored),
        SERVED(a_default_counts_when_the_wait_is_over),
        SERVED(all_that_wait_are_kept),
        SERVED(defaults_outlast_a_full_disk),
        SERVED(decisions_of_closed_tasks_wait_no_more),
        SERVED(an_idle_task_gets_its_defaults_first),
        SERVED(an_ask_comes_before_the_end_of_an_idle_task),
        SERVED(the_clock_may_be_set_back),
        SERVED(defaults_come_also_when_the_clock_was_set_back),
        SERVED(wishes_do_not_pile_up),
        SERVED(it_learns_and_says_what_transfer_is_worth),
        SERVED(the_journal_leads_to_what_is_there),
        SERVED(a_full_disk_refuses_tells_and_not_asks),
        SERVED(a_broken_service_is_not_ready_however_one_asks),
        cmocka_unit_test(a_learner_is_purged_a_part_at_a_time),
        cmocka_unit_test(a_read_that_fails_is_not_called_damage),
        cmocka_unit_test(what_is_too_long_is_called_so),
        SERVED(other_paths_and_methods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
