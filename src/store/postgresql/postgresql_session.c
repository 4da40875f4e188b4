/* postgresql_session.c - several servers on one database: sessions and leases, and the fence of
 * writes.  docs/cluster-protocol.md has the states and the reasons.
 *
 *   server   one row per session that lives: address, expiry
 *   writer   one row per session that lives: the count of its transactions; a write transaction locks
 *            it from its begin on, and the end of the session deletes it
 *   lease    one row per learner: epoch, owner (postgresql_lease.c)
 *
 * Each statement that changes them is a transaction of its own, so that a client which stops holds
 * no lock.  Only the fence is part of a longer one; the server that ends the session of such
 * a client terminates its connections first.
 *
 * The fence takes the place of the row of table meta, which one server locks (postgresql.c): numbers
 * come in blocks from the counters of table meta, and the count of transactions is the session's.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define LEARNERS 64                 /* numbers of a block */
#define ROWS     (INT64_C(1) << 23) /* ... of tasks and events */
#define HEADROOM (INT64_C(1) << 22) /* more than a transaction can need */
#define NAME     "segue "           /* before the session's id in application_name */
#define VERSION  140000             /* of PostgreSQL, which can wait until a session has ended */

/* ---- statements -------------------------------------------------------------------------- */

/* Run one statement, after a lost connection on a new one.  *out: for PQclear. */
segue_status segue_postgresql_session_run(segue_store *base, const char *text,
                                          const postgresql_parameters *p, PGresult **out,
                                          segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_connect_again(store, err));
    segue_status status = segue_postgresql_pipeline_queue_text(store, text, p, err);
    if (status == SEGUE_OK)
        status = segue_postgresql_pipeline_sync(store, out, err);
    return status;
}

/* ... and read the integers of its first row; *n: how many rows it has. */
segue_status segue_postgresql_session_run_integers(segue_store *base, const char *text,
                                                   const postgresql_parameters *p, int64_t *out,
                                                   int count, int *n, segue_error *err)
{
    PGresult *result = NULL;
    SEGUE_TRY(segue_postgresql_session_run(base, text, p, &result, err));
    *n = PQntuples(result);
    if (*n > 0) {
        const store_row row = segue_postgresql_rows_row(result, 0, err);
        for (int i = 0; i < count; i++)
            out[i] = segue_column_key(&row, i);
    }
    PQclear(result);
    return SEGUE_OK;
}

/* Copy a text of a result; NULL becomes "". */
void segue_postgresql_session_copy_text(const store_row *row, int column, char *out, size_t size)
{
    const segue_value value = row->value(row, column);
    const size_t n = value.type == SEGUE_VALUE_TEXT && value.size < size ? value.size : 0;
    if (n > 0)
        memcpy(out, value.data, n);
    out[n] = '\0';
}

bool segue_postgresql_session_is_set(const postgresql_store *store)
{
    return *store->base.session.id;
}

/* ---- the lock and the name of the connection --------------------------------------------- */

static segue_status lock_shared(segue_store *base, segue_error *err)
{
    int64_t locked = 0;
    int n = 0;
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base, "SELECT pg_try_advisory_lock_shared(" SEGUE_POSTGRESQL_LOCK_KEY ")::int::bigint",
        NULL, &locked, 1, &n, err));
    const int version = PQserverVersion(segue_postgresql_of(base)->db);
    if (version < VERSION)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is PostgreSQL %d; several servers need %d or newer", base->location,
                          version / 10000, VERSION / 10000);
    return locked ? SEGUE_OK
                  : segue_fail(err, SEGUE_EFILE,
                               "%s: a server without --advertise has this store alone; stop it",
                               base->location);
}

