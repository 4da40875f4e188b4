/* test_store_upgrade.c - a store of an older format is upgraded by steps, or refused.
 *
 * Formats 4 and 5 lack the table of initial states and the probability of a reward; 6 and 7 have the
 * tables of 8; 4 to 8 lack the control share of a task; 4 to 9 the hash chain, parts of rewards, shadow
 * mode and merges; 4 to 10 the epoch of an event.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <unistd.h>

#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_upgrade.h"
#include "store/store_chain.h"

#define OLDER (SEGUE_STORE_FORMAT - 1)

static void execute(segue_store *store, const char *sql)
{
    assert_ok(segue_sqlite_execute(segue_sqlite_of(store), sql, NULL));
}

static segue_store *open_as(segue_store_mode mode)
{
    segue_store *store = NULL;
    segue_error err = {.message = ""};
    if (segue_store_open(&store, own_path, mode, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return store;
}

/* A store with a learner, a reward and a snapshot, of an older format. */
static void make_older(const char *format)
{
    char text[64];
    segue_stored_learner row = {.name = "a", .config = "{}"};
    segue_stored_task task = {.key = "t", .n_arms = 2, .tag = 7};
    const segue_stored_reward reward = {.task = 1, .number = 9, .arm = 1, .value = 0.25};
    bool is_new = false;
    segue_store *store = open_as(SEGUE_STORE_CREATE);
    assert_ok(segue_store_begin(store, NULL));
    assert_ok(segue_store_add_learner(store, &row, NULL));
    task.learner = row.id;
    assert_ok(segue_store_add_task(store, &task, NULL));
    assert_ok(segue_store_add_reward(store, &reward, &is_new, NULL));
    assert_ok(segue_store_add_snapshot(store, row.id, 1, "x", 1, NULL));
    assert_ok(segue_store_commit(store, NULL));
    if (atoi(format) < 6)
        execute(store, "DROP TABLE initial; ALTER TABLE reward DROP COLUMN probability;");
    if (atoi(format) < 9)
        execute(store, "ALTER TABLE task DROP COLUMN control_share;");
    if (atoi(format) < 10)
        execute(store, "ALTER TABLE task DROP COLUMN features; "
                       "DROP TABLE chain; DROP TABLE removed; DROP TABLE base; "
                       "DROP INDEX event_trim; DROP TABLE reward_part; DROP TABLE merged; "
                       "ALTER TABLE reward DROP COLUMN asks; "
                       "ALTER TABLE decision DROP COLUMN segue_arm; "
                       "ALTER TABLE decision DROP COLUMN segue_probability; "
                       "ALTER TABLE reward DROP COLUMN segue_arm; "
                       "ALTER TABLE reward DROP COLUMN segue_probability;");
    if (atoi(format) < 11)
        execute(store, "ALTER TABLE event DROP COLUMN epoch;");
    (void)snprintf(text, sizeof text, "PRAGMA user_version = %s", format);
    execute(store, text);
    segue_store_close(store);
}

static int remove_store(void **state)
{
    char path[80];
    (void)state;
    for (size_t i = 0; segue_store_file_path(own_path, i, path, sizeof path); i++)
        (void)unlink(path);
    return 0;
}

static void is_refused(segue_store_mode mode, const char *says)
{
    segue_store *store = NULL;
    segue_error err;
    assert_int_equal(segue_store_open(&store, own_path, mode, &err), SEGUE_EFILE);
    if (!strstr(err.message, says))
        fail_msg("'%s' does not say '%s'", err.message, says);
}

static void steps_lead_from_an_older_format_to_this_one(void **state)
{
    int64_t from = 0;
    uint64_t seq = 0;
    void *bytes = NULL;
    size_t size = 0;
    segue_stored_reward reward;
    bool found = false;
    make_older(*state);
    is_refused(SEGUE_STORE_CHANGE, "need 11; 'segue store upgrade' brings it");
    segue_store *store = open_as(SEGUE_STORE_UPGRADE);
    assert_ok(segue_store_upgrade(store, &from, NULL));
    assert_int_equal(from, atoi(*state));
    segue_store_close(store);
    store = open_as(SEGUE_STORE_CHANGE); /* the tables are those of this format */
    assert_ok(segue_store_verify(store, NULL));
    assert_ok(segue_store_read_snapshot(store, 1, &seq, &bytes, &size, NULL));
    assert_null(bytes);
    assert_ok(segue_store_read_initial(store, 1, &bytes, &size, NULL));
    assert_null(bytes);
    assert_ok(segue_store_find_reward(store, 1, 9, &reward, &found, NULL));
    assert_true(found);
    assert_near(reward.value, 0.25, 0.0);
    assert_near(reward.probability, 0.0, 0.0);
    assert_ok(segue_store_upgrade(store, &from, NULL)); /* nothing is left to do */
    assert_int_equal(from, SEGUE_STORE_FORMAT);
    segue_store_close(store);
}

/* The method of the only learner is as expected. */
static void check_method(segue_store *store, const char *expected)
{
    char sql[160];
    int64_t count = 0;
    (void)snprintf(sql, sizeof sql,
                   "SELECT count(*) FROM learner WHERE json_extract(config, '$.method') = '%s'",
                   expected);
    assert_ok(segue_sqlite_query_integer(segue_sqlite_of(store), sql, &count, NULL));
    assert_int_equal(count, 1);
}

