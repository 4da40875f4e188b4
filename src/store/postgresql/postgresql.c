/* postgresql.c - the PostgreSQL backend: its table of functions, its transactions.
 *
 * Each transaction counts itself in table meta, whose row it locks from its begin on.  The count says
 * what a lost connection leaves open:
 *
 *   lost in a transaction    the database rolls it back; the next begin connects again
 *   lost in COMMIT           unresolved: `resolve` connects again, waits for the row's lock, hence for
 *                            the end of the old transaction, and reads the count
 *   another count than both  another process wrote, or a standby took over that lacks transactions:
 *                            the store is lost, and a restart reads what there is
 *
 *   postgresql_connect.c   location, connection      postgresql_rows.c    cursors
 *   postgresql_error.c     sentences of failures     postgresql_write.c   inserts, loads
 *   postgresql_pipeline.c  queue and wait            postgresql_change.c  updates
 *   postgresql_batch.c     rows as arrays            postgresql_purge.c   deletions of learners
 *   postgresql_known.c     rewards that exist        postgresql_meta.c    key, starts, clock, counters
 *   postgresql_open.c      open, close, lock         postgresql_verify.c  the check of a store
 *   postgresql_schema.c    tables and format         postgresql_durability.c  what a commit promises
 *   postgresql_statements.h  all SQL but inserts
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/postgresql/postgresql.h"

#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"

/* ---- begin ------------------------------------------------------------------------------- */

static void drop_rows(postgresql_store *store)
{
    for (size_t i = 0; i <= SEGUE_N_TABLES; i++)
        segue_postgresql_batch_clear(&store->batch[i]);
    store->batch_bytes = 0;
    segue_postgresql_known_clear(&store->known);
}

segue_status segue_postgresql_check_commits(postgresql_store *store, const postgresql_state *now,
                                            segue_error *err)
{
    const postgresql_state *known = &store->stored;
    const bool has_session = segue_postgresql_session_is_set(store);
    if (!(store->is_locked || has_session) || !store->is_counted ||
        (now->commits == known->commits && now->starts == known->starts))
        return SEGUE_OK;
    if (has_session) /* a standby took over that lacks some */
        return segue_postgresql_session_fail(store, err);
    store->base.is_lost = true;
    return segue_fail(err, SEGUE_EIO,
                      "%s: has %" PRId64 " transactions; need %" PRId64
                      ": another process changed it, or a standby took over that lacks some; start "
                      "the service again to go on from what is stored",
                      store->base.location, now->commits, known->commits);
}

/* Lock the row that counts transactions: of the store, or of this server's session (the fence). */
static segue_status lock(postgresql_store *store, PGresult **out, segue_error *err)
{
    return segue_postgresql_session_is_set(store)
               ? segue_postgresql_session_lock(store, out, err)
               : segue_postgresql_pipeline_run(store, PG_LOCK_META, NULL, out, err);
}

static segue_status parse_state(const postgresql_store *store, PGresult *result,
                                postgresql_state *now, segue_error *err)
{
    SEGUE_TRY(segue_postgresql_meta_parse(result, now, err));
    if (segue_postgresql_session_is_set(store))
        segue_postgresql_session_set_numbers(store, now);
    return SEGUE_OK;
}

static segue_status open_transaction(postgresql_store *store, segue_error *err)
{
    PGresult *result = NULL;
    postgresql_state now;
    SEGUE_TRY(segue_postgresql_connect_again(store, err));
    SEGUE_TRY(segue_postgresql_session_prepare(store, err));
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, PG_BEGIN, NULL, err));
    store->transaction = POSTGRESQL_WRITE;
    SEGUE_TRY(lock(store, &result, err));
    segue_status status = parse_state(store, result, &now, err);
    if (status == SEGUE_OK)
        segue_postgresql_durability_parse(store, result, 8);
    PQclear(result);
    if (status == SEGUE_OK)
        status = segue_postgresql_check_commits(store, &now, err);
    if (status == SEGUE_OK)
        status = segue_postgresql_durability_check(store, err);
    SEGUE_TRY(status);
    store->stored = store->staged = now;
    store->is_counted = true;
    return SEGUE_OK;
}

