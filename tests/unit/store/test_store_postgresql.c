/* test_store_postgresql.c - a store in PostgreSQL: lost connections, commits without an answer, other
 * writers, rights, passwords, and what a commit promises.
 *
 * All tests are skipped where PostgreSQL is not installed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "postgresql.h"
#include "proxy.h"
#include "store_backends.h"

static char name[256];
static segue_error err;

static segue_store *open_named(const char *store, segue_store_mode mode)
{
    segue_store *out = NULL;
    if (segue_store_open(&out, store, mode, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return out;
}

static int open_own(void **state)
{
    (void)state;
    postgresql_store_name(name, sizeof name, "own");
    own_store = open_named(name, SEGUE_STORE_CREATE);
    assert_ok(segue_store_lock(own_store, &err));
    return 0;
}

static int close_own(void **state)
{
    (void)state;
    segue_store_close(own_store);
    postgresql_run("SET client_min_messages = error; DROP SCHEMA own CASCADE");
    return 0;
}

/* End all other sessions, as a restart does. */
static void end_sessions(void)
{
    postgresql_run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                   "pg_backend_pid() AND backend_type = 'client backend'");
}

static void fails_with(segue_status status, segue_status got, const char *says)
{
    if (got != status || !strstr(err.message, says))
        fail_msg("status %d, not %d: %s (need '%s')", got, status, err.message, says);
}

/* ---- connections ------------------------------------------------------------------------- */

static void a_connection_that_was_lost_is_opened_again(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    commit();
    end_sessions();
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_TASKS, learner), 1);
    end_sessions();
    begin();
    (void)add_task(learner, "u");
    commit();
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_TASKS, learner), 2);
}

static void a_transaction_whose_connection_was_lost_is_not_stored(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    end_sessions();
    assert_int_equal(segue_store_commit(own_store, &err), SEGUE_EIO);
    if (segue_store_is_unresolved(own_store)) {
        bool stored = true;
        assert_ok(segue_store_resolve(own_store, &stored, &err));
        assert_false(stored);
    }
    segue_store_rollback(own_store);
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_TASKS, learner), 0);
    begin();
    assert_int_equal(add_rows(), learner); /* its id was not given out */
    commit();
}

static void a_database_that_was_restarted_goes_on(void **state)
{
    (void)state;
    begin();
    const int64_t learner = add_rows();
    commit();
    postgresql_command("kill");
    fails_with(SEGUE_EIO, segue_store_begin(own_store, &err), "start the database");
    assert_false(segue_store_is_lost(own_store));
    postgresql_command("start");
    begin();
    (void)add_task(learner, "u");
    commit();
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_TASKS, learner), 2);
}

/* ---- commits without an answer ----------------------------------------------------------- */

/* Open the store through the proxy. */
static void use_proxy(void)
{
    char through[256], server[64];
    assert_int_equal(sscanf(name, "postgresql:host=%63s", server), 1);
    proxy_start(own_folder, server);
    segue_store_close(own_store);
    (void)snprintf(through, sizeof through,
                   "postgresql:host=%s user=postgres dbname=postgres options=-csearch_path=own",
                   own_folder);
    own_store = open_named(through, SEGUE_STORE_CHANGE);
    assert_ok(segue_store_lock(own_store, &err));
}

