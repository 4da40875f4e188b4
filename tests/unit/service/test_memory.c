/* test_memory.c - what the service counts of its memory, beside malloc's own numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <malloc.h>

#include "service/engine/service_internal.h"

static segue_service *service;

static int start(void **state)
{
    (void)state;
    segue_error err;
    segue_service_config config = segue_service_defaults();
    config.store = "sqlite::memory:";
    config.max_memory = UINT64_C(8) << 30;
    if (segue_service_create(&service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    segue_service_destroy(service);
    return 0;
}

static int request(const char *method, const char *path, const char *body)
{
    segue_response reply;
    const segue_request wanted = {.own = true,
                                  .method = method,
                                  .path = path,
                                  .content_type = "application/json",
                                  .body = body,
                                  .size = strlen(body)};
    segue_service_handle_and_wait(service, &wanted, &reply);
    const int status = reply.status;
    segue_response_fini(&reply);
    return status;
}

static void create(const char *learner, size_t n_arms, const char *more)
{
    char body[16384];
    int size = snprintf(body, sizeof body, "{\"name\":\"%s\",%s,\"arms\":[", learner, more);
    for (size_t i = 0; i < n_arms; i++)
        size += snprintf(body + size, sizeof body - (size_t)size, "%s\"%zu\"", i ? "," : "", i);
    (void)snprintf(body + size, sizeof body - (size_t)size, "]}");
    assert_int_equal(request("POST", "/v1/learners", body), 201);
}

static void open_tasks(const char *learner, int from, int to)
{
    char path[64], body[64];
    (void)snprintf(path, sizeof path, "/v1/learners/%s/tasks", learner);
    for (int i = from; i < to; i++) {
        (void)snprintf(body, sizeof body, "{\"task\":\"a-key-of-24-characters%d\"}", i);
        assert_int_equal(request("POST", path, body), 201);
    }
}

static double allocated(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* The store is in memory, too, with about 100 bytes per task. */
static void compare(const char *more, size_t n_arms, int count)
{
    create("l", n_arms, more);
    open_tasks("l", 0, 10);
    const double really = allocated(), counted = (double)atomic_load(&service->memory.of_learners);
    if (really <= 0.0)
        skip(); /* a sanitizer's malloc tells nothing */
    open_tasks("l", 10, 10 + count);
    const double ratio =
        ((double)atomic_load(&service->memory.of_learners) - counted) / (allocated() - really);
    if (!(ratio > 0.8 && ratio < 1.25))
        fail_msg("%s, %zu arms: counted %.3f of what is allocated", more, n_arms, ratio);
}

static void counts_tasks_of_tts(void **state)
{
    (void)state;
    compare("\"steps\":0,\"control\":0", 2, 3000);
}

static void counts_tasks_of_tla(void **state)
{
    (void)state;
    compare("\"steps\":1000,\"control\":0", 7, 1000);
}

static void counts_tasks_of_many_arms(void **state)
{
    (void)state;
    compare("\"steps\":1000,\"control\":0", 1000, 60);
}

static void counts_control_tasks(void **state)
{
    (void)state;
    compare("\"steps\":1000,\"control\":1", 20, 3000);
}

static void counts_tasks_of_tucb(void **state)
{
    (void)state;
    compare("\"steps\":1000,\"control\":0,\"method\":\"tucb:models=2\"", 4, 1000);
}

static void what_is_closed_or_deleted_is_counted_no_more(void **state)
{
    char path[96];
    (void)state;
    const unsigned long long before = atomic_load(&service->memory.of_learners);
    create("l", 100, "\"steps\":1000,\"control\":0");
    const unsigned long long empty = atomic_load(&service->memory.of_learners);
    assert_true(empty > before);
    open_tasks("l", 0, 200);
    const unsigned long long full = atomic_load(&service->memory.of_learners);
    assert_true(full > empty + 200ULL * 10000);
    for (int i = 0; i < 200; i++) {
        (void)snprintf(path, sizeof path, "/v1/learners/l/tasks/a-key-of-24-characters%d/close", i);
        assert_int_equal(request("POST", path, "{}"), 200);
    }
    assert_true(atomic_load(&service->memory.of_learners) < empty + (full - empty) / 2);
    assert_int_equal(request("DELETE", "/v1/learners/l", ""), 200);
    assert_true(atomic_load(&service->memory.of_learners) == before);
    assert_true(atomic_load(&service->memory.of_requests) == 0);
}

static void reads_sizes(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "x", "32MB", "31M", "-1G", "1e30G", "nan", "32 M"};
    uint64_t size = 0;
    assert_int_equal(segue_memory_parse("33554432", &size, NULL), SEGUE_OK);
    assert_true(size == SEGUE_MIN_MEMORY);
    assert_int_equal(segue_memory_parse("1.5g", &size, NULL), SEGUE_OK);
    assert_true(size == UINT64_C(3) << 29);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_not_equal(segue_memory_parse(wrong[i], &size, NULL), SEGUE_OK);
    assert_true(segue_memory_default() >= SEGUE_MIN_MEMORY);
    assert_true(segue_memory_resident() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_tasks_of_tts, start, stop),
        cmocka_unit_test_setup_teardown(counts_tasks_of_tla, start, stop),
        cmocka_unit_test_setup_teardown(counts_tasks_of_many_arms, start, stop),
        cmocka_unit_test_setup_teardown(counts_control_tasks, start, stop),
        cmocka_unit_test_setup_teardown(counts_tasks_of_tucb, start, stop),
        cmocka_unit_test_setup_teardown(what_is_closed_or_deleted_is_counted_no_more, start, stop),
        cmocka_unit_test(reads_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
