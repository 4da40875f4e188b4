/* postgresql_rows.c - cursors.
 *
 * A query of few rows is a prepared statement whose result is read at once.  One of many rows is a
 * cursor in the database, of which MANY rows are fetched at a time, so that a table of millions
 * needs no memory.  Any number of cursors may be open on the connection.  One that is opened outside
 * of a transaction begins one, which ends with the last of them.
 *
 * Rows that wait to be inserted are sent before a query, in the same round trip: reads of a
 * transaction see what it has changed.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"
#include "store/stored_read.h"

#define MANY         1000 /* rows of one fetch */
#define WAIT_SECONDS 30   /* for a database that restarts */

typedef struct cursor {
    PGresult *result; /* the rows that were fetched last */
    int next, batch;  /* the next of them; most rows of a fetch, 0: `result` has all */
    char name[16];
    postgresql_state state; /* of an export of table meta */
} cursor;

/* The statement of a query, and how many rows one fetch gives; 0: all of them at once. */
static const struct query {
    postgresql_statement which;
    int batch;
} queries[SEGUE_N_QUERIES] = {
    [SEGUE_QUERY_LEARNERS] = {PG_LEARNERS, MANY},
    [SEGUE_QUERY_LEARNER] = {PG_LEARNER, 0},
    [SEGUE_QUERY_ARMS] = {PG_ARMS, 0},
    [SEGUE_QUERY_OPEN_TASKS] = {PG_TASKS_OPEN, MANY},
    [SEGUE_QUERY_NEWEST_OPEN_TASKS] = {PG_TASKS_NEWEST_OPEN, MANY},
    [SEGUE_QUERY_NEWEST_CLOSED_TASKS] = {PG_TASKS_NEWEST_CLOSED, MANY},
    [SEGUE_QUERY_NEWEST_TASKS] = {PG_TASKS_NEWEST, MANY},
    [SEGUE_QUERY_TASKS] = {PG_TASKS, MANY},
    [SEGUE_QUERY_TASK_BY_KEY] = {PG_TASK_BY_KEY, 0},
    [SEGUE_QUERY_TASK_BY_ID] = {PG_TASK_BY_ID, 0},
    [SEGUE_QUERY_REWARDS] = {PG_REWARDS, 0}, /* those of one task are in memory anyway */
    [SEGUE_QUERY_REWARD] = {PG_REWARD, 0},
    [SEGUE_QUERY_DECISIONS] = {PG_TASK_DECISIONS, 0},
    [SEGUE_QUERY_EVENT_DECISIONS] = {PG_DECISIONS, 0},
    [SEGUE_QUERY_PENDING_DECISIONS] = {PG_WAITING, MANY},
    [SEGUE_QUERY_EVENTS] = {PG_EVENTS, MANY},
    [SEGUE_QUERY_SNAPSHOT] = {PG_SNAPSHOT, 0},
    [SEGUE_QUERY_INITIAL] = {PG_INITIAL, 0},
    [SEGUE_QUERY_CHAIN] = {PG_CHAIN, MANY},
    [SEGUE_QUERY_LAST_LINK] = {PG_LAST_LINK, 0},
    [SEGUE_QUERY_REMOVED] = {PG_REMOVED, 0},
    [SEGUE_QUERY_BASE] = {PG_BASE, 0},
    [SEGUE_QUERY_LAST_TRIM] = {PG_LAST_TRIM, 0},
    [SEGUE_QUERY_CLOSED_AFTER] = {PG_TASKS_CLOSED_AFTER, MANY},
    [SEGUE_QUERY_REWARD_PARTS] = {PG_REWARD_PARTS, 0},
    [SEGUE_QUERY_TASK_PARTS] = {PG_TASK_PARTS, 0},
    [SEGUE_QUERY_MERGES] = {PG_MERGES, 0},
    [SEGUE_QUERY_MERGED] = {PG_MERGED, 0},
};

/* ---- values ------------------------------------------------------------------------------ */

static uint64_t read_number(const char *data, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | (unsigned char)data[i];
    return value;
}

/* Results are in the binary format.  A text is followed by a zero byte. */
static segue_value value_of(const store_row *row, int column)
{
    enum { BYTEA = 17, INT8 = 20, FLOAT8 = 701 };
    const PGresult *result = row->source;
    segue_value value = {.type = SEGUE_VALUE_NULL};
    if (PQgetisnull(result, row->index, column))
        return value;
    value.data = PQgetvalue(result, row->index, column);
    value.size = (size_t)PQgetlength(result, row->index, column);
    const Oid type = PQftype(result, column);
    if (type == INT8 || type == FLOAT8) {
        const uint64_t bits = read_number(value.data, 8);
        memcpy(&value.real, &bits, sizeof bits);
        value.integer = (int64_t)bits;
        value.type = type == INT8 ? SEGUE_VALUE_INTEGER : SEGUE_VALUE_REAL;
    } else {
        value.type = type == BYTEA ? SEGUE_VALUE_BYTES : SEGUE_VALUE_TEXT;
    }
    return value;
}

