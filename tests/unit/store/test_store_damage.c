/* test_store_damage.c - thousands of damaged stores: checked, served, asked, exported.
 *
 * A store with learners of four methods is damaged at random, by bytes of its file or by rows. Then
 *
 *   - nothing crashes, in the check, a start, requests of all kinds, an export, a second start;
 *   - the check and the start agree: if the check finds nothing, the start serves every learner and
 *     no request is answered with 5xx, and the check finds nothing afterwards;
 *   - learners whose rows were not touched are served, and answer as they did before.
 *
 * `test_store_damage [COUNT [FIRST]]` plays mutations FIRST .. FIRST + COUNT - 1; each has a random
 * stream of its own, so that one can be played again.  Without arguments: a short form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include <inttypes.h>
#include <jansson.h>
#include <unistd.h>

#include "request.h"
#include "service/engine/damage.h"
#include "service/jobs/timer.h"
#include "service/state/recovery/store_check.h"

enum { LEARNERS = 4, SHORT = 200 };

static const char *const names[LEARNERS] = {"tts", "tla", "tucb", "prior"};

static double clock_now = 1e9;
static size_t reports;
static segue_service *service;
static char store_path[64], store_name[80];
static unsigned char *plain, *relaxed; /* the base, and the same with tables that take NULL */
static size_t plain_size, relaxed_size;
static char *about[LEARNERS][3]; /* what the sound learners answer */
static char *given[LEARNERS][2]; /* ids of a decision without a reward, and of one with it */
static uint64_t digest[LEARNERS];
static size_t n_first, n_count = SHORT, playing;
static size_t n_played, n_sound, n_refused, n_apart; /* what became of the stores */

static double now(void)
{
    return clock_now;
}

static void count_report(void *context, const char *message)
{
    (void)context;
    (void)message;
    reports++;
}

/* ---- a service to talk to ---------------------------------------------------------------- */

static segue_status start(segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    config.store = store_name;
    config.now = now;
    config.report = count_report;
    return segue_service_create(&service, &config, err);
}

static void stop(void)
{
    segue_service_destroy(service);
    service = NULL;
}

/* One request; the body of the reply is the caller's to free. */
static char *call(const char *method, const char *path, const char *body, int *status)
{
    char copy[REQUEST_PATH];
    segue_response reply;
    const segue_request request = request_with_query(copy, method, path, body);
    segue_service_handle_and_wait(service, &request, &reply);
    *status = reply.status;
    segue_bytes_append(&reply.body, "", 1);
    assert_false(reply.body.failed);
    return (char *)reply.body.data;
}

/* A request about a learner; "%s" in the path is its name. */
static char *call_learner(const char *name, const char *method, const char *path, const char *body,
                          int *status)
{
    char text[256];
    (void)snprintf(text, sizeof text, "/v1/learners/%s%s", name, path);
    return call(method, text, body, status);
}

static void must(int wanted, const char *name, const char *method, const char *path,
                 const char *body)
{
    int status = 0;
    char *said = call_learner(name, method, path, body, &status);
    if (status != wanted)
        fail_msg("%s %s%s %s: %d: %s", method, name, path, body ? body : "", status, said);
    free(said);
}

static int tell_id(const char *id, const char *reward)
{
    char body[200];
    int status = 0;
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%s}", id, reward);
    free(call("POST", "/v1/tell", body, &status));
    return status;
}

/* Ask a task, and tell the decision a reward; its id is the caller's to free. */
static char *play(const char *name, const char *key, const char *more, const char *reward)
{
    char body[200];
    int status = 0;
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"%s}", key, more);
    char *id = take_decision_id(call_learner(name, "POST", "/ask", body, &status));
    assert_int_equal(status, 200);
    if (reward)
        assert_int_equal(tell_id(id, reward), 200);
    return id;
}

/* ---- the base ---------------------------------------------------------------------------- */

