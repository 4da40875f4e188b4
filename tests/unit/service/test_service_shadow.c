/* test_service_shadow.c - shadow mode: the caller chooses, Segue learns and says what it would do.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <inttypes.h>

#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

static const char tutor[] = "/v1/learners/tutor", ask[] = "/v1/learners/tutor/ask",
                  report[] = "/v1/learners/tutor/shadow";

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

static double number_at(const json_t *object, const char *a, const char *b)
{
    return json_number_value(json_object_get(json_object_get(object, a), b));
}

static const char *text_at(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    assert_non_null(text);
    return text;
}

/* Ask with the caller's choice; free the response. */
static json_t *choose(const char *task, const char *arm, const char *more)
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\",\"chosen\":\"%s\"%s}", task, arm, more);
    json_t *answer = fetch_ok(200, "POST", ask, body);
    assert_string_equal(text_at(answer, "arm"), arm);
    assert_false(json_is_true(json_object_get(answer, "control")));
    return answer;
}

static void choose_and_tell(const char *task, const char *arm, const char *more, double reward)
{
    json_t *answer = choose(task, arm, more);
    assert_int_equal(strlen(text_at(answer, "decision")), SEGUE_MAX_DECISION_ID_LENGTH);
    expect_tell("counted", text_at(answer, "decision"), reward);
    json_decref(answer);
}

/* ---- modes ------------------------------------------------------------------------------- */

static void an_ask_must_fit_the_mode(void **state)
{
    (void)state;
    create_tutor("");
    expect_rejected(409, "'chosen' is for tasks of shadow mode", "POST", ask,
                    "{\"task\":\"a\",\"chosen\":\"A\"}");
    assert_int_equal(segue_service_open_tasks(service), 0);
    expect(200, "PATCH", tutor, "{\"mode\":\"shadow\"}");
    expect_rejected(409, "in which the caller chooses", "POST", ask, "{\"task\":\"a\"}");
    expect_rejected(400, "no arm 'D', which 'chosen' names", "POST", ask,
                    "{\"task\":\"a\",\"chosen\":\"D\"}");
    expect_rejected(409, "which is excluded, not eligible", "POST", ask,
                    "{\"task\":\"a\",\"chosen\":\"A\",\"exclude\":[\"A\"]}");
    assert_int_equal(segue_service_open_tasks(service), 0);
    choose_and_tell("a", "A", "", 1.0);
    expect_rejected(409, "in which the caller chooses", "POST", ask, "{\"task\":\"a\"}");
    expect_rejected(409, "which is excluded, not eligible", "POST", ask,
                    "{\"task\":\"a\",\"chosen\":\"A\",\"exclude\":[\"A\"]}");
}

static void wrong_fields_are_named(void **state)
{
    static const char *const cases[][2] = {
        {"{\"task\":\"a\",\"chosen\":7}", "'chosen'"},
        {"{\"task\":\"a\",\"chosen_probability\":0.5}", "is the probability of 'chosen'"},
        {"{\"task\":\"a\",\"chosen\":\"A\",\"chosen_probability\":0}", "above 0, at most 1"},
        {"{\"task\":\"a\",\"chosen\":\"A\",\"chosen_probability\":1.5}", "above 0, at most 1"},
        {"{\"task\":\"a\",\"chosen\":\"A\",\"chosen_probability\":\"x\"}", "above 0, at most 1"},
        {"{\"task\":\"a\",\"chosen\":\"A\",\"count\":2}", "does not go with 'chosen'"}};
    (void)state;
    create_tutor(",\"mode\":\"shadow\"");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_rejected(400, cases[i][1], "POST", ask, cases[i][0]);
    expect_rejected(400, "need 'active' or 'shadow'", "PATCH", tutor, "{\"mode\":\"x\"}");
    expect_rejected(400, "need 'active' or 'shadow'", "PATCH", tutor, "{\"mode\":true}");
    expect_rejected(409, "mode shadow, request has active", "POST", "/v1/learners",
                    "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\",\"C\"]}");
}

