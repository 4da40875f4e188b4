/* postgresql_schema.c - the tables of a store, and the check that a schema has them.
 *
 * The tables are in the first schema of the search path.  They are those of sqlite_schema.c, and hold
 * the same values; numbers are BIGINT and FLOAT8, and texts are ordered by their bytes.  Table meta
 * has one row, with the format, the key, and the counters that each transaction changes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define TEXT "TEXT COLLATE \"C\""

/* Of several servers (postgresql_session.c). */
#define SESSION_TABLES                                                                             \
    "CREATE TABLE server (id TEXT PRIMARY KEY, address TEXT NOT NULL, started TIMESTAMPTZ NOT "    \
    "NULL,"                                                                                        \
    " expires TIMESTAMPTZ NOT NULL) WITH (fillfactor = 10);"                                       \
    "CREATE TABLE writer (session TEXT PRIMARY KEY, commits BIGINT NOT NULL)"                      \
    " WITH (fillfactor = 10);"                                                                     \
    "CREATE TABLE lease (learner BIGINT PRIMARY KEY, epoch BIGINT NOT NULL, owner TEXT);"          \
    "CREATE INDEX lease_owner ON lease (owner);"

static const char schema[] =
    "CREATE TABLE meta (one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one), format BIGINT NOT NULL,"
    " key BYTEA NOT NULL, boot BIGINT NOT NULL DEFAULT 0, commits BIGINT NOT NULL DEFAULT 0,"
    " learner BIGINT NOT NULL DEFAULT 0, task BIGINT NOT NULL DEFAULT 0,"
    " event BIGINT NOT NULL DEFAULT 0, clock FLOAT8 NOT NULL DEFAULT -1) WITH (fillfactor = 10);"
    "CREATE TABLE learner (id BIGINT PRIMARY KEY, name " TEXT " UNIQUE,"
    " config " TEXT " NOT NULL, created FLOAT8 NOT NULL);"
    "CREATE TABLE arm (learner BIGINT, position BIGINT, name " TEXT " NOT NULL,"
    " added FLOAT8 NOT NULL, retired FLOAT8, pulls BIGINT NOT NULL, total FLOAT8 NOT NULL,"
    " PRIMARY KEY (learner, position));"
    "CREATE TABLE task (id BIGINT PRIMARY KEY, learner BIGINT NOT NULL, key " TEXT " NOT NULL,"
    " control BIGINT NOT NULL, version BIGINT NOT NULL, n_arms BIGINT NOT NULL,"
    " opened FLOAT8 NOT NULL, closed FLOAT8, closed_seq BIGINT, rewards BIGINT NOT NULL,"
    " total FLOAT8 NOT NULL, tag BIGINT NOT NULL, control_share FLOAT8 NOT NULL, features " TEXT ","
    " UNIQUE (learner, key));"
    "CREATE INDEX task_learner ON task (learner, id);"
    "CREATE INDEX task_open ON task (learner, id) WHERE closed IS NULL;"
    "CREATE INDEX task_closed ON task (learner, closed_seq) WHERE closed_seq IS NOT NULL;"
    "CREATE TABLE decision (task BIGINT, number BIGINT, arm BIGINT NOT NULL,"
    " version BIGINT NOT NULL, event " TEXT ", created FLOAT8 NOT NULL, probability FLOAT8,"
    " exact BIGINT, segue_arm BIGINT, segue_probability FLOAT8, PRIMARY KEY (task, number));"
    "CREATE INDEX decision_event ON decision (task, event) WHERE event IS NOT NULL;"
    "CREATE TABLE reward (task BIGINT, number BIGINT, position BIGINT NOT NULL,"
    " arm BIGINT NOT NULL, value FLOAT8 NOT NULL, created FLOAT8 NOT NULL,"
    " by_default BIGINT NOT NULL, probability FLOAT8, asks " TEXT ", segue_arm BIGINT,"
    " segue_probability FLOAT8, PRIMARY KEY (task, number));"
    "CREATE TABLE event (seq BIGINT PRIMARY KEY, learner BIGINT NOT NULL, kind BIGINT NOT NULL,"
    " subject BIGINT NOT NULL, created FLOAT8 NOT NULL, epoch BIGINT NOT NULL DEFAULT 0);"
    "CREATE INDEX event_learner ON event (learner, seq);"
    "CREATE INDEX event_trim ON event (learner, seq) WHERE kind = 10;"
    "CREATE TABLE initial (learner BIGINT PRIMARY KEY, bytes BYTEA NOT NULL);"
    "CREATE TABLE merged (learner BIGINT, number BIGINT, origins " TEXT " NOT NULL,"
    " bytes BYTEA NOT NULL, PRIMARY KEY (learner, number));"
    "CREATE TABLE snapshot (learner BIGINT, seq BIGINT, bytes BYTEA NOT NULL,"
    " PRIMARY KEY (learner, seq));"
    "CREATE TABLE chain (learner BIGINT, seq BIGINT, bytes BYTEA NOT NULL,"
    " PRIMARY KEY (learner, seq));"
    "CREATE TABLE removed (task BIGINT PRIMARY KEY, learner BIGINT NOT NULL,"
    " counts " TEXT " NOT NULL, bytes BYTEA NOT NULL, erased BIGINT NOT NULL);"
    "CREATE INDEX removed_learner ON removed (learner);"
    "CREATE TABLE base (learner BIGINT PRIMARY KEY, seq BIGINT NOT NULL, bytes BYTEA NOT NULL);"
    "CREATE TABLE reward_part (task BIGINT, number BIGINT, event " TEXT ","
    " position BIGINT NOT NULL, value FLOAT8 NOT NULL, created FLOAT8 NOT NULL,"
    " PRIMARY KEY (task, number, event));" SESSION_TABLES;

