/* test_service_features.c - tasks of the service that are opened with features.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/state/recovery/recovery.h"
#include "service/state/recovery/store_check.h"
#include "tutor.h"

#define ASK "/v1/learners/tutor/ask"

/* Open a task with features, by an ask, and give it one reward per arm; then close it. */
static void play_task(int number, const char *features)
{
    char key[16], body[256], path[80], id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)snprintf(key, sizeof key, "t%d", number);
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\",\"features\":%s}", key, features);
    expect(200, "POST", ASK, body);
    for (int t = 0; t < 6; t++) {
        ask_id(key, id);
        expect_tell("counted", id, t % 2 ? 1.0 : 0.0);
    }
    (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s/close", key);
    expect(200, "POST", path, NULL);
}

static void play_tasks(int first, int last)
{
    static const char *const features[] = {"{\"country\":\"de\",\"age\":41}",
                                           "{\"country\":\"fr\",\"age\":17.5}",
                                           "{\"age\":null,\"paid\":true}", "{}"};
    for (int j = first; j < last; j++)
        play_task(j, features[j % 4]);
}

/* The bytes of the learner; the caller frees them. */
static segue_bytes learner_bytes(void)
{
    segue_bytes b = {.data = NULL};
    learner_state *tutor = segue_service_find(service, "tutor");
    assert_non_null(tutor);
    segue_learner_serialize(tutor->learner, &b);
    segue_learner_state_release(tutor);
    assert_false(b.failed);
    return b;
}

static void a_restart_gives_the_same_learner(void **state)
{
    segue_store_check_result found;
    create_tutor(",\"control\":0.3");
    play_tasks(0, 24);
    expect(200, "POST", ASK, "{\"task\":\"open\",\"features\":{\"country\":\"de\"}}");
    segue_bytes before = learner_bytes();
    assert_int_equal(before.data[8], SEGUE_LEARNER_FILE_VERSION);
    restart_service(state);
    segue_bytes after = learner_bytes();
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    assert_ok(segue_store_check_run(service->store, &found, NULL));
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/open", NULL);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "features"), "country")), "de");
    json_decref(answer);
    segue_bytes_fini(&before);
    segue_bytes_fini(&after);
}

/* A learner without features is saved as before. */
static void without_features_nothing_changes(void **state)
{
    (void)state;
    create_tutor("");
    for (int j = 0; j < 4; j++)
        play_task(j, j % 2 ? "{}" : "{\"age\":null}");
    segue_bytes b = learner_bytes();
    assert_int_equal(b.data[8], SEGUE_LEARNER_WITHOUT_FEATURES);
    segue_bytes_fini(&b);
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
    assert_null(json_object_get(answer, "features"));
    json_decref(answer);
    answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/t1", NULL);
    assert_null(json_object_get(answer, "features"));
    json_decref(answer);
}

static void a_learner_says_how_features_shift_types(void **state)
{
    (void)state;
    create_tutor("");
    play_tasks(0, 12);
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
    const json_t *list = json_object_get(answer, "features");
    assert_int_equal(json_array_size(list), 3);
    const json_t *age = json_array_get(list, 0), *country = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(age, "name")), "age");
    assert_string_equal(json_string_value(json_object_get(age, "kind")), "number");
    assert_int_equal(integer_at(age, "tasks", NULL), 6);
    assert_string_equal(json_string_value(json_object_get(country, "kind")), "text");
    assert_int_equal(integer_at(country, "categories", NULL), 2);
    const double relevance = json_number_value(json_object_get(country, "relevance"));
    assert_true(relevance >= 0.0 && relevance <= 1.0);
    json_decref(answer);
}

/* The features of an open task are those that it was opened with. */
static void later_features_are_ignored(void **state)
{
    (void)state;
    create_tutor("");
    expect(201, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"s\",\"features\":{\"a\":1}}");
    expect(200, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"s\",\"features\":{\"a\":2}}");
    expect(200, "POST", ASK, "{\"task\":\"s\",\"features\":{\"a\":3,\"b\":\"x\"}}");
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    const json_t *features = json_object_get(answer, "features");
    assert_int_equal(json_object_size(features), 1);
    assert_int_equal(json_integer_value(json_object_get(features, "a")), 1);
    json_decref(answer);
}

static void invalid_features_open_no_task(void **state)
{
    static const char *const cases[][2] = {
        {"[1]", "is a list; need an object"},
        {"{\"a\":{\"b\":1}}", "'a' is an object; need a text, a number"},
        {"{\"a\":[1]}", "'a' is a list; need a text, a number"},
        {"{\"a\":NaN}", "not JSON"},
        {"{\"a\":1e999}", "too large"},
        {"{\"a\":\"\"}", "a text of 0 bytes"},
        {"{\"\":1}", "name of a feature has 0 bytes"},
        {"{\"a\":\"x\\u0007\"}", "control character"},
        {"{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}",
         "a text of 70 bytes; need 1 to 64"},
        {"{\"0123456789012345678901234567890123456789012345678901234567890123456789\":1}",
         "has 70 bytes; need 1 to 64"},
        {"{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,"
         "\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"q\":1}",
         "there are 17; need 16 at most"}};
    char body[400];
    (void)state;
    create_tutor("");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        (void)snprintf(body, sizeof body, "{\"task\":\"s\",\"features\":%s}", cases[k][0]);
        expect_rejected(400, cases[k][1], "POST", ASK, body);
        expect_rejected(400, cases[k][1], "POST", "/v1/learners/tutor/tasks", body);
    }
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
    assert_int_equal(integer_at(answer, "tasks", "open"), 0);
    json_decref(answer);
}

static void a_method_without_types_takes_no_features(void **state)
{
    (void)state;
    create_tutor(",\"method\":\"ucb1\"");
    expect_rejected(400, "uses no features", "POST", ASK,
                    "{\"task\":\"s\",\"features\":{\"a\":1}}");
    expect(200, "POST", ASK, "{\"task\":\"s\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FILE(a_restart_gives_the_same_learner),
        SERVED(without_features_nothing_changes),
        SERVED(a_learner_says_how_features_shift_types),
        SERVED(later_features_are_ignored),
        SERVED(invalid_features_open_no_task),
        SERVED(a_method_without_types_takes_no_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
