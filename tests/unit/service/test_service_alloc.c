/* test_service_alloc.c - logs, connections, model histories and the service survive failing
 * allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

#include "alloc.h"
#include "io/encode.h"
#include "service/api/http/connections.h"
#include "service/engine/service_internal.h"
#include "service/jobs/log_writer.h"
#include "service/state/recovery/store_check.h"

static const double mean[] = {0.1, 0.5, 0.9, 0.8, 0.2, 0.3};

/* Play some tasks. */
static segue_status play_some(segue_learner *learner, size_t tasks, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t j = 0; j < tasks && status == SEGUE_OK; j++) {
        segue_task *task = NULL;
        status = segue_learner_open_task(learner, &task, err);
        for (size_t t = 0; t < 12 && status == SEGUE_OK; t++)
            status = segue_task_tell(task, t % 3, mean[j % 2 * 3 + t % 3], err);
        if (status == SEGUE_OK)
            status = segue_learner_close_task(learner, &task, err);
    }
    return status;
}

/* Send a request; false: it was rejected for lack of memory.  The id of a decision goes to `id`. */
static bool served(segue_service *service, const char *method, const char *path, const char *body,
                   char *id)
{
    segue_response reply;
    const segue_request request = {.own = true,
                                   .method = method,
                                   .path = path,
                                   .content_type = "application/json",
                                   .body = body,
                                   .size = strlen(body)};
    segue_service_handle_and_wait(service, &request, &reply);
    const unsigned char *found =
        reply.status == 200 && reply.body.size > 0 && !reply.body.failed
            ? memmem(reply.body.data, reply.body.size, "\"decision\":\"", 12)
            : NULL;
    for (size_t i = 0; found && id && i < SEGUE_MAX_DECISION_ID_LENGTH; i++) {
        id[i] = found[12 + i] == '"' ? '\0' : (char)found[12 + i];
        id[i + 1] = '\0';
        if (!id[i])
            break;
    }
    const bool fine = reply.status < 300 || reply.status == 503 || reply.body.failed;
    segue_response_fini(&reply);
    return fine;
}

/* Ask, and tell the reward if the ask gave an id, `count` times. */
static bool serve_tasks(segue_service *service, char name, int count, const char *more)
{
    char body[256], id[SEGUE_MAX_DECISION_ID_LENGTH + 1] = "";
    bool fine = true;
    for (int i = 0; i < count && fine && !segue_service_needs_restart(service); i++) {
        id[0] = '\0';
        (void)snprintf(body, sizeof body, "{\"task\":\"%c%d\"%s}", name, i, more);
        fine = served(service, "POST", "/v1/learners/l/ask", body, id);
        (void)snprintf(body, sizeof body,
                       i % 2 ? "{\"rewards\":[{\"decision\":\"%s\",\"reward\":1}]}"
                             : "{\"decision\":\"%s\",\"reward\":1}",
                       id);
        if (fine && id[0])
            fine = served(service, "POST", "/v1/tell", body, NULL);
    }
    return fine;
}

static segue_status begin(segue_service **out, segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    config.store = "sqlite::memory:";
    return segue_service_create(out, &config, err);
}

/* Check and destroy the service; ENOMEM if an allocation failed and all is well. */
static segue_status end(segue_service *service, bool fine, segue_error *err)
{
    segue_store_check_result checked;
    const bool failed = alloc_has_failed();
    alloc_stop_failing();
    const segue_status status =
        fine ? segue_store_check_run(service->store, &checked, err) : SEGUE_EDOMAIN;
    segue_service_destroy(service);
    return status == SEGUE_OK && failed ? segue_fail(err, SEGUE_ENOMEM, "as it should") : status;
}