#define N_INDICES 27 /* of these tables, those of keys included */

#define IN_SCHEMA "relnamespace = current_schema()::regnamespace"

/* Find out whether the schema has a store; fail if there is no schema. */
static segue_status find_store(postgresql_store *store, bool *found, segue_error *err)
{
    int64_t n = 0;
    SEGUE_TRY(segue_postgresql_pipeline_count(
        store,
        "SELECT CASE WHEN current_schema() IS NULL THEN -1 ELSE (SELECT count(*) FROM "
        "pg_class WHERE " IN_SCHEMA " AND relname = 'meta') END",
        0, &n, err));
    if (n < 0)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: no schema of the search path exists; CREATE SCHEMA makes one",
                          store->base.location);
    *found = n > 0;
    return SEGUE_OK;
}

/* ---- creation ---------------------------------------------------------------------------- */

static segue_status create_tables(postgresql_store *store, segue_error *err)
{
    unsigned char key[SEGUE_STORE_KEY_SIZE];
    postgresql_parameters p = {.n = 0};
    if (sodium_init() < 0)
        return segue_fail(err, SEGUE_EIO, "the system gives no random bytes; check /dev/urandom");
    randombytes_buf(key, sizeof key);
    segue_postgresql_pipeline_integer(&p, SEGUE_STORE_FORMAT);
    segue_postgresql_pipeline_bytes(&p, key, sizeof key);
    SEGUE_TRY(segue_postgresql_pipeline_script(store, schema, err));
    SEGUE_TRY(segue_postgresql_pipeline_queue_text(
        store, "INSERT INTO meta (format, key) VALUES ($1, $2)", &p, err));
    SEGUE_TRY(segue_postgresql_pipeline_queue_text(store, "COMMIT", NULL, err));
    return segue_postgresql_pipeline_sync(store, NULL, err);
}

/* One transaction: a killed program leaves no table or a whole store.  The lock lets several servers
 * start at once: the first one creates the tables. */
static segue_status create_schema(postgresql_store *store, segue_error *err)
{
    bool found = false;
    SEGUE_TRY(segue_postgresql_pipeline_script(
        store, "BEGIN; SELECT pg_advisory_xact_lock(1399154549, 0)", err));
    store->transaction = POSTGRESQL_WRITE;
    segue_status status = find_store(store, &found, err);
    if (status == SEGUE_OK && !found)
        status = create_tables(store, err);
    if (status != SEGUE_OK || found) {
        segue_postgresql_rollback(&store->base);
        return status;
    }
    store->transaction = POSTGRESQL_IDLE;
    store->is_new = true;
    return SEGUE_OK;
}

void segue_postgresql_schema_drop(postgresql_store *store)
{
    segue_error ignored;
    if (segue_postgresql_connect_again(store, &ignored) == SEGUE_OK)
        (void)!segue_postgresql_pipeline_script(
            store,
            "DROP TABLE meta, learner, arm, task, decision, reward, event, initial, merged, "
            "snapshot, chain, removed, base, reward_part, server, writer, lease",
            &ignored);
}

/* ---- the format -------------------------------------------------------------------------- */