static void commit_is_cut(proxy_cut cut, bool is_stored)
{
    bool stored = !is_stored, found = false;
    segue_stored_reward row;
    use_proxy();
    begin();
    const int64_t learner = add_rows();
    commit();
    proxy_set(cut);
    begin();
    assert_true(add_reward(1, 12, 2, 1.0));
    const int64_t task = add_task(learner, "new");
    fails_with(SEGUE_EIO, segue_store_commit(own_store, &err), "during COMMIT");
    assert_true(segue_store_is_unresolved(own_store));
    fails_with(SEGUE_EIO, segue_store_begin(own_store, &err), "not known");
    assert_ok(segue_store_resolve(own_store, &stored, &err));
    assert_int_equal(stored, is_stored);
    assert_false(segue_store_is_unresolved(own_store));
    begin(); /* the same group again: the reward counts once, and ids are those of before */
    assert_int_equal(add_reward(1, 12, 2, 1.0), !is_stored);
    if (!is_stored)
        assert_int_equal(add_task(learner, "new"), task);
    commit();
    assert_ok(segue_store_find_reward(own_store, 1, 12, &row, &found, &err));
    assert_true(found);
    assert_int_equal(count_tasks(own_store, SEGUE_QUERY_TASKS, learner), 2);
    segue_store_close(own_store);
    proxy_stop();
    own_store = open_named(name, SEGUE_STORE_CHANGE);
    assert_ok(segue_store_verify(own_store, &err));
}

static void a_commit_without_an_answer_is_found(void **state)
{
    (void)state;
    commit_is_cut(PROXY_CUT_ANSWER, true);
}

static void a_commit_that_did_not_arrive_is_found_missing(void **state)
{
    (void)state;
    commit_is_cut(PROXY_CUT_COMMIT, false);
}

static void a_commit_stays_unresolved_while_the_database_is_away(void **state)
{
    bool stored = false;
    (void)state;
    use_proxy();
    proxy_set(PROXY_CUT_AND_REFUSE);
    begin();
    (void)add_learner("a");
    assert_int_equal(segue_store_commit(own_store, &err), SEGUE_EIO);
    assert_int_equal(segue_store_resolve(own_store, &stored, &err), SEGUE_EIO);
    assert_true(segue_store_is_unresolved(own_store));
    assert_false(segue_store_is_lost(own_store));
    proxy_set(PROXY_WHOLE);
    assert_ok(segue_store_resolve(own_store, &stored, &err));
    assert_true(stored);
    segue_store_close(own_store);
    proxy_stop();
    own_store = open_named(name, SEGUE_STORE_CHANGE);
}

/* ---- other processes --------------------------------------------------------------------- */

static void one_process_serves_a_store(void **state)
{
    (void)state;
    segue_store *other = open_named(name, SEGUE_STORE_CHANGE);
    fails_with(SEGUE_EFILE, segue_store_lock(other, &err), "another process serves this store");
    segue_store_close(other);
}

static void a_store_that_another_process_took_is_lost(void **state)
{
    (void)state;
    segue_store *other = open_named(name, SEGUE_STORE_CHANGE);
    begin();
    (void)add_learner("a");
    commit();
    end_sessions();
    assert_ok(segue_store_begin_read(other, &err)); /* connects again */
    segue_store_rollback(other);
    assert_ok(segue_store_lock(other, &err));
    fails_with(SEGUE_EFILE, segue_store_begin(own_store, &err), "another process serves");
    assert_true(segue_store_is_lost(own_store));
    segue_store_close(other);
}

static void a_store_that_lacks_transactions_is_lost(void **state)
{
    (void)state;
    begin();
    (void)add_learner("a");
    commit();
    postgresql_run("UPDATE own.meta SET commits = commits - 1");
    fails_with(SEGUE_EIO, segue_store_begin(own_store, &err), "has 0 transactions; need 1");
    assert_true(segue_store_is_lost(own_store));
}

/* ---- rights and names -------------------------------------------------------------------- */

static void cannot_open(segue_status status, const char *options, const char *says)
{
    char text[320], server[64];
    segue_store *store = NULL;
    assert_int_equal(sscanf(name, "postgresql:host=%63s", server), 1);
    (void)snprintf(text, sizeof text, "postgresql:host=%s %s", server, options);
    fails_with(status, segue_store_open(&store, text, SEGUE_STORE_CREATE, &err), says);
    assert_null(store);
    assert_null(strstr(err.message, "secret"));
}

