/* test_damage_online.c - a store that is damaged while the service runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include "damaged.h"
#include "request.h"
#include "service/engine/damage.h"
#include "service/engine/writer.h"
#include "store/sqlite/sqlite.h"

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
        assert_false(segue_service_handle(damaged_service, &requests[i], &reply[i], ignore, NULL));
    segue_service_run_pending(damaged_service);
    for (size_t i = 0; i < count; i++) {
        statuses[i] = reply[i].status;
        segue_response_fini(&reply[i]);
    }
}

static void damage_in_a_transaction_rejects_one_operation(void **state)
{
    char bad[200];
    int status[2];
    (void)state;
    damaged_play("a", "t3", "1"); /* which closes it */
    (void)strcpy(bad, damaged_tell);
    damaged_play("b", "t3", NULL);
    damage_running("UPDATE reward SET value = NULL WHERE task = 7");
    const segue_request requests[] = {request_of("POST", "/v1/tell", damaged_tell),
                                      request_of("POST", "/v1/tell", bad)};
    handle_together(requests, 2, status);
    assert_int_equal(status[0], 200);
    assert_int_equal(status[1], 500);
    damaged_expect(200, "GET", "/readyz", NULL);
    damaged_expect(200, "POST", "/v1/learners/a/ask", "{\"task\":\"t9\"}");
}

static void a_change_that_cannot_be_applied_stops_its_learner(void **state)
{
    (void)state;
    damage_running("UPDATE reward SET created = NULL WHERE task = 7");
    damaged_expect_rejected(500, "column created: NULL", "POST", "/v1/learners/a/tasks/t3/close",
                            NULL);
    damaged_expect_rejected(500, "column created: NULL", "POST", "/v1/learners/a/ask",
                            "{\"task\":\"t3\"}");
    assert_false(segue_service_needs_restart(damaged_service));
    assert_int_equal(segue_damage_count(damaged_service), 1);
    assert_int_equal(segue_service_open_tasks(damaged_service), 1);
    damaged_play("b", "t3", "1");
    damaged_stop();
    damaged_start();
    assert_int_equal(segue_damage_count(damaged_service), 1);
}

static void a_damaged_learner_counts_no_open_tasks(void **state)
{
    int status[2];
    (void)state;
    damaged_expect(200, "DELETE", "/v1/learners/b", NULL);
    damaged_play("a", "u", "1"); /* open, one reward */
    damage_running("UPDATE reward SET created = NULL WHERE task = 7");
    const segue_request requests[] = {request_of("POST", "/v1/learners/a/tasks/t3/close", NULL),
                                      request_of("POST", "/v1/learners/a/tasks/u/close", NULL)};
    handle_together(requests, 2, status);
    assert_int_equal(status[0], 500);
    assert_int_equal(status[1], 500);
    assert_int_equal(segue_service_open_tasks(damaged_service), 0);
    damaged_expect(201, "POST", "/v1/learners", "{\"name\":\"c\",\"arms\":[\"A\",\"B\"]}");
    damaged_expect(201, "POST", "/v1/learners/c/tasks", "{\"task\":\"z\"}");
}

static void a_long_ask_starts_over_beside_damage(void **state)
{
    char bad[200];
    segue_response reply[2];
    (void)state;
    damaged_play("a", "t3", "1"); /* which closes it */
    (void)strcpy(bad, damaged_tell);
    damaged_play("b", "t3", NULL);
    damage_running("UPDATE reward SET value = NULL WHERE task = 7");
    const segue_request requests[] = {
        request_of("POST", "/v1/learners/b/ask",
                   "{\"task\":\"t3\",\"event\":\"e\",\"probability\":true,\"count\":1000}"),
        request_of("POST", "/v1/tell", bad)};
    assert_false(segue_service_handle(damaged_service, &requests[0], &reply[0], ignore, NULL));
    segue_writer_commit(
        damaged_service,
        segue_commit_queue_pop_group(&damaged_service->queue, false)); /* the pool chooses */
    assert_false(segue_service_handle(damaged_service, &requests[1], &reply[1], ignore, NULL));
    segue_service_run_pending(damaged_service);
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
    damaged_play("a", "t3", "1"); /* which closes it */
    (void)strcpy(bad, damaged_tell);
    damage_running("UPDATE reward SET value = NULL WHERE task = 7");
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
    damaged_start();
    atomic_store(&damaged_service->wal_large, true);
    const segue_request request = request_of("GET", "/readyz", NULL);
    segue_service_handle_and_wait(damaged_service, &request, &reply);
    segue_bytes_append(&reply.body, "", 1);
    assert_non_null(strstr((char *)reply.body.data, "\"damaged\":1"));
    assert_non_null(strstr((char *)reply.body.data, "\"warning\""));
    segue_response_fini(&reply);
}

static void a_task_that_only_the_store_calls_open_does_not_hang(void **state)
{
    static const char says[] = "table task, id 1: it is open, and the start did not find it";
    (void)state;
    damage_running("UPDATE task SET closed = NULL, closed_seq = NULL WHERE id = 1");
    damaged_expect_rejected(500, says, "POST", "/v1/learners/a/ask", "{\"task\":\"t0\"}");
    damaged_expect_rejected(500, says, "POST", "/v1/learners/a/tasks/t0/close", NULL);
    damaged_expect(200, "GET", "/readyz", NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, damaged_set_up, damaged_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_damaged_learner_counts_no_open_tasks),
        TEST(a_long_ask_starts_over_beside_damage),
        TEST(many_damaged_rewards_do_not_make_an_ask_fail),
        TEST(readiness_names_all_that_needs_attention),
        TEST(damage_in_a_transaction_rejects_one_operation),
        TEST(a_change_that_cannot_be_applied_stops_its_learner),
        TEST(a_task_that_only_the_store_calls_open_does_not_hang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
