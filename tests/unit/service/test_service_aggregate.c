/* test_service_aggregate.c - several rewards of one decision.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "service/jobs/timer.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

typedef char id_text[SEGUE_DECISION_ID_LENGTH + 1];

static void write_tell(char body[256], const char *id, const char *event, double reward)
{
    (void)snprintf(body, 256, "{\"decision\":\"%s\",\"reward\":%.17g%s%s%s}", id, reward,
                   event ? ",\"event\":\"" : "", event ? event : "", event ? "\"" : "");
}

/* Tell, and compare the status and the decision's reward. */
static void tells(const char *status, double total, const char *id, const char *event,
                  double reward)
{
    char body[256];
    write_tell(body, id, event, reward);
    json_t *answer = fetch_ok(200, "POST", "/v1/tell", body);
    assert_string_equal(json_string_value(json_object_get(answer, "status")), status);
    assert_near(json_number_value(json_object_get(answer, "reward")), total, 1e-12);
    json_decref(answer);
}

static void refused(int status, const char *says, const char *id, const char *event, double reward)
{
    char body[256];
    write_tell(body, id, event, reward);
    expect_rejected(status, says, "POST", "/v1/tell", body);
}

/* The task 's' has this number of rewards and this mean. */
static void has(int rewards, double mean)
{
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(integer_at(answer, "rewards", NULL), rewards);
    assert_near(json_number_value(json_object_get(answer, "reward_per_step")), mean, 1e-12);
    json_decref(answer);
}

