/* test_damage.c - what the service does with a store that is damaged in one known way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include <jansson.h>
#include <sqlite3.h>

#include "request.h"
#include "service/api/decision_id.h"
#include "service/engine/damage.h"
#include "service/engine/writer.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite_column.h"

static segue_service *service;
static double clock_now;
static char reported[SEGUE_ERROR_SIZE];
static size_t reports;

static double now(void)
{
    return clock_now;
}

static void hear(void *context, const char *message)
{
    (void)context;
    (void)snprintf(reported, sizeof reported, "%s", message);
    reports++;
}

static segue_status start(segue_error *err)
{
    static char store[80];
    segue_service_config config = segue_service_defaults();
    (void)snprintf(store, sizeof store, "sqlite:%s", own_path);
    config.store = store;
    config.now = now;
    config.report = hear;
    reports = 0;
    return segue_service_create(&service, &config, err);
}

static void start_fine(void)
{
    segue_error err;
    if (start(&err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static void stop(void)
{
    segue_service_destroy(service);
    service = NULL;
}

/* One request; the answer is the caller's. */
static json_t *send(int status, const char *method, const char *path, const char *body)
{
    segue_response reply;
    const segue_request request = request_of(method, path, body);
    segue_service_handle_and_wait(service, &request, &reply);
    json_t *answer = json_loadb((const char *)reply.body.data, reply.body.size, 0, NULL);
    if (reply.status != status)
        fail_msg("%s %s: %d, not %d: %.*s", method, path, reply.status, status,
                 (int)reply.body.size, (const char *)reply.body.data);
    segue_response_fini(&reply);
    return answer;
}

static void check(int status, const char *method, const char *path, const char *body)
{
    json_decref(send(status, method, path, body));
}

static void refused(int status, const char *says, const char *method, const char *path,
                    const char *body)
{
    json_t *answer = send(status, method, path, body);
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    if (!message || !strstr(message, says))
        fail_msg("'%s' does not say '%s'", message ? message : "nothing", says);
    json_decref(answer);
}

/* Ask, and tell a reward, if there is one; the body of the tell stays in `told`. */
static char told[200];
static void play(const char *learner, const char *task, const char *reward)
{
    char path[80], body[80];
    (void)snprintf(path, sizeof path, "/v1/learners/%s/ask", learner);
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    json_t *answer = send(200, "POST", path, body);
    (void)snprintf(told, sizeof told, "{\"decision\":\"%s\",\"reward\":%s}",
                   json_string_value(json_object_get(answer, "decision")), reward ? reward : "1");
    json_decref(answer);
    if (reward)
        check(200, "POST", "/v1/tell", told);
}

/* Two learners of three closed tasks and an open one each. */
static int set_up(void **state)
{
    char task[16];
    assert_int_equal(make_own_folder(state), 0);
    clock_now = 1000.0;
    start_fine();
    check(201, "POST", "/v1/learners",
          "{\"name\":\"a\",\"arms\":[\"A\",\"B\"],\"close_after\":2,\"control\":0}");
    check(201, "POST", "/v1/learners",
          "{\"name\":\"b\",\"arms\":[\"A\",\"B\"],\"close_after\":2,\"control\":0}");
    for (int i = 0; i < 7; i++) {
        (void)snprintf(task, sizeof task, "t%d", i / 2);
        play("a", task, "1");
        play("b", task, "0");
    }
    return 0;
}

static int tear_down(void **state)
{
    stop();
    return remove_own_folder(state);
}

/* Change the store from outside, whatever its tables take. */
static void damage(const char *text)
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

static void damage_stopped(const char *text)
{
    stop();
    damage(text);
}

static segue_status check_store(segue_store_check_result *found, segue_error *err)
{
    segue_store *store = NULL;
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_READ_IMMUTABLE, err));
    const segue_status status = segue_store_check_run(store, found, err);
    segue_store_close(store);
    return status;
}

static void found_by_check(const char *says)
{
    segue_store_check_result found;
    segue_error err;
    assert_int_equal(check_store(&found, &err), SEGUE_EFILE);
    if (!strstr(err.message, says))
        fail_msg("'%s' does not say '%s'", err.message, says);
}

