/* test_store_check.c - the store is sound after any sequence of operations.
 *
 * Random sequences of all operations, with restarts that are orderly (a snapshot is left) and such
 * as a kill leaves (none is); each sequence ends with `segue store check`.  SEGUE_SEQUENCES=N plays
 * N of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <jansson.h>
#include <unistd.h>

#include "request.h"
#include "service/engine/service_internal.h"
#include "service/jobs/timer.h"
#include "service/state/recovery/recovery.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"

enum { SEQUENCES = 320, LEARNERS = 3, TASKS = 8, MAX_DECISIONS = 64, ID = 72 };

static char store_path[64]; /* in memory if possible: the test is not about the disk */
static double clock_now;

static double now(void)
{
    return clock_now;
}

/* A service on a store in a file, and the decisions that the test received. */
typedef struct session {
    segue_service *service;
    segue_rng rng;
    char decision[MAX_DECISIONS][ID];
    size_t decisions;
    unsigned names; /* given to arms */
    int status;     /* of the last reply */
} session;

static void start(session *p)
{
    segue_service_config config = segue_service_defaults();
    segue_error err;
    config.store = store_path;
    config.now = now;
    if (segue_service_create(&p->service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    /* the test simulates a kill of the process, which needs no sync */
    assert_ok(
        segue_sqlite_execute(segue_sqlite_of(p->service->store), "PRAGMA synchronous = OFF", NULL));
}

/* Send a request; returns the body, for json_decref.  NULL: it is no JSON. */
static json_t *request(session *p, const char *method, const char *path, const char *body)
{
    segue_response reply;
    const segue_request request = request_of(method, path, body);
    segue_service_handle_and_wait(p->service, &request, &reply);
    p->status = reply.status;
    json_t *answer = json_loadb((const char *)reply.body.data, reply.body.size, 0, NULL);
    segue_response_fini(&reply);
    if (p->status >= 500)
        fail_msg("%s %s %s: %d", method, path, body ? body : "", p->status);
    return answer;
}

static void send(session *p, const char *method, const char *path, const char *body)
{
    json_decref(request(p, method, path, body));
}

static size_t pick(session *p, size_t count)
{
    return random_between(&p->rng, 0, count - 1);
}

/* ---- operations -------------------------------------------------------------------------- */

static void create(session *p)
{
    static const char *const forms[] = {
        "\"method\":\"tts:window=16\",\"close_after\":2",
        "\"method\":\"tla\",\"steps\":3,\"control\":0.3",
        "\"steps\":2,\"reward_deadline\":50,\"default_reward\":0.5",
        "\"method\":\"tucb\",\"models\":2,\"steps\":6,\"control\":0",
        "\"range\":[-1,2],\"close_after\":1,\"idle\":30",
        "\"reward_deadline\":20,\"idle\":40",
    };
    char body[256];
    (void)snprintf(body, sizeof body, "{\"name\":\"l%zu\",\"arms\":[\"A\",\"B\",\"C\"],%s}",
                   pick(p, LEARNERS), forms[pick(p, sizeof forms / sizeof *forms)]);
    send(p, "POST", "/v1/learners", body);
}

static void delete (session *p)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/v1/learners/l%zu", pick(p, LEARNERS));
    send(p, "DELETE", path, NULL);
}

static void remember_decision(session *p, const json_t *answer)
{
    const char *id = json_string_value(json_object_get(answer, "decision"));
    if (id)
        (void)snprintf(p->decision[p->decisions++ % MAX_DECISIONS], ID, "%s", id);
}

static void ask(session *p)
{
    char path[64], body[128];
    (void)snprintf(path, sizeof path, "/v1/learners/l%zu/ask", pick(p, LEARNERS));
    const int used =
        snprintf(body, sizeof body, "{\"task\":\"k%zu\"", p->decisions / 8 * 4 + pick(p, TASKS));
    if (pick(p, 4) == 0)
        (void)snprintf(body + used, sizeof body - (size_t)used, ",\"event\":\"e%zu\"}", pick(p, 3));
    else
        (void)snprintf(body + used, sizeof body - (size_t)used, "}");
    json_t *answer = request(p, "POST", path, body);
    remember_decision(p, answer);
    json_decref(answer);
}

static void tell_one(session *p)
{
    char body[160];
    if (p->decisions == 0)
        return;
    const size_t count = p->decisions < MAX_DECISIONS ? p->decisions : MAX_DECISIONS;
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%zu}",
                   p->decision[pick(p, count)], pick(p, 2));
    send(p, "POST", "/v1/tell", body);
}

/* A task of its own, with a few rewards: some are closed by that. */
static void play(session *p)
{
    char path[64], body[160];
    const unsigned key = p->names++;
    (void)snprintf(path, sizeof path, "/v1/learners/l%zu/ask", pick(p, LEARNERS));
    for (size_t i = random_between(&p->rng, 1, 7); i > 0; i--) {
        (void)snprintf(body, sizeof body, "{\"task\":\"t%u\"}", key);
        json_t *answer = request(p, "POST", path, body);
        const char *id = json_string_value(json_object_get(answer, "decision"));
        (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%zu}", id ? id : "",
                       pick(p, 2));
        json_decref(answer);
        if (id)
            send(p, "POST", "/v1/tell", body);
    }
}

