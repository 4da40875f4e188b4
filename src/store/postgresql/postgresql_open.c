/* postgresql_open.c - open, lock and close a store.
 *
 * The lock is an advisory lock of the session, named by the table meta, so that it ends with the
 * connection.  It keeps a second server away; leases per learner will replace it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define TRY_LOCK "SELECT pg_try_advisory_lock(" SEGUE_POSTGRESQL_LOCK_KEY ")::int::bigint"
#define LOCK_WAIT                                                                                  \
    30 /* tenths of a second: a server that was killed keeps its session for a moment */

/* ---- the lock ---------------------------------------------------------------------------- */

/* End a session of this store that outlived its connection: it holds the lock, and its transaction,
 * if any, must not go on. */
#define END_SESSION                                                                                \
    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND "       \
    "granted AND pid = $1::bigint AND database = (SELECT oid FROM pg_database WHERE datname = "    \
    "current_database()) AND pid <> pg_backend_pid()"

static segue_status try_lock(postgresql_store *store, int64_t former, bool *locked,
                             segue_error *err)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    int64_t found = 0, ended = 0;
    for (int i = 0; i < LOCK_WAIT && found == 0; i++) {
        if (i > 0)
            (void)nanosleep(&pause, NULL);
        SEGUE_TRY(segue_postgresql_pipeline_count(store, TRY_LOCK, 0, &found, err));
        if (found == 0 && former != 0)
            SEGUE_TRY(segue_postgresql_pipeline_count(store, END_SESSION, former, &ended, err));
    }
    *locked = found != 0;
    return SEGUE_OK;
}

static segue_status take_lock(postgresql_store *store, int64_t former, segue_error *err)
{
    bool locked = false;
    SEGUE_TRY(try_lock(store, former, &locked, err));
    return locked ? SEGUE_OK
                  : segue_fail(err, SEGUE_EFILE, "%s: another process serves this store",
                               store->base.location);
}

segue_status segue_postgresql_open_lock(segue_store *base, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_connect_again(store, err));
    SEGUE_TRY(take_lock(store, 0, err));
    store->is_locked = true;
    return SEGUE_OK;
}

/* Before a transaction that is unresolved ended, its count says nothing. */
segue_status segue_postgresql_open_lock_again(postgresql_store *store, segue_error *err)
{
    postgresql_state now;
    const segue_status status = take_lock(store, store->former, err);
    if (status == SEGUE_EFILE)
        store->base.is_lost = true;
    SEGUE_TRY(status);
    if (store->base.is_unresolved)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_meta_read_state(store, &now, err));
    return segue_postgresql_check_commits(store, &now, err);
}

/* ---- open, close ------------------------------------------------------------------------- */

segue_status segue_postgresql_open(segue_store **out, const char *location, segue_store_mode mode,
                                   segue_error *err)
{
    postgresql_store *store = calloc(1, sizeof *store);
    if (!store)
        return segue_fail_no_memory(err, "a store");
    store->base = (segue_store){.backend = &segue_store_postgresql, .is_shared = true};
    segue_status status = segue_postgresql_connect_parse(store, location, err);
    if (status == SEGUE_OK)
        status = segue_postgresql_connect(store, err);
    if (status == SEGUE_OK)
        status = segue_postgresql_schema_check(store, mode, err);
    if (status == SEGUE_OK)
        *out = &store->base;
    else
        segue_postgresql_open_close(&store->base, false);
    return status;
}

void segue_postgresql_open_close(segue_store *base, bool discard)
{
    postgresql_store *store = segue_postgresql_of(base);
    segue_postgresql_rollback(base);
    if (discard && store->is_new)
        segue_postgresql_schema_drop(store);
    segue_postgresql_connect_close(store);
    for (size_t i = 0; i <= SEGUE_N_TABLES; i++)
        segue_postgresql_batch_fini(&store->batch[i]);
    segue_postgresql_known_fini(&store->known);
    PQconninfoFree(store->options);
    free(base->location);
    free(store);
}