/* Requests are answered or rejected, and recovery from the event log gives the same learners. */
static segue_status serve_scenario(segue_error *err)
{
    segue_service *service = NULL;
    SEGUE_TRY(begin(&service, err));
    bool fine = served(service, "POST", "/v1/learners",
                       "{\"name\":\"l\",\"arms\":[\"A\",\"B\"],\"steps\":1,\"reward_deadline\":9,"
                       "\"default_reward\":0,\"control\":0.5}",
                       NULL);
    const bool there = alloc_has_failed() == 0;
    if (there)
        fine = fine && serve_tasks(service, 's', 2, "") &&
               serve_tasks(service, 't', 3,
                           ",\"event\":\"e\",\"probability\":true,\"explain\":true") &&
               served(service, "POST", "/v1/learners/l/arms", "{\"arm\":\"C\"}", NULL) &&
               served(service, "PATCH", "/v1/learners/l", "{\"steps\":2,\"control\":0}", NULL) &&
               serve_tasks(service, 'u', 5, ",\"exclude\":[\"A\"],\"count\":1");
    if (there && alloc_has_failed() == 0)
        fine = fine && served(service, "DELETE", "/v1/learners/l/arms/A", "", NULL) &&
               served(service, "GET", "/v1/learners/l", "", NULL) &&
               served(service, "GET", "/v1/learners/l/tasks", "", NULL) &&
               served(service, "GET", "/v1/learners/l/history", "", NULL) &&
               served(service, "GET", "/v1/learners/l/versions", "", NULL) &&
               served(service, "GET", "/v1/learners/l/decisions", "", NULL) &&
               served(service, "GET", "/v1/learners", "", NULL) &&
               served(service, "GET", "/v1/learners/l/tasks/s1", "", NULL) &&
               served(service, "GET", "/metrics", "", NULL);
    return end(service, fine, err);
}

/* Several rewards per decision are stored or rejected, and each reward is that of its parts. */
static segue_status aggregate_scenario(segue_error *err)
{
    char body[256], id[SEGUE_LONG_DECISION_ID_LENGTH + 1] = "";
    segue_service *service = NULL;
    SEGUE_TRY(begin(&service, err));
    bool fine = served(service, "POST", "/v1/learners",
                       "{\"name\":\"l\",\"arms\":[\"A\",\"B\"],\"aggregate\":\"sum\"}", NULL);
    const bool there = alloc_has_failed() == 0;
    for (int i = 0; there && i < 9 && fine && !segue_service_needs_restart(service); i++) {
        id[0] = '\0';
        fine = served(service, "POST", "/v1/learners/l/ask", "{\"task\":\"s\"}", id);
        for (int k = 0; k < 2 && fine && id[0]; k++) {
            (void)snprintf(body, sizeof body,
                           "{\"decision\":\"%s\",\"reward\":0.25,\"event\":\"e%d\"}", id, k);
            fine = served(service, "POST", "/v1/tell", body, NULL);
        }
    }
    if (there && fine && alloc_has_failed() == 0)
        fine = served(service, "POST", "/v1/learners/l/tasks/s/close", "{}", NULL);
    return end(service, fine, err);
}

/* In shadow mode requests are answered or rejected, and the store is sound. */
static segue_status shadow_scenario(segue_error *err)
{
    segue_service *service = NULL;
    SEGUE_TRY(begin(&service, err));
    bool fine = served(service, "POST", "/v1/learners",
                       "{\"name\":\"l\",\"arms\":[\"A\",\"B\"],\"steps\":1,"
                       "\"mode\":\"shadow\",\"reward_deadline\":9,\"default_reward\":0}",
                       NULL);
    if (alloc_has_failed() == 0)
        fine = fine &&
               serve_tasks(service, 's', 2, ",\"chosen\":\"A\",\"chosen_probability\":0.5") &&
               serve_tasks(service, 't', 2, ",\"event\":\"e\",\"chosen\":\"B\",\"explain\":true") &&
               served(service, "GET", "/v1/learners/l/shadow", "", NULL);
    return end(service, fine, err);
}

static void shadow_mode_survives_every_failing_allocation(void **state)
{
    (void)state;
    alloc_fail_some(shadow_scenario, 100, repeats(50) < 50 ? 29 : 1);
}

