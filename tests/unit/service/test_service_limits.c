/* test_service_limits.c - eligible arms, floor and fixed shares in the service.
 *
 * The comparison of choices with probabilities uses Freedman's bound (test_task_limits.c), with a
 * probability of a false alarm of 1e-9 per arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/state/recovery/store_check.h"
#include "tutor.h"

static void expect_near(double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%.17g, not %.17g", found, expected);
}

static const char tutor[] = "/v1/learners/tutor", ask[] = "/v1/learners/tutor/ask";

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

/* Ask; returns the arm's index, and *probability. */
static size_t ask_arm(const char *body, double *probability, char *id)
{
    json_t *answer = fetch_ok(200, "POST", ask, body);
    const char *arm = json_string_value(json_object_get(answer, "arm"));
    assert_non_null(arm);
    *probability = json_number_value(json_object_get(answer, "probability"));
    if (id)
        (void)strcpy(id, json_string_value(json_object_get(answer, "decision")));
    const size_t index = (size_t)(arm[0] - 'A');
    json_decref(answer);
    return index;
}

/* ---- eligible arms ----------------------------------------------------------------------- */

static void only_eligible_arms_are_chosen(void **state)
{
    double p = 0.0;
    (void)state;
    create_tutor("");
    expect_rejected(409, "name more as eligible", "POST", ask,
                    "{\"task\":\"s\",\"eligible\":[\"A\"],\"exclude\":[\"A\"]}");
    expect_rejected(409, "can be chosen", "POST", ask, "{\"task\":\"s\",\"eligible\":[]}");
    expect_rejected(400, "no arm 'D', which 'eligible' names", "POST", ask,
                    "{\"task\":\"s\",\"eligible\":[\"A\",\"D\"]}");
    expect_rejected(400, "field 'eligible'", "POST", ask, "{\"task\":\"s\",\"eligible\":\"A\"}");
    expect_rejected(400, "field 'eligible'", "POST", ask, "{\"task\":\"s\",\"eligible\":[3]}");
    expect_rejected(404, "no task", "GET", "/v1/learners/tutor/tasks/s", NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(ask_arm("{\"task\":\"s\",\"eligible\":[\"B\"]}", &p, NULL), 1);
        assert_int_equal(
            ask_arm("{\"task\":\"s\",\"eligible\":[\"C\",\"A\"],\"exclude\":[\"A\"]}", &p, NULL),
            2);
    }
    expect(200, "DELETE", "/v1/learners/tutor/arms/B", NULL);
    expect_rejected(409, "can be chosen", "POST", ask, "{\"task\":\"s\",\"eligible\":[\"B\"]}");
    expect_rejected(409, "can be chosen", "POST", ask, "{\"task\":\"n\",\"eligible\":[\"B\"]}");
}

static void an_arm_that_the_task_lacks_is_not_eligible(void **state)
{
    double p = 0.0;
    (void)state;
    create_tutor("");
    tell_new("old", 1.0);
    expect(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    expect_rejected(409, "opened with", "POST", ask, "{\"task\":\"old\",\"eligible\":[\"D\"]}");
    assert_int_equal(ask_arm("{\"task\":\"new\",\"eligible\":[\"D\"]}", &p, NULL), 3);
}

/* ---- settings ---------------------------------------------------------------------------- */

static void wrong_limits_are_rejected(void **state)
{
    static const char *const wrong[][2] = {
        {"'floor': is out of range", "\"floor\":-0.1"},
        {"'floor': is out of range", "\"floor\":1.5"},
        {"'shares': is ", "\"shares\":[0.1]"},
        {"'shares': has a number out of range for 'A'", "\"shares\":{\"A\":0}"},
        {"'shares': has a number out of range for 'A'", "\"shares\":{\"A\":1.1}"},
        {"'shares': has ", "\"shares\":{\"A\":\"x\"}"},
        {"'shares': have a sum of 1.2", "\"shares\":{\"A\":0.6,\"B\":0.6}"},
        {"'shares': give 'A' 0.1, below the floor", "\"shares\":{\"A\":0.1},\"floor\":0.2"},
        {"names 'D'", "\"shares\":{\"D\":0.1}"},
    };
    char body[256];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(body, sizeof body, "{\"name\":\"t\",\"arms\":[\"A\",\"B\",\"C\"],%s}",
                       wrong[i][1]);
        expect_rejected(400, wrong[i][0], "POST", "/v1/learners", body);
    }
    create_tutor("");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(body, sizeof body, "{%s}", wrong[i][1]);
        expect_rejected(400, wrong[i][0], "PATCH", tutor, body);
    }
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    assert_int_equal(integer_at(answer, "changes", NULL), 0);
    assert_null(json_object_get(answer, "floor"));
    assert_null(json_object_get(answer, "shares"));
    json_decref(answer);
}