static void check_learner(void)
{
    segue_error err = {.message = ""};
    if (segue_store_verify_learner(service->store, 1, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static void a_sum_counts_each_event_once(void **state)
{
    id_text id, other;
    (void)state;
    create_tutor(",\"range\":[0,10],\"aggregate\":\"sum\"");
    ask_id("s", id);
    ask_id("s", other);
    tells("counted", 2.0, id, "click", 2.0);
    tells("counted", 5.0, id, "cart", 3.0);
    tells("duplicate", 5.0, id, "click", 2.0);
    refused(409, "event of the decision already has the reward 2", id, "click", 3.0);
    tells("counted", 1.0, other, "click", 1.0);
    has(2, 3.0);
    restart_service(state);
    tells("duplicate", 5.0, id, "cart", 3.0);
    tells("counted", 4.5, id, "refund", -0.5);
    has(2, 2.75);
    expect(200, "POST", "/v1/learners/tutor/tasks/s/close", "{}");
    tells("duplicate", 4.5, id, "refund", -0.5);
    refused(410, "the task is closed", id, "late", 1.0);
    refused(409, "cannot change", id, "refund", -0.25);
    check_learner();
}

static void a_sum_outside_the_range_changes_nothing(void **state)
{
    id_text id;
    (void)state;
    create_tutor(",\"range\":[0,10],\"aggregate\":\"sum\"");
    ask_id("s", id);
    refused(400, "would add up to 11; need a number from 0 to 10", id, "a", 11.0);
    tells("counted", 8.0, id, "a", 8.0);
    refused(409, "would add up to 11; need a number from 0 to 10; tell this one again after", id,
            "b", 3.0);
    refused(409, "would add up to -1", id, "b", -9.0);
    tells("counted", 10.0, id, "b", 2.0); /* the event was not taken */
    has(1, 10.0);
    check_learner();
}

static void a_refund_before_its_purchase_counts_when_sent_again(void **state)
{
    id_text id;
    (void)state;
    create_tutor(",\"range\":[0,10],\"aggregate\":\"sum\"");
    ask_id("s", id);
    refused(409, "would add up to -4", id, "refund", -4.0);
    refused(400, "would add up to -11", id, "never", -11.0);
    tells("counted", 6.0, id, "purchase", 6.0);
    tells("counted", 2.0, id, "refund", -4.0);
    check_learner();
}

static void a_full_refund_is_not_rounded_out_of_the_range(void **state)
{
    id_text id;
    (void)state;
    create_tutor(",\"aggregate\":\"sum\"");
    ask_id("s", id);
    tells("counted", 0.3, id, "buy", 0.3);
    tells("counted", 0.2, id, "refund", -0.1);
    tells("counted", 0.0, id, "rest", -0.2); /* in doubles -3e-17 */
    refused(409, "would add up to -1e-06", id, "more", -1e-6);
    has(1, 0.0);
    check_learner();
}

static void the_last_and_the_largest_reward_count(void **state)
{
    id_text id;
    (void)state;
    create_tutor(",\"range\":[-1,10],\"aggregate\":\"last\"");
    ask_id("s", id);
    tells("counted", 7.0, id, "a", 7.0);
    tells("counted", 3.0, id, "b", 3.0);
    tells("duplicate", 3.0, id, "a", 7.0); /* a late retry */
    refused(400, "the reward is 11", id, "c", 11.0);
    has(1, 3.0);
    check_learner();
    expect(200, "DELETE", "/v1/learners/tutor", NULL);
    create_tutor(",\"range\":[-1,10],\"aggregate\":\"max\"");
    ask_id("s", id);
    tells("counted", -1.0, id, NULL, -1.0);
    tells("counted", 5.0, id, NULL, 5.0);
    tells("counted", 5.0, id, "a", 2.0);
    tells("duplicate", 5.0, id, NULL, -1.0);
    refused(409, "cannot change", id, "a", 9.0);
    has(1, 5.0);
}

static void events_are_needed_where_they_make_a_tell_safe(void **state)
{
    static const char *const needs[] = {"sum", "last"};
    id_text id;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char more[64];
        (void)snprintf(more, sizeof more, ",\"aggregate\":\"%s\"", needs[i]);
        create_tutor(more);
        ask_id("s", id);
        refused(400, "'event' is missing", id, NULL, 1.0);
        refused(400, "event", id, "", 1.0);
        has(0, 0.0);
        expect(200, "DELETE", "/v1/learners/tutor", NULL);
    }
    create_tutor("");
    ask_id("s", id);
    refused(400, "leave out 'event'", id, "a", 1.0);
    expect_tell("counted", id, 1.0);
}

static void a_default_reward_counts_only_if_none_came(void **state)
{
    id_text id, none;
    (void)state;
    create_tutor(",\"aggregate\":\"sum\",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_id("s", id);
    ask_id("s", none);
    tells("counted", 0.25, id, "a", 0.25);
    clock_now += 5;
    tells("counted", 0.75, id, "b", 0.5);
    pass_time(6.0, 1);
    has(2, 0.625);
    refused(410, "reward deadline", id, "c", 0.125);
    tells("duplicate", 0.75, id, "b", 0.5);
    refused(410, "the default reward was counted", none, "a", 0.125);
    check_learner();
}

static void tasks_close_after_decisions_with_a_reward(void **state)
{
    id_text id, other;
    (void)state;
    create_tutor(",\"aggregate\":\"sum\",\"close_after\":2");
    ask_id("s", id);
    ask_id("s", other);
    tells("counted", 0.25, id, "a", 0.25);
    tells("counted", 0.5, id, "b", 0.25);
    tells("counted", 0.625, id, "c", 0.125);
    assert_int_equal(segue_service_open_tasks(service), 1);
    tells("counted", 1.0, other, "a", 1.0);
    assert_int_equal(segue_service_open_tasks(service), 0);
    refused(410, "closed", id, "d", 0.125);
    check_learner();
}

/* Rewards of several events in one transaction: a wrong one does not reject the others. */
static void many_rewards_and_those_of_asks_have_events_too(void **state)
{
    id_text id;
    char body[1200], tell[4][256];
    (void)state;
    create_tutor(",\"aggregate\":\"sum\"");
    ask_id("s", id);
    write_tell(tell[0], id, "a", 0.25);
    write_tell(tell[1], id, "b", 0.25);
    write_tell(tell[2], id, "c", 0.75);
    write_tell(tell[3], id, "a", 0.25);
    (void)snprintf(body, sizeof body, "{\"rewards\":[%s,%s,%s,%s]}", tell[0], tell[1], tell[2],
                   tell[3]);
    json_t *answer = fetch_ok(200, "POST", "/v1/tell", body);
    const json_t *results = json_object_get(answer, "results");
    static const char *const expected[] = {"counted", "counted", "rejected", "duplicate"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(results, i), "status")), expected[i]);
    json_decref(answer);
    has(1, 0.5);
    write_tell(tell[0], id, "d", 0.125);
    (void)snprintf(body, sizeof body, "{\"task\":\"s\",\"event\":\"ask1\",\"tell\":%s}", tell[0]);
    expect(200, "POST", "/v1/learners/tutor/ask", body);
    expect(200, "POST", "/v1/learners/tutor/ask", body);
    has(1, 0.625);
    check_learner();
}

static void a_full_disk_changes_nothing(void **state)
{
    id_text id;
    char body[256];
    (void)state;
    create_tutor(",\"aggregate\":\"sum\"");
    ask_id("s", id);
    tells("counted", 0.25, id, "a", 0.25);
    fill_disk();
    int i = 0;
    do { /* a page may have space left */
        char event[32];
        (void)snprintf(event, sizeof event, "event%d", i++);
        write_tell(body, id, event, 0.0);
        json_decref(fetch("POST", "/v1/tell", body));
    } while (last_status == 200 && i < 900);
    assert_int_equal(last_status, 503);
    has(1, 0.25);
    assert_ok(segue_sqlite_limit_pages(service->store, 0, NULL));
    tells("counted", 0.5, id, "b", 0.25);
    has(1, 0.5);
    check_learner();
}

/* Sums that were corrected are rounded; the stored total is not. */
static void the_total_of_a_task_is_that_of_its_rewards(void **state)
{
    id_text id, other;
    (void)state;
    create_tutor(",\"range\":[0,1e12],\"aggregate\":\"last\"");
    ask_id("s", id);
    ask_id("s", other);
    tells("counted", 1e12, id, "a", 1e12);
    tells("counted", 1e-6, other, "a", 1e-6);
    tells("counted", 1e-6, id, "b", 1e-6);
    expect(200, "POST", "/v1/learners/tutor/tasks/s/close", "{}");
    check_learner();
    restart_service(state);
    check_learner();
}

static void a_decision_takes_a_thousand_rewards(void **state)
{
    id_text id;
    (void)state;
    create_tutor(",\"aggregate\":\"max\"");
    ask_id("s", id);
    for (int i = 0; i < SEGUE_MAX_REWARD_PARTS; i++)
        tells("counted", i / 1024.0, id, NULL, i / 1024.0);
    refused(409, "has 1000 rewards already", id, NULL, 1.0);
    has(1, 999 / 1024.0);
}

/* Each damage is found, and named. */
static void parts_that_do_not_add_up_are_found(void **state)
{
    skip_on_postgresql();
    static const char *const damage[][2] = {
        {"UPDATE reward SET value = 0.25", "rewards that differ from their parts"},
        {"UPDATE reward_part SET value = 0.5 WHERE event = 'a'", "rewards that differ"},
        {"DELETE FROM reward_part", "rewards that differ"},
        {"DELETE FROM reward_part WHERE position = 0", "parts of rewards that are missing"},
        {"UPDATE reward SET by_default = 1", "parts of rewards that are missing, or of no reward"},
        {"UPDATE reward_part SET value = 'x'", "table reward_part"},
    };
    segue_error err;
    id_text id;
    (void)state;
    create_tutor(",\"aggregate\":\"sum\"");
    ask_id("s", id);
    tells("counted", 0.25, id, "a", 0.25);
    tells("counted", 0.75, id, "b", 0.5);
    check_learner();
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        assert_ok(segue_store_begin(service->store, NULL));
        assert_ok(segue_sqlite_execute(segue_sqlite_of(service->store), damage[i][0], NULL));
        assert_int_equal(segue_store_verify_learner(service->store, 1, &err), SEGUE_EFILE);
        if (!strstr(err.message, damage[i][1]))
            fail_msg("'%s' does not say '%s'", err.message, damage[i][1]);
        segue_store_rollback(service->store);
    }
    check_learner();
}