static void create_learners(void)
{
    static const char *const bodies[LEARNERS] = {
        "{\"name\":\"tts\",\"arms\":[\"A\",\"B\",\"C\"],\"steps\":6,\"method\":\"tts\",\"reward_"
        "deadline\":"
        "60,\"default_reward\":0,\"control\":0.2}",
        "{\"name\":\"tla\",\"arms\":[\"A\",\"B\"],\"steps\":6,\"method\":\"tla\",\"control\":0.2}",
        "{\"name\":\"tucb\",\"arms\":[\"A\",\"B\",\"C\"],\"steps\":12,\"method\":\"tucb\","
        "\"models\":2,\"range\":[-1,1]}",
        "{\"name\":\"prior\",\"arms\":[\"A\",\"B\"],\"method\":\"ts-prior\",\"close_after\":4,"
        "\"idle\":600}"};
    int status = 0;
    for (size_t i = 0; i < LEARNERS; i++) {
        free(call("POST", "/v1/learners", bodies[i], &status));
        assert_int_equal(status, 201);
    }
}

/* Closed tasks, and some that stay open, with and without events. */
static void play_tasks(int first, int count)
{
    char key[32], event[64];
    for (int task = first; task < first + count; task++)
        for (size_t i = 0; i < LEARNERS; i++)
            for (int step = 0; step < (task % 5 == 4 ? 3 : i == 2 ? 12 : 6); step++) {
                (void)snprintf(key, sizeof key, "t%d", task);
                (void)snprintf(event, sizeof event, ",\"event\":\"e%d\",\"probability\":true",
                               step);
                if (i == 3 && step >= 4)
                    continue; /* it is closed */
                free(play(names[i], key, task % 3 == 0 ? event : "", step % 3 ? "1" : "0"));
            }
}

static void make_base(void)
{
    segue_error err;
    assert_ok(start(&err));
    create_learners();
    play_tasks(0, 6);
    must(201, "tts", "POST", "/arms", "{\"arm\":\"D\"}");
    must(200, "tts", "DELETE", "/arms/A", NULL);
    must(201, "prior", "POST", "/arms", "{\"arm\":\"D\"}");
    assert_ok(segue_service_start(service, &err));
    stop(); /* which leaves snapshots */
    assert_ok(start(&err));
    play_tasks(6, 4);
    must(200, "tla", "POST", "/tasks/t4/close", NULL);
    for (size_t i = 0; i < LEARNERS; i++) {
        given[i][0] = play(names[i], "t9", "", NULL);
        given[i][1] = play(names[i], "t9", "", "1");
    }
    segue_timer_tick(service);
    segue_service_run_pending(service);
    stop();
    checkpoint(store_path);
}

static const char *const reads[3] = {"", "/tasks?limit=100", "/history"};

static void remember(void)
{
    int status = 0;
    segue_error err;
    assert_ok(start(&err));
    for (size_t i = 0; i < LEARNERS; i++)
        for (size_t j = 0; j < 3; j++) {
            about[i][j] = call_learner(names[i], "GET", reads[j], NULL, &status);
            assert_int_equal(status, 200);
        }
    stop();
    write_store(store_path, relaxed, relaxed_size);
    for (size_t i = 0; i < LEARNERS; i++)
        digest[i] = digest_learner(store_path, (int64_t)i + 1);
}

