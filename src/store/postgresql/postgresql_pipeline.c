/* postgresql_pipeline.c - statements that are sent without a wait, and the wait for all of them.
 *
 * The connection is in libpq's pipeline mode.  A statement is queued; its answer is read by the next
 * sync.  After a failure the database skips what follows, up to the sync.  So a group of operations
 * costs the round trips of its reads, and one for the rest.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

static const char *const names[] = {
#define SEGUE_STATEMENT_NAME(name, text) #name,
    SEGUE_POSTGRESQL_STATEMENTS(SEGUE_STATEMENT_NAME)
#undef SEGUE_STATEMENT_NAME
};
static const char *const texts[] = {
#define SEGUE_STATEMENT_TEXT(name, text) text,
    SEGUE_POSTGRESQL_STATEMENTS(SEGUE_STATEMENT_TEXT)
#undef SEGUE_STATEMENT_TEXT
};

const char *segue_postgresql_pipeline_text_of(postgresql_statement which)
{
    return texts[which];
}

/* ---- parameters -------------------------------------------------------------------------- */

/* Highest byte first. */
static void add_number(postgresql_parameters *p, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        p->number[p->n][i] = (char)(unsigned char)(value >> (8 * (7 - i)));
    p->value[p->n] = p->number[p->n];
    p->length[p->n] = 8;
    p->format[p->n++] = 1;
}

void segue_postgresql_pipeline_integer(postgresql_parameters *p, int64_t value)
{
    add_number(p, (uint64_t)value);
}

void segue_postgresql_pipeline_real(postgresql_parameters *p, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    add_number(p, bits);
}

void segue_postgresql_pipeline_text(postgresql_parameters *p, const char *value)
{
    p->value[p->n] = value;
    p->length[p->n] = 0;
    p->format[p->n++] = 0;
}

void segue_postgresql_pipeline_session(postgresql_parameters *p, const segue_session *session)
{
    segue_postgresql_pipeline_text(p, session->id);
}

void segue_postgresql_pipeline_bytes(postgresql_parameters *p, const void *value, size_t size)
{
    p->value[p->n] = value;
    p->length[p->n] = (int)size;
    p->format[p->n++] = 1;
}

/* ---- queue ------------------------------------------------------------------------------- */

static segue_status count_queued(postgresql_store *store, int sent, segue_error *err)
{
    store->n_queued += sent == 1;
    return sent == 1 ? SEGUE_OK : segue_postgresql_error(store, NULL, err);
}

segue_status segue_postgresql_pipeline_queue_text(postgresql_store *store, const char *text,
                                                  const postgresql_parameters *p, segue_error *err)
{
    if (!store->db)
        return segue_fail(err, SEGUE_EIO, "%s: the connection was lost; it is tried again",
                          store->base.location);
    return count_queued(store,
                        PQsendQueryParams(store->db, text, p ? p->n : 0, NULL, p ? p->value : NULL,
                                          p ? p->length : NULL, p ? p->format : NULL, 1),
                        err);
}

/* After a failure it is unknown which statements were prepared: prepare all again. */
static segue_status forget_prepared(postgresql_store *store, segue_error *err)
{
    if (!store->stale || !store->db || PQtransactionStatus(store->db) == PQTRANS_INERROR)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_pipeline_queue_text(store, "DEALLOCATE ALL", NULL, err));
    memset(store->prepared, 0, sizeof store->prepared);
    memset(store->prepared_insert, 0, sizeof store->prepared_insert);
    store->stale = false;
    return SEGUE_OK;
}

segue_status segue_postgresql_pipeline_queue_named(postgresql_store *store, const char *name,
                                                   const char *text, bool *prepared,
                                                   const postgresql_parameters *p, segue_error *err)
{
    SEGUE_TRY(forget_prepared(store, err));
    if (!store->db)
        return segue_fail(err, SEGUE_EIO, "%s: the connection was lost; it is tried again",
                          store->base.location);
    if (!*prepared)
        SEGUE_TRY(count_queued(store, PQsendPrepare(store->db, name, text, 0, NULL), err));
    *prepared = true;
    return count_queued(store,
                        PQsendQueryPrepared(store->db, name, p ? p->n : 0, p ? p->value : NULL,
                                            p ? p->length : NULL, p ? p->format : NULL, 1),
                        err);
}

