/* test_store_conformance.c - what every backend must do: transactions, uniqueness, cursors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "store_backends.h"

/* ---- transactions ------------------------------------------------------------------------ */

static void a_rollback_leaves_nothing(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    segue_store_rollback(own_store);
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_NEWEST_TASKS, learner), 0);
    segue_store_rollback(own_store); /* without a transaction it does nothing */
}

static void a_commit_survives_the_handle(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    commit();
    segue_store_close(own_reader);
    segue_store_close(own_store);
    own_store = open_store("a", SEGUE_STORE_CHANGE);
    own_reader = open_store("a", SEGUE_STORE_READ);
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_OPEN_TASKS, learner), 1);
}

static void a_reader_sees_one_moment_while_a_writer_commits(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    commit();
    assert_ok(segue_store_begin_read(own_reader, NULL));
    assert_int_equal(count_tasks(own_reader, SEGUE_QUERY_OPEN_TASKS, learner), 1);
    begin();
    (void)add_task(learner, "u");
    commit();
    assert_int_equal(count_tasks(own_reader, SEGUE_QUERY_OPEN_TASKS, learner), 1);
    segue_store_rollback(own_reader);
    assert_int_equal(count_tasks(own_reader, SEGUE_QUERY_OPEN_TASKS, learner), 2);
}

static void a_reader_does_not_see_what_is_not_committed(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    assert_int_equal(count_tasks(own_reader, SEGUE_QUERY_OPEN_TASKS, learner), 0);
    commit();
    assert_int_equal(count_tasks(own_reader, SEGUE_QUERY_OPEN_TASKS, learner), 1);
}

/* ---- uniqueness -------------------------------------------------------------------------- */

static void names_and_keys_are_unique(void **state)
{
    segue_error err;
    segue_stored_learner learner = {.name = "a", .config = "{}"};
    segue_stored_task task = {.learner = 1, .key = "t", .n_arms = 2, .tag = 7};
    (void)state;
    begin();
    assert_int_equal(add_rows(), 1);
    assert_int_not_equal(segue_store_add_learner(own_store, &learner, &err), SEGUE_OK);
    segue_store_rollback(own_store);
    begin();
    (void)add_rows();
    assert_true(segue_store_add_task(own_store, &task, &err) != SEGUE_OK ||
                segue_store_commit(own_store, &err) != SEGUE_OK); /* a backend may collect rows */
    segue_store_rollback(own_store);
}

static void the_first_reward_of_a_decision_stays(void **state)
{
    segue_stored_reward row;
    bool found = false;
    (void)state;
    begin();
    (void)add_rows();
    assert_false(add_reward(1, 10, 2, 0.5));
    commit();
    assert_ok(segue_store_find_reward(own_store, 1, 10, &row, &found, NULL));
    assert_true(found);
    assert_near(row.value, 1.0, 0.0);
    assert_ok(segue_store_find_reward(own_store, 1, 99, &row, &found, NULL));
    assert_false(found);
}

static void an_id_is_never_given_again(void **state)
{
    int64_t last = 0;
    bool more = true;
    (void)state;
    begin();
    const int64_t first = add_learner("a");
    assert_ok(segue_store_delete_learner(own_store, first, NULL));
    while (more)
        assert_ok(segue_store_purge(own_store, &more, NULL));
    commit();
    assert_ok(segue_store_last_learner(own_store, &last, NULL));
    assert_int_equal(last, first);
    begin();
    assert_true(add_learner("a") > first);
    commit();
}

/* ---- cursors ----------------------------------------------------------------------------- */

static void tasks_come_in_the_order_of_the_query(void **state)
{
    static const struct {
        segue_query_kind kind;
        const char *keys;
    } cases[] = {{SEGUE_QUERY_OPEN_TASKS, "adf"},
                 {SEGUE_QUERY_NEWEST_OPEN_TASKS, "fda"},
                 {SEGUE_QUERY_NEWEST_CLOSED_TASKS, "bec"},
                 {SEGUE_QUERY_NEWEST_TASKS, "fedcba"}};
    int64_t id[6];
    (void)state;
    begin();
    const int64_t learner = add_learner("l");
    for (size_t i = 0; i < 6; i++)
        id[i] = add_task(learner, (const char[]){(char)('a' + i), '\0'});
    close_task(learner, id[2], 0);
    close_task(learner, id[4], 0);
    close_task(learner, id[1], 0);
    commit();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        segue_rows rows;
        segue_stored_task row;
        char keys[8] = "";
        segue_rows_open(&rows, own_store,
                        &(segue_query){cases[i].kind, .id = learner, .number = 100}, NULL);
        while (segue_rows_next_task(&rows, &row))
            (void)strcat(keys, row.key);
        assert_ok(segue_rows_close(&rows, SEGUE_OK));
        assert_string_equal(keys, cases[i].keys);
    }
}

