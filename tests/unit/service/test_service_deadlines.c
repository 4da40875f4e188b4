/* test_service_deadlines.c - deadlines of rewards, default rewards, idle tasks and the clock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "service/engine/commit_queue.h"
#include "service/jobs/timer.h"
#include "store/rows.h"
#include "store/sqlite/sqlite.h"
#include "tutor.h"

static void a_late_reward_is_ignored(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], first_id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor(",\"reward_deadline\":10");
    ask_id("s", id);
    ask_id("s", first_id);
    expect_tell("counted", first_id, 1.0);
    clock_now += 11;
    json_decref(tell_id(410, id, 1.0));
    expect_tell("duplicate", first_id, 1.0);
    json_decref(tell_id(409, first_id, 0.0));
}

static void a_default_reward_counts_when_the_deadline_passes(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1], first_id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_id("s", id);
    ask_id("s", first_id);
    expect_tell("counted", first_id, 1.0);
    clock_now += 5;
    segue_timer_tick(service); /* keeps it on the disk */
    segue_service_run_pending(service);
    clock_now += 6;
    segue_timer_tick(service);
    segue_service_run_pending(service);
    json_t *answer = fetch_ok(200, "GET", "/v1/learners/tutor/tasks/s", NULL);
    assert_int_equal(integer_at(answer, "rewards", NULL), 2);
    assert_true(fabs(json_number_value(json_object_get(answer, "reward_per_step")) - 0.75) < 1e-12);
    json_decref(answer);
    json_decref(tell_id(410, id, 1.0));
    expect_tell("duplicate", first_id, 1.0);
}

/* Stored decisions of the first learner that have a deadline. */
static size_t n_pending(void)
{
    segue_rows rows;
    segue_stored_decision row;
    segue_rows_open(&rows, service->store,
                    &(segue_query){.kind = SEGUE_QUERY_PENDING_DECISIONS, .id = 1}, NULL);
    while (segue_rows_next_decision(&rows, &row))
        continue;
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    return rows.count;
}

static void all_pending_decisions_are_stored(void **state)
{
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_many("s", 300);
    segue_timer_tick(service);
    segue_timer_tick(service); /* before the first is stored */
    ask_many("s", 300);
    segue_timer_tick(service);
    segue_service_run_pending(service);
    assert_int_equal(n_pending(), 600);
}

static void default_rewards_survive_a_full_disk(void **state)
{
    segue_error err;
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_many("s", 1000);
    clock_now += 11;
    fill_disk();
    for (int tick = 0; tick < 3; tick++) {
        segue_timer_tick(service);
        segue_service_run_pending(service);
    }
    expect_rewards("s", 0);
    assert_ok(segue_sqlite_limit_pages(service->store, 0, &err));
    segue_timer_tick(service);
    segue_service_run_pending(service);
    expect_rewards("s", 1000);
}

static void decisions_of_closed_tasks_have_no_deadline(void **state)
{
    char task[32], path[64];
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5");
    for (int i = 0; i < 50; i++) {
        (void)snprintf(task, sizeof task, "s%d", i);
        ask_many(task, 100);
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s/close", task);
        expect(200, "POST", path, NULL);
    }
    learner_state *tutor = segue_service_find(service, "tutor");
    assert_true(tutor->deadlines.capacity <= 256);
    pass_time(0, 0);
    assert_int_equal(tutor->deadlines.count, 0);
    segue_learner_state_release(tutor);
}

/* 3,000 default rewards are due; 1,000 count per tick. */
static void an_idle_task_gets_its_default_rewards_first(void **state)
{
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5,\"idle\":10");
    for (int i = 0; i < 3; i++)
        ask_many("s", 1000);
    clock_now += 11;
    for (int tick = 0; tick < 3; tick++) {
        segue_timer_tick(service);
        segue_service_run_pending(service);
    }
    expect_rewards("s", 3000);
    assert_int_equal(segue_service_open_tasks(service), 1);
    pass_time(11, 0);
}

static void an_ask_stops_the_close_of_an_idle_task(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor(",\"idle\":60");
    ask_id("s", id);
    clock_now += 61;
    segue_timer_tick(service); /* it is to be closed, and is not yet */
    ask_id("s", id);
    segue_service_run_pending(service);
    expect_tell("counted", id, 1.0);
}

static void the_clock_may_be_set_back(void **state)
{
    (void)state;
    create_tutor(",\"idle\":60");
    tell_new("s", 1.0);
    pass_time(1, 1);
    wall_offset -= 500;
    pass_time(0, 1);
    pass_time(59, 1);
    pass_time(2, 0);
}

static void default_rewards_count_after_the_clock_was_set_back(void **state)
{
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5,\"idle\":20");
    ask_many("s", 5);
    wall_offset -= 500;
    ask_many("t", 5);
    pass_time(0, 2);
    pass_time(11, 2);
    expect_rewards("s", 5);
    expect_rewards("t", 5);
}

/* While the disk fails, a job is in the queue once. */
static void jobs_do_not_pile_up(void **state)
{
    (void)state;
    create_tutor(",\"idle\":60");
    tell_new("s", 1.0);
    tell_new("t", 1.0);
    atomic_store(&service->store_unwritable, true);
    for (int i = 0; i < 20; i++) {
        clock_now += 61;
        segue_timer_tick(service);
    }
    assert_int_equal(segue_commit_queue_length(&service->queue), 3); /* two ends, and a probe */
    pass_time(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_late_reward_is_ignored),
        SERVED(a_default_reward_counts_when_the_deadline_passes),
        SERVED(all_pending_decisions_are_stored),
        SERVED(default_rewards_survive_a_full_disk),
        SERVED(decisions_of_closed_tasks_have_no_deadline),
        SERVED(an_idle_task_gets_its_default_rewards_first),
        SERVED(an_ask_stops_the_close_of_an_idle_task),
        SERVED(the_clock_may_be_set_back),
        SERVED(default_rewards_count_after_the_clock_was_set_back),
        SERVED(jobs_do_not_pile_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