/* In memory, if the system has files there: thousands of stores are written. */
static int set_up(void **state)
{
    (void)state;
    (void)snprintf(store_path, sizeof store_path, "%s/segue-damage-%d.db",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
    (void)snprintf(store_name, sizeof store_name, "sqlite:%s", store_path);
    remove_store(store_path);
    make_base();
    plain = read_store(store_path, &plain_size);
    relax_schema(store_path);
    checkpoint(store_path);
    relaxed = read_store(store_path, &relaxed_size);
    remember();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_store(store_path);
    free(plain);
    free(relaxed);
    for (size_t i = 0; i < LEARNERS; i++) {
        for (size_t j = 0; j < 3; j++)
            free(about[i][j]);
        free(given[i][0]);
        free(given[i][1]);
    }
    return 0;
}

/* ---- one damaged store ------------------------------------------------------------------- */

static size_t complaints;

/* The next mutation is played all the same: one run tells of all that is wrong. */
static void complain(const char *format, ...)
{
    char text[1500];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (complaints++ < 40)
        print_error("mutation %zu: %s\n", playing, text);
}

static segue_status check_store(segue_store_check_result *found, segue_error *err)
{
    segue_store *store = NULL;
    *found = (segue_store_check_result){.file = true};
    segue_status status = segue_store_open(&store, store_name, SEGUE_STORE_READ_IMMUTABLE, err);
    if (status == SEGUE_OK)
        status = segue_store_check_run(store, found, err);
    segue_store_close(store);
    return status;
}

static void export_store(void)
{
    char path[80];
    segue_store *store = NULL;
    (void)snprintf(path, sizeof path, "%s.jsonl", store_path);
    if (segue_store_open(&store, store_name, SEGUE_STORE_READ_IMMUTABLE, NULL) == SEGUE_OK &&
        segue_store_export(store, path, NULL, NULL) == SEGUE_OK)
        (void)unlink(path);
    segue_store_close(store);
}

/* Requests of all kinds about one learner; the worst status. */
static int exercise(size_t i)
{
    static const char *const requests[][3] = {
        {"GET", "", NULL},
        {"GET", "/history", NULL},
        {"GET", "/versions", NULL},
        {"GET", "/decisions", NULL},
        {"GET", "/tasks?limit=100&explain=true", NULL},
        {"GET", "/tasks?open=false&limit=100", NULL},
        {"GET", "/tasks/t0", NULL},
        {"GET", "/tasks/t9", NULL},
        {"POST", "/ask", "{\"task\":\"t9\",\"explain\":true,\"probability\":true}"},
        {"POST", "/ask", "{\"task\":\"t9\",\"event\":\"e1\"}"},
        {"POST", "/ask", "{\"task\":\"t0\",\"event\":\"e1\"}"},
        {"POST", "/ask", "{\"task\":\"new\",\"count\":2}"},
        {"POST", "/tasks", "{\"task\":\"newer\"}"},
        {"POST", "/tasks/t9/close", NULL},
        {"POST", "/tasks/t1/close", NULL},
        {"POST", "/arms", "{\"arm\":\"E\"}"},
        {"DELETE", "/arms/B", NULL}};
    int worst = tell_id(given[i][0], "1"), status = tell_id(given[i][1], "1");
    worst = status > worst ? status : worst;
    for (size_t j = 0; j < sizeof requests / sizeof *requests; j++) {
        free(call_learner(names[i], requests[j][0], requests[j][1], requests[j][2], &status));
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Time passes: defaults are counted, idle tasks closed, fits made. */
static void pass_time(void)
{
    clock_now += 1000.0;
    for (int i = 0; i < 3; i++) {
        segue_timer_tick(service);
        segue_service_run_pending(service);
    }
}

static void answers_as_before(size_t i, const mutation *done)
{
    for (size_t j = 0; j < 3; j++) {
        int status = 0;
        char *said = call_learner(names[i], "GET", reads[j], NULL, &status);
        if (strcmp(said, about[i][j]) != 0)
            complain("%s: %s%s: %d: %s", done->text, names[i], reads[j], status, said);
        free(said);
    }
}

static void remove_damaged(void)
{
    int status = 0;
    char *said = call("GET", "/v1/learners", NULL, &status);
    json_t *answer = json_loads(said, 0, NULL), *line = NULL;
    size_t i = 0;
    assert_non_null(answer);
    json_array_foreach(json_object_get(answer, "learners"), i, line)
    {
        if (json_object_get(line, "damaged"))
            free(call_learner(json_string_value(json_object_get(line, "name")), "DELETE", "", NULL,
                              &status));
    }
    free(said);
    json_decref(answer);
    segue_service_run_pending(service);
}

/* All that can be asked of a service on it; `untouched`: by learner. */
static void use(const mutation *done, bool sound, const bool *untouched)
{
    int status = 0;
    for (size_t i = 0; i < LEARNERS; i++)
        if (untouched[i])
            answers_as_before(i, done);
    char *ready = call("GET", "/readyz", NULL, &status);
    if (status != 200)
        complain("%s: /readyz: %d: %s", done->text, status, ready);
    free(ready);
    for (size_t i = 0; i < LEARNERS; i++) {
        const int worst = exercise(i);
        if (worst >= 500 && (sound || untouched[i]))
            complain("%s: %s answers %d", done->text, names[i], worst);
    }
    pass_time();
    free(call("GET", "/metrics", NULL, &status));
    assert_int_equal(status, 200);
    remove_damaged();
    export_store();
}

static void start_damaged(const mutation *done, bool sound, const segue_error *found,
                          const bool *untouched)
{
    segue_error err;
    reports = 0;
    clock_now = 1e9 + 500.0;
    if (start(&err) != SEGUE_OK) {
        n_refused++;
        if (sound || !done->whole || err.status != SEGUE_EFILE)
            complain("%s: the check says '%s', a start: %s", done->text, found->message,
                     err.message);
        return;
    }
    const size_t damaged = segue_damage_count(service);
    if (damaged > 0 && (sound || reports < damaged))
        complain("%s: %zu learners are damaged, %zu reports; the check says '%s'", done->text,
                 damaged, reports, found->message);
    n_apart += damaged > 0;
    use(done, sound, untouched);
    stop();
}

static void damage_once(size_t number)
{
    segue_rng rng;
    mutation done;
    segue_store_check_result checked;
    segue_error found = {.message = "sound"};
    bool untouched[LEARNERS] = {false};
    segue_rng_init(&rng, 1, number, 0, 0);
    if (number % 2 == 0) {
        unsigned char *copy = malloc(plain_size);
        memcpy(copy, plain, plain_size);
        mutate_bytes(&rng, copy, plain_size, &done);
        write_store(store_path, copy, plain_size);
        free(copy);
    } else {
        write_store(store_path, relaxed, relaxed_size);
        while (!mutate_row(&rng, store_path, &done))
            ; /* another one */
        for (size_t i = 0; i < LEARNERS; i++)
            untouched[i] = !done.whole && digest_learner(store_path, (int64_t)i + 1) == digest[i];
    }
    const segue_status status = check_store(&checked, &found);
    const bool sound = status == SEGUE_OK;
    n_sound += sound;
    n_played++;
    if (!sound && status != SEGUE_EFILE)
        complain("%s: a check fails: %s", done.text, found.message);
    start_damaged(&done, sound, &found, untouched);
    const bool still = check_store(&checked, &found) == SEGUE_OK;
    if (sound && !still)
        complain("%s: sound, and after some requests: %s", done.text, found.message);
    segue_error err;
    if (start(&err) == SEGUE_OK)
        stop();
}

static void damage_crashes_nothing_and_is_seen_by_all(void **state)
{
    const size_t count = n_count == SHORT ? (size_t)repeats(SHORT) : n_count;
    (void)state;
    for (size_t i = n_first; i < n_first + count; i++) {
        playing = i;
        damage_once(i);
    }
    print_message(
        "%zu damaged stores: %zu called sound, %zu refused, %zu with learners set apart\n",
        n_played, n_sound, n_refused, n_apart);
    assert_int_equal(complaints, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_crashes_nothing_and_is_seen_by_all),
    };
    if (argc > 1)
        n_count = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        n_first = strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