static void a_store_that_cannot_be_opened_says_why(void **state)
{
    (void)state;
    postgresql_run("CREATE ROLE locked LOGIN PASSWORD 'right'; CREATE ROLE poor LOGIN");
    cannot_open(SEGUE_EFILE, "user=locked dbname=postgres password=secret",
                "password authentication failed");
    cannot_open(SEGUE_EFILE, "user=locked dbname=postgres passfile=/dev/null", "~/.pgpass");
    cannot_open(SEGUE_EFILE, "user=postgres dbname=none", "createdb");
    cannot_open(SEGUE_EFILE, "user=absent dbname=postgres", "create the user");
    cannot_open(SEGUE_EFILE, "user=postgres dbname=postgres options=-csearch_path=none",
                "CREATE SCHEMA");
    cannot_open(SEGUE_EFILE, "user=poor dbname=postgres options=-csearch_path=own", "schema");
    cannot_open(SEGUE_EIO, "user=postgres dbname=postgres port=1", "start the database");
    cannot_open(SEGUE_EUSAGE, "user=postgres secret", "no URI or connection string");
    postgresql_run("DROP ROLE locked, poor");
}

static void a_password_is_in_no_name(void **state)
{
    static const char *const names[] = {
        "postgresql://u:secret@h:1/d", "postgresql://u:se/secret@h/d",
        "postgresql://u:secret@x@h/d", "postgresql:host=h password=secret dbname=d",
        "postgresql://h/d?password=secret"};
    char label[256];
    bool secret = false;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        segue_store *store = NULL;
        segue_store_label(names[i], label, sizeof label, &secret);
        assert_true(secret);
        assert_null(strstr(label, "secret"));
        assert_int_not_equal(segue_store_open(&store, names[i], SEGUE_STORE_READ, &err), SEGUE_OK);
        assert_null(strstr(err.message, "secret"));
    }
    segue_store_label("postgresql://u@h:1/d", label, sizeof label, &secret);
    assert_false(secret);
    assert_string_equal(label, "postgresql:host=h port=1 dbname=d");
}

static void a_store_of_format_10_is_upgraded(void **state)
{
    int64_t from = 0;
    segue_store *store = NULL;
    (void)state;
    begin();
    const int64_t learner = add_rows();
    (void)add_event(learner, SEGUE_EVENT_PAUSE, 1);
    commit();
    postgresql_run("ALTER TABLE own.event DROP COLUMN epoch; DROP TABLE own.server, own.writer, "
                   "own.lease; UPDATE own.meta SET format = 10");
    fails_with(SEGUE_EFILE, segue_store_open(&store, name, SEGUE_STORE_CHANGE, &err),
               "'segue store upgrade' brings it");
    store = open_named(name, SEGUE_STORE_UPGRADE);
    assert_ok(segue_store_upgrade(store, &from, &err));
    assert_int_equal(from, 10);
    segue_store_close(store);
    store = open_named(name, SEGUE_STORE_CHANGE);
    assert_ok(segue_store_verify(store, &err));
    assert_ok(segue_store_verify_learner(store, learner, &err));
    segue_store_close(store);
}

static void a_table_of_another_program_is_no_store(void **state)
{
    segue_store *store = NULL;
    char other[256];
    (void)state;
    postgresql_store_name(other, sizeof other, "other");
    postgresql_run("CREATE TABLE other.meta (x TEXT)");
    fails_with(SEGUE_EFILE, segue_store_open(&store, other, SEGUE_STORE_CREATE, &err),
               "another program");
    postgresql_run("SET client_min_messages = error; DROP SCHEMA other CASCADE");
    postgresql_run("UPDATE own.meta SET format = 99");
    fails_with(SEGUE_EFILE, segue_store_open(&store, name, SEGUE_STORE_READ, &err),
               "has format 99");
    char restore[96];
    (void)snprintf(restore, sizeof restore,
                   "UPDATE own.meta SET format = %d; DROP INDEX own.task_open", SEGUE_STORE_FORMAT);
    postgresql_run(restore);
    fails_with(SEGUE_EFILE, segue_store_open(&store, name, SEGUE_STORE_READ, &err), "indices");
}

