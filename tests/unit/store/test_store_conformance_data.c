/* test_store_conformance_data.c - what every backend must do: counters, snapshots, damage, exports.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <unistd.h>

#include "store_backends.h"

/* ---- counters, snapshots, damage --------------------------------------------------------- */

static void starts_and_the_clock_are_stored(void **state)
{
    unsigned char key[SEGUE_STORE_KEY_SIZE], again[SEGUE_STORE_KEY_SIZE];
    uint64_t first = 0, second = 0;
    double clock = -5.0;
    (void)state;
    begin();
    assert_ok(segue_store_start(own_store, key, &first, NULL));
    assert_ok(segue_store_read_clock(own_store, &clock, NULL));
    assert_near(clock, -5.0, 0.0); /* there is none */
    assert_ok(segue_store_set_clock(own_store, 1234.5, NULL));
    commit();
    begin();
    assert_ok(segue_store_start(own_store, again, &second, NULL));
    commit();
    assert_int_equal(second, first + 1);
    assert_memory_equal(key, again, sizeof key);
    assert_ok(segue_store_read_clock(own_reader, &clock, NULL));
    assert_near(clock, 1234.5, 0.0);
}

static void the_newest_snapshot_replaces_the_others(void **state)
{
    uint64_t seq = 0;
    void *bytes = NULL;
    size_t size = 0;
    (void)state;
    begin();
    const int64_t learner = add_learner("l");
    assert_ok(segue_store_read_snapshot(own_store, learner, &seq, &bytes, &size, NULL));
    assert_null(bytes);
    assert_ok(segue_store_add_snapshot(own_store, learner, 3, "old", 3, NULL));
    assert_ok(segue_store_add_snapshot(own_store, learner, 5, "a\0b", 3, NULL));
    commit();
    assert_ok(segue_store_read_snapshot(own_store, learner, &seq, &bytes, &size, NULL));
    assert_int_equal(seq, 5);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "a\0b", 3);
    free(bytes);
}

static void an_initial_state_is_stored_once_and_goes_with_its_learner(void **state)
{
    void *bytes = NULL;
    size_t size = 9;
    bool more = true;
    (void)state;
    begin();
    const int64_t learner = add_learner("l");
    assert_ok(segue_store_read_initial(own_store, learner, &bytes, &size, NULL));
    assert_null(bytes);
    assert_int_equal(size, 0);
    assert_ok(segue_store_add_initial(own_store, learner, "a\0b", 3, NULL));
    commit();
    assert_ok(segue_store_read_initial(own_reader, learner, &bytes, &size, NULL));
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "a\0b", 3);
    free(bytes);
    assert_ok(segue_store_verify(own_store, NULL));
    begin();
    assert_ok(segue_store_delete_learner(own_store, learner, NULL));
    while (more)
        assert_ok(segue_store_purge(own_store, &more, NULL));
    commit();
    assert_ok(segue_store_read_initial(own_store, learner, &bytes, &size, NULL));
    assert_null(bytes);
}

static void a_closed_task_counts_its_rewards_for_its_arms(void **state)
{
    segue_rows rows;
    segue_stored_arm arm;
    (void)state;
    begin();
    const int64_t learner = add_rows();
    close_task(learner, 1, 2);
    assert_ok(segue_store_retire_arm(own_store, learner, 0, 6.5, NULL));
    commit();
    segue_rows_open(&rows, own_store, &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = learner},
                    NULL);
    assert_true(segue_rows_next_arm(&rows, &arm));
    assert_true(arm.retired);
    assert_int_equal(arm.pulls, 0);
    assert_true(segue_rows_next_arm(&rows, &arm));
    assert_int_equal(arm.pulls, 2);
    assert_near(arm.total, 2.0, 0.0);
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    assert_ok(segue_store_verify(own_store, NULL));
    assert_ok(segue_store_verify_learner(own_store, learner, NULL));
}

static void a_damaged_row_is_reported_with_its_name(void **state)
{
    segue_rows rows;
    segue_stored_reward row;
    segue_error err;
    (void)state;
    begin();
    const int64_t learner = add_rows();
    commit();
    damage_reward();
    segue_rows_open(&rows, own_store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = 1}, &err);
    assert_false(segue_rows_next_reward(&rows, &row));
    assert_int_equal(segue_rows_close(&rows, SEGUE_OK), SEGUE_EFILE);
    assert_non_null(strstr(err.message, "table reward, task 1, number 10, column value"));
    assert_int_equal(segue_store_verify_learner(own_store, learner, &err), SEGUE_EFILE);
}

/* ---- exports ----------------------------------------------------------------------------- */

/* The whole text of a file, for free(). */
static char *text_of(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    return strdup(text);
}

static void an_import_has_all_rows_and_counters_of_the_export(void **state)
{
    char file[64], copy[64];
    int64_t last = 0;
    segue_error err = {.message = ""};
    (void)state;
    begin();
    const int64_t learner = add_rows();
    close_task(learner, 1, 2);
    assert_ok(segue_store_delete_learner(own_store, add_learner("gone"), NULL));
    commit();
    (void)snprintf(file, sizeof file, "%s/a.jsonl", own_folder);
    (void)snprintf(copy, sizeof copy, "%s/b.jsonl", own_folder);
    assert_ok(segue_store_export(own_store, file, NULL, &err));
    assert_int_equal(segue_store_import(own_store, file, &err), SEGUE_EFILE); /* it is not new */
    segue_store *other = open_store("b", SEGUE_STORE_CREATE);
    if (segue_store_import(other, file, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    assert_int_equal(count_tasks(other, SEGUE_QUERY_NEWEST_CLOSED_TASKS, learner), 1);
    assert_ok(segue_store_last_learner(other, &last, NULL));
    assert_int_equal(last, learner + 1);
    assert_ok(segue_store_verify(other, NULL));
    assert_ok(segue_store_verify_learner(other, learner, NULL));
    assert_ok(segue_store_export(other, copy, NULL, &err));
    char *first = text_of(file), *second = text_of(copy);
    assert_string_equal(first, second);
    free(first);
    free(second);
    segue_store_discard(other);
    (void)unlink(file);
    (void)unlink(copy);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CONFORMS(starts_and_the_clock_are_stored),
        CONFORMS(the_newest_snapshot_replaces_the_others),
        CONFORMS(an_initial_state_is_stored_once_and_goes_with_its_learner),
        CONFORMS(a_closed_task_counts_its_rewards_for_its_arms),
        CONFORMS(a_damaged_row_is_reported_with_its_name),
        CONFORMS(an_import_has_all_rows_and_counters_of_the_export),
    };
    return run_on_backends(tests, sizeof tests / sizeof *tests);
}
