/* test_saved_learner.c - learners of the service that start from a saved one.
 *
 * The library goes on with the saved learner beside the service: the same tasks lead to the same
 * bytes, at once, after a restart and after an export and import.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <unistd.h>

#include "io/encode.h"
#include "mutate.h"
#include "segue/internal.h"
#include "service/state/recovery/recovery.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

enum { N_ARMS = 3, STEPS = 8, SAVED_TASKS = 40 };
static const char *const arms[N_ARMS] = {"A", "B", "C"};

/* Reward of the k-th pull in task j: three types of tasks, one good arm each. */
static double reward_of(size_t task, size_t k, size_t arm)
{
    return arm == task % 3 || (task * 5 + k * 3 + arm) % 7 == 0 ? 1.0 : 0.0;
}

static void learn_tasks(segue_learner *learner, size_t first, size_t count)
{
    for (size_t j = first; j < first + count; j++) {
        segue_task *task = NULL;
        segue_refit *refit = NULL;
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (size_t k = 0; k < STEPS; k++)
            assert_ok(segue_task_tell(task, k % N_ARMS, reward_of(j, k, k % N_ARMS), NULL));
        assert_ok(segue_learner_close_task(learner, &task, NULL));
        while (segue_learner_refit_due(learner)) {
            assert_ok(segue_learner_refit_begin(learner, &refit, NULL));
            assert_ok(segue_refit_run(refit, NULL));
            assert_ok(segue_learner_refit_publish(learner, &refit, NULL));
        }
    }
}

static segue_learner *saved_learner(const char *method, bool named)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    config.n_arms = N_ARMS;
    config.horizon = STEPS;
    config.seed = 9;
    config.n_tasks = 77; /* not a setting of the service */
    config.run = 3;
    assert_ok(segue_learner_config_parse(&config, method, NULL));
    assert_ok(segue_learner_create(&learner, &config, NULL));
    learn_tasks(learner, 0, SAVED_TASKS);
    if (named)
        assert_ok(segue_learner_name_arms(learner, arms, NULL));
    return learner;
}

/* The body of a request that creates 'tutor' from a learner; for free(). */
static char *body_of(const segue_learner *learner, const char *more)
{
    segue_bytes b = {.data = NULL};
    segue_learner_serialize(learner, &b);
    assert_false(b.failed);
    const size_t length = SEGUE_ENCODE_BASE64_LENGTH(b.size);
    char *body = malloc(length + strlen(more) + 64);
    assert_non_null(body);
    const size_t used = (size_t)sprintf(body, "{\"name\":\"tutor\"%s,\"saved\":\"", more);
    (void)segue_encode_base64(body + used, b.data, b.size);
    (void)strcpy(body + used + length, "\"}");
    segue_bytes_fini(&b);
    return body;
}

static void create_from(int status, const segue_learner *learner, const char *more)
{
    char *body = body_of(learner, more);
    json_decref(fetch_ok(status, "POST", "/v1/learners", body));
    free(body);
}

/* The learner goes on as in a service: refits in the background, no names. */
static void go_on(segue_learner *learner)
{
    segue_learner_set_background(learner, true);
    assert_ok(segue_learner_name_arms(learner, NULL, NULL));
}

/* The service's learner has the bytes of this one. */
static void expect_same(const segue_learner *learner)
{
    segue_bytes a = {.data = NULL}, b = {.data = NULL};
    learner_state *tutor = segue_service_find(service, "tutor");
    assert_non_null(tutor);
    segue_learner_serialize(tutor->learner, &a);
    segue_learner_serialize(learner, &b);
    segue_learner_state_release(tutor);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    segue_bytes_fini(&a);
    segue_bytes_fini(&b);
}