static void the_option_hint_is_cut_out_of_methods(void **state)
{
    static const char *const methods[][2] = {
        {"tla", "tla"},
        {"tla:hint=6", "tla"},
        {"tla:hint=12,cap=10", "tla:cap=10"},
        {"tts:cap=8,hint=3", "tts:cap=8"},
        {"tla:cap=8,hint=3,window=100", "tla:cap=8,window=100"}};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        char sql[160];
        int64_t from = 0;
        make_older("7");
        segue_store *store = open_as(SEGUE_STORE_UPGRADE);
        (void)snprintf(sql, sizeof sql, "UPDATE learner SET config = '{\"method\":\"%s\"}'",
                       methods[k][0]);
        execute(store, sql);
        assert_ok(segue_store_upgrade(store, &from, NULL));
        check_method(store, methods[k][1]);
        segue_store_close(store);
        (void)remove_store(NULL);
    }
}

/* Until format 8 the share never changed: that of the settings, or 0 if they are damaged. */
static void tasks_get_the_control_share_of_their_learner(void **state)
{
    static const struct {
        const char *config;
        double share;
    } cases[] = {{"{\"control\":0.25}", 0.25}, {"{}", 0.0}, {"{\"control\":7}", 1.0}, {"{", 0.0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char sql[160];
        int64_t from = 0;
        bool found = false;
        segue_stored_task task;
        make_older("8");
        segue_store *store = open_as(SEGUE_STORE_UPGRADE);
        (void)snprintf(sql, sizeof sql, "UPDATE learner SET config = '%s'", cases[k].config);
        execute(store, sql);
        assert_ok(segue_store_upgrade(store, &from, NULL));
        assert_ok(segue_store_read_task(store, 1, &task, &found, NULL));
        assert_true(found);
        assert_near(task.control_share, cases[k].share, 0.0);
        segue_store_close(store);
        (void)remove_store(NULL);
    }
}

/* A hash that was noted before stays the newest one. */
static void an_upgrade_keeps_the_hash_chain(void **state)
{
    segue_stored_link before, after;
    int64_t from = 0;
    (void)state;
    make_older("10");
    segue_store *store = open_as(SEGUE_STORE_UPGRADE);
    assert_ok(segue_store_chain_head(store, 1, &before, NULL));
    assert_ok(segue_store_upgrade(store, &from, NULL));
    assert_ok(segue_store_chain_head(store, 1, &after, NULL));
    assert_int_equal(after.seq, before.seq);
    assert_memory_equal(after.hash, before.hash, sizeof before.hash);
    segue_store_close(store);
}

static void a_step_that_fails_changes_nothing(void **state)
{
    static const sqlite_upgrade_step wrong[] = {
        {OLDER, "CREATE TABLE more (x); SELECT no FROM no"}};
    int64_t from = 0, tables = 0;
    segue_error err;
    (void)state;
    make_older("10");
    segue_store *store = open_as(SEGUE_STORE_UPGRADE);
    assert_int_not_equal(segue_sqlite_upgrade_by(store, wrong, 1, &from, &err), SEGUE_OK);
    assert_ok(segue_sqlite_query_integer(segue_sqlite_of(store),
                                         "SELECT count(*) FROM sqlite_master WHERE name = 'more'",
                                         &tables, NULL));
    assert_int_equal(tables, 0);
    assert_ok(segue_store_upgrade(store, &from, NULL));
    segue_store_close(store);
}

static void a_format_without_steps_is_refused_with_the_next_step(void **state)
{
    int64_t from = 0;
    segue_error err;
    (void)state;
    make_older("3");
    is_refused(SEGUE_STORE_CHANGE, "start a new store");
    segue_store *store = open_as(SEGUE_STORE_UPGRADE);
    assert_int_equal(segue_store_upgrade(store, &from, &err), SEGUE_EFILE);
    assert_non_null(strstr(err.message, "has format 3; need 11"));
    segue_store_close(store);
}

static void a_newer_format_is_refused_in_every_mode(void **state)
{
    (void)state;
    make_older("12");
    is_refused(SEGUE_STORE_CREATE, "use the program that wrote it");
    is_refused(SEGUE_STORE_UPGRADE, "has format 12; need 11");
    is_refused(SEGUE_STORE_READ, "has format 12; need 11");
}

static int remove_all(void **state)
{
    (void)remove_store(state);
    return remove_own_folder(state);
}

int main(void)
{
    static char format_4[] = "4", format_5[] = "5", format_6[] = "6", format_7[] = "7",
                format_8[] = "8", format_9[] = "9", format_10[] = "10";
    const struct CMUnitTest tests[] = {
        {"from_4", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_4},
        {"from_5", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_5},
        {"from_6", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_6},
        {"from_7", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_7},
        {"from_8", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_8},
        {"from_9", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_9},
        {"from_10", steps_lead_from_an_older_format_to_this_one, remove_store, NULL, format_10},
        cmocka_unit_test_setup(an_upgrade_keeps_the_hash_chain, remove_store),
        cmocka_unit_test_setup(the_option_hint_is_cut_out_of_methods, remove_store),
        cmocka_unit_test_setup(tasks_get_the_control_share_of_their_learner, remove_store),
        cmocka_unit_test_setup(a_step_that_fails_changes_nothing, remove_store),
        cmocka_unit_test_setup(a_format_without_steps_is_refused_with_the_next_step, remove_store),
        cmocka_unit_test_setup(a_newer_format_is_refused_in_every_mode, remove_store),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_all);
}
