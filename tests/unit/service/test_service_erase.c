/* test_service_erase.c - a task is erased, or with a full disk nothing has changed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/engine/service_internal.h"
#include "service/state/recovery/store_check.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

#define TASK "/v1/learners/tutor/tasks/t"

static void check_store(void)
{
    segue_store_check_result found;
    segue_error err;
    if (segue_store_check_run(service->store, &found, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

/* An erasure stores more than it frees: some fit into the pages that there are. */
static void a_full_disk_erases_nothing(void **state)
{
    enum { TASKS = 400 };
    char path[80] = "", name[16];
    segue_error err;
    int n = 0;
    (void)state;
    create_tutor("");
    for (int i = 0; i < TASKS; i++) {
        (void)snprintf(name, sizeof name, "t%d", i);
        tell_new(name, 1.0);
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/t%d/close", i);
        expect(200, "POST", path, NULL);
    }
    fill_disk();
    for (last_status = 200; n < TASKS && last_status == 200; n++) {
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/t%d", n);
        json_decref(fetch("DELETE", path, NULL));
    }
    assert_int_equal(last_status, 503);
    expect(200, "GET", path, NULL);
    check_store();
    assert_int_equal(segue_sqlite_limit_pages(service->store, 0, &err), SEGUE_OK);
    expect(200, "DELETE", path, NULL);
    expect(404, "GET", path, NULL);
    check_store();
}

static void an_open_task_is_discarded_and_can_be_opened_again(void **state)
{
    (void)state;
    create_tutor("");
    tell_new("t", 1.0);
    expect(200, "DELETE", TASK, NULL);
    expect(404, "DELETE", TASK, NULL);
    tell_new("t", 0.0);
    expect_rewards("t", 1);
    check_store();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_full_disk_erases_nothing),
        SERVED(an_open_task_is_discarded_and_can_be_opened_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