segue_status segue_postgresql_pipeline_queue(postgresql_store *store, postgresql_statement which,
                                             const postgresql_parameters *p, segue_error *err)
{
    return segue_postgresql_pipeline_queue_named(store, names[which], texts[which],
                                                 &store->prepared[which], p, err);
}

/* ---- sync -------------------------------------------------------------------------------- */

/* Read the answer to one statement.  A statement that was skipped follows one that failed. */
static segue_status read_answer(postgresql_store *store, PGresult **out, segue_error *err)
{
    PGresult *result = PQgetResult(store->db), *more = NULL;
    const ExecStatusType status = PQresultStatus(result);
    segue_status found = SEGUE_OK;
    if (!result || status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE)
        found = segue_postgresql_error(store, result, err);
    while (result && (more = PQgetResult(store->db)))
        PQclear(more);
    *out = result;
    return found;
}

segue_status segue_postgresql_pipeline_sync(postgresql_store *store, PGresult **last,
                                            segue_error *err)
{
    segue_status status = SEGUE_OK;
    PGresult *result = NULL;
    if (last)
        *last = NULL;
    if (!store->db || PQpipelineSync(store->db) != 1)
        status = segue_postgresql_error(store, NULL, err);
    for (size_t i = 0; i < store->n_queued && store->db && PQstatus(store->db) == CONNECTION_OK;
         i++) {
        PQclear(result);
        const segue_status one = read_answer(store, &result, status == SEGUE_OK ? err : NULL);
        if (status == SEGUE_OK)
            status = one;
    }
    if (store->db && PQstatus(store->db) == CONNECTION_OK)
        PQclear(PQgetResult(store->db)); /* the end of the pipeline */
    if (status == SEGUE_OK && PQstatus(store->db) != CONNECTION_OK)
        status = segue_postgresql_error(store, NULL, err);
    store->n_queued = 0;
    store->stale = store->stale || status != SEGUE_OK;
    if (status != SEGUE_OK || !last)
        PQclear(result);
    else
        *last = result;
    return status;
}

segue_status segue_postgresql_pipeline_run(postgresql_store *store, postgresql_statement which,
                                           const postgresql_parameters *p, PGresult **out,
                                           segue_error *err)
{
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, which, p, err));
    return segue_postgresql_pipeline_sync(store, out, err);
}

/* ---- single statements ------------------------------------------------------------------- */

segue_status segue_postgresql_pipeline_script(postgresql_store *store, const char *text,
                                              segue_error *err)
{
    (void)PQexitPipelineMode(store->db); /* several statements in one text need this */
    PGresult *result = PQexec(store->db, text);
    const segue_status status = PQresultStatus(result) == PGRES_FATAL_ERROR || !result
                                    ? segue_postgresql_error(store, result, err)
                                    : SEGUE_OK;
    PQclear(result);
    (void)PQenterPipelineMode(store->db);
    return status;
}

segue_status segue_postgresql_pipeline_count(postgresql_store *store, const char *text, int64_t id,
                                             int64_t *out, segue_error *err)
{
    PGresult *result = NULL;
    postgresql_parameters p = {.n = 0};
    *out = 0;
    if (strstr(text, "$1"))
        segue_postgresql_pipeline_integer(&p, id);
    SEGUE_TRY(segue_postgresql_pipeline_queue_text(store, text, &p, err));
    SEGUE_TRY(segue_postgresql_pipeline_sync(store, &result, err));
    if (PQntuples(result) > 0) {
        const store_row row = segue_postgresql_rows_row(result, 0, err);
        *out = segue_column_key(&row, 0);
    }
    PQclear(result);
    return SEGUE_OK;
}
