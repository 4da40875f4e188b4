/* test_uncommitted.c - decisions with a deadline that are not stored yet: how many there may
 * be, and how fast they are stored.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "calls.h"
#include "service/jobs/timer.h"

enum { MAX_UNSTORED = 50000 }; /* as docs/service.md says */

static double steady_now; /* stands still in a transaction: it then stores as many as it may */

static double steady(void)
{
    return steady_now;
}

static segue_service *service;

static int set_up(void **state)
{
    segue_service_config config = segue_service_defaults();
    (void)state;
    config.store = "sqlite::memory:";
    config.steady = steady;
    return segue_service_create(&service, &config, NULL) == SEGUE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    segue_service_destroy(service);
    return 0;
}

static void ask_thousand(int status, const char *learner, const char *more)
{
    char path[64], body[128], out[CALL_BODY];
    (void)snprintf(path, sizeof path, "/v1/learners/%s/ask", learner);
    (void)snprintf(body, sizeof body, "{\"task\":\"s\",\"count\":1000%s}", more);
    call(service, status, "POST", path, body, out);
    if (status == 503)
        assert_non_null(strstr(out, "decisions with a default reward are not stored yet"));
}

static void unstored_are(double count)
{
    assert_near(call_metric(service, "segue_unstored_decisions"), count, 0.0);
}

static void fill_up(void)
{
    call_create(service, ",\"reward_deadline\":60,\"default_reward\":0,\"method\":\"tts\"");
    for (int i = 0; i < MAX_UNSTORED / 1000; i++)
        ask_thousand(200, "l", "");
    unstored_are(MAX_UNSTORED);
    ask_thousand(503, "l", "");
}

static void store_all(void)
{
    segue_timer_tick(service);
    segue_service_run_pending(service);
}

static void asks_go_on_when_they_are_stored(void **state)
{
    (void)state;
    fill_up();
    store_all();
    unstored_are(0);
    ask_thousand(200, "l", "");
    unstored_are(1000);
}

/* One tick is enough, and the transactions are large. */
static void a_burst_takes_few_transactions(void **state)
{
    (void)state;
    fill_up();
    const double before = call_metric(service, "segue_transactions_total");
    store_all();
    const double groups = call_metric(service, "segue_transactions_total") - before;
    assert_true(groups >= 1.0 && groups <= 4.0);
    steady_now += 61.0;
    segue_timer_tick(service);
    segue_service_run_pending(service);
    assert_near(call_metric(service, "segue_defaults_total"), 1000.0, 0.0); /* of one tick */
}

/* Asks that are stored before the response, or have no deadline, are not limited. */
static void other_asks_are_not_refused(void **state)
{
    char out[CALL_BODY];
    (void)state;
    fill_up();
    ask_thousand(200, "l", ",\"event\":\"e\"");
    call(service, 201, "POST", "/v1/learners",
         "{\"name\":\"without\",\"arms\":[\"A\",\"B\"],\"method\":\"tts\"}", out);
    ask_thousand(200, "without", "");
}

static void those_of_closed_tasks_and_deleted_learners_do_not_count(void **state)
{
    char out[CALL_BODY];
    (void)state;
    fill_up();
    call(service, 200, "POST", "/v1/learners/l/tasks/s/close", NULL, out);
    segue_timer_tick(service);
    unstored_are(0);
    call(service, 201, "POST", "/v1/learners",
         "{\"name\":\"m\",\"arms\":[\"A\",\"B\"],\"method\":\"tts\",\"reward_deadline\":60,"
         "\"default_reward\":0}",
         out);
    ask_thousand(200, "m", "");
    unstored_are(1000);
    call(service, 200, "DELETE", "/v1/learners/m", NULL, out);
    unstored_are(0);
}

int main(void)
{
#define SERVED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SERVED(asks_go_on_when_they_are_stored),
        SERVED(a_burst_takes_few_transactions),
        SERVED(other_asks_are_not_refused),
        SERVED(those_of_closed_tasks_and_deleted_learners_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