static segue_status fail_format(const postgresql_store *store, int64_t format, segue_error *err)
{
    const char *next = format > SEGUE_STORE_FORMAT ? "use the program that wrote it, or a newer one"
                       : format == 10 ? "'segue store upgrade' brings it to this format"
                                      : "there is no upgrade from it; start a new store";
    return segue_fail(err, SEGUE_EFILE, "%s: has format %" PRId64 "; need %d; %s",
                      store->base.location, format, SEGUE_STORE_FORMAT, next);
}

static segue_status read_format(postgresql_store *store, int64_t *format, segue_error *err)
{
    const segue_status status =
        segue_postgresql_pipeline_count(store, "SELECT format FROM meta", 0, format, err);
    return status == SEGUE_EFILE
               ? segue_fail(err, SEGUE_EFILE,
                            "%s: its table meta is that of another program; name a schema "
                            "of its own with options='-csearch_path=SCHEMA'",
                            store->base.location)
               : status;
}

/* The tables have the columns that inserts fill, with their types. */
static segue_status check_columns(postgresql_store *store, const postgresql_table *table,
                                  segue_error *err)
{
    char text[300];
    PGresult *result = NULL;
    (void)snprintf(text, sizeof text, "SELECT %s FROM %s LIMIT 0", table->columns, table->name);
    SEGUE_TRY(segue_postgresql_pipeline_queue_text(store, text, NULL, err));
    SEGUE_TRY(segue_postgresql_pipeline_sync(store, &result, err));
    bool same = true;
    for (int i = 0; table->types[i] && same; i++) {
        const Oid type = PQftype(result, i);
        const char *letter = type == 20 ? "i" : type == 701 ? "r" : type == 25 ? "t" : "b";
        same = *letter == table->types[i];
    }
    PQclear(result);
    return same
               ? SEGUE_OK
               : segue_store_fail_damaged(err, "the columns of table %s are not those of format %d",
                                          table->name, SEGUE_STORE_FORMAT);
}

segue_status segue_postgresql_schema_check_tables(postgresql_store *store, segue_error *err)
{
    int64_t indices = 0;
    for (size_t i = 0; i <= SEGUE_N_TABLES; i++)
        if (*segue_postgresql_batch_tables[i].types)
            SEGUE_TRY(check_columns(store, &segue_postgresql_batch_tables[i], err));
    SEGUE_TRY(segue_postgresql_pipeline_count(
        store,
        "SELECT count(*) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid WHERE "
        "c." IN_SCHEMA " AND i.indisvalid AND c.relname IN ('meta', 'learner', 'arm', 'task', "
        "'decision', 'reward', 'event', 'initial', 'merged', 'snapshot', 'chain', 'removed', "
        "'base', 'reward_part', 'server', 'writer', 'lease')",
        0, &indices, err));
    return indices >= N_INDICES
               ? SEGUE_OK
               : segue_store_fail_damaged(err, "its tables have %" PRId64 " indices; need %d",
                                          indices, N_INDICES);
}

segue_status segue_postgresql_schema_check(postgresql_store *store, segue_store_mode mode,
                                           segue_error *err)
{
    bool found = false;
    int64_t format = 0;
    SEGUE_TRY(find_store(store, &found, err));
    if (!found && mode == SEGUE_STORE_CREATE)
        SEGUE_TRY(create_schema(store, err));
    else if (!found)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: has no store in its schema; 'segue serve' creates one",
                          store->base.location);
    SEGUE_TRY(read_format(store, &format, err));
    if (format != SEGUE_STORE_FORMAT && mode != SEGUE_STORE_UPGRADE)
        return fail_format(store, format, err);
    return mode == SEGUE_STORE_UPGRADE ? SEGUE_OK
                                       : segue_postgresql_schema_check_tables(store, err);
}

/* In 11 an event has the epoch of its writer, and several servers can share a store; snapshots are of
 * another program. */
static const char step_from_10[] =
    "BEGIN; ALTER TABLE event ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;" SESSION_TABLES
    "DELETE FROM snapshot; UPDATE meta SET format = 11; COMMIT";

static segue_status upgrade_from_10(postgresql_store *store, segue_error *err)
{
    const segue_status status = segue_postgresql_pipeline_script(store, step_from_10, err);
    if (status != SEGUE_OK) /* the database rolls back with the connection */
        segue_postgresql_connect_close(store);
    return status;
}

segue_status segue_postgresql_schema_upgrade(segue_store *base, int64_t *from, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(read_format(store, from, err));
    if (*from == 10)
        SEGUE_TRY(upgrade_from_10(store, err));
    else if (*from != SEGUE_STORE_FORMAT)
        return fail_format(store, *from, err);
    return segue_postgresql_schema_check_tables(store, err);
}
