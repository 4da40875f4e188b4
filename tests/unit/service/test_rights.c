/* test_rights.c - which token may do what: every route, reloads, rates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "request.h"
#include "tutor.h"

static const char *const tokens[] = {NULL, "the-token-to-read", "the-token-to-decide",
                                     "the-token-to-admin"}; /* by right */
static const char three[] = "r read the-token-to-read\nd decide the-token-to-decide\n"
                            "a admin the-token-to-admin\n";

/* The right of each route, by its name.  A new route needs a line here. */
static const struct {
    const char *name;
    segue_right right;
    const char *method, *path, *body;
} routes[] = {
    {"none", RIGHT_READ, "GET", "/v1/nothing", NULL},
    {"list_learners", RIGHT_READ, "GET", "/v1/learners", NULL},
    {"create_learner", RIGHT_ADMIN, "POST", "/v1/learners",
     "{\"name\":\"b\",\"arms\":[\"A\",\"B\"]}"},
    {"inspect_learner", RIGHT_READ, "GET", "/v1/learners/tutor", NULL},
    {"change_learner", RIGHT_ADMIN, "PATCH", "/v1/learners/tutor", "{\"paused\":true}"},
    {"delete_learner", RIGHT_ADMIN, "DELETE", "/v1/learners/tutor", NULL},
    {"learner_history", RIGHT_READ, "GET", "/v1/learners/tutor/history", NULL},
    {"learner_versions", RIGHT_READ, "GET", "/v1/learners/tutor/versions", NULL},
    {"learner_decisions", RIGHT_READ, "GET", "/v1/learners/tutor/decisions", NULL},
    {"shadow_report", RIGHT_READ, "GET", "/v1/learners/tutor/shadow", NULL},
    {"export_learner", RIGHT_ADMIN, "GET", "/v1/learners/tutor/export", NULL},
    {"merge_learner", RIGHT_ADMIN, "POST", "/v1/learners/tutor/merge", "{\"saved\":\"x\"}"},
    {"add_arm", RIGHT_ADMIN, "POST", "/v1/learners/tutor/arms", "{\"arm\":\"new\"}"},
    {"retire_arm", RIGHT_ADMIN, "DELETE", "/v1/learners/tutor/arms/A", NULL},
    {"resume_transfer", RIGHT_ADMIN, "POST", "/v1/learners/tutor/resume", NULL},
    {"list_tasks", RIGHT_READ, "GET", "/v1/learners/tutor/tasks", NULL},
    {"open_task", RIGHT_DECIDE, "POST", "/v1/learners/tutor/tasks", "{\"task\":\"t\"}"},
    {"inspect_task", RIGHT_READ, "GET", "/v1/learners/tutor/tasks/t", NULL},
    {"erase_task", RIGHT_ADMIN, "DELETE", "/v1/learners/tutor/tasks/none", NULL},
    {"close_task", RIGHT_DECIDE, "POST", "/v1/learners/tutor/tasks/t/close", NULL},
    {"ask", RIGHT_DECIDE, "POST", "/v1/learners/tutor/ask", "{\"task\":\"t\"}"},
    {"tell", RIGHT_DECIDE, "POST", "/v1/tell", "{\"decision\":\"x\",\"reward\":1}"},
    {"healthz", RIGHT_NONE, "GET", "/healthz", NULL},
    {"readyz", RIGHT_NONE, "GET", "/readyz", NULL},
    {"metrics", RIGHT_READ, "GET", "/metrics", NULL},
    {"page", RIGHT_NONE, "GET", "/", NULL},
};

