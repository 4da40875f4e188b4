/* test_store_sessions.c - several servers on one store, by the store's interface: who holds a lease, which
 * numbers were given out, and connections that are lost while a commit is resolved.
 *
 * All tests are skipped where PostgreSQL is not installed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "postgresql.h"
#include "proxy.h"
#include "store/session/store_session.h"
#include "store_backends.h"

#define TTL 60.0

static char name[256];
static segue_error err;
static const segue_session here = {"11111111111111111111111111111111"};
static const segue_session there = {"22222222222222222222222222222222"};
static segue_store *other; /* the handle of the second server */

static segue_store *open_as(const char *store, const segue_session *session)
{
    segue_store *out = NULL;
    if (segue_store_open(&out, store, SEGUE_STORE_CHANGE, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    segue_store_set_session(out, session);
    return out;
}

static void add_session(const segue_session *session, const char *address)
{
    double clock = 0.0;
    assert_ok(segue_store_register(own_store, session, address, TTL, &clock, &err));
}

static int open_both(void **state)
{
    (void)state;
    postgresql_store_name(name, sizeof name, "sessions");
    assert_ok(segue_store_open(&own_store, name, SEGUE_STORE_CREATE, &err));
    add_session(&here, "http://here");
    add_session(&there, "http://there");
    segue_store_set_session(own_store, &here);
    other = open_as(name, &there);
    return 0;
}

static int close_both(void **state)
{
    (void)state;
    segue_store_close(other);
    segue_store_close(own_store);
    postgresql_run("SET client_min_messages = error; DROP SCHEMA sessions CASCADE");
    return 0;
}

/* A learner of this server, in epoch 1. */
static int64_t add_owned(const char *learner)
{
    begin();
    const int64_t id = add_learner(learner);
    assert_ok(segue_store_add_lease(own_store, id, &err));
    commit();
    return id;
}

static bool holds(segue_store *store, int64_t learner, uint64_t epoch)
{
    bool owns = false;
    assert_ok(segue_store_begin(store, &err));
    assert_ok(segue_store_hold_lease(store, learner, epoch, &owns, &err));
    assert_ok(segue_store_commit(store, &err));
    return owns;
}

/* ---- leases ------------------------------------------------------------------------------ */

static void a_lease_is_held_by_its_owner_in_its_epoch(void **state)
{
    (void)state;
    const int64_t learner = add_owned("a");
    assert_true(holds(own_store, learner, 1));
    assert_false(holds(own_store, learner, 2));
    assert_false(holds(own_store, learner + 1, 1));
    assert_false(holds(other, learner, 1));
}

/* The other server takes what was freed; the first one no longer holds it, in either epoch. */
static void a_lease_of_another_server_is_not_held(void **state)
{
    segue_lease found;
    uint64_t epoch = 0;
    (void)state;
    const int64_t learner = add_owned("a");
    begin();
    assert_ok(segue_store_free_lease(own_store, learner, &err));
    commit();
    assert_false(holds(own_store, learner, 1));
    assert_ok(segue_store_find_lease(other, "a", 0, &found, &err));
    assert_ok(segue_store_take_lease(other, &there, &found, &epoch, &err));
    assert_int_equal(epoch, 2);
    assert_true(holds(other, learner, 2));
    assert_false(holds(own_store, learner, 1));
    assert_false(holds(own_store, learner, 2));
}

/* A standby that took over lacks the last transactions: as if they were undone. */
static void a_lease_that_was_undone_is_not_held(void **state)
{
    (void)state;
    const int64_t learner = add_owned("a");
    postgresql_run("UPDATE sessions.lease SET epoch = 0, owner = NULL");
    assert_false(holds(own_store, learner, 1));
}

static void the_lease_of_a_deleted_learner_is_not_held(void **state)
{
    (void)state;
    const int64_t learner = add_owned("a");
    begin();
    assert_ok(segue_store_delete_learner(own_store, learner, &err));
    commit();
    assert_false(holds(own_store, learner, 1));
}

/* ---- servers ----------------------------------------------------------------------------- */

static void every_other_server_is_listed_once(void **state)
{
    static const segue_session before = {"33333333333333333333333333333333"};
    static const segue_session own_before = {"44444444444444444444444444444444"};
    char found[SEGUE_MAX_SERVERS][SEGUE_MAX_ADDRESS + 1];
    size_t n = 0;
    (void)state;
    segue_store_set_session(own_store, &(segue_session){""});
    add_session(&before, "http://there");    /* it was killed, and started again */
    add_session(&own_before, "http://here"); /* so was this one */
    assert_ok(segue_store_servers(own_store, &here, found, &n, &err));
    assert_int_equal(n, 1);
    assert_string_equal(found[0], "http://there");
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* A server has blocks of numbers; the largest number is that of all servers. */
static void the_last_learner_is_that_of_all_servers(void **state)
{
    int64_t last = 0;
    (void)state;
    (void)add_owned("a");
    assert_ok(segue_store_begin(other, &err));
    segue_stored_learner row = {.name = "b", .config = "{}", .created = 1.5};
    assert_ok(segue_store_add_learner(other, &row, &err));
    assert_ok(segue_store_commit(other, &err));
    begin();
    assert_ok(segue_store_last_learner(own_store, &last, &err));
    commit();
    assert_true(last >= row.id);
}

/* ---- connections ------------------------------------------------------------------------- */

/* Count the connections that the end of this server's session would terminate, in a division by 0 if
 * there is none: the statement fails. */
static void assert_is_named(void)
{
    postgresql_run("SELECT 1 / count(*) FROM pg_stat_activity WHERE application_name = "
                   "'segue 11111111111111111111111111111111'");
}

/* The session has ended, so the transaction in which a lost commit is resolved is rolled back.  Its
 * connection keeps the name: the next transaction does not name it again. */
static void a_connection_is_named_outside_of_transactions(void **state)
{
    char through[256], server[64];
    bool stored = false;
    (void)state;
    assert_int_equal(sscanf(name, "postgresql:host=%63s", server), 1);
    proxy_start(own_folder, server);
    segue_store_close(own_store);
    (void)snprintf(
        through, sizeof through,
        "postgresql:host=%s user=postgres dbname=postgres options=-csearch_path=sessions",
        own_folder);
    own_store = open_as(through, &here);
    begin();
    commit();
    proxy_set(PROXY_CUT_ANSWER);
    begin();
    (void)add_learner("b");
    assert_int_equal(segue_store_commit(own_store, &err), SEGUE_EIO);
    assert_true(segue_store_is_unresolved(own_store));
    postgresql_run("DELETE FROM sessions.writer WHERE session LIKE '1%'");
    (void)!segue_store_resolve(own_store, &stored, &err);
    assert_is_named();
    segue_store_close(own_store);
    proxy_stop();
    own_store = open_as(name, &here);
}

#define ON_BOTH(test) cmocka_unit_test_setup_teardown(test, open_both, close_both)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        ON_BOTH(a_lease_is_held_by_its_owner_in_its_epoch),
        ON_BOTH(a_lease_of_another_server_is_not_held),
        ON_BOTH(a_lease_that_was_undone_is_not_held),
        ON_BOTH(the_lease_of_a_deleted_learner_is_not_held),
        ON_BOTH(every_other_server_is_listed_once),
        ON_BOTH(the_last_learner_is_that_of_all_servers),
        ON_BOTH(a_connection_is_named_outside_of_transactions),
    };
    if (!postgresql_start())
        return 77; /* CTest: skipped */
    const int failed = cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
    postgresql_stop();
    return failed;
}