/* Name a new connection, so that it can be terminated with its session, and lock the store again. */
segue_status segue_postgresql_session_name(postgresql_store *store, segue_error *err)
{
    char name[sizeof NAME + SEGUE_SESSION_SIZE];
    postgresql_parameters p = {.n = 0};
    PGresult *result = NULL;
    if (!segue_postgresql_session_is_set(store) ||
        (strcmp(store->named, store->base.session.id) == 0 &&
         store->named_backend == store->backend))
        return SEGUE_OK;
    SEGUE_TRY(lock_shared(&store->base, err));
    (void)snprintf(name, sizeof name, NAME "%s", store->base.session.id);
    segue_postgresql_pipeline_text(&p, name);
    SEGUE_TRY(segue_postgresql_session_run(
        &store->base, "SELECT set_config('application_name', $1, false)", &p, &result, err));
    PQclear(result);
    if (strcmp(store->named, store->base.session.id) != 0)
        store->is_counted = false; /* another session: its count is another one */
    store->named_backend = store->backend;
    memcpy(store->named, store->base.session.id, sizeof store->named);
    return SEGUE_OK;
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Numbers to add to a counter: 0 if those of the block suffice. */
static int64_t missing(int64_t last, int64_t end, int64_t headroom, int64_t block)
{
    return end - last >= headroom ? 0 : block;
}

static void set_block(int64_t *last, int64_t *end, int64_t added, int64_t counter)
{
    if (added == 0)
        return;
    *last = counter - added;
    *end = counter;
}

/* Take new blocks of numbers, if those of this server may not suffice for a transaction. */
static segue_status take_numbers(postgresql_store *store, segue_error *err)
{
    postgresql_state *s = &store->stored;
    postgresql_parameters p = {.n = 0};
    int64_t counter[3] = {0};
    int n = 0;
    if (s->last_event < store->skip_event)
        store->end_event = 0;
    const int64_t learners = missing(s->last_learner, store->end_learner, 1, LEARNERS);
    const int64_t tasks = missing(s->last_task, store->end_task, HEADROOM, ROWS);
    const int64_t events = missing(s->last_event, store->end_event, HEADROOM, ROWS);
    if (learners + tasks + events == 0)
        return SEGUE_OK;
    segue_postgresql_pipeline_integer(&p, learners);
    segue_postgresql_pipeline_integer(&p, tasks);
    segue_postgresql_pipeline_integer(&p, events);
    SEGUE_TRY(segue_postgresql_session_run_integers(
        &store->base,
        "UPDATE meta SET learner = learner + $1, task = task + $2, "
        "event = event + $3 RETURNING learner, task, event",
        &p, counter, 3, &n, err));
    set_block(&s->last_learner, &store->end_learner, learners, counter[0]);
    set_block(&s->last_task, &store->end_task, tasks, counter[1]);
    set_block(&s->last_event, &store->end_event, events, counter[2]);
    return SEGUE_OK;
}

segue_status segue_postgresql_session_read_numbers(postgresql_store *store, segue_store_meta *meta,
                                                   segue_error *err)
{
    int64_t last[2] = {0};
    int n = 0;
    SEGUE_TRY(segue_postgresql_session_run_integers(&store->base, "SELECT learner, task FROM meta",
                                                    NULL, last, 2, &n, err));
    meta->last_learner = last[0];
    meta->last_task = last[1];
    return SEGUE_OK;
}

static void skip_events(segue_store *base, uint64_t seq)
{
    postgresql_store *store = segue_postgresql_of(base);
    if ((int64_t)seq > store->skip_event)
        store->skip_event = (int64_t)seq;
}

/* ---- the fence --------------------------------------------------------------------------- */

segue_status segue_postgresql_session_prepare(postgresql_store *store, segue_error *err)
{
    SEGUE_TRY(segue_postgresql_session_name(store, err));
    return segue_postgresql_session_is_set(store) ? take_numbers(store, err) : SEGUE_OK;
}

segue_status segue_postgresql_session_fail(postgresql_store *store, segue_error *err)
{
    store->base.is_fenced = true;
    return segue_fail(err, SEGUE_EIO, "%s: the session of this server was ended",
                      store->base.location);
}

segue_status segue_postgresql_session_lock(postgresql_store *store, PGresult **out,
                                           segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_session(&p, &store->base.session);
    SEGUE_TRY(segue_postgresql_pipeline_run(store, PG_LOCK_WRITER, &p, out, err));
    if (PQntuples(*out) == 1)
        return SEGUE_OK;
    PQclear(*out);
    *out = NULL;
    return segue_postgresql_session_fail(store, err);
}

void segue_postgresql_session_set_numbers(const postgresql_store *store, postgresql_state *now)
{
    const postgresql_state *s = &store->stored;
    now->last_learner = s->last_learner;
    now->last_task = s->last_task;
    now->last_event = s->last_event;
    if (store->is_counted)
        now->starts = s->starts;
}

segue_status segue_postgresql_session_queue_end(postgresql_store *store, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    const postgresql_state *s = &store->staged;
    if (s->last_learner > store->end_learner || s->last_task > store->end_task ||
        s->last_event > store->end_event)
        return segue_fail(err, SEGUE_EIO, "%s: the transaction needs more than %" PRId64 " numbers",
                          store->base.location, HEADROOM);
    segue_postgresql_pipeline_session(&p, &store->base.session);
    segue_postgresql_pipeline_integer(&p, s->commits);
    return segue_postgresql_pipeline_queue(store, PG_SET_WRITER, &p, err);
}

/* ---- sessions ---------------------------------------------------------------------------- */

/* Learners of a store that one server had have no lease yet. */
static segue_status add(segue_store *base, const segue_session *session, const char *address,
                        double ttl, double *clock, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    PGresult *result = NULL;
    SEGUE_TRY(segue_postgresql_session_run(
        base,
        "INSERT INTO lease SELECT id, 0, NULL FROM learner AS l WHERE NOT EXISTS "
        "(SELECT FROM lease WHERE learner = l.id) ON CONFLICT DO NOTHING",
        NULL, &result, err));
    PQclear(result);
    segue_postgresql_pipeline_session(&p, session);
    segue_postgresql_pipeline_text(&p, address);
    segue_postgresql_pipeline_real(&p, ttl);
    SEGUE_TRY(segue_postgresql_session_run(
        base,
        "WITH s AS (INSERT INTO server VALUES ($1, $2, clock_timestamp(), "
        "clock_timestamp() + make_interval(secs => $3)) RETURNING id), "
        "w AS (INSERT INTO writer SELECT id, 0 FROM s) SELECT clock FROM meta",
        &p, &result, err));
    store_row row = segue_postgresql_rows_row(result, 0, err);
    row.table = "meta";
    *clock = PQntuples(result) == 1 ? segue_column_real(&row, 0) : -1.0;
    PQclear(result);
    return row.status;
}

/* The database's clock may have been set back: an expiry of two ttl or more from now is shortened.
 * Else the learners of a server that died would wait as long as the jump.  Rows that another server
 * renews or shortens at the same time are skipped. */
static segue_status renew(segue_store *base, const segue_session *session, double ttl, double clock,
                          bool *lives, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    int64_t found = 0;
    int n = 0;
    segue_postgresql_pipeline_session(&p, session);
    segue_postgresql_pipeline_real(&p, ttl);
    segue_postgresql_pipeline_real(&p, clock);
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base,
        "WITH s AS (UPDATE server SET expires = clock_timestamp() + "
        "make_interval(secs => $2) WHERE id = $1 RETURNING id), o AS (UPDATE server SET "
        "expires = clock_timestamp() + make_interval(secs => $2) WHERE id IN (SELECT id FROM "
        "server "
        "WHERE id <> $1 AND expires > clock_timestamp() + make_interval(secs => 2 * $2) "
        "FOR UPDATE SKIP LOCKED)), m AS (UPDATE "
        "meta SET clock = $3 WHERE clock < $3::float8 - 1 AND EXISTS (SELECT FROM s)) "
        "SELECT count(*) FROM s",
        &p, &found, 1, &n, err));
    *lives = found == 1;
    return SEGUE_OK;
}

