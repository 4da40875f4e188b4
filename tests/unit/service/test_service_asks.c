/* test_service_asks.c - asks and tells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "tutor.h"

static void a_repeated_reward_counts_once(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor("");
    ask_id("s", id);
    expect_tell("counted", id, 0.25);
    expect_tell("duplicate", id, 0.25);
    json_decref(tell_id(409, id, 0.5));
    expect_tell("duplicate", id, 0.25);
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(integer_at(answer, "rewards", NULL), 1);
    json_decref(answer);
}

static void wrong_rewards_are_rejected(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], body[256];
    (void)state;
    create_tutor("");
    ask_id("s", id);
    json_decref(tell_id(400, id, 1.5));
    json_decref(tell_id(400, id, -0.1));
    expect_rejected(400, "reward", "POST", "/v1/tell", "{\"rewards\":1}");
    expect_rejected(400, "decision", "POST", "/v1/tell", "{\"decision\":\"x\",\"reward\":1}");
    id[3] = id[3] == 'x' ? 'y' : 'x';
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":1}", id);
    expect_rejected(400, "not an id", "POST", "/v1/tell", body);
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":\"1\"}", id);
    expect_rejected(400, "reward", "POST", "/v1/tell", body);
}

static void the_same_event_gives_the_same_decision(void **state)
{
    static const char one[] = "{\"task\":\"s\",\"event\":\"e\"}";
    static const char three[] = "{\"task\":\"s\",\"event\":\"f\",\"count\":3}";
    (void)state;
    create_tutor("");
    json_t *first = fetch_ok(200, "POST", "/v1/learners/tutor/ask", one);
    json_t *again = fetch_ok(200, "POST", "/v1/learners/tutor/ask", one);
    assert_true(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    first = fetch_ok(200, "POST", "/v1/learners/tutor/ask", three);
    expect(200, "POST", "/v1/learners/tutor/tasks/s/close", NULL);
    again = fetch_ok(200, "POST", "/v1/learners/tutor/ask", three); /* closed or not */
    assert_true(json_equal(first, again));
    assert_int_equal(json_array_size(json_object_get(first, "decisions")), 3);
    json_decref(first);
    json_decref(again);
    expect_rejected(409, "event", "POST", "/v1/learners/tutor/ask",
                    "{\"task\":\"s\",\"event\":\"f\"}");
}

static void an_event_has_the_same_probability_again(void **state)
{
    static const char full[] =
        "{\"task\":\"s\",\"event\":\"e\",\"probability\":true,\"explain\":true}";
    (void)state;
    create_tutor(",\"control\":0");
    json_t *first = fetch_ok(200, "POST", "/v1/learners/tutor/ask", full);
    json_t *again = fetch_ok(200, "POST", "/v1/learners/tutor/ask", full);
    assert_true(json_number_value(json_object_get(first, "probability")) > 0.0);
    assert_int_equal(json_object_del(first, "explanation"), 0);
    assert_int_equal(json_object_del(again, "explanation"), 0); /* of now: a reward is pending */
    assert_true(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    /* one that was not wanted then is not known now */
    json_decref(
        fetch_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"event\":\"f\"}"));
    again = fetch_ok(200, "POST", "/v1/learners/tutor/ask",
                     "{\"task\":\"s\",\"event\":\"f\",\"probability\":true}");
    assert_true(json_is_null(json_object_get(again, "probability")));
    assert_null(json_object_get(again, "probability_by"));
    json_decref(again);
}

static void excluded_arms_are_not_chosen(void **state)
{
    (void)state;
    create_tutor("");
    expect_rejected(409, "can be chosen", "POST", "/v1/learners/tutor/ask",
                    "{\"task\":\"s\",\"exclude\":[\"A\",\"B\",\"C\"]}");
    expect_rejected(400, "no arm", "POST", "/v1/learners/tutor/ask",
                    "{\"task\":\"s\",\"event\":\"e\",\"exclude\":[\"D\"]}");
    expect_rejected(404, "no task", "GET", "/v1/learners/tutor/tasks/s",
                    NULL); /* none was opened */
    for (int i = 0; i < 20; i++) {
        json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask",
                                  "{\"task\":\"s\",\"exclude\":[\"A\",\"C\"]}");
        assert_string_equal(json_string_value(json_object_get(answer, "arm")), "B");
        json_decref(answer);
    }
    expect_rejected(409, "can be chosen", "POST", "/v1/learners/tutor/ask",
                    "{\"task\":\"s\",\"exclude\":[\"A\",\"B\",\"C\"]}");
    expect_rejected(400, "no arm", "POST", "/v1/learners/tutor/ask",
                    "{\"task\":\"s\",\"exclude\":[\"D\"]}");
}