/* Play a task as learn_tasks does; which arm a decision has, `exclude` says. */
static void serve_task(size_t number)
{
    static const char *const others[N_ARMS] = {"\"B\",\"C\"", "\"A\",\"C\"", "\"A\",\"B\""};
    for (size_t k = 0; k < STEPS; k++) {
        char body[128];
        const size_t arm = k % N_ARMS;
        (void)snprintf(body, sizeof body, "{\"task\":\"s%zu\",\"exclude\":[%s]}", number,
                       others[arm]);
        json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", body);
        assert_string_equal(json_string_value(json_object_get(answer, "arm")), arms[arm]);
        json_decref(tell_id(200, json_string_value(json_object_get(answer, "decision")),
                            reward_of(number, k, arm)));
        json_decref(answer);
    }
}

static void serve_tasks(size_t first, size_t count)
{
    for (size_t j = first; j < first + count; j++) {
        serve_task(j);
        segue_service_run_pending(service);
    }
}

/* ---- tests ------------------------------------------------------------------------------- */

static void the_service_goes_on_where_the_library_stopped(void **state)
{
    static const char *const methods[] = {"tla", "tts:window=30", "tla:cap=1", "ts-prior", "la",
                                          "ts"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        segue_learner *learner = saved_learner(methods[i], true);
        create_from(201, learner, ",\"control\":0");
        go_on(learner);
        expect_same(learner);
        serve_tasks(100, 25);
        learn_tasks(learner, 100, 25);
        expect_same(learner);
        restart_service(state);
        expect_same(learner);
        serve_tasks(125, 5);
        learn_tasks(learner, 125, 5);
        expect_same(learner);
        segue_learner_destroy(learner);
        expect(200, "DELETE", "/v1/learners/tutor", NULL);
    }
}

/* The next decision has the explanation of the library's next task. */
static void its_decisions_are_the_librarys(void **state)
{
    segue_learner *learner = saved_learner("tla", true);
    segue_task *task = NULL;
    (void)state;
    create_from(201, learner, ",\"control\":0");
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    for (size_t k = 0; k < STEPS - 1; k++) {
        segue_explanation why;
        json_t *answer =
            fetch_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\",\"explain\":true}");
        const json_t *said = json_object_get(answer, "explanation");
        assert_ok(segue_learner_explain(learner, task, &why, NULL));
        const json_t *types = json_object_get(said, "types");
        assert_int_equal(json_array_size(types), why.n_types + 1);
        for (size_t t = 0; t <= why.n_types; t++) {
            const json_t *entry = json_array_get(types, t);
            const size_t type = (size_t)json_integer_value(json_object_get(entry, "type"));
            assert_near(json_number_value(json_object_get(entry, "weight")), why.weight[type],
                        1e-12);
        }
        assert_string_equal(json_string_value(json_object_get(said, "arm")), arms[why.arm]);
        const char *chosen = json_string_value(json_object_get(answer, "arm"));
        const size_t arm = (size_t)(chosen[0] - 'A');
        const bool only[] = {arm == 0, arm == 1, arm == 2};
        size_t same;
        assert_ok(segue_task_ask_among(task, only, &same, NULL)); /* no other ask is pending */
        assert_ok(segue_task_tell(task, same, reward_of(2, k, arm), NULL));
        json_decref(tell_id(200, json_string_value(json_object_get(answer, "decision")),
                            reward_of(2, k, arm)));
        json_decref(answer);
    }
    segue_learner_destroy(learner);
}

static void creation_is_idempotent_for_the_same_bytes(void **state)
{
    segue_learner *learner = saved_learner("tts", true), *other = saved_learner("tts", true);
    (void)state;
    create_from(201, learner, "");
    create_from(200, learner, "");
    create_from(200, learner, ",\"steps\":8,\"seed\":9,\"range\":[0,1],\"method\":\"tts\"");
    learn_tasks(other, 500, 1);
    char *body = body_of(other, "");
    expect_rejected(409, "another saved learner", "POST", "/v1/learners", body);
    expect_rejected(409, "started from a saved learner", "POST", "/v1/learners",
                    "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\",\"C\"],\"method\":\"tts\","
                    "\"steps\":8,\"seed\":9}");
    free(body);
    segue_learner_destroy(learner);
    segue_learner_destroy(other);
}