static segue_status end_session(segue_store *base, const segue_session *session, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    PGresult *result = NULL;
    segue_postgresql_pipeline_session(&p, session);
    SEGUE_TRY(segue_postgresql_session_run(
        base,
        "WITH l AS (UPDATE lease SET owner = NULL WHERE owner = $1), w AS (DELETE FROM "
        "writer WHERE session = $1) DELETE FROM server WHERE id = $1",
        &p, &result, err));
    PQclear(result);
    return SEGUE_OK;
}

/* A stopped server may hold the lock of its row in table writer: its connections go first. */
static segue_status end_expired(segue_store *base, uint64_t *ended, segue_error *err)
{
    int64_t count = 0;
    int n = 0;
    *ended = 0;
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base, "SELECT count(*) FROM server WHERE expires < clock_timestamp()", NULL, &count, 1, &n,
        err));
    if (count == 0)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base,
        "SELECT count(pg_terminate_backend(a.pid, 200)) FROM pg_stat_activity "
        "AS a JOIN server AS s ON a.application_name = '" NAME "' || s.id "
        "WHERE s.expires < clock_timestamp() AND a.pid <> pg_backend_pid()",
        NULL, &count, 1, &n, err));
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base,
        "WITH s AS (DELETE FROM server WHERE expires < clock_timestamp() "
        "RETURNING id), w AS (DELETE FROM writer USING s WHERE session = s.id) "
        "SELECT count(*) FROM s",
        NULL, &count, 1, &n, err));
    *ended = (uint64_t)count;
    return SEGUE_OK;
}

static segue_status list_servers(segue_store *base, const segue_session *session,
                                 char (*out)[SEGUE_MAX_ADDRESS + 1], size_t *count,
                                 segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    PGresult *result = NULL;
    segue_postgresql_pipeline_session(&p, session);
    SEGUE_TRY(segue_postgresql_session_run(
        base,
        "SELECT DISTINCT address FROM server WHERE id <> $1 AND address <> '' AND expires >= "
        "clock_timestamp() AND address IS DISTINCT FROM (SELECT address FROM server WHERE id = $1) "
        "ORDER BY address",
        &p, &result, err));
    *count = 0;
    for (int i = 0; i < PQntuples(result) && *count < SEGUE_MAX_SERVERS; i++) {
        const store_row row = segue_postgresql_rows_row(result, i, err);
        segue_postgresql_session_copy_text(&row, 0, out[(*count)++], SEGUE_MAX_ADDRESS + 1);
    }
    PQclear(result);
    return SEGUE_OK;
}

const segue_store_sessions segue_postgresql_session_functions = {
    .lock_shared = lock_shared,
    .add = add,
    .renew = renew,
    .end = end_session,
    .end_expired = end_expired,
    .list_servers = list_servers,
    .find = segue_postgresql_lease_find,
    .take = segue_postgresql_lease_take,
    .release = segue_postgresql_lease_release,
    .hold = segue_postgresql_lease_hold,
    .claim = segue_postgresql_lease_claim,
    .add_lease = segue_postgresql_lease_add_lease,
    .list = segue_postgresql_lease_list,
    .shares = segue_postgresql_lease_shares,
    .skip_events = skip_events};
