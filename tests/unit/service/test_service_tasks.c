/* test_service_tasks.c - requests about tasks: open, close, idle, over a restart.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "service/state/recovery/store_check.h"
#include "tutor.h"

static void the_same_key_gives_the_same_task(void **state)
{
    (void)state;
    create_tutor("");
    expect(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"s 1/\xc3\xa4\"}");
    expect(200, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"s 1/\xc3\xa4\"}");
    expect(200, "GET", "/v1/learners/tutor/tasks/s%201%2F%c3%a4", NULL);
    expect(201, "POST", "/v1/learners/tutor/tasks", NULL); /* a key is made up */
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks?open=true&limit=1", NULL);
    assert_int_equal(json_array_size(json_object_get(answer, "tasks")), 1);
    json_decref(answer);
    expect_rejected(400, "limit", "GET", "/v1/learners/tutor/tasks?limit=0", NULL);
    expect_rejected(400, "query", "GET", "/v1/learners/tutor/tasks?x=1", NULL);
    expect_rejected(404, "no task", "GET", "/v1/learners/tutor/tasks/other", NULL);
}

static void a_closed_task_is_learned_from_once(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], late[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor("");
    ask_id("s", id);
    ask_id("s", late);
    expect_tell("counted", id, 1.0);
    expect(200, "POST", "/v1/learners/tutor/tasks/s/close", NULL);
    expect(200, "POST", "/v1/learners/tutor/tasks/s/close", "{}");
    expect_rejected(404, "no task", "POST", "/v1/learners/tutor/tasks/t/close", NULL);
    expect_rejected(409, "closed", "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
    expect_tell("duplicate", id, 1.0);
    json_decref(tell_id(409, id, 0.0));
    json_decref(tell_id(410, late, 1.0));
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
    assert_int_equal(integer_at(answer, "tasks", "closed"), 1);
    assert_int_equal(integer_at(answer, "rewards", NULL), 1);
    json_decref(answer);
}

static void a_task_closes_after_its_last_reward(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor(",\"close_after\":3");
    tell_new("s", 1.0);
    tell_new("s", 0.0);
    ask_id("s", id);
    json_t *answer = tell_id(200, id, 1.0);
    assert_true(json_is_true(json_object_get(answer, "closed")));
    json_decref(answer);
    expect_rejected(409, "closed", "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
}

static void an_idle_task_closes_by_itself(void **state)
{
    (void)state;
    create_tutor(",\"idle\":60");
    tell_new("s", 1.0);
    pass_time(30, 1);
    pass_time(61, 0);
}

/* The time of the last ask is in memory only: a start counts as one. */
static void a_start_counts_as_an_ask(void **state)
{
    create_tutor(",\"idle\":60");
    tell_new("s", 1.0);
    clock_now += 50;
    restart_service(state);
    pass_time(50, 1);
    pass_time(11, 0);
}

/* A stop stores the decisions of the last asks. */
static void a_stop_loses_no_pending_decision(void **state)
{
    assert_ok(segue_service_start(service, NULL));
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5");
    expect(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"count\":1000}");
    segue_service_stop(service);
    expect(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"count\":500}");
    restart_service(state);
    learner_state *tutor = segue_service_find(service, "tutor");
    assert_int_equal(tutor->deadlines.count, 1500);
    segue_learner_state_release(tutor);
}

static void a_task_has_the_same_arms_after_a_restart(void **state)
{
    static const char *const tasks[] = {"s", "with a control"};
    char body[256];
    for (int control = 0; control < 2; control++) {
        (void)snprintf(body, sizeof body, ",\"control\":%d", control);
        create_tutor(body);
        tell_new(tasks[control], 1.0);
        expect(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
        restart_service(state);
        (void)snprintf(body, sizeof body,
                       "{\"task\":\"%s\",\"count\":200,\"probability\":true,\"explain\":true}",
                       tasks[control]);
        json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
        char *text = json_dumps(answer, 0);
        assert_null(strstr(text, "\"D\""));
        free(text);
        json_decref(answer);
        (void)snprintf(body, sizeof body, "{\"task\":\"%s\",\"exclude\":[\"A\",\"B\",\"C\"]}",
                       tasks[control]);
        expect_rejected(409, "no arm", "POST", "/v1/learners/tutor/ask", body);
        expect(200, "POST", "/v1/learners/tutor/ask",
               "{\"task\":\"new\",\"exclude\":[\"A\",\"B\",\"C\"]}");
        segue_store_check_result found;
        assert_ok(segue_store_check_run(service->store, &found, NULL));
        expect(200, "DELETE", "/v1/learners/tutor", NULL);
    }
}

static void too_many_open_tasks_are_rejected(void **state)
{
    segue_service_config config = segue_service_defaults();
    (void)stop_service(state);
    config.max_open_tasks = 2;
    start_service_with(config);
    create_tutor("");
    expect(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"1\"}");
    expect(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"2\"}");
    expect_rejected(429, "open", "POST", "/v1/learners/tutor/tasks", "{\"task\":\"3\"}");
    expect(200, "POST", "/v1/learners/tutor/tasks/1/close", NULL);
    assert_int_equal(ask_together(8, 429), 7); /* also where they come at once */
    assert_int_equal(segue_service_open_tasks(service), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(the_same_key_gives_the_same_task),
        SERVED(a_closed_task_is_learned_from_once),
        SERVED(a_task_closes_after_its_last_reward),
        SERVED(an_idle_task_closes_by_itself),
        IN_FILE(a_start_counts_as_an_ask),
        IN_FILE(a_stop_loses_no_pending_decision),
        IN_FILE(a_task_has_the_same_arms_after_a_restart),
        SERVED(too_many_open_tasks_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
