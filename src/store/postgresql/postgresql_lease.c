/* postgresql_lease.c - who owns a learner: a row of table lease per learner, with epoch and owner.
 *
 * An owner is a session (postgresql_session.c) or NULL; a learner is free if its owner is NULL or has
 * ended.  docs/cluster-protocol.md has the reasons.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define LEASE                                                                                      \
    "SELECT l.id, e.epoch, e.owner, s.address, (s.id IS NOT NULL)::int::bigint, "                  \
    "(s.expires < clock_timestamp())::int::bigint FROM learner AS l JOIN lease AS e ON "           \
    "e.learner = l.id LEFT JOIN server AS s ON s.id = e.owner WHERE l.name IS NOT NULL AND "

segue_status segue_postgresql_lease_find(segue_store *base, const char *name, int64_t id,
                                         segue_lease *out, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    PGresult *result = NULL;
    *out = (segue_lease){.state = SEGUE_LEASE_NONE};
    if (name)
        segue_postgresql_pipeline_text(&p, name);
    else
        segue_postgresql_pipeline_integer(&p, id);
    SEGUE_TRY(segue_postgresql_session_run(base, name ? LEASE "l.name = $1" : LEASE "l.id = $1", &p,
                                           &result, err));
    if (PQntuples(result) > 0) {
        const store_row row = segue_postgresql_rows_row(result, 0, err);
        out->state = segue_column_key(&row, 4) ? SEGUE_LEASE_OWNED : SEGUE_LEASE_FREE;
        out->learner = segue_column_key(&row, 0);
        out->epoch = (uint64_t)segue_column_key(&row, 1);
        out->is_expired = segue_column_key(&row, 5);
        segue_postgresql_session_copy_text(&row, 2, out->owner.id, sizeof out->owner.id);
        segue_postgresql_session_copy_text(&row, 3, out->address, sizeof out->address);
    }
    PQclear(result);
    return SEGUE_OK;
}

/* Epoch and owner are compared with those that were found: a session that had ended then never comes
 * back.  Looking for the owner in table server here would be wrong: the statement may wait for
 * another server that takes the learner, and then does not see a session that began meanwhile. */
segue_status segue_postgresql_lease_take(segue_store *base, const segue_session *session,
                                         const segue_lease *found, uint64_t *epoch,
                                         segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    int64_t next = 0;
    int n = 0;
    segue_postgresql_pipeline_session(&p, session);
    segue_postgresql_pipeline_integer(&p, found->learner);
    segue_postgresql_pipeline_integer(&p, (int64_t)found->epoch);
    segue_postgresql_pipeline_text(&p, *found->owner.id ? found->owner.id : NULL);
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base,
        "WITH me AS MATERIALIZED (SELECT id FROM server WHERE id = $1 FOR KEY "
        "SHARE) UPDATE lease SET owner = $1, epoch = epoch + 1 WHERE learner = "
        "$2 AND epoch = $3 AND owner IS NOT DISTINCT FROM $4 AND EXISTS (SELECT "
        "FROM me) RETURNING epoch",
        &p, &next, 1, &n, err));
    *epoch = n > 0 ? (uint64_t)next : 0;
    return SEGUE_OK;
}

static segue_status queue_lease(segue_store *base, const char *text, int64_t learner,
                                segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    segue_postgresql_pipeline_integer(&p, learner);
    segue_postgresql_pipeline_session(&p, &base->session);
    return segue_postgresql_pipeline_queue_text(segue_postgresql_of(base), text, &p, err);
}

segue_status segue_postgresql_lease_release(segue_store *base, int64_t learner, segue_error *err)
{
    return queue_lease(base, "UPDATE lease SET owner = NULL WHERE learner = $1 AND owner = $2",
                       learner, err);
}

/* The row stays locked: another server that takes the learner waits. */
segue_status segue_postgresql_lease_hold(segue_store *base, int64_t learner, uint64_t epoch,
                                         bool *owns, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    int64_t one = 0;
    int n = 0;
    segue_postgresql_pipeline_integer(&p, learner);
    segue_postgresql_pipeline_integer(&p, (int64_t)epoch);
    segue_postgresql_pipeline_session(&p, &base->session);
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base,
        "SELECT 1::bigint FROM lease AS e JOIN learner AS l ON l.id = e.learner WHERE "
        "e.learner = $1 AND e.epoch = $2 AND e.owner = $3 AND l.name IS NOT NULL FOR SHARE OF e",
        &p, &one, 1, &n, err));
    *owns = n == 1;
    return SEGUE_OK;
}

/* A lock by the name's hash: two servers do not both find that a name is free.  One that has to wait
 * is told that it is not free: it looks again later. */
segue_status segue_postgresql_lease_claim(segue_store *base, const char *name, bool *is_free,
                                          segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    int64_t locked = 0, exists = 0;
    int n = 0;
    segue_postgresql_pipeline_text(&p, name);
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base, "SELECT pg_try_advisory_xact_lock(1399154549, hashtext($1))::int::bigint", &p,
        &locked, 1, &n, err));
    /* another statement: it sees what was committed before the lock was free */
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base, "SELECT count(*) FROM learner WHERE name = $1", &p, &exists, 1, &n, err));
    *is_free = locked && exists == 0;
    return SEGUE_OK;
}

segue_status segue_postgresql_lease_add_lease(segue_store *base, int64_t learner, segue_error *err)
{
    return queue_lease(base, "INSERT INTO lease VALUES ($1, 1, $2)", learner, err);
}

#define LEARNERS_WHERE                                                                             \
    "SELECT e.learner FROM lease AS e JOIN learner AS l ON l.id = e.learner WHERE "

segue_status segue_postgresql_lease_list(segue_store *base, const segue_session *session, bool own,
                                         int64_t *out, size_t max, size_t *count, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    PGresult *result = NULL;
    segue_postgresql_pipeline_integer(&p, (int64_t)max);
    segue_postgresql_pipeline_session(&p, session);
    SEGUE_TRY(segue_postgresql_session_run(
        base,
        own ? LEARNERS_WHERE "l.name IS NOT NULL AND e.owner = $2 ORDER BY random() LIMIT $1"
            : LEARNERS_WHERE
            "l.name IS NOT NULL AND NOT EXISTS (SELECT FROM server WHERE id = e.owner) "
            "ORDER BY hashtext(e.learner || $2) LIMIT $1",
        &p, &result, err));
    *count = 0;
    for (int i = 0; i < PQntuples(result); i++) {
        const store_row row = segue_postgresql_rows_row(result, i, err);
        out[(*count)++] = segue_column_key(&row, 0);
    }
    PQclear(result);
    return SEGUE_OK;
}

segue_status segue_postgresql_lease_shares(segue_store *base, const segue_session *session,
                                           segue_lease_shares *out, segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    int64_t count[3] = {0};
    int n = 0;
    segue_postgresql_pipeline_session(&p, session);
    SEGUE_TRY(segue_postgresql_session_run_integers(
        base,
        "SELECT (SELECT count(*) FROM learner WHERE name IS NOT NULL), (SELECT "
        "count(*) FROM server WHERE expires >= clock_timestamp()), (SELECT "
        "count(*) FROM lease AS e JOIN learner AS l ON l.id = e.learner WHERE "
        "e.owner = $1 AND l.name IS NOT NULL)",
        &p, count, 3, &n, err));
    *out = (segue_lease_shares){
        .learners = (uint64_t)count[0], .servers = (uint64_t)count[1], .own = (uint64_t)count[2]};
    return SEGUE_OK;
}