static const char *title_of(const store_row *row, int column)
{
    return PQfname(row->source, column);
}

store_row segue_postgresql_rows_row(PGresult *result, int index, segue_error *err)
{
    return (store_row){
        .value = value_of, .title = title_of, .source = result, .index = index, .err = err};
}

/* ---- opening ----------------------------------------------------------------------------- */

/* The parameters of a query are its `id`, then `key` or `number`. */
static void add_parameters(const segue_query *query, const char *text, postgresql_parameters *p)
{
    if (strstr(text, "$1"))
        segue_postgresql_pipeline_integer(p, query->id);
    if (strstr(text, "$2") && query->key)
        segue_postgresql_pipeline_text(p, query->key);
    else if (strstr(text, "$2"))
        segue_postgresql_pipeline_integer(p, segue_stored_read_number(query));
}

static segue_status queue_fetch(postgresql_store *store, const cursor *c, segue_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof text, "FETCH %d FROM %s", c->batch, c->name);
    return segue_postgresql_pipeline_queue_text(store, text, NULL, err);
}

/* Begin a transaction for cursors that are opened outside of one. */
static segue_status begin_for_cursor(postgresql_store *store, segue_error *err)
{
    if (store->transaction != POSTGRESQL_IDLE)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, PG_BEGIN_READ, NULL, err));
    store->transaction = POSTGRESQL_CURSORS;
    return SEGUE_OK;
}

static segue_status declare(postgresql_store *store, cursor *c, const char *select,
                            const postgresql_parameters *p, segue_error *err)
{
    char text[1024];
    (void)snprintf(c->name, sizeof c->name, "c%u", store->next_cursor++);
    if (snprintf(text, sizeof text, "DECLARE %s NO SCROLL CURSOR FOR %s", c->name, select) >=
        (int)sizeof text)
        return segue_fail(err, SEGUE_EIO, "a query is too long");
    SEGUE_TRY(begin_for_cursor(store, err));
    store->n_cursors++;
    SEGUE_TRY(segue_postgresql_pipeline_queue_text(store, text, p, err));
    return queue_fetch(store, c, err);
}

/* The columns of a table; those with long values come one row at a time. */
static segue_status open_table(postgresql_store *store, cursor *c, const segue_query *query,
                               segue_error *err)
{
    char text[400];
    const postgresql_table *table = &segue_postgresql_batch_tables[query->id];
    c->batch = query->id == SEGUE_TABLE_INITIAL || query->id == SEGUE_TABLE_BASE ||
                       query->id == SEGUE_TABLE_MERGED
                   ? 1
                   : MANY;
    (void)snprintf(text, sizeof text, "SELECT %s FROM %s ORDER BY %s", table->columns, table->name,
                   table->keys);
    return declare(store, c, text, NULL, err);
}

/* Queue the query of a cursor; *skip: it is known that there is no row. */
static segue_status open_query(postgresql_store *store, cursor *c, const segue_query *query,
                               bool *skip, segue_error *err)
{
    const struct query *about = &queries[query->kind];
    const char *text = segue_postgresql_pipeline_text_of(about->which);
    postgresql_parameters p = {.n = 0};
    add_parameters(query, text, &p);
    if (query->kind == SEGUE_QUERY_REWARD && store->transaction == POSTGRESQL_WRITE) {
        SEGUE_TRY(segue_postgresql_write_find_rewards(store, err));
        const postgresql_known_entry *known =
            segue_postgresql_known_find(&store->known, query->id, (int64_t)query->number, false);
        *skip = known && known->what == POSTGRESQL_ABSENT;
        if (*skip)
            return SEGUE_OK;
    }
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    c->batch = about->batch;
    return c->batch == 0 ? segue_postgresql_pipeline_queue(store, about->which, &p, err)
                         : declare(store, c, text, &p, err);
}

static segue_status open_cursor(segue_rows *rows, cursor *c, bool *skip, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(rows->store);
    if (store->transaction == POSTGRESQL_IDLE)
        SEGUE_TRY(segue_postgresql_connect_again(store, err));
    if (rows->query.kind != SEGUE_QUERY_TABLE)
        SEGUE_TRY(open_query(store, c, &rows->query, skip, err));
    else
        SEGUE_TRY(open_table(store, c, &rows->query, err));
    return *skip ? SEGUE_OK : segue_postgresql_pipeline_sync(store, &c->result, err);
}

