/* test_service_costs.c - costs of arms and of switches in the service.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/state/recovery/store_check.h"
#include "tutor.h"

static const char tutor[] = "/v1/learners/tutor";

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

/* Play one step of a task, whose rewards are the same for all arms; returns the arm's index. */
static size_t play(const char *task, double reward)
{
    char body[128], id[SEGUE_LONG_DECISION_ID_LENGTH + 1];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
    const size_t arm = (size_t)(json_string_value(json_object_get(answer, "arm"))[0] - 'A');
    (void)strcpy(id, json_string_value(json_object_get(answer, "decision")));
    json_decref(answer);
    expect_tell("counted", id, reward);
    return arm;
}

/* Play a task; counts its pulls of each arm, and returns its switches. */
static int play_task(const char *task, int steps, int pulls[3])
{
    size_t last = 3;
    int switches = 0;
    for (int t = 0; t < steps; t++) {
        const size_t arm = play(task, t % 2);
        switches += last < 3 && arm != last;
        last = arm;
        pulls[arm]++;
    }
    return switches;
}

/* A costs more than any reward can differ: it is pulled once, as index policies pull each arm. */
static void an_arm_that_costs_too_much_is_not_pulled(void **state)
{
    static const char *const methods[] = {"tla", "tts", "ts-prior", "ts", "la", "ucb", "kl-ucb"};
    char more[160];
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        int pulls[3] = {0};
        (void)snprintf(more, sizeof more,
                       ",\"method\":\"%s\",\"steps\":40,\"close_after\":0,\"control\":0,"
                       "\"costs\":{\"A\":5}",
                       methods[i]);
        create_tutor(more);
        (void)play_task("s", 40, pulls);
        assert_true(pulls[0] <= (i < 5 ? 0 : 1));
        expect(200, "DELETE", tutor, NULL);
    }
}

static void switches_that_cost_much_are_few(void **state)
{
    int pulls[3] = {0}, dear = 0, cheap = 0;
    char task[16];
    (void)state;
    create_tutor(",\"method\":\"ts\",\"steps\":50,\"control\":0");
    for (int i = 0; i < 10; i++) {
        (void)snprintf(task, sizeof task, "cheap%d", i);
        cheap += play_task(task, 50, pulls);
    }
    expect(200, "PATCH", tutor, "{\"switch_cost\":1000}");
    for (int i = 0; i < 10; i++) {
        (void)snprintf(task, sizeof task, "dear%d", i);
        dear += play_task(task, 50, pulls);
    }
    assert_int_equal(dear, 0);
    assert_true(cheap > 0);
}

static void methods_without_costs_are_rejected(void **state)
{
    (void)state;
    expect_rejected(400, "field 'costs': cannot be subtracted by tucb", "POST", "/v1/learners",
                    "{\"name\":\"t\",\"arms\":[\"A\",\"B\"],\"method\":\"tucb\",\"models\":2,"
                    "\"steps\":9,\"costs\":{\"A\":0.1}}");
    expect_rejected(400, "field 'switch_cost': cannot be subtracted by exp3", "POST",
                    "/v1/learners",
                    "{\"name\":\"t\",\"arms\":[\"A\",\"B\"],\"method\":\"exp3\",\"steps\":9,"
                    "\"switch_cost\":0.1}");
    expect_rejected(404, "no learner", "GET", "/v1/learners/t", NULL);
    create_tutor(",\"method\":\"round-robin\"");
    expect_rejected(400, "cannot be subtracted by round-robin", "PATCH", tutor,
                    "{\"costs\":{\"A\":0.1}}");
    expect(200, "PATCH", tutor, "{\"costs\":{},\"switch_cost\":0}");
    expect(200, "DELETE", tutor, NULL);
}

static void wrong_costs_are_rejected(void **state)
{
    static const char *const wrong[][2] = {
        {"'costs': has a number out of range for 'A'", "{\"costs\":{\"A\":-0.1}}"},
        {"'costs': has a number out of range for 'A'", "{\"costs\":{\"A\":1e9}}"},
        {"'costs': is ", "{\"costs\":0.1}"},
        {"names 'D'", "{\"costs\":{\"D\":0.1}}"},
        {"'switch_cost': is out of range", "{\"switch_cost\":-1}"},
        {"'switch_cost': is ", "{\"switch_cost\":\"x\"}"},
        {"compares rewards before costs",
         "{\"control\":0.5,\"stop_if_harmful\":true,\"switch_cost\":1}"},
        {"compares rewards before costs",
         "{\"control\":0.5,\"stop_if_harmful\":true,\"costs\":{\"A\":0.1}}"},
    };
    (void)state;
    create_tutor("");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_rejected(400, wrong[i][0], "PATCH", tutor, wrong[i][1]);
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    assert_int_equal(integer_at(answer, "changes", NULL), 0);
    assert_null(json_object_get(answer, "costs"));
    assert_null(json_object_get(answer, "rewards_before_costs"));
    json_decref(answer);
}

/* Rewards are stored and learned without costs; the settings and open tasks survive a restart. */
static void costs_survive_a_restart(void **state)
{
    int pulls[3] = {0};
    create_tutor(",\"method\":\"tla\",\"steps\":30,\"close_after\":30,\"control\":0.5,"
                 "\"costs\":{\"A\":5},\"switch_cost\":0.01");
    for (int i = 0; i < 8; i++) {
        char task[16];
        (void)snprintf(task, sizeof task, "s%d", i);
        (void)play_task(task, i < 6 ? 30 : 10, pulls);
    }
    restart_service(state);
    check_store();
    (void)play_task("s6", 20, pulls);
    (void)play_task("s7", 20, pulls);
    (void)play_task("s8", 20, pulls);
    assert_int_equal(pulls[0], 0);
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    assert_true(json_is_true(json_object_get(answer, "rewards_before_costs")));
    const json_t *costs = json_object_get(json_object_get(answer, "settings"), "costs");
    assert_true(json_number_value(json_object_get(costs, "A")) == 5.0);
    const json_t *mean =
        json_object_get(json_array_get(json_object_get(answer, "arms"), 1), "mean");
    assert_true(json_number_value(mean) >= 0.0); /* before costs */
    json_decref(answer);
    check_store();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(an_arm_that_costs_too_much_is_not_pulled),
        SERVED(switches_that_cost_much_are_few),
        SERVED(methods_without_costs_are_rejected),
        SERVED(wrong_costs_are_rejected),
        IN_FILE(costs_survive_a_restart),
    };
    return cmocka_run_group_tests_name("service_costs", tests, NULL, NULL);
}