static char saved_body[16384]; /* of a request that brings a saved learner */
static char merge_body[16400]; /* of one that merges it */

/* A learner from a saved one is created or rejected, and the store is sound. */
static segue_status saved_scenario(segue_error *err)
{
    segue_service *service = NULL;
    SEGUE_TRY(begin(&service, err));
    bool fine = served(service, "POST", "/v1/learners", saved_body, NULL);
    if (alloc_has_failed() == 0)
        fine = fine && serve_tasks(service, 's', 2, "") &&
               served(service, "POST", "/v1/learners/l/merge", merge_body, NULL) &&
               served(service, "GET", "/v1/learners/l/export", "", NULL);
    return end(service, fine, err);
}

static void a_saved_learner_survives_every_failing_allocation(void **state)
{
    static const char *const names[] = {"A", "B", "C"};
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    segue_bytes b = {.data = NULL};
    (void)state;
    config.n_arms = 3;
    config.horizon = 1;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    assert_ok(play_some(learner, 20, NULL));
    assert_ok(segue_learner_name_arms(learner, names, NULL));
    segue_learner_serialize(learner, &b);
    const size_t used = (size_t)sprintf(saved_body, "{\"name\":\"l\",\"saved\":\"");
    const size_t length = SEGUE_ENCODE_BASE64_LENGTH(b.size);
    assert_true(used + length + 3 <= sizeof saved_body);
    (void)segue_encode_base64(saved_body + used, b.data, b.size);
    (void)strcpy(saved_body + used + length, "\"}");
    (void)snprintf(merge_body, sizeof merge_body, "{\"force\":true%s", saved_body + 11);
    segue_bytes_fini(&b);
    segue_learner_destroy(learner);
    alloc_fail_some(saved_scenario, 100, repeats(50) < 50 ? 29 : 1);
}

/* Learners and tasks are made before they are stored: whatever fails, the service goes on. */
static segue_status open_scenario(segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    segue_store_check_result checked;
    config.store = "sqlite::memory:";
    config.max_memory = SEGUE_MIN_MEMORY;
    segue_status status = segue_service_create(&service, &config, err);
    if (status != SEGUE_OK)
        return status;
    bool fine = served(service, "POST", "/v1/learners",
                       "{\"name\":\"l\",\"arms\":[\"A\",\"B\",\"C\",\"D\",\"E\",\"F\"],"
                       "\"steps\":9,\"reward_deadline\":9,\"default_reward\":0,\"control\":0.5}",
                       NULL);
    if (alloc_has_failed() == 0)
        fine = fine && serve_tasks(service, 's', 3, "") &&
               served(service, "POST", "/v1/learners/l/tasks", "{\"task\":\"p\"}", NULL) &&
               serve_tasks(service, 's', 2, ",\"count\":600,\"explain\":true") &&
               serve_tasks(service, 't', 2, ",\"event\":\"e\",\"count\":600") &&
               serve_tasks(service, 't', 2, ",\"event\":\"e\",\"count\":600,\"explain\":true") &&
               served(service, "GET", "/v1/learners/l/tasks/s1", "", NULL);
    const bool failed = alloc_has_failed();
    alloc_stop_failing();
    fine = fine && !segue_service_needs_restart(service);
    status = fine ? segue_store_check_run(service->store, &checked, err) : SEGUE_EDOMAIN;
    segue_service_destroy(service);
    return status == SEGUE_OK && failed ? segue_fail(err, SEGUE_ENOMEM, "as it should") : status;
}

static segue_status copy_versions(const segue_model_history *versions, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_model_history back = {.count = 0};
    segue_model_history_serialize(versions, &b);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    const segue_status status = b.failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory to save")
                                         : segue_model_history_deserialize(&back, &r, err);
    segue_model_history_fini(&back);
    segue_bytes_fini(&b);
    return status;
}