static void wrong_requests_name_the_field(void **state)
{
    static const struct {
        bool named;
        const char *more, *says;
    } wrong[] = {
        {true, ",\"steps\":9", "field 'steps': is 9; the saved learner has 8"},
        {true, ",\"seed\":2", "field 'seed': is 2; the saved learner has 9"},
        {true, ",\"models\":2", "field 'models': is 2; the saved learner has 0"},
        {true, ",\"range\":[0,2]", "field 'range': is 0 to 2; the saved learner has 0 to 1"},
        {true, ",\"method\":\"tts\"", "field 'method': is 'tts'; the saved learner is 'tla:cap=2'"},
        {true, ",\"method\":\"tla\"", "field 'method': is 'tla'; the saved learner is 'tla:cap=2'"},
        {true, ",\"arms\":[\"A\",\"C\",\"B\"]",
         "field 'arms': has 'C' in position 2; the saved learner has 'B'"},
        {true, ",\"arms\":[\"A\",\"B\"]", "field 'arms': has 2 names; the saved learner has 3"},
        {false, "", "field 'arms': is missing, and the saved learner has no names"},
        {false, ",\"arms\":[\"A\",\"A\",\"B\"]", "has 'A' twice"},
        {true, ",\"from\":\"0\"", "field 'from': need the SHA-256"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_learner *learner = saved_learner("tla:cap=2", wrong[i].named);
        char *body = body_of(learner, wrong[i].more);
        expect_rejected(400, wrong[i].says, "POST", "/v1/learners", body);
        free(body);
        segue_learner_destroy(learner);
    }
    expect_rejected(400, "field 'saved': is not base64", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"saved\":\"a-_b\"}");
    expect_rejected(400, "field 'saved': is a whole number", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"saved\":7}");
    expect_rejected(400, "the saved learner: is not a learner file", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"saved\":\"\"}");
    expect_rejected(400, "the saved learner: is not a learner file", "POST", "/v1/learners",
                    "{\"name\":\"x\",\"saved\":\"aGVsbG8gd29ybGQh\"}");
    expect_rejected(
        400, "send its bytes as 'saved'", "POST", "/v1/learners",
        "{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"from\":\"000000000000000000000000000000"
        "0000000000000000000000000000000000\"}");
}

/* Any bit of the file that is wrong is a 400, never a learner.  Fewer are tried under valgrind. */
static void damaged_files_are_rejected(void **state)
{
    segue_learner *learner = saved_learner("tts", true);
    char *body = body_of(learner, "");
    const size_t first = strlen("{\"name\":\"tutor\",\"saved\":\""), length = strlen(body);
    const size_t stride = repeats(50) < 50 ? 131 : 13;
    (void)state;
    for (size_t at = first; at < length - 6; at += stride) {
        const char good = body[at];
        body[at] = good == 'A' ? 'B' : 'A';
        expect_rejected(400, "the saved learner: ", "POST", "/v1/learners", body);
        body[at] = good;
    }
    json_decref(fetch_ok(201, "POST", "/v1/learners", body));
    free(body);
    segue_learner_destroy(learner);
}

static void retired_arms_stay_retired(void **state)
{
    segue_learner *learner = saved_learner("tts", true);
    assert_ok(segue_learner_retire_arm(learner, 1, NULL));
    create_from(201, learner, "");
    for (int round = 0; round < 2; round++) {
        json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor", NULL);
        const json_t *list = json_object_get(answer, "arms");
        for (size_t i = 0; i < N_ARMS; i++)
            assert_int_equal(json_is_true(json_object_get(json_array_get(list, i), "retired")),
                             i == 1);
        json_decref(answer);
        restart_service(state);
    }
    segue_learner_destroy(learner);
}

static void check_says(const char *says)
{
    segue_store *store = NULL;
    segue_store_check_result found;
    segue_error err = {.message = "sound"};
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_READ, NULL));
    (void)!segue_store_check_run(store, &found, &err);
    segue_store_close(store);
    if (!strstr(err.message, says))
        fail_msg("\"%s\" does not say \"%s\"", err.message, says);
}

