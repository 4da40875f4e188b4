/* test_transfer_stop.c - transfer stops when it harms, resumes on request, and both survive.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

#define LEARNER "/v1/learners/tutor"

/* Play a task of one step: control tasks earn 1, and those with transfer `reward`.  Returns whether
 * it was a control task. */
static bool play(const char *prefix, int number, double reward)
{
    char body[64];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s%d\"}", prefix, number);
    json_t *task = fetch_ok(201, "POST", LEARNER "/tasks", body);
    const bool control = json_is_true(json_object_get(task, "control"));
    json_decref(task);
    (void)snprintf(body, sizeof body, "%s%d", prefix, number);
    tell_new(body, control ? 1.0 : reward);
    return control;
}

/* Transfer earns nothing: it stops after some tasks.  Returns their number. */
static int play_until_stopped(const char *prefix)
{
    for (int i = 0; i < 400; i++) {
        (void)play(prefix, i, 0.0);
        learner_state *state = segue_service_find(service, "tutor");
        const bool stopped = state->effect.is_stopped;
        segue_learner_state_release(state);
        if (stopped)
            return i + 1;
    }
    fail_msg("transfer is not stopped");
    return 0;
}

static json_t *fetch_effect(void)
{
    json_t *answer = fetch_ok(200, "GET", LEARNER, NULL);
    json_t *effect = json_incref(json_object_get(answer, "effect"));
    json_decref(answer);
    return effect;
}

static void check_stopped(bool stopped, json_int_t stops)
{
    json_t *effect = fetch_effect();
    assert_int_equal(json_is_true(json_object_get(effect, "stopped")), stopped);
    assert_int_equal(integer_at(effect, "stops", NULL), stops);
    json_decref(effect);
}

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

#define HARMFUL ",\"steps\":1,\"control\":0.5,\"stop_if_harmful\":true"

static void harm_stops_transfer_and_learning_goes_on(void **state)
{
    create_tutor(HARMFUL);
    const int before = play_until_stopped("a");
    assert_true(before >= 4);
    check_stopped(true, 1);
    for (int i = 0; i < 20; i++) /* with a share of one half: once in a million */
        assert_true(play("b", i, 0.0));
    json_t *answer = fetch_ok(200, "GET", LEARNER, NULL);
    assert_int_equal(integer_at(answer, "tasks", "closed"), before + 20);
    assert_int_equal(integer_at(json_object_get(answer, "effect"), "tasks", NULL), before);
    assert_true(integer_at(answer, "version", NULL) > 0);
    json_decref(answer);
    check_store();
    restart_service(state);
    check_stopped(true, 1);
    assert_true(play("c", 0, 0.0));
}

static void without_the_setting_transfer_goes_on(void **state)
{
    (void)state;
    create_tutor(",\"steps\":1,\"control\":0.5");
    for (int i = 0; i < 100; i++)
        (void)play("a", i, 0.0);
    json_t *effect = fetch_effect();
    const json_t *interval = json_object_get(effect, "interval");
    assert_true(json_number_value(json_array_get(interval, 1)) < 0.0);
    json_decref(effect);
    check_stopped(false, 0);
}

static void resumed_transfer_is_measured_anew(void **state)
{
    create_tutor(HARMFUL);
    expect(201, "POST", LEARNER "/tasks", "{\"task\":\"old\"}");
    (void)play_until_stopped("a");
    expect(200, "POST", LEARNER "/resume", NULL);
    check_stopped(false, 1);
    tell_new("old", 1.0); /* it opened before: it does not count */
    json_t *effect = fetch_effect();
    assert_int_equal(integer_at(effect, "tasks", NULL), 0);
    assert_true(json_is_null(json_object_get(effect, "interval")));
    json_decref(effect);
    expect(200, "POST", LEARNER "/resume", "{}"); /* nothing is left to do */
    for (int i = 0; i < 10; i++)
        (void)play("b", i, 1.0);
    restart_service(state);
    effect = fetch_effect();
    assert_int_equal(integer_at(effect, "tasks", NULL), 10);
    json_decref(effect);
    (void)play_until_stopped("c");
    check_stopped(true, 2);
    check_store();
}

static void execute(const char *sql)
{
    skip_on_postgresql();
    assert_ok(segue_sqlite_execute(segue_sqlite_of(service->store), sql, NULL));
}