static void write_tokens(const char *text)
{
    FILE *file = fopen(own_path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int start_guarded(void **state)
{
    segue_service_config config = segue_service_defaults();
    (void)state;
    write_tokens(three);
    config.token_file = own_path;
    start_service_with(config);
    return 0;
}

/* Send a request with a token, or NULL; returns the status and copies caller and body. */
static int send_as(const char *secret, const char *method, const char *path, const char *body,
                   char caller[65], char text[512])
{
    char bearer[128];
    segue_response reply;
    segue_request request = request_of(method, path, body);
    (void)snprintf(bearer, sizeof bearer, "Bearer %s", secret ? secret : "");
    request.authorization = secret ? bearer : NULL;
    segue_service_handle_and_wait(service, &request, &reply);
    (void)snprintf(caller, 65, "%s", reply.caller);
    (void)snprintf(text, 512, "%.*s", (int)(reply.body.size < 500 ? reply.body.size : 500),
                   reply.body.data ? (const char *)reply.body.data : "");
    const int status = reply.status;
    segue_response_fini(&reply);
    return status;
}

static int status_as(const char *secret, const char *method, const char *path, const char *body)
{
    char caller[65], text[512];
    return send_as(secret, method, path, body, caller, text);
}

static void create_as_admin(void)
{
    assert_int_equal(status_as(tokens[RIGHT_ADMIN], "POST", "/v1/learners",
                               "{\"name\":\"tutor\",\"arms\":[\"A\",\"B\"],\"steps\":3}"),
                     201);
}

static void every_route_has_its_right(void **state)
{
    (void)state;
    assert_int_equal(sizeof routes / sizeof *routes, N_ROUTES);
    for (int i = 0; i < N_ROUTES; i++) {
        assert_string_equal(segue_route_name((segue_route)i), routes[i].name);
        assert_int_equal(segue_route_right((segue_route)i), routes[i].right);
    }
}

/* A lower right gets 403 and changes nothing; without a token it is 401. */
static void a_lower_right_is_rejected_and_named(void **state)
{
    char caller[65], text[512], says[64];
    (void)state;
    create_as_admin();
    for (size_t i = 0; i < N_ROUTES; i++)
        for (int right = RIGHT_NONE; right < (int)routes[i].right; right++) {
            const int status = send_as(tokens[right], routes[i].method, routes[i].path,
                                       routes[i].body, caller, text);
            (void)snprintf(says, sizeof says, "needs the right %s",
                           segue_right_name(routes[i].right));
            assert_int_equal(status, right == RIGHT_NONE ? 401 : 403);
            assert_string_equal(caller, right == RIGHT_NONE ? "" : right == RIGHT_READ ? "r" : "d");
            if (right != RIGHT_NONE && !strstr(text, says))
                fail_msg("%s: %s", routes[i].name, text);
        }
    assert_int_equal(status_as(tokens[RIGHT_READ], "GET", "/v1/learners/tutor/tasks/t", NULL), 404);
    assert_int_equal(status_as(tokens[RIGHT_READ], "GET", "/v1/learners/b", NULL), 404);
}

/* The right itself and all higher ones do. */
static void a_right_includes_lower_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROUTES; i++)
        for (int right = (int)routes[i].right; right <= RIGHT_ADMIN; right++) {
            const int status =
                status_as(tokens[right], routes[i].method, routes[i].path, routes[i].body);
            if (status == 401 || status == 403)
                fail_msg("%s as %s: %d", routes[i].name, segue_right_name((segue_right)right),
                         status);
        }
}

/* 400, 404 and 405 need a token; what is wrong with an administrative request only admin learns. */
static void a_wrong_request_needs_its_right_too(void **state)
{
    (void)state;
    assert_int_equal(status_as(tokens[RIGHT_DECIDE], "POST", "/v1/learners", "{"), 403);
    assert_int_equal(status_as(tokens[RIGHT_ADMIN], "POST", "/v1/learners", "{"), 400);
    assert_int_equal(status_as(tokens[RIGHT_READ], "PUT", "/v1/learners", NULL), 405);
    assert_int_equal(status_as(NULL, "PUT", "/v1/learners", NULL), 401);
    assert_int_equal(status_as(NULL, "POST", "/healthz", NULL), 401);
    assert_int_equal(status_as(NULL, "GET", "/healthz", "{}"), 401);
    assert_int_equal(status_as(tokens[RIGHT_READ], "GET", "/healthz", "{}"), 400);
}

static void a_reload_replaces_the_tokens(void **state)
{
    segue_error err;
    (void)state;
    write_tokens("r decide the-token-to-read\nnew admin another-token-of-the-test\n");
    assert_int_equal(segue_service_reload_tokens(service, &err), SEGUE_OK);
    assert_int_equal(status_as(tokens[RIGHT_READ], "POST", "/v1/tell", "{}"), 400);
    assert_int_equal(status_as(tokens[RIGHT_ADMIN], "GET", "/v1/learners", NULL), 401);
    assert_int_equal(status_as("another-token-of-the-test", "GET", "/v1/learners", NULL), 200);
}