static void open_task(session *p)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/v1/learners/l%zu/tasks", pick(p, LEARNERS));
    send(p, "POST", path, NULL);
}

static void close_task(session *p)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/v1/learners/l%zu/tasks/k%zu/close", pick(p, LEARNERS),
                   pick(p, TASKS));
    send(p, "POST", path, NULL);
}

static void add_arm(session *p)
{
    char path[64], body[32];
    (void)snprintf(path, sizeof path, "/v1/learners/l%zu/arms", pick(p, LEARNERS));
    (void)snprintf(body, sizeof body, "{\"arm\":\"n%u\"}", p->names++ % 8);
    send(p, "POST", path, body);
}

static void retire_arm(session *p)
{
    char path[64];
    const size_t arm = pick(p, 3 + 8);
    (void)snprintf(path, sizeof path,
                   arm < 3 ? "/v1/learners/l%zu/arms/%c" : "/v1/learners/l%zu/arms/n%c",
                   pick(p, LEARNERS), (int)(arm < 3 ? 'A' + arm : '0' + arm - 3));
    send(p, "DELETE", path, NULL);
}

static void wait(session *p)
{
    clock_now += (double)pick(p, 30);
    segue_timer_tick(p->service);
    segue_service_run_pending(p->service);
}

/* ---- restarts and checks ----------------------------------------------------------------- */

static void check(uint64_t seed)
{
    segue_store *store = NULL;
    segue_store_check_result found;
    segue_error err;
    assert_ok(segue_store_open(&store, store_path, SEGUE_STORE_READ_IMMUTABLE, &err));
    if (segue_store_check_run(store, &found, &err) != SEGUE_OK)
        fail_msg("sequence %llu: %s", (unsigned long long)seed, err.message);
    segue_store_close(store);
}

static void end(session *p)
{
    p->service->stopped = pick(p, 2) == 0; /* as when its threads were ended in order */
    segue_service_destroy(p->service);
}

static void restart(session *p)
{
    end(p);
    start(p);
}

static void play_sequence(uint64_t seed)
{
    static void (*const steps[])(session *) = {
        create, create, ask,  ask,       play,    play,      play,       play,    tell_one,
        play,   play,   play, open_task, add_arm, play,      retire_arm, wait,    restart,
        play,   play,   play, play,      delete,  play,      tell_one,   add_arm, retire_arm,
        wait,   play,   play, play,      play,    close_task};
    session p = {.decisions = 0};
    segue_rng_init(&p.rng, 1, seed, 0, 0);
    clock_now = 1000.0;
    (void)remove(store_path);
    start(&p);
    create(&p);
    for (size_t i = random_between(&p.rng, 1, 120); i > 0; i--)
        steps[pick(&p, sizeof steps / sizeof *steps)](&p);
    end(&p);
    check(seed);
}

static void the_store_is_sound_after_any_sequence(void **state)
{
    const char *wanted = getenv("SEGUE_SEQUENCES");
    const long count = wanted ? strtol(wanted, NULL, 10) : repeats(SEQUENCES);
    (void)state;
    for (long i = 0; i < count; i++)
        play_sequence((uint64_t)i);
}

/* Retiring an arm is the first event of the event log: no task was closed before it. */
static void the_store_is_sound_after_an_arm_was_retired_before_a_task_closed(void **state)
{
    static const char *const paths[] = {"/v1/learners/a/arms/A", "/v1/learners/a/arms/B"};
    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        session p = {.decisions = 0};
        (void)remove(store_path);
        start(&p);
        send(&p, "POST", "/v1/learners", "{\"name\":\"a\",\"arms\":[\"A\",\"B\",\"C\"]}");
        for (size_t i = 0; i < count; i++)
            send(&p, "DELETE", paths[i], NULL);
        assert_int_equal(p.status, 200);
        p.service->stopped = true;
        segue_service_destroy(p.service);
        check(count);
    }
}

static int make_store(void **state)
{
    const int status = make_own_folder(state);
    if (access("/dev/shm", W_OK) == 0)
        (void)snprintf(store_path, sizeof store_path, "/dev/shm/segue-check-%ld.db",
                       (long)getpid());
    else
        (void)snprintf(store_path, sizeof store_path, "%s", own_path);
    return status;
}

static int remove_store(void **state)
{
    (void)remove(store_path);
    return remove_own_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_store_is_sound_after_an_arm_was_retired_before_a_task_closed),
        cmocka_unit_test(the_store_is_sound_after_any_sequence),
    };
    return cmocka_run_group_tests(tests, make_store, remove_store);
}