/* Shares that were set before stay: their part goes to the policy. */
static void a_retired_arm_gets_no_share(void **state)
{
    (void)state;
    create_tutor(",\"shares\":{\"A\":0.25}");
    expect(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    expect(200, "PATCH", tutor, "{\"idle\":60}");
    expect(200, "PATCH", tutor, "{\"shares\":{\"A\":0.25}}"); /* as it is */
    expect_rejected(400, "'shares' names 'A', which is retired", "PATCH", tutor,
                    "{\"shares\":{\"A\":0.5,\"B\":0.25}}");
    expect(200, "PATCH", tutor, "{\"shares\":{\"B\":0.25}}");
    expect_rejected(400, "'shares' names 'A'", "PATCH", tutor, "{\"shares\":{\"A\":0.25}}");
}

/* The choice counts as one of 2,001 draws. */
static void a_probability_from_draws_is_a_count_of_them(void **state)
{
    double p = 0.0;
    (void)state;
    create_tutor(",\"method\":\"ts\",\"control\":0");
    for (int i = 0; i < 20; i++) {
        (void)ask_arm("{\"task\":\"s\",\"probability\":true}", &p, NULL);
        expect_near(p * 2001.0, round(p * 2001.0), 1e-9);
        assert_true(p * 2001.0 > 0.5);
    }
}

static void expect_limits(double floor, double share_of_b)
{
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    const json_t *settings = json_object_get(answer, "settings");
    expect_near(json_number_value(json_object_get(settings, "floor")), floor, 0.0);
    expect_near(json_number_value(json_object_get(json_object_get(settings, "shares"), "B")),
                share_of_b, 0.0);
    json_decref(answer);
}

static void a_task_keeps_its_limits_over_changes_and_restarts(void **state)
{
    double p = 0.0;
    create_tutor(",\"method\":\"ucb\",\"steps\":50,\"floor\":0.1,\"shares\":{\"B\":0.3}");
    expect(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"old\"}");
    expect(200, "PATCH", tutor, "{\"floor\":0,\"shares\":{\"C\":0.25,\"B\":0.5}}");
    expect(200, "PATCH", tutor, "{\"shares\":{\"B\":0.5,\"C\":0.25}}"); /* nothing changes */
    for (int again = 0; again < 2; again++) {
        json_t *answer = fetch_ok(200, "GET", tutor, NULL);
        assert_int_equal(integer_at(answer, "changes", NULL), 1);
        json_decref(answer);
        expect_limits(0.0, 0.5);
        for (int i = 0; i < 20; i++) {
            size_t arm = ask_arm("{\"task\":\"old\",\"probability\":true}", &p, NULL);
            expect_near(p, arm == 1 ? 0.3 : p > 0.5 ? 0.1 + 0.5 : 0.1, 1e-12);
            arm = ask_arm("{\"task\":\"new\",\"probability\":true}", &p, NULL);
            expect_near(p, arm == 1 ? 0.5 : 0.25, 1e-12);
        }
        restart_service(state);
    }
    check_store();
    expect(200, "PATCH", tutor, "{\"shares\":{}}");
    expect_limits(0.0, 0.0);
    ask_arm("{\"task\":\"free\",\"probability\":true}", &p, NULL);
    expect_near(p, 1.0, 0.0);
    check_store();
}

/* An added arm can get a share; a retired arm's share goes to the policy. */
static void limits_follow_the_arms(void **state)
{
    double p = 0.0;
    create_tutor(",\"method\":\"ucb\",\"steps\":50,\"shares\":{\"A\":0.9}");
    expect(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    expect(200, "PATCH", tutor, "{\"shares\":{\"A\":0.5,\"D\":0.5}}");
    for (int i = 0; i < 20; i++) {
        const size_t arm = ask_arm("{\"task\":\"s\",\"probability\":true}", &p, NULL);
        assert_true(arm == 0 || arm == 3);
        expect_near(p, 0.5, 1e-12);
    }
    expect(200, "DELETE", "/v1/learners/tutor/arms/D", NULL);
    restart_service(state);
    for (int i = 0; i < 20; i++) {
        const size_t arm = ask_arm("{\"task\":\"s\",\"probability\":true}", &p, NULL);
        assert_true(arm < 3);
        expect_near(p, 0.5, 1e-12);
    }
    const size_t only = ask_arm("{\"task\":\"s\",\"eligible\":[\"A\"],\"probability\":true,"
                                "\"explain\":true}",
                                &p, NULL);
    assert_int_equal(only, 0);
    expect_near(p, 1.0, 0.0);
    check_store();
}

/* ---- probabilities ----------------------------------------------------------------------- */

static double bound_of(double variance)
{
    const double l = log(2.0 / 1e-9), third = l / 3.0;
    return third + sqrt(third * third + 2.0 * l * variance);
}

/* B has a share of 0.2.  The sum of 1 - p over its choices, and of -p over the others, is a sum of
 * martingale differences; so is the sum of reward / p over the choices of an arm, minus its mean. */
static void choices_match_the_logged_probabilities(void **state)
{
    static const double mean[3] = {0.3, 0.8, 0.6};
    const int n = repeats(3000);
    double estimate[3] = {0.0}, chosen_b = 0.0, p = 0.0;
    char id[SEGUE_LONG_DECISION_ID_LENGTH + 1];
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 59, 0, 0, 0);
    create_tutor(",\"method\":\"kl-ucb\",\"close_after\":0,\"floor\":0.1,\"shares\":{\"B\":0.2}");
    for (int t = 0; t < n; t++) {
        const size_t arm = ask_arm("{\"task\":\"s\",\"probability\":true}", &p, id);
        const double reward = segue_rng_uniform(&rng) < mean[arm] ? 1.0 : 0.0;
        chosen_b += arm == 1;
        estimate[arm] += reward / p;
        assert_true(arm == 1 ? fabs(p - 0.2) < 1e-12
                             : fabs(p - 0.1) < 1e-12 || fabs(p - 0.7) < 1e-12);
        expect_tell("counted", id, reward);
    }
    assert_true(fabs(chosen_b - 0.2 * n) <= bound_of(0.2 * 0.8 * n));
    for (size_t arm = 0; arm < 3; arm++) { /* scaled by 0.1: each term is then at most 1 */
        const double variance = 0.01 * mean[arm] / 0.1 * n;
        assert_true(fabs(estimate[arm] - mean[arm] * n) * 0.1 <= bound_of(variance));
    }
}

/* Many decisions of many arms are chosen on a copy of the task. */
static void a_long_ask_has_limits_too(void **state)
{
    (void)state;
    create_tutor(",\"method\":\"tts\",\"floor\":0.1,\"shares\":{\"C\":0.5}");
    json_t *answer =
        fetch_ok(200, "POST", ask, "{\"task\":\"s\",\"count\":1000,\"probability\":true}");
    const json_t *list = json_object_get(answer, "decisions");
    double chosen = 0.0;
    for (size_t i = 0; i < 1000; i++) {
        const json_t *item = json_array_get(list, i);
        const bool is_c = json_string_value(json_object_get(item, "arm"))[0] == 'C';
        const double p = json_number_value(json_object_get(item, "probability"));
        assert_true(is_c ? fabs(p - 0.5) < 1e-12 : p >= 0.1 && p <= 0.4);
        chosen += is_c;
    }
    assert_true(fabs(chosen - 500.0) <= bound_of(250.0));
    assert_string_equal(json_string_value(json_object_get(answer, "probability_by")),
                        "monte-carlo");
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(only_eligible_arms_are_chosen),
        SERVED(an_arm_that_the_task_lacks_is_not_eligible),
        SERVED(wrong_limits_are_rejected),
        SERVED(a_retired_arm_gets_no_share),
        SERVED(a_probability_from_draws_is_a_count_of_them),
        IN_FILE(a_task_keeps_its_limits_over_changes_and_restarts),
        IN_FILE(limits_follow_the_arms),
        SERVED(choices_match_the_logged_probabilities),
        SERVED(a_long_ask_has_limits_too),
    };
    return cmocka_run_group_tests_name("service_limits", tests, NULL, NULL);
}