static void an_ask_returns_probability_and_types(void **state)
{
    (void)state;
    create_tutor(",\"steps\":20,\"control\":0");
    json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask",
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

static void an_ask_can_bring_a_reward(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], body[256];
    (void)state;
    create_tutor("");
    ask_id("s", id);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"new\",\"tell\":{\"decision\":\"%s\",\"reward\":1}}", id);
    json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "tell"), "status")), "counted");
    assert_non_null(json_object_get(answer, "decision"));
    json_decref(answer);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"new\",\"tell\":{\"decision\":\"%s\",\"reward\":0}}", id);
    expect_rejected(409, "already", "POST", "/v1/learners/tutor/ask", body);
}

/* The last step of a task that asks and tells in one: nothing is decided, and that is no error. */
static void an_ask_whose_reward_closes_the_task_says_so(void **state)
{
    static const char *const statuses[] = {"counted", "duplicate"};
    char id[SEGUE_DECISION_ID_LENGTH + 1], body[256];
    (void)state;
    create_tutor(",\"close_after\":1");
    ask_id("s", id);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"s\",\"tell\":{\"decision\":\"%s\",\"reward\":1}}", id);
    for (size_t i = 0; i < 2; i++) { /* and when it is asked again */
        json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
        const json_t *tell_result_of = json_object_get(answer, "tell");
        assert_true(json_is_true(json_object_get(answer, "closed")));
        assert_null(json_object_get(answer, "decision"));
        assert_string_equal(json_string_value(json_object_get(tell_result_of, "status")),
                            statuses[i]);
        assert_string_equal(json_string_value(json_object_get(tell_result_of, "task")), "s");
        json_decref(answer);
    }
    /* an ask that is refused does not hide that the reward was counted */
    ask_id("u", id);
    (void)snprintf(body, sizeof body,
                   "{\"task\":\"s\",\"tell\":{\"decision\":\"%s\",\"reward\":1}}", id);
    json_t *answer = fetch_ok(409, "POST", "/v1/learners/tutor/ask", body);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "tell"), "status")), "counted");
    assert_non_null(json_object_get(answer, "error"));
    json_decref(answer);
}

static void a_retired_arm_is_not_explained(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor(",\"control\":0,\"steps\":20");
    for (int i = 0; i < 9; i++) { /* A is by far the best */
        json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
        const bool is_a = strcmp(json_string_value(json_object_get(answer, "arm")), "A") == 0;
        (void)strcpy(id, json_string_value(json_object_get(answer, "decision")));
        json_decref(answer);
        expect_tell("counted", id, is_a ? 1.0 : 0.0);
    }
    expect(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    json_t *answer =
        fetch_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"explain\":true}");
    assert_string_not_equal(
        json_string_value(json_object_get(json_object_get(answer, "explanation"), "arm")), "A");
    json_decref(answer);
    answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_string_not_equal(
        json_string_value(json_object_get(json_object_get(answer, "explanation"), "arm")), "A");
    json_decref(answer);
}

/* The settings of a learner can be read, with their defaults. */
static void an_abandoned_task_is_closed_after_a_day(void **state)
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
        create_tutor(made_of[i].more);
        json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
        const json_t *made = json_object_get(answer, "settings");
        assert_near(json_number_value(json_object_get(made, "idle")), made_of[i].idle, 0.0);
        assert_string_equal(json_string_value(json_object_get(made, "method")), "auto");
        json_decref(answer);
        expect(200, "DELETE", "/v1/learners/tutor", NULL);
    }
    expect_rejected(400, "too large", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"seed\":9223372036854775808}");
    expect_rejected(400, "'steps': is a decimal number", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"steps\":30.5}");
    expect_rejected(
        400, "'idle': is 1", "POST", "/v1/learners",
        "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"reward_deadline\":2,\"default_reward\":0,"
        "\"idle\":1}");
    expect_rejected(400, "in a path", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"arms\":[\"A\",\".\"]}");
    create_tutor("");
    expect_rejected(400, "in a path", "POST", "/v1/learners/tutor/ask", "{\"task\":\"..\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_repeated_reward_counts_once),
        SERVED(wrong_rewards_are_rejected),
        SERVED(the_same_event_gives_the_same_decision),
        SERVED(an_event_has_the_same_probability_again),
        SERVED(excluded_arms_are_not_chosen),
        SERVED(an_ask_returns_probability_and_types),
        SERVED(an_ask_can_bring_a_reward),
        SERVED(an_ask_whose_reward_closes_the_task_says_so),
        SERVED(a_retired_arm_is_not_explained),
        SERVED(an_abandoned_task_is_closed_after_a_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
