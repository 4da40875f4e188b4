/* test_service_store.c - learning, the event log and a store that fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

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
            json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
            const char arm = json_string_value(json_object_get(answer, "arm"))[0];
            const double mean = arm == 'B' ? 0.3 : (arm == 'A') == (i % 2 == 0) ? 0.9 : 0.1;
            char id[SEGUE_DECISION_ID_LENGTH + 1];
            memcpy(id, json_string_value(json_object_get(answer, "decision")), sizeof id);
            json_decref(answer);
            expect_tell("counted", id, segue_rng_uniform(&rng) < mean);
        }
    }
}

static void it_learns_and_reports_the_effect_of_transfer(void **state)
{
    (void)state;
    const int students = repeats(120) < 120 ? 30 : 120; /* few under valgrind */
    create_tutor(",\"steps\":20,\"control\":0.3");
    play_students(students);
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
    assert_int_equal(integer_at(answer, "tasks", "closed"), students);
    assert_true(integer_at(answer, "version", NULL) > 0);
    assert_true(students < 120 || json_array_size(json_object_get(answer, "types")) >= 2);
    const json_t *effect = json_object_get(answer, "effect");
    const json_t *interval = json_object_get(effect, "interval");
    const double difference = json_number_value(json_object_get(effect, "difference"));
    assert_true(json_number_value(json_array_get(interval, 0)) < difference);
    assert_true(json_number_value(json_array_get(interval, 1)) > difference);
    assert_int_equal(integer_at(json_object_get(effect, "transfer"), "tasks", NULL) +
                         integer_at(json_object_get(effect, "control"), "tasks", NULL),
                     students);
    json_decref(answer);
    answer = fetch_ok(200, "GET", "/v1/learners/tutor/history", NULL);
    const json_t *groups = json_object_get(answer, "groups");
    assert_true(json_array_size(groups) > 0 && json_array_size(groups) <= 100);
    assert_int_equal(integer_at(json_array_get(groups, json_array_size(groups) - 1), "to", NULL),
                     students);
    json_decref(answer);
}

static void recovery_from_the_event_log_gives_the_same_learner(void **state)
{
    segue_store_check_result found;
    segue_error err;
    (void)state;
    create_tutor(",\"steps\":20");
    play_students(repeats(60) < 60 ? 20 : 60);
    expect(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    expect(200, "DELETE", "/v1/learners/tutor/arms/B", NULL);
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    assert_int_equal(found.learners, 1);
    assert_true(found.events > 20);
}

static void a_full_disk_rejects_tells_and_not_asks(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    segue_error err;
    (void)state;
    create_tutor("");
    ask_id("s", id);
    fill_disk();
    expect_rejected(503, "cannot be written", "GET", "/readyz", NULL);
    char other[SEGUE_DECISION_ID_LENGTH + 1];
    ask_id("s", other); /* asks go on */
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    expect_tell("counted", id, 1.0);
    expect_tell("counted", other, 1.0);
    expect(200, "GET", "/readyz", NULL);
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(integer_at(answer, "rewards", NULL), 2);
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
static void fill_store(segue_store *store)
{
    segue_stored_task task = {.learner = 1, .n_arms = 2, .tag = 1};
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

static void a_learner_is_purged_in_parts(void **state)
{
    static const char *const tables[] = {"reward", "decision", "task", "event", "learner"};
    segue_store *store = store_of_learner();
    int64_t left[5] = {0};
    bool more = true;
    (void)state;
    fill_store(store);
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
    segue_stored_task task = {.learner = 1, .key = "s", .n_arms = 2, .tag = 1};
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

static void rows_that_are_too_long_are_named(void **state)
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

static bool metrics_say_ready(void)
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

static void a_broken_service_is_not_ready_by_any_route(void **state)
{
    segue_error err;
    (void)state;
    (void)!segue_fail(&err, SEGUE_EIO, "it is torn");
    assert_true(metrics_say_ready());
    segue_service_fail(service, &err);
    expect_rejected(503, "it is torn", "GET", "/readyz", NULL);
    assert_false(metrics_say_ready());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(it_learns_and_reports_the_effect_of_transfer),
        SERVED(recovery_from_the_event_log_gives_the_same_learner),
        SERVED(a_full_disk_rejects_tells_and_not_asks),
        SERVED(a_broken_service_is_not_ready_by_any_route),
        cmocka_unit_test(a_learner_is_purged_in_parts),
        cmocka_unit_test(a_read_that_fails_is_not_called_damage),
        cmocka_unit_test(rows_that_are_too_long_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
