/* store_backends.c - the backends of the own_store, and rows for the tests that every one must
 * pass.
 *
 * A new backend adds its entry to `backends`: how to start its server, how to name and remove a
 * store, and how to damage a row.  Where the server is not installed its tests do not run; they say
 * so.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "store_backends.h"

#include <unistd.h>

#include "postgresql.h"
#include "store/sqlite/sqlite.h"

/* ---- backends ---------------------------------------------------------------------------- */

typedef struct backend {
    const char *name;
    bool (*start)(void); /* NULL: it needs no server; false: there is none */
    void (*stop)(void);
    void (*remove)(const char *which);                          /* a store */
    void (*name_of)(char *out, size_t size, const char *which); /* a store of the test's own */
    void (*damage)(segue_store *handle);                        /* the first reward of task 1 */
} backend;

static void sqlite_name(char *out, size_t size, const char *which)
{
    (void)snprintf(out, size, "sqlite:%s/%s.db", own_folder, which);
}

static void sqlite_damage(segue_store *handle)
{
    assert_ok(segue_sqlite_execute(segue_sqlite_of(handle),
                                   "UPDATE reward SET value = 'x' WHERE task = 1 AND position = 0",
                                   NULL));
}

static void sqlite_remove(const char *which)
{
    char name[128], path[128];
    sqlite_name(name, sizeof name, which);
    for (size_t i = 0; segue_store_file_path(name, i, path, sizeof path); i++)
        (void)unlink(path);
}

static void postgresql_damage(segue_store *handle)
{
    (void)handle;
    postgresql_run("UPDATE s_a.reward SET value = 'NaN' WHERE task = 1 AND position = 0");
}

static void postgresql_name(char *out, size_t size, const char *which)
{
    char schema[32];
    (void)snprintf(schema, sizeof schema, "s_%s", which);
    postgresql_store_name(out, size, schema);
}

static void postgresql_remove(const char *which)
{
    char text[64];
    (void)snprintf(text, sizeof text, "SET client_min_messages = error; DROP SCHEMA s_%s CASCADE",
                   which);
    postgresql_run(text);
}

static const backend backends[] = {
    {"sqlite", NULL, NULL, sqlite_remove, sqlite_name, sqlite_damage},
    {"postgresql", postgresql_start, postgresql_stop, postgresql_remove, postgresql_name,
     postgresql_damage}};
enum { N_BACKENDS = sizeof backends / sizeof *backends };

static const backend *current;
segue_store *own_store, *own_reader;

segue_store *open_store(const char *which, segue_store_mode mode)
{
    char name[160];
    segue_store *out = NULL;
    segue_error err = {.message = ""};
    current->name_of(name, sizeof name, which);
    if (segue_store_open(&out, name, mode, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return out;
}

void damage_reward(void)
{
    current->damage(own_store);
}

/* ---- rows -------------------------------------------------------------------------------- */

int64_t add_learner(const char *name)
{
    segue_stored_learner row = {.name = name, .config = "{}", .created = 1.5};
    assert_ok(segue_store_add_learner(own_store, &row, NULL));
    return row.id;
}

int64_t add_task(int64_t learner, const char *key)
{
    segue_stored_task row = {.learner = learner, .key = key, .n_arms = 2, .tag = 7, .opened = 2.5};
    assert_ok(segue_store_add_task(own_store, &row, NULL));
    return row.id;
}

bool add_reward(int64_t task, uint64_t number, uint64_t position, double value)
{
    bool is_new = false;
    const segue_stored_reward row = {.task = task,
                                     .number = number,
                                     .position = position,
                                     .arm = 1,
                                     .value = value,
                                     .created = 3.5};
    assert_ok(segue_store_add_reward(own_store, &row, &is_new, NULL));
    return is_new;
}

uint64_t add_event(int64_t learner, segue_event_kind kind, int64_t subject)
{
    segue_stored_event row = {.learner = learner, .kind = kind, .subject = subject, .created = 4.5};
    assert_ok(segue_store_add_event(own_store, &row, NULL));
    return row.seq;
}

/* Close a task that has `rewards` rewards of value 1. */
void close_task(int64_t learner, int64_t id, uint64_t rewards)
{
    const segue_stored_task row = {
        .id = id, .learner = learner, .closed = 5.5, .rewards = rewards, .total = (double)rewards};
    const uint64_t seq = add_event(learner, SEGUE_EVENT_CLOSE, id);
    assert_ok(segue_store_close_task(own_store, &row, seq, NULL));
}

size_t count_tasks(segue_store *from, segue_query_kind kind, int64_t learner)
{
    segue_rows rows;
    segue_stored_task row;
    segue_rows_open(&rows, from, &(segue_query){kind, .id = learner, .number = 100}, NULL);
    while (segue_rows_next_task(&rows, &row))
        assert_int_equal(row.learner, learner);
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    return (size_t)rows.count;
}

/* One learner, two arms, and an open task with two rewards. */
int64_t add_rows(void)
{
    const int64_t learner = add_learner("a");
    assert_ok(segue_store_add_arm(own_store, learner, 0, "x", 1.0, NULL));
    assert_ok(segue_store_add_arm(own_store, learner, 1, "y", 1.0, NULL));
    const int64_t task = add_task(learner, "t");
    assert_true(add_reward(task, 10, 0, 1.0));
    assert_true(add_reward(task, 11, 1, 1.0));
    return learner;
}

void begin(void)
{
    assert_ok(segue_store_begin(own_store, NULL));
}

void commit(void)
{
    assert_ok(segue_store_commit(own_store, NULL));
}

/* ---- all backends ------------------------------------------------------------------------ */

int open_handles(void **state)
{
    (void)state;
    own_store = open_store("a", SEGUE_STORE_CREATE);
    own_reader = open_store("a", SEGUE_STORE_READ);
    return 0;
}

int close_handles(void **state)
{
    (void)state;
    segue_store_close(own_reader);
    segue_store_close(own_store);
    current->remove("a");
    return 0;
}

int run_on_backends(const struct CMUnitTest *tests, size_t n)
{
    int failed = 0;
    for (size_t i = 0; i < N_BACKENDS; i++) {
        current = &backends[i];
        if (current->start && !current->start())
            continue;
        failed +=
            _cmocka_run_group_tests(current->name, tests, n, make_own_folder, remove_own_folder);
        if (current->stop)
            current->stop();
    }
    return failed;
}