static segue_status check_begin(const postgresql_store *store, segue_error *err)
{
    if (store->base.is_unresolved)
        return segue_fail(err, SEGUE_EIO,
                          "%s: it is not known whether the last transaction was stored",
                          store->base.location);
    if (store->transaction != POSTGRESQL_IDLE)
        return segue_fail(err, SEGUE_EIO, "%s: a transaction is open already",
                          store->base.location);
    return SEGUE_OK;
}

/* A connection that was lost since the last transaction is opened once more. */
static segue_status begin_by(postgresql_store *store,
                             segue_status (*open)(postgresql_store *store, segue_error *err),
                             segue_error *err)
{
    SEGUE_TRY(check_begin(store, err));
    drop_rows(store);
    segue_status status = open(store, err);
    if (status != SEGUE_OK && store->db && PQstatus(store->db) != CONNECTION_OK) {
        segue_postgresql_connect_close(store);
        status = open(store, err);
    }
    if (status != SEGUE_OK)
        segue_postgresql_rollback(&store->base);
    return status;
}

segue_status segue_postgresql_begin(segue_store *base, segue_error *err)
{
    return begin_by(segue_postgresql_of(base), open_transaction, err);
}

/* The first query fixes the moment that all reads see. */
static segue_status open_read(postgresql_store *store, segue_error *err)
{
    SEGUE_TRY(segue_postgresql_connect_again(store, err));
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, PG_BEGIN_READ, NULL, err));
    store->transaction = POSTGRESQL_READ;
    return segue_postgresql_pipeline_run(store, PG_META, NULL, NULL, err);
}

static segue_status begin_read(segue_store *base, segue_error *err)
{
    return begin_by(segue_postgresql_of(base), open_read, err);
}

/* ---- end --------------------------------------------------------------------------------- */

static void end_transaction(postgresql_store *store)
{
    drop_rows(store);
    store->transaction = POSTGRESQL_IDLE;
    store->n_cursors = 0;
}

/* After a failure in the queue ROLLBACK would be skipped: it goes alone. */
void segue_postgresql_rollback(segue_store *base)
{
    postgresql_store *store = segue_postgresql_of(base);
    if (store->transaction == POSTGRESQL_IDLE)
        return;
    if (store->n_queued > 0)
        (void)!segue_postgresql_pipeline_sync(store, NULL, NULL);
    if (!store->db || PQstatus(store->db) != CONNECTION_OK ||
        segue_postgresql_pipeline_queue_text(store, "ROLLBACK", NULL, NULL) != SEGUE_OK ||
        segue_postgresql_pipeline_sync(store, NULL, NULL) != SEGUE_OK)
        segue_postgresql_connect_close(store);
    end_transaction(store);
}

/* Queue all that the transaction still has to store. */
static segue_status queue_end(postgresql_store *store, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    const postgresql_state *s = &store->staged;
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    store->staged.commits = store->stored.commits + 1;
    if (segue_postgresql_session_is_set(store))
        return segue_postgresql_session_queue_end(store, err);
    segue_postgresql_pipeline_bytes(&p, s->key, sizeof s->key);
    segue_postgresql_pipeline_integer(&p, s->starts);
    segue_postgresql_pipeline_integer(&p, s->commits);
    segue_postgresql_pipeline_integer(&p, s->last_learner);
    segue_postgresql_pipeline_integer(&p, s->last_task);
    segue_postgresql_pipeline_integer(&p, s->last_event);
    segue_postgresql_pipeline_real(&p, s->clock);
    return segue_postgresql_pipeline_queue(store, PG_SET_META, &p, err);
}

static segue_status fail_unresolved(postgresql_store *store, segue_error *err)
{
    store->base.is_unresolved = true;
    segue_postgresql_connect_close(store);
    drop_rows(store);
    return segue_fail(err, SEGUE_EIO,
                      "%s: the connection was lost during COMMIT, and it is not known whether the "
                      "transaction was stored",
                      store->base.location);
}

