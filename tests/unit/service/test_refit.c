/* test_refit.c - a background refit that fails is reported, counted, and tried again.
 *
 * The linker puts a function of this file before segue_refit_run: while some refits are to fail,
 * all allocations of a refit do.  The learner is tucb: a refit of types allocates nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdatomic.h>

#include "calls.h"

static atomic_bool memory_is_out; /* the test has one thread; libraries may have others */
static int failing_refits;        /* how many of the next refits fail */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
segue_status __real_segue_refit_run(segue_refit *refit, segue_error *err);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
segue_status __wrap_segue_refit_run(segue_refit *refit, segue_error *err);

void *__wrap_malloc(size_t size)
{
    return atomic_load(&memory_is_out) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return atomic_load(&memory_is_out) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return atomic_load(&memory_is_out) ? NULL : __real_realloc(block, size);
}

segue_status __wrap_segue_refit_run(segue_refit *refit, segue_error *err)
{
    atomic_store(&memory_is_out, failing_refits > 0);
    const segue_status status = __real_segue_refit_run(refit, err);
    failing_refits -= atomic_load(&memory_is_out);
    atomic_store(&memory_is_out, false);
    return status;
}

/* ---- what the operator reads ------------------------------------------------------------- */

enum { REPORTS = 8 };
static char reported[REPORTS][SEGUE_ERROR_SIZE];
static int reports;

static void report(void *context, const char *message)
{
    (void)context;
    assert_true(reports < REPORTS);
    (void)snprintf(reported[reports++], SEGUE_ERROR_SIZE, "%s", message);
}

static void report_has(int which, const char *text)
{
    assert_true(which < reports);
    if (!strstr(reported[which], text))
        fail_msg("reported '%s', which lacks '%s'", reported[which], text);
}

enum { STEPS = 12 };

/* Tasks until the learner was fitted, or tried to, so often. */
static void learn(segue_service *service, double refits, double failures)
{
    static int task = 0;
    char id[SEGUE_DECISION_ID_LENGTH + 1], name[32];
    for (int i = 0; i < 1000; i++) {
        if (call_metric(service, "segue_refits_total") >= refits &&
            call_metric(service, "segue_refit_failures_total") >= failures)
            return;
        (void)snprintf(name, sizeof name, "s%d", task++);
        for (int step = 0; step < STEPS; step++) { /* tucb learns from three of each arm */
            call_ask(service, name, id);
            call_tell(service, 200, id, (task + step) % 2);
        }
    }
    fail_msg("no refit in 1000 tasks");
}

static void a_failed_refit_is_reported_once_and_tried_again(void **state)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    (void)state;
    config.store = "sqlite::memory:";
    config.report = report;
    assert_ok(segue_service_create(&service, &config, NULL));
    call_create(service, ",\"method\":\"tucb:models=2\",\"steps\":12");
    learn(service, 1, 0);
    assert_int_equal(reports, 0);
    failing_refits = 3;
    learn(service, 2, 3); /* with the same call: it is tried again until it works */
    assert_int_equal(failing_refits, 0);
    assert_near(call_metric(service, "segue_refit_failures_total"), 3.0, 0.0);
    assert_int_equal(reports, 2);
    report_has(0, "the refit of learner 'l' failed");
    report_has(0, "out of memory");
    report_has(1, "the refit of learner 'l' works again");
    learn(service, 3, 3);
    assert_int_equal(reports, 2);
    segue_service_destroy(service);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_refit_is_reported_once_and_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