static void the_setting_is_validated_and_fixed(void **state)
{
    (void)state;
    expect_rejected(400, "'aggregate': need \"first\"", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"aggregate\":\"mean\"}");
    expect_rejected(400, "aggregate", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"aggregate\":1}");
    create_tutor(",\"aggregate\":\"first\"");
    expect(200, "POST", "/v1/learners", "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\",\"C\"]}");
    expect_rejected(409, "aggregate first, request has sum", "POST", "/v1/learners",
                    "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\",\"C\"],\"aggregate\":\"sum\"}");
    expect_rejected(400, "cannot change", "PATCH", "/v1/learners/tutor", "{\"aggregate\":\"sum\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FILE(a_sum_counts_each_event_once),
        SERVED(a_sum_outside_the_range_changes_nothing),
        SERVED(a_refund_before_its_purchase_counts_when_sent_again),
        SERVED(a_full_refund_is_not_rounded_out_of_the_range),
        SERVED(the_last_and_the_largest_reward_count),
        SERVED(events_are_needed_where_they_make_a_tell_safe),
        SERVED(a_default_reward_counts_only_if_none_came),
        SERVED(tasks_close_after_decisions_with_a_reward),
        SERVED(many_rewards_and_those_of_asks_have_events_too),
        SERVED(a_full_disk_changes_nothing),
        IN_FILE(the_total_of_a_task_is_that_of_its_rewards),
        SERVED(a_decision_takes_a_thousand_rewards),
        SERVED(parts_that_do_not_add_up_are_found),
        SERVED(the_setting_is_validated_and_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