static void a_broken_file_leaves_the_tokens(void **state)
{
    segue_error err;
    (void)state;
    write_tokens("new admin another-token-of-the-test\nr everything the-token-to-read\n");
    assert_int_equal(segue_service_reload_tokens(service, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "line 2: the second field is not a right"));
    assert_int_equal(status_as(tokens[RIGHT_ADMIN], "GET", "/v1/learners", NULL), 200);
    assert_int_equal(status_as("another-token-of-the-test", "GET", "/v1/learners", NULL), 401);
    assert_int_equal(remove(own_path), 0);
    assert_int_equal(segue_service_reload_tokens(service, &err), SEGUE_EFILE);
    assert_int_equal(status_as(tokens[RIGHT_READ], "GET", "/v1/learners", NULL), 200);
}

static segue_status init_with(const char *text, auth *a, segue_error *err)
{
    static const unsigned char key[16] = {1};
    write_tokens(text);
    return segue_auth_init(a, own_path, key, 2.0, err);
}

static void a_token_has_one_name_and_one_right(void **state)
{
    segue_error err;
    auth a;
    (void)state;
    assert_int_equal(init_with("r read the-token-to-read\nthe-token-to-read\n", &a, &err),
                     SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "line 2: the token of 'r' again"));
    assert_null(strstr(err.message, "the-token-to"));
    segue_auth_fini(&a);
    /* a file of tokens alone may repeat one, as it always could */
    assert_int_equal(init_with("the-token-to-read\nthe-token-to-read\n", &a, &err), SEGUE_OK);
    assert_int_equal(a.tokens.count, 1);
    segue_auth_fini(&a);
}

static void more_than_64_tokens_are_rejected(void **state)
{
    char text[65 * 24 + 1] = "";
    segue_error err;
    auth a;
    (void)state;
    for (int i = 0; i < 65; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "number-%d-of-the-test\n",
                       i);
    assert_int_equal(init_with(text, &a, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "line 65: there are more than 64 tokens"));
    segue_auth_fini(&a);
}

/* A reload gives no token a new bucket. */
static void a_reload_does_not_reset_the_rate(void **state)
{
    segue_request request = request_of("GET", "/v1/learners", NULL);
    segue_response reply = {.status = 200};
    segue_error err;
    size_t count = 9;
    auth a;
    (void)state;
    request.authorization = "Bearer the-token-to-read";
    assert_int_equal(init_with(three, &a, &err), SEGUE_OK);
    assert_true(segue_auth_allow(&a, &request, RIGHT_READ, 5.0, &reply));
    assert_true(segue_auth_allow(&a, &request, RIGHT_READ, 5.0, &reply));
    assert_int_equal(segue_auth_reload(&a, &count, &err), SEGUE_OK);
    assert_int_equal(count, 0); /* nothing has changed */
    assert_false(segue_auth_allow(&a, &request, RIGHT_READ, 5.0, &reply));
    assert_int_equal(reply.status, 429);
    assert_true(segue_auth_has_right(&a, request.authorization, RIGHT_READ));
    assert_false(segue_auth_has_right(&a, request.authorization, RIGHT_DECIDE));
    assert_false(segue_auth_has_right(&a, NULL, RIGHT_READ));
    segue_response_fini(&reply);
    segue_auth_fini(&a);
}

/* Without tokens every request is allowed. */
static void without_a_file_nothing_is_rejected(void **state)
{
    char caller[65], text[512];
    (void)state;
    assert_int_equal(send_as(NULL, "POST", "/v1/learners",
                             "{\"name\":\"x\",\"arms\":[\"A\",\"B\"]}", caller, text),
                     201);
    assert_string_equal(caller, "");
    assert_true(segue_service_has_right(service, NULL, RIGHT_ADMIN));
}

#define GUARDED(test) cmocka_unit_test_setup_teardown(test, start_guarded, stop_service)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_has_its_right),
        GUARDED(a_lower_right_is_rejected_and_named),
        GUARDED(a_right_includes_lower_ones),
        GUARDED(a_wrong_request_needs_its_right_too),
        GUARDED(a_reload_replaces_the_tokens),
        GUARDED(a_broken_file_leaves_the_tokens),
        cmocka_unit_test(a_token_has_one_name_and_one_right),
        cmocka_unit_test(more_than_64_tokens_are_rejected),
        cmocka_unit_test(a_reload_does_not_reset_the_rate),
        SERVED(without_a_file_nothing_is_rejected),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
