/* test_store_postgresql_standby.c - a store in a PostgreSQL database whose COMMIT waits for a standby.
 *
 * A transaction whose session ends while its COMMIT waits is stored and visible, but the standby may
 * lack it.  It must not be acknowledged before the standby has it: a promotion would lose it.
 *
 * Skipped where PostgreSQL is not installed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>

#include "postgresql.h"
#include "store_backends.h"

#define WAITS "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')"
#define WAIT_UNTIL(condition)                                                                      \
    "DO $$BEGIN FOR i IN 1 .. 2000 LOOP EXIT WHEN " condition                                      \
    "; PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END$$"

static segue_error err;
static atomic_bool is_released;

/* End the session whose COMMIT waits; when another one waits, wait for no standby any more. */
static void *end_session_then_release(void *context)
{
    (void)context;
    postgresql_run(WAIT_UNTIL(WAITS));
    postgresql_run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE wait_event = "
        "'SyncRep'");
    postgresql_run(WAIT_UNTIL(WAITS));
    atomic_store(&is_released, true);
    postgresql_run("ALTER SYSTEM SET synchronous_standby_names = ''");
    postgresql_run("SELECT pg_reload_conf()");
    return NULL;
}

/* The setting takes effect a moment after the command. */
static segue_status commit_until_one_waits(void)
{
    segue_status status = SEGUE_OK;
    const int64_t learner = add_learner("a");
    for (int i = 0; status == SEGUE_OK && i < 10000; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "t%d", i);
        (void)add_task(learner, key);
        status = segue_store_commit(own_store, &err);
        if (status == SEGUE_OK)
            begin();
    }
    return status;
}

static void a_commit_is_found_stored_when_the_standby_has_it(void **state)
{
    pthread_t other;
    bool stored = false;
    char name[256];
    (void)state;
    postgresql_store_name(name, sizeof name, "own");
    assert_ok(segue_store_open(&own_store, name, SEGUE_STORE_CREATE, &err));
    assert_ok(segue_store_lock(own_store, &err));
    begin();
    postgresql_command("set synchronous_standby_names absent");
    assert_int_equal(pthread_create(&other, NULL, end_session_then_release, NULL), 0);
    assert_int_equal(commit_until_one_waits(), SEGUE_EIO);
    assert_true(segue_store_is_unresolved(own_store));
    assert_ok(segue_store_resolve(own_store, &stored, &err));
    assert_true(atomic_load(&is_released));
    assert_true(stored);
    assert_int_equal(pthread_join(other, NULL), 0);
    begin();
    segue_store_rollback(own_store);
    segue_store_close(own_store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_is_found_stored_when_the_standby_has_it),
    };
    if (!postgresql_start())
        return 77; /* CTest: skipped */
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    postgresql_stop();
    return failed;
}