/* End the transaction of cursors with the last of them. */
static void end_cursor(postgresql_store *store, const cursor *c)
{
    char text[40];
    const bool works = store->db && PQstatus(store->db) == CONNECTION_OK &&
                       PQtransactionStatus(store->db) != PQTRANS_INERROR;
    if (c->batch == 0 || store->n_cursors == 0)
        return;
    store->n_cursors--;
    if (works && store->transaction != POSTGRESQL_CURSORS) {
        (void)snprintf(text, sizeof text, "CLOSE %s", c->name);
        if (segue_postgresql_pipeline_queue_text(store, text, NULL, NULL) != SEGUE_OK)
            return; /* the next sync reports it */
    }
    if (store->n_cursors == 0 && store->transaction == POSTGRESQL_CURSORS)
        segue_postgresql_rollback(&store->base);
}

/* Tables meta and counter of an export are one row here: its columns are rows there. */
static bool is_meta(const segue_query *query)
{
    return query->kind == SEGUE_QUERY_TABLE &&
           (query->id == SEGUE_TABLE_META || query->id == SEGUE_TABLE_COUNTER);
}

/* Return whether to open a query again: the connection was lost, and nothing was under way.  The
 * handle that serves the store waits for the database: after COMMIT its operations read what they
 * have stored, and without it memory would lack the change.  Other handles try once more. */
static bool may_try_again(const postgresql_store *store, int tries)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    if ((store->db && PQstatus(store->db) == CONNECTION_OK) || store->base.is_lost)
        return false;
    if (tries > 0)
        (void)nanosleep(&pause, NULL);
    return tries < (store->is_locked ? 10 * WAIT_SECONDS : 1);
}

segue_status segue_postgresql_rows_open(segue_rows *rows, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(rows->store);
    bool skip = false;
    cursor *c = calloc(1, sizeof *c);
    if (!c)
        return segue_fail_no_memory(err, "a cursor");
    rows->cursor = c;
    if (is_meta(&rows->query))
        return SEGUE_OK;
    const bool was_idle = store->transaction == POSTGRESQL_IDLE;
    segue_status status = open_cursor(rows, c, &skip, err);
    for (int i = 0; status != SEGUE_OK && was_idle && may_try_again(store, i); i++) {
        segue_postgresql_connect_close(store);
        status = open_cursor(rows, c, &skip, err);
    }
    if (status != SEGUE_OK || skip) {
        end_cursor(store, c);
        free(c);
        rows->cursor = NULL;
    }
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

static segue_status next_of_meta(segue_rows *rows, segue_table_row *out, bool *more,
                                 segue_error *err)
{
    cursor *c = rows->cursor;
    SEGUE_TRY(segue_postgresql_meta_read_state(segue_postgresql_of(rows->store), &c->state, err));
    *more = segue_postgresql_meta_export(&c->state, (segue_store_table)rows->query.id,
                                         (size_t)rows->count, out);
    return SEGUE_OK;
}

/* Fetch more rows if the last fetch was full. */
static segue_status fetch(postgresql_store *store, cursor *c, segue_error *err)
{
    if (c->next < PQntuples(c->result) || c->batch == 0 || PQntuples(c->result) < c->batch)
        return SEGUE_OK;
    PQclear(c->result);
    c->result = NULL;
    c->next = 0;
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    SEGUE_TRY(queue_fetch(store, c, err));
    return segue_postgresql_pipeline_sync(store, &c->result, err);
}

segue_status segue_postgresql_rows_next(segue_rows *rows, void *out, bool *more, segue_error *err)
{
    cursor *c = rows->cursor;
    *more = false;
    if (is_meta(&rows->query))
        return next_of_meta(rows, out, more, err);
    SEGUE_TRY(fetch(segue_postgresql_of(rows->store), c, err));
    if (c->next >= PQntuples(c->result))
        return SEGUE_OK;
    *more = true;
    store_row row = segue_postgresql_rows_row(c->result, c->next++, err);
    if (rows->query.kind != SEGUE_QUERY_TABLE)
        return segue_stored_read(rows, &row, out);
    segue_table_row *values = out;
    row.table = segue_postgresql_batch_tables[rows->query.id].name;
    row.keys = 1;
    values->n = (size_t)PQnfields(c->result);
    return segue_column_values(&row, values);
}

void segue_postgresql_rows_close(segue_rows *rows)
{
    cursor *c = rows->cursor;
    if (!is_meta(&rows->query))
        end_cursor(segue_postgresql_of(rows->store), c);
    PQclear(c->result);
    free(c);
}
