/* postgresql_purge.c - delete a learner: its name at once, its rows some per transaction.
 *
 * A learner with a million rewards must not hold up the writer.  DELETE removes name and settings;
 * each call of purge then deletes at most PURGE_ROWS rows per table, children before parents.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define PURGE_ROWS 1000 /* per table and transaction, for which all other operations wait */

segue_status segue_postgresql_purge_delete_learner(segue_store *base, int64_t learner,
                                                   segue_error *err)
{
    return segue_postgresql_write_ids(segue_postgresql_of(base), PG_DELETE_LEARNER, learner, NULL,
                                      err);
}

/* Find a deleted learner; 0: there is none. */
static segue_status find_deleted(postgresql_store *store, int64_t *learner, segue_error *err)
{
    PGresult *result = NULL;
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    SEGUE_TRY(segue_postgresql_pipeline_run(store, PG_DELETED, NULL, &result, err));
    *learner = 0;
    if (PQntuples(result) > 0) {
        const store_row row = segue_postgresql_rows_row(result, 0, err);
        *learner = segue_column_key(&row, 0);
    }
    PQclear(result);
    return SEGUE_OK;
}

static segue_status purge_table(postgresql_store *store, postgresql_statement which, bool is_part,
                                int64_t learner, long *n, segue_error *err)
{
    static const int64_t rows = PURGE_ROWS;
    PGresult *result = NULL;
    SEGUE_TRY(segue_postgresql_write_ids(store, which, learner, is_part ? &rows : NULL, err));
    SEGUE_TRY(segue_postgresql_pipeline_sync(store, &result, err));
    *n = strtol(PQcmdTuples(result), NULL, 10);
    PQclear(result);
    return SEGUE_OK;
}

/* The rows of its first tasks, then these tasks, then the rest.  A table with more rows ends the
 * call. */
segue_status segue_postgresql_purge(segue_store *base, bool *more, segue_error *err)
{
    static const struct {
        postgresql_statement which;
        bool is_part; /* at most PURGE_ROWS */
    } parts[] = {
        {PG_PURGE_REWARDS, true},    {PG_PURGE_REWARD_PARTS, true}, {PG_PURGE_DECISIONS, true},
        {PG_PURGE_TASKS, true},      {PG_PURGE_EVENTS, true},       {PG_PURGE_ARMS, false},
        {PG_PURGE_SNAPSHOTS, false}, {PG_PURGE_INITIAL, false},     {PG_PURGE_CHAIN, true},
        {PG_PURGE_REMOVED, true},    {PG_PURGE_BASE, false},        {PG_PURGE_MERGED, false},
        {PG_PURGE_LEASE, false},     {PG_PURGE_LEARNER, false}};
    postgresql_store *store = segue_postgresql_of(base);
    int64_t learner = 0;
    *more = false;
    SEGUE_TRY(find_deleted(store, &learner, err));
    *more = learner != 0;
    segue_postgresql_known_clear(&store->known);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && *more; i++) {
        long n = 0;
        SEGUE_TRY(purge_table(store, parts[i].which, parts[i].is_part, learner, &n, err));
        if (n == PURGE_ROWS)
            break;
    }
    return SEGUE_OK;
}