static void rewards_come_in_the_order_of_arrival(void **state)
{
    segue_rows rows;
    segue_stored_reward row;
    (void)state;
    begin();
    const int64_t task = add_task(add_learner("l"), "t");
    for (uint64_t i = 0; i < 20; i++)
        assert_true(add_reward(task, 1000 - i, i, (double)i));
    commit();
    segue_rows_open(&rows, own_store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task},
                    NULL);
    for (uint64_t i = 0; i < 20; i++) {
        assert_true(segue_rows_next_reward(&rows, &row));
        assert_near(row.value, (double)i, 0.0);
        assert_int_equal(row.number, 1000 - i);
    }
    assert_false(segue_rows_next_reward(&rows, &row));
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
}

static void events_come_in_order_after_a_given_one(void **state)
{
    segue_rows rows;
    segue_stored_event row;
    uint64_t seq[5];
    (void)state;
    begin();
    const int64_t learner = add_learner("l"), other = add_learner("m");
    for (size_t i = 0; i < 5; i++) {
        seq[i] = add_event(learner, SEGUE_EVENT_ADD_ARM, (int64_t)i);
        (void)add_event(other, SEGUE_EVENT_ADD_ARM, 9);
    }
    commit();
    segue_rows_open(&rows, own_store,
                    &(segue_query){.kind = SEGUE_QUERY_EVENTS, .id = learner, .number = seq[1]},
                    NULL);
    for (size_t i = 2; i < 5; i++) {
        assert_true(segue_rows_next_event(&rows, &row));
        assert_int_equal(row.seq, seq[i]);
        assert_int_equal(row.subject, (int64_t)i);
    }
    assert_false(segue_rows_next_event(&rows, &row));
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
}

static void pending_decisions_are_of_open_tasks_and_have_no_reward(void **state)
{
    segue_rows rows;
    segue_stored_decision row;
    (void)state;
    begin();
    const int64_t learner = add_learner("l"), closed = add_task(learner, "c"),
                  open = add_task(learner, "o");
    for (uint64_t i = 0; i < 3; i++) {
        const segue_stored_decision one = {
            .task = open, .number = i, .created = 9.0 - (double)i, .event_id = "e"};
        segue_stored_decision two = one;
        two.task = closed;
        assert_ok(segue_store_add_decision(own_store, &one, NULL));
        assert_ok(segue_store_add_decision(own_store, &two, NULL));
    }
    (void)add_reward(open, 1, 0, 1.0);
    close_task(learner, closed, 0);
    commit();
    segue_rows_open(&rows, own_store,
                    &(segue_query){.kind = SEGUE_QUERY_PENDING_DECISIONS, .id = learner}, NULL);
    assert_true(segue_rows_next_decision(&rows, &row));
    assert_int_equal(row.number, 2); /* the oldest */
    assert_true(segue_rows_next_decision(&rows, &row));
    assert_int_equal(row.number, 0);
    assert_false(segue_rows_next_decision(&rows, &row));
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
}

static void a_cursor_may_be_closed_early_and_opened_again(void **state)
{
    segue_rows rows;
    segue_stored_reward row;
    (void)state;
    begin();
    (void)add_rows();
    commit();
    for (int i = 0; i < 3; i++) {
        segue_rows_open(&rows, own_store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = 1},
                        NULL);
        assert_true(segue_rows_next_reward(&rows, &row));
        assert_int_equal(row.number, 10);
        assert_int_equal(segue_rows_close(&rows, SEGUE_ENOMEM), SEGUE_ENOMEM);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CONFORMS(a_rollback_leaves_nothing),
        CONFORMS(a_commit_survives_the_handle),
        CONFORMS(a_reader_sees_one_moment_while_a_writer_commits),
        CONFORMS(a_reader_does_not_see_what_is_not_committed),
        CONFORMS(names_and_keys_are_unique),
        CONFORMS(the_first_reward_of_a_decision_stays),
        CONFORMS(an_id_is_never_given_again),
        CONFORMS(tasks_come_in_the_order_of_the_query),
        CONFORMS(rewards_come_in_the_order_of_arrival),
        CONFORMS(events_come_in_order_after_a_given_one),
        CONFORMS(pending_decisions_are_of_open_tasks_and_have_no_reward),
        CONFORMS(a_cursor_may_be_closed_early_and_opened_again),
    };
    return run_on_backends(tests, sizeof tests / sizeof *tests);
}