/* Run SQL on the store of a service that is stopped meanwhile. */
static void change_store(void **state, const char *sql)
{
    skip_on_postgresql();
    segue_store *store = NULL;
    (void)stop_service(state);
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_CHANGE, NULL));
    assert_ok(segue_sqlite_execute(segue_sqlite_of(store), sql, NULL));
    segue_store_close(store);
}

static void the_check_finds_a_changed_initial_state(void **state)
{
    static const struct {
        const char *sql, *says;
    } damage[] = {
        {"UPDATE initial SET bytes = x'00'", "has other bytes (table initial)"},
        {"DELETE FROM initial", "is missing (table initial)"},
        {"UPDATE learner SET config = replace(config, '\"steps\":8', '\"steps\":7')",
         "field 'steps'"},
        {"UPDATE learner SET config = replace(config, ',\"from\":', ',\"seed\":1,\"from\":')", ""},
        {"INSERT INTO initial VALUES (99, x'00')",
         "snapshots or links of a learner that does not exist"},
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        segue_learner *learner = saved_learner("tts", true);
        create_from(201, learner, "");
        segue_learner_destroy(learner);
        change_store(state, damage[i].sql);
        check_says(damage[i].says);
        start_service_with(segue_service_defaults());
        if (i < 3)
            expect(500, "GET", "/v1/learners/tutor", NULL);
        (void)stop_service_in_file(state);
        (void)start_service_in_file(state);
    }
}

static void an_export_carries_it(void **state)
{
    skip_on_postgresql();
    char file[200];
    segue_store *store = NULL;
    segue_learner *learner = saved_learner("tla", true);
    (void)snprintf(file, sizeof file, "%s.jsonl", own_path);
    create_from(201, learner, ",\"control\":0");
    go_on(learner);
    serve_tasks(100, 20);
    learn_tasks(learner, 100, 20);
    (void)stop_service(state);
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_READ, NULL));
    assert_ok(segue_store_export(store, file, NULL, NULL));
    segue_store_close(store);
    for (size_t i = 0;; i++) {
        char path[200];
        if (!segue_store_file_path(own_path, i, path, sizeof path))
            break;
        (void)unlink(path);
    }
    assert_ok(segue_store_open(&store, own_path, SEGUE_STORE_CREATE, NULL));
    assert_ok(segue_store_import(store, file, NULL));
    segue_store_close(store);
    check_says("sound");
    start_service_with(segue_service_defaults());
    expect_same(learner);
    (void)unlink(file);
    segue_learner_destroy(learner);
}

static void a_full_disk_creates_nothing(void **state)
{
    segue_learner *learner = saved_learner("tla", true);
    learn_tasks(learner, 1000, 400); /* more than a page of the store */
    char *body = body_of(learner, "");
    create_tutor("");
    fill_disk();
    memcpy(strstr(body, "tutor"), "other", 5);
    json_t *answer = fetch("POST", "/v1/learners", body);
    assert_int_equal(last_status, 503);
    json_decref(answer);
    restart_service(state);
    expect(404, "GET", "/v1/learners/other", NULL);
    check_says("sound");
    free(body);
    segue_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FILE(the_service_goes_on_where_the_library_stopped),
        SERVED(its_decisions_are_the_librarys),
        SERVED(creation_is_idempotent_for_the_same_bytes),
        SERVED(wrong_requests_name_the_field),
        SERVED(damaged_files_are_rejected),
        IN_FILE(retired_arms_stay_retired),
        IN_FILE(the_check_finds_a_changed_initial_state),
        IN_FILE(an_export_carries_it),
        IN_FILE(a_full_disk_creates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
