/* test_damage.c - a store that is damaged in one known way, at the start.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include <jansson.h>
#include <sqlite3.h>

#include "damaged.h"
#include "request.h"
#include "service/api/decision_id.h"
#include "service/engine/damage.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"

static void a_null_key_is_named_in_a_response(void **state)
{
    static const char says[] = "table task, id 1, column key: NULL; need a text";
    (void)state;
    damage_running("UPDATE task SET key = NULL WHERE id = 1");
    damaged_expect_rejected(500, says, "GET", "/v1/learners/a/tasks", NULL);
    assert_non_null(strstr(damaged_report, says));
    damaged_reports = 0;
    damaged_expect_rejected(500, says, "GET", "/v1/learners/a/tasks", NULL);
    assert_int_equal(damaged_reports, 0); /* once is enough */
    damaged_expect(200, "GET", "/v1/learners/b/tasks", NULL);
    damaged_play("a", "t9", "1");
    damaged_stop();
    damaged_expect_found(says);
}

static void lack_of_memory_is_no_damage(void **state)
{
    static const char query[] = "SELECT 1, hex(randomblob(100000))";
    segue_error err;
    sqlite3_stmt *sql = NULL;
    (void)state;
    assert_int_equal(
        sqlite3_prepare_v2(segue_sqlite_of(damaged_service->store)->db, query, -1, &sql, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(sql), SQLITE_ROW);
    store_row row = segue_sqlite_row(sql, &err);
    row.table = "task";
    row.keys = 1;
    const int64_t limit = sqlite3_hard_heap_limit64(1);
    (void)sqlite3_column_text16(sql, 1); /* what cannot be made for lack of memory is NULL */
    (void)segue_column_text(&row, 1, 1000000);
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
         "table arm, learner 1, position 1, column name: a text of 1 bytes; need well-formed "
         "UTF-8"},
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
        {"UPDATE event SET kind = 99 WHERE learner = 1", "column kind: 99"},
        {"UPDATE event SET subject = -1 WHERE learner = 1", "column subject: -1"},
        {"DELETE FROM arm WHERE learner = 1 AND position = 1", "'a' lacks arms"},
        {"UPDATE arm SET name = 'A' WHERE learner = 1 AND position = 1",
         "another arm has this name"},
        {"UPDATE arm SET retired = 1 WHERE learner = 1 AND position = 1", "column retired"},
        {"UPDATE learner SET name = 'c' WHERE id = 1", "call it 'a'"},
        {"UPDATE learner SET name = NULL WHERE id = 1", "column name: NULL"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        damage_stopped(cases[i].damage);
        damaged_start();
        if (segue_damage_count(damaged_service) != 1 || damaged_reports != 1 ||
            !strstr(damaged_service->damaged->why, cases[i].says))
            fail_msg("%s: '%s'", cases[i].damage, damaged_report);
        damaged_expect(200, "GET", "/v1/learners/b", NULL);
        damaged_play("b", "t3", NULL);
        damaged_stop();
        damaged_expect_found(cases[i].says);
        assert_int_equal(remove_own_folder(state), 0);
        assert_int_equal(damaged_set_up(state), 0);
    }
}