static segue_status commit(segue_store *base, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    PGresult *result = NULL;
    SEGUE_TRY(queue_end(store, err));
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, PG_COMMIT, NULL, err));
    const segue_status status = segue_postgresql_pipeline_sync(store, &result, err);
    const bool committed = status == SEGUE_OK && strcmp(PQcmdStatus(result), "COMMIT") == 0;
    PQclear(result);
    if (status != SEGUE_OK && PQstatus(store->db) != CONNECTION_OK)
        return fail_unresolved(store, err);
    SEGUE_TRY(status);
    end_transaction(store);
    if (!committed)
        return segue_fail(err, SEGUE_EIO, "%s: the database rolled the transaction back",
                          base->location);
    store->stored = store->staged;
    return SEGUE_OK;
}

/* Read the count of transactions after the end of the one that is unresolved. */
static segue_status count_commits(postgresql_store *store, postgresql_state *now, segue_error *err)
{
    PGresult *result = NULL;
    SEGUE_TRY(segue_postgresql_connect_again(store, err));
    SEGUE_TRY(segue_postgresql_session_name(store, err));
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, PG_BEGIN, NULL, err));
    store->transaction = POSTGRESQL_WRITE;
    SEGUE_TRY(lock(store, &result, err));
    const segue_status status = parse_state(store, result, now, err);
    PQclear(result);
    return status;
}

/* The row may be visible although the standby lacks it: the old session was ended, or the primary
 * restarted, while its COMMIT waited.  The lock of the row is a write, so this COMMIT waits for the
 * standby to have all before it; a rollback would not. */
static segue_status wait_for_standby(postgresql_store *store, segue_error *err)
{
    SEGUE_TRY(segue_postgresql_pipeline_queue(store, PG_COMMIT, NULL, err));
    SEGUE_TRY(segue_postgresql_pipeline_sync(store, NULL, err));
    end_transaction(store);
    return SEGUE_OK;
}

static segue_status resolve(segue_store *base, bool *stored, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    postgresql_state now = {.commits = 0};
    segue_status status = count_commits(store, &now, err);
    if (status == SEGUE_OK)
        status = wait_for_standby(store, err);
    segue_postgresql_rollback(base);
    SEGUE_TRY(status);
    *stored = now.commits == store->staged.commits && now.starts == store->staged.starts;
    if (*stored)
        store->stored = store->staged;
    SEGUE_TRY(segue_postgresql_check_commits(store, &now, err));
    base->is_unresolved = false;
    return SEGUE_OK;
}

const segue_store_backend segue_store_postgresql = {
    .name = "postgresql",
    .open = segue_postgresql_open,
    .close = segue_postgresql_open_close,
    .label = segue_postgresql_connect_label,
    .lock = segue_postgresql_open_lock,
    .durability = segue_postgresql_durability,
    .sessions = &segue_postgresql_session_functions,
    .require_durable = segue_postgresql_durability_require,
    .resolve = resolve,
    .upgrade = segue_postgresql_schema_upgrade,
    .verify = segue_postgresql_verify,
    .verify_learner = segue_postgresql_verify_learner,
    .begin = segue_postgresql_begin,
    .begin_read = begin_read,
    .commit = commit,
    .rollback = segue_postgresql_rollback,
    .expect_reward = segue_postgresql_write_expect,
    .insert = segue_postgresql_write_insert,
    .set_config = segue_postgresql_change_config,
    .retire_arm = segue_postgresql_change_retire_arm,
    .close_task = segue_postgresql_change_close_task,
    .set_reward = segue_postgresql_change_reward,
    .delete_learner = segue_postgresql_purge_delete_learner,
    .purge = segue_postgresql_purge,
    .set_base = segue_postgresql_change_set_base,
    .remove_task = segue_postgresql_change_remove_task,
    .set_clock = segue_postgresql_meta_set_clock,
    .start = segue_postgresql_meta_start,
    .load = segue_postgresql_write_load,
    .read_meta = segue_postgresql_meta_read,
    .rows_open = segue_postgresql_rows_open,
    .rows_next = segue_postgresql_rows_next,
    .rows_close = segue_postgresql_rows_close,
};