/* Tasks opened before a change of the mode keep theirs, also after a restart. */
static void a_task_keeps_its_mode(void **state)
{
    create_tutor(",\"mode\":\"shadow\",\"steps\":3,\"control\":0");
    choose_and_tell("old", "A", "", 1.0);
    expect(200, "PATCH", tutor, "{\"mode\":\"active\"}");
    choose_and_tell("old", "B", "", 0.0);
    tell_new("new", 1.0);
    restart_service(state);
    expect_rejected(409, "in which the caller chooses", "POST", ask, "{\"task\":\"old\"}");
    choose_and_tell("old", "C", "", 0.0);
    tell_new("new", 1.0);
    tell_new("new", 1.0);
    assert_int_equal(segue_service_open_tasks(service), 0);
    json_t *answer = fetch_ok(200, "GET", tutor, NULL);
    assert_int_equal(integer_at(answer, "tasks", "closed"), 2);
    assert_int_equal(integer_at(answer, "tasks", "shadow"), 1);
    const json_t *effect = json_object_get(answer, "effect");
    assert_int_equal(integer_at(effect, "transfer", "tasks"), 1);
    json_decref(answer);
    answer = fetch_ok(200, "GET", report, NULL);
    assert_string_equal(text_at(answer, "mode"), "active");
    assert_int_equal(integer_at(answer, "tasks", NULL), 1);
    assert_int_equal(integer_at(answer, "caller", "steps"), 3);
    json_decref(answer);
    restart_service(state);
    check_store();
}

/* ---- what is stored ---------------------------------------------------------------------- */

/* An event id gives the same decision again; another arm is a conflict. */
static void an_event_gives_the_same_decision_again(void **state)
{
    create_tutor(",\"mode\":\"shadow\",\"steps\":9");
    json_t *first = choose("t", "B", ",\"event\":\"e\",\"chosen_probability\":0.25");
    restart_service(state);
    json_t *second = choose("t", "B", ",\"event\":\"e\",\"chosen_probability\":0.25");
    assert_string_equal(text_at(first, "decision"), text_at(second, "decision"));
    assert_string_equal(text_at(first, "would_choose"), text_at(second, "would_choose"));
    expect_rejected(409, "send the same arm", "POST", ask,
                    "{\"task\":\"t\",\"chosen\":\"A\",\"event\":\"e\"}");
    expect_tell("counted", text_at(second, "decision"), 1.0);
    json_decref(first);
    json_decref(second);
    check_store();
}

/* A default reward has the probabilities of its decision, also after a restart. */
static void default_rewards_count(void **state)
{
    create_tutor(",\"mode\":\"shadow\",\"steps\":2,\"reward_deadline\":10,\"default_reward\":0");
    json_decref(choose("t", "A", ",\"chosen_probability\":0.5"));
    json_decref(choose("t", "B", ",\"chosen_probability\":0.5"));
    pass_time(5.0, 1);
    restart_service(state);
    pass_time(20.0, 0);
    json_t *answer = fetch_ok(200, "GET", report, NULL);
    assert_int_equal(integer_at(answer, "with_probabilities", "steps"), 2);
    json_decref(answer);
    check_store();
}

/* Long asks are decided by the read pool. */
static void many_arms_are_decided_in_the_pool(void **state)
{
    char body[4096] = "{\"name\":\"tutor\",\"mode\":\"shadow\",\"steps\":2,\"arms\":[\"A\"";
    (void)state;
    for (int i = 0; i < 99; i++)
        (void)snprintf(body + strlen(body), sizeof body - strlen(body), ",\"a%d\"", i);
    (void)snprintf(body + strlen(body), sizeof body - strlen(body), "]}");
    expect(201, "POST", "/v1/learners", body);
    expect_rejected(409, "in which the caller chooses", "POST", ask, "{\"task\":\"t\"}");
    choose_and_tell("t", "a50", ",\"probability\":true,\"explain\":true", 1.0);
    expect_rejected(409, "in which the caller chooses", "POST", ask, "{\"task\":\"t\"}");
    choose_and_tell("t", "A", ",\"event\":\"e\"", 0.0);
    assert_int_equal(segue_service_open_tasks(service), 0);
    check_store();
}

static void a_full_disk_changes_nothing(void **state)
{
    segue_error err;
    (void)state;
    create_tutor(",\"mode\":\"shadow\",\"steps\":1000");
    json_t *answer = choose("t", "A", "");
    fill_disk();
    int stored = 0;
    for (last_status = 200; last_status == 200; stored++) { /* until the last page is full */
        json_t *next = choose("t", "A", "");
        char body[256];
        (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":1}",
                       text_at(next, "decision"));
        json_decref(fetch("POST", "/v1/tell", body));
        json_decref(next);
    }
    assert_int_equal(last_status, 503);
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    expect_rewards("t", stored - 1);
    expect_tell("counted", text_at(answer, "decision"), 1.0);
    expect_rewards("t", stored);
    json_decref(answer);
    check_store();
}