static void a_damaged_learner_is_not_served_and_can_be_deleted(void **state)
{
    char metric[] = "segue_learners_damaged 1\n";
    segue_response reply;
    (void)state;
    damaged_play("a", "t3", NULL); /* whose body is sent later */
    damage_stopped("UPDATE arm SET name = NULL WHERE learner = 1");
    damaged_start();
    assert_non_null(strstr(damaged_report, "learner 'a' is damaged and is not served: the store"));
    json_t *list = damaged_fetch(200, "GET", "/v1/learners", NULL);
    assert_int_equal(json_array_size(json_object_get(list, "learners")), 2);
    json_decref(list);
    json_t *ready = damaged_fetch(200, "GET", "/readyz", NULL);
    assert_int_equal(json_integer_value(json_object_get(ready, "damaged")), 1);
    json_decref(ready);
    const segue_request wanted = request_of("GET", "/metrics", NULL);
    segue_service_handle_and_wait(damaged_service, &wanted, &reply);
    segue_bytes_append(&reply.body, "", 1);
    assert_non_null(strstr((char *)reply.body.data, metric));
    segue_response_fini(&reply);
    damaged_expect_rejected(500, "column name: NULL", "GET", "/v1/learners/a", NULL);
    damaged_expect_rejected(500, "column name: NULL", "POST", "/v1/learners/a/ask",
                            "{\"task\":\"t3\"}");
    damaged_expect_rejected(500, "column name: NULL", "POST", "/v1/learners/a/tasks", "{}");
    damaged_expect_rejected(500, "column name: NULL", "POST", "/v1/tell", damaged_tell);
    damaged_expect_rejected(409, "delete it first", "POST", "/v1/learners",
                            "{\"name\":\"a\",\"arms\":[\"A\",\"B\"]}");
    damaged_expect(200, "DELETE", "/v1/learners/a", NULL);
    damaged_expect_rejected(404, "no learner 'a'", "GET", "/v1/learners/a", NULL);
    damaged_expect_rejected(404, "was deleted", "POST", "/v1/tell", damaged_tell);
    segue_service_run_pending(damaged_service);
    damaged_expect(201, "POST", "/v1/learners", "{\"name\":\"a\",\"arms\":[\"A\",\"B\"]}");
    damaged_stop();
    damaged_expect_sound();
}

static void all_damaged_learners_are_found(void **state)
{
    segue_store_check_result found;
    segue_error err;
    (void)state;
    damage_stopped("UPDATE arm SET added = NULL");
    assert_int_equal(damaged_check(&found, &err), SEGUE_EFILE);
    assert_int_equal(found.learners, 2);
    assert_int_equal(found.damaged, 2);
    assert_false(found.file);
}

static void a_damaged_snapshot_is_replaced_from_the_event_log(void **state)
{
    segue_error err;
    (void)state;
    assert_ok(segue_service_start(damaged_service, &err));
    damaged_stop();
    damaged_expect_sound();
    damage_running("UPDATE snapshot SET bytes = zeroblob(8) || substr(bytes, 9) WHERE learner = 1");
    damaged_expect_found("table snapshot, learner 1");
    damaged_start();
    assert_int_equal(damaged_reports, 1);
    assert_non_null(
        strstr(damaged_report, "learner 'a': its snapshot is damaged; it was recovered"));
    damaged_expect(200, "GET", "/v1/learners/a", NULL);
    assert_ok(segue_service_start(damaged_service, &err));
    damaged_stop();
    damaged_expect_sound();
    damaged_start();
    assert_int_equal(damaged_reports, 0);
}

static void damage_of_the_whole_file_is_rejected(void **state)
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
        assert_int_equal(damaged_try_start(&err), SEGUE_EFILE);
        segue_status status = segue_store_open(&store, own_path, SEGUE_STORE_READ_IMMUTABLE, &err);
        if (status == SEGUE_OK)
            status = segue_store_check_run(store, &found, &err);
        segue_store_close(store);
        assert_int_equal(status, SEGUE_EFILE);
        assert_int_equal(remove_own_folder(state), 0);
        assert_int_equal(damaged_set_up(state), 0);
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
        const decision d = {.learner = 1, .task = 2, .asked_at = cases[i].asked};
        decision back;
        segue_decision_id_encode(&d, key, text);
        assert_true(segue_decision_id_decode(&back, key, text));
        assert_near(back.asked_at, cases[i].read, 0.0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, damaged_set_up, damaged_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_null_key_is_named_in_a_response),
        TEST(lack_of_memory_is_no_damage),
        TEST(every_column_is_validated),
        TEST(a_damaged_learner_is_not_served_and_can_be_deleted),
        TEST(all_damaged_learners_are_found),
        TEST(a_damaged_snapshot_is_replaced_from_the_event_log),
        TEST(damage_of_the_whole_file_is_rejected),
        cmocka_unit_test(a_decision_is_signed_whatever_the_clock_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