static void is_sound(void)
{
    segue_store_check_result found;
    segue_error err;
    if (check_store(&found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void a_null_key_is_named_in_an_answer(void **state)
{
    static const char says[] = "table task, id 1, column key: NULL; need a text";
    (void)state;
    damage("UPDATE task SET key = NULL WHERE id = 1");
    refused(500, says, "GET", "/v1/learners/a/tasks", NULL);
    assert_non_null(strstr(reported, says));
    reports = 0;
    refused(500, says, "GET", "/v1/learners/a/tasks", NULL);
    assert_int_equal(reports, 0); /* once is enough */
    check(200, "GET", "/v1/learners/b/tasks", NULL);
    play("a", "t9", "1");
    stop();
    found_by_check(says);
}

static void lack_of_memory_is_no_damage(void **state)
{
    static const char query[] = "SELECT 1, hex(randomblob(100000))";
    segue_error err;
    sqlite3_stmt *sql = NULL;
    (void)state;
    assert_int_equal(sqlite3_prepare_v2(segue_sqlite_of(service->store)->db, query, -1, &sql, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(sql), SQLITE_ROW);
    sql_row row = {.sql = sql, .table = "task", .keys = 1, .err = &err};
    const int64_t limit = sqlite3_hard_heap_limit64(1);
    (void)sqlite3_column_text16(sql, 1); /* what cannot be made for lack of memory is NULL */
    (void)segue_sqlite_column_text(&row, 1, 1000000);
    (void)sqlite3_hard_heap_limit64(limit);
    (void)sqlite3_finalize(sql);
    assert_int_equal(row.status, SEGUE_ENOMEM);
}

static void every_column_is_validated(void **state)
{
    static const struct {
        const char *damage, *says;
    } cases[] = {
        {"UPDATE learner SET config = x'00' WHERE id = 1", "column config: a blob of 1 bytes"},
        {"UPDATE learner SET created = 9e999 WHERE id = 1", "column created: inf"},
        {"UPDATE arm SET name = CAST(x'ff' AS TEXT) WHERE learner = 1 AND position = 1",
         "table arm, learner 1, position 1, column name: a text of 1 bytes; need well-formed UTF-8"},
        {"UPDATE arm SET pulls = -1 WHERE learner = 1", "column pulls: -1"},
        {"UPDATE task SET key = hex(zeroblob(200)) WHERE id = 7",
         "column key: a text of 400 bytes"},
        {"UPDATE task SET key = CAST(x'610062' AS TEXT) WHERE id = 7", "without zero bytes"},
        {"UPDATE task SET n_arms = 9 WHERE id = 7", "column n_arms: 9; need 2 to 2"},
        {"UPDATE task SET n_arms = 1 << 40 WHERE id = 7", "column n_arms: 1099511627776"},
        {"UPDATE task SET opened = 'x' WHERE id = 7", "column opened: a text"},
        {"UPDATE reward SET position = 5 WHERE task = 7", "column position: 5"},
        {"UPDATE reward SET arm = -1 WHERE task = 7", "column arm: -1"},
        {"UPDATE reward SET value = 7 WHERE task = 7",
         "column value: 7; need a number from 0 to 1"},
        {"UPDATE reward SET by_default = 2 WHERE task = 7", "column by_default: 2"},
        {"UPDATE event SET kind = 9 WHERE learner = 1", "column kind: 9"},
        {"UPDATE event SET subject = -1 WHERE learner = 1", "column subject: -1"},
        {"DELETE FROM arm WHERE learner = 1 AND position = 1", "'a' lacks arms"},
        {"UPDATE arm SET name = 'A' WHERE learner = 1 AND position = 1", "another arm has this name"},
        {"UPDATE arm SET retired = 1 WHERE learner = 1 AND position = 1", "column retired"},
        {"UPDATE learner SET name = 'c' WHERE id = 1", "call it 'a'"},
        {"UPDATE learner SET name = NULL WHERE id = 1", "column name: NULL"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        damage_stopped(cases[i].damage);
        start_fine();
        if (segue_damage_count(service) != 1 || reports != 1 ||
            !strstr(service->damaged->why, cases[i].says))
            fail_msg("%s: '%s'", cases[i].damage, reported);
        check(200, "GET", "/v1/learners/b", NULL);
        play("b", "t3", NULL);
        stop();
        found_by_check(cases[i].says);
        assert_int_equal(remove_own_folder(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

/* ---- one learner --------------------------------------------------------------------------- */

static void a_damaged_learner_is_set_apart_and_can_be_deleted(void **state)
{
    char metric[] = "segue_learners_damaged 1\n";
    segue_response reply;
    (void)state;
    play("a", "t3", NULL); /* whose body is sent later */
    damage_stopped("UPDATE arm SET name = NULL WHERE learner = 1");
    start_fine();
    assert_non_null(strstr(reported, "learner 'a' is damaged and is not served: the store"));
    json_t *list = send(200, "GET", "/v1/learners", NULL);
    assert_int_equal(json_array_size(json_object_get(list, "learners")), 2);
    json_decref(list);
    json_t *ready = send(200, "GET", "/readyz", NULL);
    assert_int_equal(json_integer_value(json_object_get(ready, "damaged")), 1);
    json_decref(ready);
    const segue_request wanted = request_of("GET", "/metrics", NULL);
    segue_service_handle_and_wait(service, &wanted, &reply);
    segue_bytes_append(&reply.body, "", 1);
    assert_non_null(strstr((char *)reply.body.data, metric));
    segue_response_fini(&reply);
    refused(500, "column name: NULL", "GET", "/v1/learners/a", NULL);
    refused(500, "column name: NULL", "POST", "/v1/learners/a/ask", "{\"task\":\"t3\"}");
    refused(500, "column name: NULL", "POST", "/v1/learners/a/tasks", "{}");
    refused(500, "column name: NULL", "POST", "/v1/tell", told);
    refused(409, "delete it first", "POST", "/v1/learners",
            "{\"name\":\"a\",\"arms\":[\"A\",\"B\"]}");
    check(200, "DELETE", "/v1/learners/a", NULL);
    refused(404, "no learner 'a'", "GET", "/v1/learners/a", NULL);
    refused(404, "was deleted", "POST", "/v1/tell", told);
    segue_service_run_pending(service);
    check(201, "POST", "/v1/learners", "{\"name\":\"a\",\"arms\":[\"A\",\"B\"]}");
    stop();
    is_sound();
}

static void all_damaged_learners_are_found(void **state)
{
    segue_store_check_result found;
    segue_error err;
    (void)state;
    damage_stopped("UPDATE arm SET added = NULL");
    assert_int_equal(check_store(&found, &err), SEGUE_EFILE);
    assert_int_equal(found.learners, 2);
    assert_int_equal(found.damaged, 2);
    assert_false(found.file);
}

static void a_damaged_snapshot_is_made_again_from_the_journal(void **state)
{
    segue_error err;
    (void)state;
    assert_ok(segue_service_start(service, &err));
    stop();
    is_sound();
    damage("UPDATE snapshot SET bytes = zeroblob(8) || substr(bytes, 9) WHERE learner = 1");
    found_by_check("table snapshot, learner 1");
    start_fine();
    assert_int_equal(reports, 1);
    assert_non_null(strstr(reported, "learner 'a': its snapshot is damaged; it was rebuilt"));
    check(200, "GET", "/v1/learners/a", NULL);
    assert_ok(segue_service_start(service, &err));
    stop();
    is_sound();
    start_fine();
    assert_int_equal(reports, 0);
}

/* ---- at work ------------------------------------------------------------------------------- */

static void ignore(void *context)
{
    (void)context;
}

/* Handle requests in one transaction; the statuses of their replies go to `statuses`. */
static void handle_together(const segue_request *requests, size_t count, int *statuses)
{
    segue_response reply[12];
    assert_true(count <= sizeof reply / sizeof *reply);
    for (size_t i = 0; i < count; i++)
        assert_false(segue_service_handle(service, &requests[i], &reply[i], ignore, NULL));
    segue_service_run_pending(service);
    for (size_t i = 0; i < count; i++) {
        statuses[i] = reply[i].status;
        segue_response_fini(&reply[i]);
    }
}

static void damage_in_a_transaction_refuses_one_operation(void **state)
{
    char bad[200];
    int status[2];
    (void)state;
    play("a", "t3", "1"); /* which closes it */
    (void)strcpy(bad, told);
    play("b", "t3", NULL);
    damage("UPDATE reward SET value = NULL WHERE task = 7");
    const segue_request requests[] = {request_of("POST", "/v1/tell", told),
                                      request_of("POST", "/v1/tell", bad)};
    handle_together(requests, 2, status);
    assert_int_equal(status[0], 200);
    assert_int_equal(status[1], 500);
    check(200, "GET", "/readyz", NULL);
    check(200, "POST", "/v1/learners/a/ask", "{\"task\":\"t9\"}");
}

static void what_cannot_be_applied_sets_its_learner_apart(void **state)
{
    (void)state;
    damage("UPDATE reward SET created = NULL WHERE task = 7");
    refused(500, "column created: NULL", "POST", "/v1/learners/a/tasks/t3/close", NULL);
    refused(500, "column created: NULL", "POST", "/v1/learners/a/ask", "{\"task\":\"t3\"}");
    assert_false(segue_service_has_failed(service));
    assert_int_equal(segue_damage_count(service), 1);
    assert_int_equal(segue_service_open_tasks(service), 1);
    play("b", "t3", "1");
    stop();
    start_fine();
    assert_int_equal(segue_damage_count(service), 1);
}

static void a_learner_that_is_set_apart_counts_no_open_tasks(void **state)
{
    int status[2];
    (void)state;
    check(200, "DELETE", "/v1/learners/b", NULL);
    play("a", "u", "1"); /* open, one reward */
    damage("UPDATE reward SET created = NULL WHERE task = 7");
    const segue_request requests[] = {request_of("POST", "/v1/learners/a/tasks/t3/close", NULL),
                                      request_of("POST", "/v1/learners/a/tasks/u/close", NULL)};
    handle_together(requests, 2, status);
    assert_int_equal(status[0], 500);
    assert_int_equal(status[1], 500);
    assert_int_equal(segue_service_open_tasks(service), 0);
    check(201, "POST", "/v1/learners", "{\"name\":\"c\",\"arms\":[\"A\",\"B\"]}");
    check(201, "POST", "/v1/learners/c/tasks", "{\"task\":\"z\"}");
}

static void a_long_ask_starts_over_beside_damage(void **state)
{
    char bad[200];
    segue_response reply[2];
    (void)state;
    play("a", "t3", "1"); /* which closes it */
    (void)strcpy(bad, told);
    play("b", "t3", NULL);
    damage("UPDATE reward SET value = NULL WHERE task = 7");
    const segue_request requests[] = {
        request_of("POST", "/v1/learners/b/ask",
                   "{\"task\":\"t3\",\"event\":\"e\",\"probability\":true,\"count\":1000}"),
        request_of("POST", "/v1/tell", bad)};
    assert_false(segue_service_handle(service, &requests[0], &reply[0], ignore, NULL));
    segue_writer_commit(
        service, segue_commit_queue_pop_group(&service->queue, false)); /* the pool chooses */
    assert_false(segue_service_handle(service, &requests[1], &reply[1], ignore, NULL));
    segue_service_run_pending(service);
    assert_int_equal(reply[0].status, 200);
    assert_int_equal(reply[1].status, 500);
    segue_response_fini(&reply[0]);
    segue_response_fini(&reply[1]);
}

static void many_damaged_rewards_do_not_make_an_ask_fail(void **state)
{
    char bad[200];
    int status[11];
    (void)state;
    play("a", "t3", "1"); /* which closes it */
    (void)strcpy(bad, told);
    damage("UPDATE reward SET value = NULL WHERE task = 7");
    segue_request requests[11] = {
        request_of("POST", "/v1/learners/b/tasks", "{\"task\":\"z\"}"),
        request_of("POST", "/v1/learners/b/ask", "{\"task\":\"z\",\"event\":\"e\"}")};
    for (size_t i = 2; i < 11; i++)
        requests[i] = request_of("POST", "/v1/tell", bad);
    handle_together(requests, 11, status);
    assert_int_equal(status[0], 201);
    assert_int_equal(status[1], 200);
    for (size_t i = 2; i < 11; i++)
        assert_int_equal(status[i], 500);
}

static void readiness_names_all_that_needs_attention(void **state)
{
    segue_response reply;
    (void)state;
    damage_stopped("UPDATE arm SET name = NULL WHERE learner = 1");
    start_fine();
    atomic_store(&service->wal_large, true);
    const segue_request request = request_of("GET", "/readyz", NULL);
    segue_service_handle_and_wait(service, &request, &reply);
    segue_bytes_append(&reply.body, "", 1);
    assert_non_null(strstr((char *)reply.body.data, "\"damaged\":1"));
    assert_non_null(strstr((char *)reply.body.data, "\"warning\""));
    segue_response_fini(&reply);
}

static void a_task_that_only_the_store_calls_open_does_not_hang(void **state)
{
    static const char says[] = "table task, id 1: it is open, and the start did not find it";
    (void)state;
    damage("UPDATE task SET closed = NULL, closed_seq = NULL WHERE id = 1");
    refused(500, says, "POST", "/v1/learners/a/ask", "{\"task\":\"t0\"}");
    refused(500, says, "POST", "/v1/learners/a/tasks/t0/close", NULL);
    check(200, "GET", "/readyz", NULL);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void damage_of_the_whole_file_is_refused(void **state)
{
    static const char *const cases[] = {"DELETE FROM meta WHERE name = 'key'",
                                        "UPDATE meta SET value = 'x' WHERE name = 'key'",
                                        "UPDATE meta SET value = -1 WHERE name = 'boot'",
                                        "UPDATE sqlite_sequence SET seq = 9223372036854775807",
                                        "DELETE FROM sqlite_sequence WHERE name = 'task'"};
    segue_store_check_result found;
    segue_error err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        segue_store *store = NULL;
        damage_stopped(cases[i]);
        assert_int_equal(start(&err), SEGUE_EFILE);
        segue_status status = segue_store_open(&store, own_path, SEGUE_STORE_READ_IMMUTABLE, &err);
        if (status == SEGUE_OK)
            status = segue_store_check_run(store, &found, &err);
        segue_store_close(store);
        assert_int_equal(status, SEGUE_EFILE);
        assert_int_equal(remove_own_folder(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

static void a_decision_is_signed_whatever_the_clock_says(void **state)
{
    static const unsigned char key[16] = "0123456789abcdef";
    static const struct {
        double asked, read;
    } cases[] = {{-5.0, 0.0},
                 {NAN, 0.0},
                 {INFINITY, 281474976710.655},
                 {1e300, 281474976710.655},
                 {1.5, 1.5}};
    char text[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const decision d = {.learner = 1, .task = 2, .asked = cases[i].asked};
        decision back;
        segue_decision_id_encode(&d, key, text);
        assert_true(segue_decision_id_decode(&back, key, text));
        assert_near(back.asked, cases[i].read, 0.0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_null_key_is_named_in_an_answer),
        TEST(a_learner_that_is_set_apart_counts_no_open_tasks),
        TEST(a_long_ask_starts_over_beside_damage),
        TEST(many_damaged_rewards_do_not_make_an_ask_fail),
        TEST(readiness_names_all_that_needs_attention),
        TEST(lack_of_memory_is_no_damage),
        TEST(every_column_is_validated),
        TEST(a_damaged_learner_is_set_apart_and_can_be_deleted),
        TEST(all_damaged_learners_are_found),
        TEST(a_damaged_snapshot_is_made_again_from_the_journal),
        TEST(damage_in_a_transaction_refuses_one_operation),
        TEST(what_cannot_be_applied_sets_its_learner_apart),
        TEST(a_task_that_only_the_store_calls_open_does_not_hang),
        TEST(damage_of_the_whole_file_is_refused),
        cmocka_unit_test(a_decision_is_signed_whatever_the_clock_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