/* The store fails to write the events of transfer: a stop is tried again after the next task. */
static void a_store_that_fails_changes_nothing(void **state)
{
    skip_on_postgresql();
    static const char failing[] =
        "CREATE TEMP TRIGGER fails BEFORE INSERT ON main.event WHEN NEW.kind IN (6, 7) BEGIN "
        "INSERT INTO meta VALUES ('large', zeroblob(4000000)); END";
    _Static_assert(SEGUE_EVENT_STOP_TRANSFER == 6 && SEGUE_EVENT_RESUME_TRANSFER == 7,
                   "the trigger has other numbers");
    (void)state;
    create_tutor(HARMFUL);
    assert_ok(segue_sqlite_limit_pages(service->store, 600, NULL)); /* the disk is full then */
    execute(failing);
    for (int i = 0; i < 60; i++)
        (void)play("a", i, 0.0);
    check_stopped(false, 0);
    execute("DROP TRIGGER fails");
    assert_int_equal(play_until_stopped("b"), 1);
    check_stopped(true, 1);
    execute(failing);
    expect_rejected(503, "", "POST", LEARNER "/resume", NULL);
    check_stopped(true, 1);
    execute("DROP TRIGGER fails");
    expect(200, "POST", LEARNER "/resume", NULL);
    check_stopped(false, 1);
}

static void wrong_requests_are_rejected(void **state)
{
    static const struct {
        const char *more, *says;
    } wrong[] = {
        {",\"grow\":1", "'grow': is a whole number; need true or false"},
        {",\"grow\":true,\"control\":0", "fall to 'control', which is 0; need 0.01 to 0.5"},
        {",\"grow\":true,\"control\":0.6", "need 0.01 to 0.5"},
        {",\"stop_if_harmful\":\"yes\"", "'stop_if_harmful': is"},
        {",\"stop_if_harmful\":true,\"control\":0", "need a share above 0 and below 1"},
        {",\"stop_if_harmful\":true,\"control\":1", "need a share above 0 and below 1"},
        {",\"smallest_effect\":2", "'smallest_effect': is out of range"},
    };
    char body[160];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(body, sizeof body, "{\"name\":\"x\",\"arms\":[\"A\",\"B\"]%s}",
                       wrong[i].more);
        expect_rejected(400, wrong[i].says, "POST", "/v1/learners", body);
    }
    expect_rejected(404, "no learner", "POST", LEARNER "/resume", NULL);
    create_tutor("");
    expect_rejected(400, "", "POST", LEARNER "/resume", "{\"on\":true}");
    expect_rejected(405, "POST", "GET", LEARNER "/resume", NULL);
}

/* Transfer always wins: the share falls, but not faster than 3 / sqrt(tasks). */
static void the_share_of_a_learner_that_grows_falls(void **state)
{
    double last = 0.5;
    create_tutor(",\"steps\":1,\"control\":0.02,\"grow\":true");
    for (int i = 0; i < 300; i++) {
        json_t *effect = fetch_effect();
        last = json_number_value(json_object_get(effect, "control_share"));
        json_decref(effect);
        assert_true(last <= 0.5 && (i < 36 || last >= 3.0 / sqrt(i) - 1e-12));
        char body[64];
        (void)snprintf(body, sizeof body, "{\"task\":\"t%d\"}", i);
        json_t *task = fetch_ok(201, "POST", LEARNER "/tasks", body);
        assert_near(json_number_value(json_object_get(task, "control_share")), last, 0.0);
        const bool control = json_is_true(json_object_get(task, "control"));
        json_decref(task);
        (void)snprintf(body, sizeof body, "t%d", i);
        tell_new(body, control ? 0.0 : 1.0);
    }
    assert_true(last < 0.2);
    check_store();
    restart_service(state);
    json_t *effect = fetch_effect();
    assert_true(json_number_value(json_object_get(effect, "control_share")) < 0.2);
    assert_int_equal(integer_at(effect, "tasks", NULL), 300);
    json_decref(effect);
}

static void a_forecast_is_shown(void **state)
{
    (void)state;
    create_tutor(",\"steps\":1,\"control\":0.5,\"smallest_effect\":0.01");
    json_t *effect = fetch_effect();
    assert_true(json_is_null(json_object_get(effect, "forecast")));
    json_decref(effect);
    for (int i = 0; i < 40; i++) {
        wall_offset += 10.0;
        (void)play("a", i, 1.0);
    }
    effect = fetch_effect();
    const json_t *forecast = json_object_get(effect, "forecast");
    const double tasks = json_number_value(json_object_get(forecast, "tasks"));
    assert_true(tasks > 100.0);
    assert_near(json_number_value(json_object_get(forecast, "effect")), 0.01, 0.0);
    assert_near(json_number_value(json_object_get(forecast, "seconds")), 10.0 * tasks,
                1e-3 * tasks);
    json_decref(effect);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FILE(harm_stops_transfer_and_learning_goes_on),
        IN_FILE(without_the_setting_transfer_goes_on),
        IN_FILE(resumed_transfer_is_measured_anew),
        SERVED(a_store_that_fails_changes_nothing),
        SERVED(wrong_requests_are_rejected),
        IN_FILE(the_share_of_a_learner_that_grows_falls),
        SERVED(a_forecast_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
