/* test_service_learners.c - requests about learners, their arms and paths.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "tutor.h"

static void the_same_settings_give_the_same_learner(void **state)
{
    (void)state;
    create_tutor("");
    expect(200, "POST", "/v1/learners", "{\"arms\":[\"A\",\"B\",\"C\"],\"name\":\"tutor\"}");
    expect_rejected(409, "already exists with different settings (", "POST", "/v1/learners",
                    "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\"]}");
    json_t *list = fetch_ok(200, "GET", "/v1/learners", NULL);
    assert_int_equal(json_array_size(json_object_get(list, "learners")), 1);
    json_decref(list);
}

static void a_learner_is_gone_when_it_is_deleted(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor("");
    ask_id("s", id);
    expect(200, "DELETE", "/v1/learners/tutor", NULL);
    expect_rejected(404, "no learner", "GET", "/v1/learners/tutor", NULL);
    json_decref(tell_id(404, id, 1.0));
    create_tutor(",\"steps\":5"); /* under the same name, and nothing of the old one is left */
    json_decref(tell_id(404, id, 1.0));
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks", NULL);
    assert_int_equal(json_array_size(json_object_get(answer, "tasks")), 0);
    json_decref(answer);
    assert_int_equal(segue_service_open_tasks(service), 0);
}

static void wrong_settings_are_rejected_with_a_reason(void **state)
{
    static const struct {
        const char *body, *says;
    } wrong[] = {
        {"{\"arms\":[\"A\",\"B\"]}", "'name': is missing; need a text"},
        {"{\"name\":\"x\"}", "arms"},
        {"{\"name\":\"x\",\"arms\":[\"A\"]}", "2 to 1000"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"A\"]}", "twice"},
        {"{\"name\":\"x\",\"arms\":[\"A\",7]}", "arms"},
        {"{\"name\":\"\",\"arms\":[\"A\",\"B\"]}", "is empty"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"magic\"}", "magic"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"tucb\",\"steps\":9}",
         "'models': is missing"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[1,0]}", "range"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[1]}", "range"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[0,1e308]}", "1e+100"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"range\":[0,1e-200]}", "1e-100"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"steps\":-1}", "steps"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"steps\":2.5}", "steps"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"control\":1.5}", "control"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"default_reward\":0}", "reward_deadline"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"reward_deadline\":1,\"default_reward\":7}",
         "default"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"stepz\":1}", "steps"},
        {"{\"name\":\"x\",\"name\":\"y\",\"arms\":[\"A\",\"B\"]}", "JSON"},
        {"[]", "object"},
        {"{", "JSON"},
        {"{\"name\":\"\\u0000\",\"arms\":[\"A\",\"B\"]}", "has \\u0000"},
        {"{\"\\u0000\":1}", "has \\u0000"},
        {"", "the body is empty"},
        {"{\"name\":\"a\\n\",\"arms\":[\"A\",\"B\"]}", "control character U+000A"},
        {"{\"name\":\".\",\"arms\":[\"A\",\"B\"]}", "path"},
        {"{\"name\":\"..\",\"arms\":[\"A\",\"B\"]}", "path"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"tla\"}", "'steps': is missing"},
        {"{\"name\":\"x\",\"arms\":[\"A\",\"B\"],\"method\":\"tucb\"}", "'steps': is missing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_rejected(400, wrong[i].says, "POST", "/v1/learners", wrong[i].body);
}

static void arms_come_and_go(void **state)
{
    (void)state;
    create_tutor("");
    expect(201, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    expect_rejected(409, "already", "POST", "/v1/learners/tutor/arms", "{\"arm\":\"D\"}");
    expect_rejected(404, "no arm", "DELETE", "/v1/learners/tutor/arms/E", NULL);
    expect(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    expect(200, "DELETE", "/v1/learners/tutor/arms/A", NULL);
    expect(200, "DELETE", "/v1/learners/tutor/arms/B", NULL);
    expect(200, "DELETE", "/v1/learners/tutor/arms/C", NULL);
    expect_rejected(409, "last", "DELETE", "/v1/learners/tutor/arms/D", NULL);
    expect_rejected(409, "does not come back", "POST", "/v1/learners/tutor/arms",
                    "{\"arm\":\"A\"}");
    expect_rejected(400, "in a path", "POST", "/v1/learners/tutor/arms", "{\"arm\":\"..\"}");
    for (int i = 0; i < 5; i++) {
        json_t *answer = fetch_ok(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"s\"}");
        assert_string_equal(json_string_value(json_object_get(answer, "arm")), "D");
        json_decref(answer);
    }
}

static void other_paths_and_methods_are_rejected(void **state)
{
    (void)state;
    expect_rejected(404, "this path does not exist", "GET", "/v1/nothing", NULL);
    expect_rejected(404, "this path does not exist", "GET", "/../etc/passwd", NULL);
    expect_rejected(400, "name", "GET", "/v1/learners/", NULL);
    expect_rejected(404, "no learner", "GET", "/v1/learners/..", NULL);
    expect_rejected(400, "name", "GET", "/v1/learners/%00", NULL);
    expect_rejected(400, "name", "GET", "/v1/learners/%ff", NULL);
    expect_rejected(400, "name", "GET", "/v1/learners/%4", NULL);
    expect_rejected(400, "no field is", "POST", "/v1/learners/tutor/tasks/s/close", "{\"x\":1}");
    expect_rejected(405, "GET, HEAD, POST", "PUT", "/v1/learners", NULL);
    expect_rejected(405, "POST", "GET", "/v1/tell", NULL);
    expect_rejected(405, "GET", "POST", "/healthz", NULL);
    expect_rejected(405, "GET, HEAD", "TRACE", "/", NULL);
    expect_rejected(400, "the body is empty", "POST", "/v1/tell", NULL);
    expect_rejected(400, "no query", "GET", "/v1/learners?x", NULL);
    expect(200, "GET", "/healthz", NULL);
    expect(200, "HEAD", "/readyz", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(the_same_settings_give_the_same_learner),
        SERVED(a_learner_is_gone_when_it_is_deleted),
        SERVED(wrong_settings_are_rejected_with_a_reason),
        SERVED(arms_come_and_go),
        SERVED(other_paths_and_methods_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