/* The columns of a reward must fit the mode of its task. */
static void a_reward_of_another_mode_is_damage(void **state)
{
    skip_on_postgresql();
    segue_store_check_result found;
    segue_error err;
    (void)state;
    create_tutor(",\"mode\":\"shadow\",\"steps\":1");
    choose_and_tell("t", "A", "", 1.0);
    check_store();
    assert_ok(segue_sqlite_execute(segue_sqlite_of(service->store),
                                   "UPDATE reward SET segue_arm = NULL, segue_probability = NULL",
                                   NULL));
    assert_int_not_equal(segue_store_check_run(service->store, &found, &err), SEGUE_OK);
    assert_non_null(strstr(err.message, "in shadow mode"));
}

/* ---- the report -------------------------------------------------------------------------- */

/* Types of tasks alternate, each with one good arm; the caller chooses uniformly at random. */
static void play(int tasks, const char *more, uint64_t seed)
{
    static const char *const names[] = {"A", "B", "C"};
    segue_rng rng;
    segue_rng_init(&rng, seed, 0, 0, 0);
    for (int j = 0; j < tasks; j++)
        for (int t = 0; t < 10; t++) {
            char task[32];
            const int arm = (int)(3.0 * segue_rng_uniform(&rng));
            (void)snprintf(task, sizeof task, "s%" PRIu64 "-%d", seed, j);
            const double mean = arm == j % 2 ? 0.95 : 0.05;
            choose_and_tell(task, names[arm], more, segue_rng_uniform(&rng) < mean);
        }
}

/* Segue finds the good arm of a task after some steps; a uniform caller earns 0.35 per step.  With
 * 60 tasks the interval excludes 0: its half width is about 0.15, the difference above 0.4. */
static void segue_is_found_to_be_better(void **state)
{
    create_tutor(",\"mode\":\"shadow\",\"steps\":10");
    json_t *answer = fetch_ok(200, "GET", report, NULL);
    assert_string_equal(text_at(answer, "verdict"), "no_steps");
    assert_true(
        json_is_null(json_object_get(json_object_get(answer, "with_probabilities"), "interval")));
    json_decref(answer);
    play(4, "", 1);
    answer = fetch_ok(200, "GET", report, NULL);
    assert_string_equal(text_at(answer, "verdict"), "no_probabilities");
    json_decref(answer);
    play(60, ",\"chosen_probability\":0.3333333333333333", 2);
    answer = fetch_ok(200, "GET", report, NULL);
    assert_string_equal(text_at(answer, "verdict"), "better");
    assert_int_equal(integer_at(answer, "with_probabilities", "steps"), 600);
    assert_int_equal(integer_at(answer, "without_probabilities", "steps"), 640);
    assert_int_equal(
        integer_at(answer, "agreed", "steps") + integer_at(answer, "disagreed", "steps"), 640);
    assert_true(number_at(answer, "with_probabilities", "difference") > 0.3);
    const json_t *wide =
        json_object_get(json_object_get(answer, "without_probabilities"), "interval");
    assert_true(json_number_value(json_array_get(wide, 0)) < 0.0);
    char *before = json_dumps(answer, JSON_SORT_KEYS);
    json_decref(answer);
    restart_service(state);
    answer = fetch_ok(200, "GET", report, NULL);
    char *after = json_dumps(answer, JSON_SORT_KEYS);
    assert_string_equal(before, after);
    free(before);
    free(after);
    json_decref(answer);
    check_store();
}

/* Rewards from -10 to 30: the report is in their unit. */
static void the_report_is_in_the_unit_of_rewards(void **state)
{
    (void)state;
    create_tutor(",\"mode\":\"shadow\",\"steps\":2,\"range\":[-10,30]");
    choose_and_tell("t", "A", ",\"chosen_probability\":1", 30.0);
    choose_and_tell("t", "A", ",\"chosen_probability\":1", 10.0);
    json_t *answer = fetch_ok(200, "GET", report, NULL);
    assert_near(number_at(answer, "caller", "reward_per_step"), 20.0, 1e-9);
    const json_t *interval =
        json_object_get(json_object_get(answer, "with_probabilities"), "interval");
    assert_near(json_number_value(json_array_get(interval, 0)), -40.0, 1e-9);
    assert_near(json_number_value(json_array_get(interval, 1)), 40.0, 1e-9);
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(an_ask_must_fit_the_mode),     SERVED(wrong_fields_are_named),
        IN_FILE(a_task_keeps_its_mode),       IN_FILE(an_event_gives_the_same_decision_again),
        IN_FILE(default_rewards_count),       SERVED(many_arms_are_decided_in_the_pool),
        SERVED(a_full_disk_changes_nothing),  SERVED(a_reward_of_another_mode_is_damage),
        IN_FILE(segue_is_found_to_be_better), SERVED(the_report_is_in_the_unit_of_rewards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
