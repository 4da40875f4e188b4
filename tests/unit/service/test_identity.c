/* test_identity.c - decisions count for their own task only, also after a restore.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <jansson.h>

#include "request.h"
#include "service/api/decision_id.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"
#include "store/sqlite/sqlite.h"

enum { ID = SEGUE_DECISION_ID_LENGTH + 1 };

static double clock_now = 1000.0;

static double now(void)
{
    return clock_now;
}

static segue_service *service;
static char saved_path[sizeof own_path + 8];

static void start(void)
{
    segue_service_config config = segue_service_defaults();
    segue_error err;
    config.store = own_path;
    config.now = now;
    if (segue_service_create(&service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

/* Send a request; returns the status, and copies `field` of the response to `out`. */
static int post(const char *path, const char *body, const char *field, char out[ID])
{
    segue_response reply;
    const segue_request request = request_of("POST", path, body);
    segue_service_handle_and_wait(service, &request, &reply);
    json_t *answer = json_loadb((const char *)reply.body.data, reply.body.size, 0, NULL);
    const char *text = json_string_value(json_object_get(answer, field));
    (void)snprintf(out, ID, "%s", text ? text : "");
    json_decref(answer);
    segue_response_fini(&reply);
    return reply.status;
}

static void ask(const char *task, char id[ID])
{
    char body[64];
    (void)snprintf(body, sizeof body, "{\"task\":\"%s\"}", task);
    assert_int_equal(post("/v1/learners/l/ask", body, "decision", id), 200);
    assert_int_equal(strlen(id), SEGUE_DECISION_ID_LENGTH);
}

static int tell_id(const char *id, char task[ID])
{
    char body[128];
    (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":1}", id);
    return post("/v1/tell", body, "task", task);
}

/* Copy one database over another. */
static void copy(const char *from, const char *to)
{
    sqlite3 *source = NULL, *target = NULL;
    (void)remove(to);
    assert_int_equal(sqlite3_open(from, &source), SQLITE_OK);
    assert_int_equal(sqlite3_open(to, &target), SQLITE_OK);
    sqlite3_backup *work = sqlite3_backup_init(target, "main", source, "main");
    assert_non_null(work);
    assert_int_equal(sqlite3_backup_step(work, -1), SQLITE_DONE);
    assert_int_equal(sqlite3_backup_finish(work), SQLITE_OK);
    assert_int_equal(sqlite3_close(source), SQLITE_OK);
    assert_int_equal(sqlite3_close(target), SQLITE_OK);
}

static void restore(void)
{
    segue_service_destroy(service);
    copy(saved_path, own_path);
    start();
}

static int make_folder(void **state)
{
    char id[ID];
    if (make_own_folder(state) != 0)
        return -1;
    (void)snprintf(saved_path, sizeof saved_path, "%s.saved", own_path);
    start();
    return post("/v1/learners", "{\"name\":\"l\",\"arms\":[\"A\",\"B\"]}", "name", id) == 201 ? 0
                                                                                              : -1;
}

static int remove_folder(void **state)
{
    segue_service_destroy(service);
    (void)remove(saved_path);
    return remove_own_folder(state);
}

/* ---- restores ---------------------------------------------------------------------------- */

/* The clock stands still, is set back before the restore, or after it. */
static void a_lost_decision_is_refused_by_any_clock(void **state)
{
    static const double moves[][2] = {{0, 0}, {-500, 0}, {0, -500}, {500, -900}, {-2000, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        char lost[ID], own[ID], task[ID];
        clock_now = 1000.0;
        copy(own_path, saved_path);
        clock_now += moves[i][0];
        ask("k1", lost);
        restore();
        clock_now += moves[i][1];
        ask("k2", own);
        decision a, b;
        assert_true(segue_decision_id_decode(&a, service->key, lost));
        assert_true(segue_decision_id_decode(&b, service->key, own));
        assert_true(a.learner == b.learner && a.task == b.task && a.tag != b.tag);
        assert_int_equal(tell_id(lost, task), 410);
        assert_int_equal(tell_id(own, task), 200);
        assert_string_equal(task, "k2");
        assert_int_equal(tell_id(lost, task), 410);
        restore();
    }
}

static void a_decision_asked_after_the_clock_was_set_back_counts(void **state)
{
    char id[ID], task[ID];
    (void)state;
    clock_now = 1000.0;
    ask("back", id);
    clock_now = 10.0;
    ask("back", id);
    assert_int_equal(tell_id(id, task), 200);
    assert_string_equal(task, "back");
}

static void a_task_without_a_tag_is_damage(void **state)
{
    char id[ID], why[SEGUE_ERROR_SIZE];
    int64_t learner = 0;
    (void)state;
    clock_now = 1000.0;
    ask("untagged", id);
    assert_ok(
        segue_sqlite_execute(segue_sqlite_of(service->store), "UPDATE task SET tag = 0", NULL));
    segue_service_destroy(service);
    start();
    assert_true(segue_damage_find(service, "l", &learner, why));
    assert_non_null(strstr(why, "column tag: 0"));
}

/* ---- ids --------------------------------------------------------------------------------- */

static void any_clock_can_be_written(void **state)
{
    static const double clocks[] = {-1.0, 0.0, 1e300, -1e300, 1e12};
    const unsigned char key[16] = {0};
    decision d = {.learner = 1, .task = 1, .tag = 1};
    char text[ID];
    (void)state;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        d.asked_at = clocks[i];
        segue_decision_id_encode(&d, key, text);
        assert_true(segue_decision_id_decode(&d, key, text));
        assert_true(d.asked_at >= 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_decision_is_refused_by_any_clock),
        cmocka_unit_test(a_decision_asked_after_the_clock_was_set_back_counts),
        cmocka_unit_test(a_task_without_a_tag_is_damage),
        cmocka_unit_test(any_clock_can_be_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