/* ---- promises ---------------------------------------------------------------------------- */

static segue_durability durability_now(void)
{
    begin();
    segue_store_rollback(own_store);
    return segue_store_durability(own_store);
}

static void a_store_knows_what_a_commit_promises(void **state)
{
    (void)state;
    assert_int_equal(durability_now(), SEGUE_DURABILITY_DISK);
    assert_ok(segue_store_require_durable(own_store, &err));
    postgresql_command("set synchronous_standby_names a");
    assert_int_equal(durability_now(), SEGUE_DURABILITY_STANDBY);
    postgresql_command("set synchronous_commit local");
    assert_int_equal(durability_now(), SEGUE_DURABILITY_DISK);
    postgresql_command("set synchronous_commit off");
    fails_with(SEGUE_EFILE, segue_store_begin(own_store, &err), "--allow-loss");
    assert_int_equal(segue_store_durability(own_store), SEGUE_DURABILITY_NONE);
    postgresql_command("set synchronous_commit on");
    postgresql_command("set synchronous_standby_names ");
    assert_int_equal(durability_now(), SEGUE_DURABILITY_DISK);
}

/* ---- many rows --------------------------------------------------------------------------- */

static void cursors_of_many_rows_nest(void **state)
{
    enum { TASKS = 2500 };
    segue_rows tasks;
    segue_stored_task task;
    int64_t last = 0;
    char key[16];
    (void)state;
    begin();
    const int64_t learner = add_learner("l");
    for (int i = 0; i < TASKS; i++) {
        (void)snprintf(key, sizeof key, "t%d", i);
        (void)add_reward(add_task(learner, key), 1, 0, 0.5);
    }
    commit();
    segue_rows_open(&tasks, own_store, &(segue_query){SEGUE_QUERY_TASKS, .id = learner}, &err);
    while (segue_rows_next_task(&tasks, &task)) {
        segue_stored_reward reward;
        bool found = false;
        assert_true(task.id > last);
        last = task.id;
        assert_ok(segue_store_find_reward(own_store, task.id, 1, &reward, &found, &err));
        assert_true(found);
        if (task.id % 1000 == 0)
            assert_int_equal(count_tasks(own_store, SEGUE_QUERY_OPEN_TASKS, learner), TASKS);
    }
    assert_int_equal(tasks.count, TASKS);
    assert_ok(segue_rows_close(&tasks, SEGUE_OK));
    assert_ok(segue_store_verify_learner(own_store, learner, &err));
}

#define ON_OWN(test) cmocka_unit_test_setup_teardown(test, open_own, close_own)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        ON_OWN(a_connection_that_was_lost_is_opened_again),
        ON_OWN(a_transaction_whose_connection_was_lost_is_not_stored),
        ON_OWN(a_database_that_was_restarted_goes_on),
        ON_OWN(a_commit_without_an_answer_is_found),
        ON_OWN(a_commit_that_did_not_arrive_is_found_missing),
        ON_OWN(a_commit_stays_unresolved_while_the_database_is_away),
        ON_OWN(one_process_serves_a_store),
        ON_OWN(a_store_that_another_process_took_is_lost),
        ON_OWN(a_store_that_lacks_transactions_is_lost),
        ON_OWN(a_store_that_cannot_be_opened_says_why),
        ON_OWN(a_password_is_in_no_name),
        ON_OWN(a_store_of_format_10_is_upgraded),
        ON_OWN(a_table_of_another_program_is_no_store),
        ON_OWN(a_store_knows_what_a_commit_promises),
        ON_OWN(cursors_of_many_rows_nest),
    };
    if (!postgresql_start())
        return 77; /* CTest: skipped */
    const int failed = cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
    postgresql_stop();
    return failed;
}