/* Versions of a learner are noted after every task, saved and loaded. */
static segue_status versions_scenario(segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    segue_model_history versions = {.count = 0};
    segue_learner *learner = NULL;
    config.method = "tts";
    config.n_arms = 3;
    config.horizon = 12;
    segue_status status = segue_learner_create(&learner, &config, err);
    for (int i = 0; i < 9 && status == SEGUE_OK; i++) {
        status = play_some(learner, 1, err);
        if (status == SEGUE_OK)
            status = segue_model_history_add(&versions, learner, err);
    }
    if (status == SEGUE_OK)
        status = versions.count > 0 ? copy_versions(&versions, err) : SEGUE_EDOMAIN;
    segue_model_history_fini(&versions);
    segue_learner_destroy(learner);
    return status;
}

static int no_notice(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped)
{
    (void)line;
    (void)dropped;
    return 0;
}

static segue_status writer_scenario(segue_error *err)
{
    segue_log_writer *log = NULL;
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const segue_status status = segue_log_writer_create(&log, fd, no_notice, err);
    if (status == SEGUE_OK)
        assert_true(segue_log_writer_append(log, "line\n", 5));
    assert_int_equal(segue_log_writer_destroy(log, 60.0), 0);
    assert_int_equal(close(fd), 0);
    return status;
}

static segue_service *quiet_service; /* of connections_scenario, made while nothing fails */

/* A connection that cannot be entered is refused, and leaves nothing behind. */
static segue_status connections_scenario(segue_error *err)
{
    const segue_connections_config config = {
        .limit = 8, .per_address = 2, .request_timeout = 60.0, .idle_timeout = 60.0};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    union {
        struct sockaddr_in6 *six;
        const struct sockaddr *any;
    } from = {&address};
    segue_connections *all = NULL;
    segue_status status = segue_connections_create(&all, quiet_service, &config, err);
    for (unsigned char i = 1; i <= 3 && status == SEGUE_OK; i++) {
        address.sin6_addr.s6_addr[0] = i;
        segue_connection *one = segue_connections_add(all, -1, from.any);
        segue_connections_set_reading(one);
        segue_connections_set_idle(one);
        segue_connections_remove(all, one);
        if (!one)
            status = segue_fail(err, SEGUE_ENOMEM, "a connection was refused");
    }
    segue_connections_destroy(all);
    return status;
}

static void logs_and_connections_survive_every_failing_allocation(void **state)
{
    segue_service_config config = segue_service_defaults();
    segue_error err;
    (void)state;
    config.store = "sqlite::memory:";
    assert_int_equal(segue_service_create(&quiet_service, &config, &err), SEGUE_OK);
    alloc_fail_each(writer_scenario, 4);
    alloc_fail_each(connections_scenario, 6);
    segue_service_destroy(quiet_service);
}

static void model_histories_survive_every_failing_allocation(void **state)
{
    (void)state;
    alloc_fail_each(versions_scenario, 40);
}

static void the_service_survives_every_failing_allocation(void **state)
{
    (void)state;
    alloc_fail_some(serve_scenario, 100, repeats(50) < 50 ? 29 : 1); /* few under valgrind */
}

static void several_rewards_survive_failing_allocations(void **state)
{
    (void)state;
    alloc_fail_some(aggregate_scenario, 100, repeats(50) < 50 ? 97 : 7);
}

static void opening_tasks_never_stops_the_service(void **state)
{
    (void)state;
    alloc_fail_some(open_scenario, 100, repeats(50) < 50 ? 29 : 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_and_connections_survive_every_failing_allocation),
        cmocka_unit_test(model_histories_survive_every_failing_allocation),
        cmocka_unit_test(the_service_survives_every_failing_allocation),
        cmocka_unit_test(several_rewards_survive_failing_allocations),
        cmocka_unit_test(opening_tasks_never_stops_the_service),
        cmocka_unit_test(a_saved_learner_survives_every_failing_allocation),
        cmocka_unit_test(shadow_mode_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
