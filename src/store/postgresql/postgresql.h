/* postgresql.h - a store in a PostgreSQL database: the handle, and what the files of this folder
 * share.
 *
 * All rows are in the first schema of the connection's search path, so several stores fit into one
 * database.  One server serves a store: it holds a session's advisory lock, and each of its
 * transactions locks the only row of table meta.
 *
 *   begin     opens the transaction and locks that row: the place for the check of a lease
 *             per learner, which will replace the advisory lock
 *   commit    sends what is collected, the counters and COMMIT in one round trip
 *
 * Functions with a segue_store are those of the backend's table.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_POSTGRESQL_POSTGRESQL_H
#define SEGUE_STORE_POSTGRESQL_POSTGRESQL_H

#include <libpq-fe.h>
#include <stdatomic.h>

#include "store/column.h"
#include "store/postgresql/postgresql_batch.h"
#include "store/postgresql/postgresql_known.h"
#include "store/postgresql/postgresql_statements.h"

/* The key of the advisory lock of a store: "Segu" before the number of the table. */
#define SEGUE_POSTGRESQL_LOCK_KEY "(1399154549::bigint << 32) | 'meta'::regclass::oid::bigint"
#define SEGUE_POSTGRESQL_NAME     200 /* bytes of the text that names a store in messages */

/* The row of table meta. */
typedef struct postgresql_state {
    unsigned char key[SEGUE_STORE_KEY_SIZE];
    int64_t starts;
    int64_t commits; /* transactions of this store; says whether the last one was stored */
    int64_t last_learner, last_task, last_event; /* the largest ids that were given out */
    double clock;                                /* negative: none */
} postgresql_state;

typedef enum postgresql_transaction {
    POSTGRESQL_IDLE,
    POSTGRESQL_WRITE,
    POSTGRESQL_READ,
    POSTGRESQL_CURSORS /* that of cursors which were opened outside of any other */
} postgresql_transaction;

typedef struct postgresql_store {
    segue_store base; /* first: a segue_store is this; its location names it without a password */
    PQconninfoOption *options; /* of the location; a password among them is never shown */
    PGconn *db;                /* NULL: closed */
    bool prepared[N_POSTGRESQL_STATEMENTS], prepared_insert[SEGUE_N_TABLES + 1];
    bool stale; /* a statement failed: it is unknown which are prepared */
    postgresql_transaction transaction;
    size_t n_queued;  /* statements without an answer yet */
    size_t n_cursors; /* that are open in the database */
    unsigned next_cursor;
    bool is_new;         /* this process created its tables */
    bool is_locked;      /* ... and holds the lock, or held it when the connection was lost */
    bool is_counted;     /* `stored` is what the database has, as far as this handle knows */
    int backend, former; /* process ids of the session in the database, and of the one before */
    postgresql_state stored, staged;
    int64_t unresolved; /* the number of the transaction of which it is unknown if it was stored */
    postgresql_batch batch[SEGUE_N_TABLES + 1]; /* rows that wait to be sent, per table */
    size_t batch_bytes;
    postgresql_known known; /* which decisions have a reward */
    bool requires_durable;
    atomic_int durability; /* a segue_durability; any thread reads it */

    /* With a session (postgresql_session.c). */
    char named[SEGUE_SESSION_SIZE + 1];       /* the session in the name of ... */
    int named_backend;                        /* ... this connection */
    int64_t end_learner, end_task, end_event; /* the last numbers of the blocks of this server */
    int64_t skip_event;                       /* events need larger numbers than this */
} postgresql_store;

static inline postgresql_store *segue_postgresql_of(segue_store *store)
{
    return (postgresql_store *)(void *)store;
}

/* ---- postgresql_connect.c ---------------------------------------------------------------- */

/* Parse a location, and name it.  @retval SEGUE_EUSAGE  it is none */
SEGUE_MUST_CHECK segue_status segue_postgresql_connect_parse(postgresql_store *store,
                                                             const char *location,
                                                             segue_error *err);
/* Write the name of a location, which has no password; *secret: the location has one. */
void segue_postgresql_connect_label(const char *location, char *out, size_t size, bool *secret);

/* Connect; connect again where the connection was lost and no transaction is open. */
SEGUE_MUST_CHECK segue_status segue_postgresql_connect(postgresql_store *store, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_connect_again(postgresql_store *store,
                                                             segue_error *err);
void segue_postgresql_connect_close(postgresql_store *store);

/* ---- postgresql_error.c ------------------------------------------------------------------ */

/* Report the failure of a statement, or of the connection; with the next step. */
segue_status segue_postgresql_error(const postgresql_store *store, const PGresult *result,
                                    segue_error *err);
/* ... of an attempt to connect. */
segue_status segue_postgresql_error_connect(const postgresql_store *store, segue_error *err);

/* ---- postgresql_pipeline.c --------------------------------------------------------------- */

/* Values for the parameters of a statement; texts and bytes are borrowed.  It points into itself, so
 * it is not copied. */
#define SEGUE_POSTGRESQL_PARAMETERS 16
typedef struct postgresql_parameters {
    int n;
    const char *value[SEGUE_POSTGRESQL_PARAMETERS];
    int length[SEGUE_POSTGRESQL_PARAMETERS], format[SEGUE_POSTGRESQL_PARAMETERS];
    char number[SEGUE_POSTGRESQL_PARAMETERS][8];
} postgresql_parameters;

void segue_postgresql_pipeline_integer(postgresql_parameters *p, int64_t value);
void segue_postgresql_pipeline_real(postgresql_parameters *p, double value);
void segue_postgresql_pipeline_text(postgresql_parameters *p, const char *value);
void segue_postgresql_pipeline_session(postgresql_parameters *p, const segue_session *session);
void segue_postgresql_pipeline_bytes(postgresql_parameters *p, const void *value, size_t size);

/* Queue a statement: it runs without a wait, and its failure is that of the next sync.  `p`: NULL
 * without parameters. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_queue(postgresql_store *store,
                                                              postgresql_statement which,
                                                              const postgresql_parameters *p,
                                                              segue_error *err);
/* ... of this name and text, which is prepared unless *prepared. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_queue_named(
    postgresql_store *store, const char *name, const char *text, bool *prepared,
    const postgresql_parameters *p, segue_error *err);
/* ... whose text is given, and that is not prepared. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_queue_text(postgresql_store *store,
                                                                   const char *text,
                                                                   const postgresql_parameters *p,
                                                                   segue_error *err);
const char *segue_postgresql_pipeline_text_of(postgresql_statement which);
/* Wait until all that is queued ran.  *last: the result of the last statement, for PQclear, NULL on
 * failure; `last` may be NULL. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_sync(postgresql_store *store,
                                                             PGresult **last, segue_error *err);
/* Run a statement after what is queued: queue and sync. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_run(postgresql_store *store,
                                                            postgresql_statement which,
                                                            const postgresql_parameters *p,
                                                            PGresult **out, segue_error *err);
/* Run statements without parameters, several at once. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_script(postgresql_store *store,
                                                               const char *text, segue_error *err);
/* Read the one integer of a statement's text; its parameter, if it has one, is `id`. */
SEGUE_MUST_CHECK segue_status segue_postgresql_pipeline_count(postgresql_store *store,
                                                              const char *text, int64_t id,
                                                              int64_t *out, segue_error *err);

/* ---- postgresql_rows.c ------------------------------------------------------------------- */

/* Row `index` of a result. */
store_row segue_postgresql_rows_row(PGresult *result, int index, segue_error *err);

SEGUE_MUST_CHECK segue_status segue_postgresql_rows_open(segue_rows *rows, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_rows_next(segue_rows *rows, void *out, bool *more,
                                                         segue_error *err);
void segue_postgresql_rows_close(segue_rows *rows);

/* ---- postgresql_open.c, postgresql_schema.c ---------------------------------------------- */

SEGUE_MUST_CHECK segue_status segue_postgresql_open(segue_store **out, const char *location,
                                                    segue_store_mode mode, segue_error *err);
void segue_postgresql_open_close(segue_store *base, bool discard);
SEGUE_MUST_CHECK segue_status segue_postgresql_open_lock(segue_store *base, segue_error *err);
/* Take the lock again after the connection was lost; the store is lost if another process changed
 * it meanwhile. */
SEGUE_MUST_CHECK segue_status segue_postgresql_open_lock_again(postgresql_store *store,
                                                               segue_error *err);

/* Check that the schema is a store of this format; create the tables of an empty one. */
SEGUE_MUST_CHECK segue_status segue_postgresql_schema_check(postgresql_store *store,
                                                            segue_store_mode mode,
                                                            segue_error *err);
/* Check that the tables have the columns and indices of this format. */
SEGUE_MUST_CHECK segue_status segue_postgresql_schema_check_tables(postgresql_store *store,
                                                                   segue_error *err);
/* Delete the tables. */
void segue_postgresql_schema_drop(postgresql_store *store);
SEGUE_MUST_CHECK segue_status segue_postgresql_schema_upgrade(segue_store *base, int64_t *from,
                                                              segue_error *err);

/* ---- postgresql.c ------------------------------------------------------------------------ */

SEGUE_MUST_CHECK segue_status segue_postgresql_begin(segue_store *base, segue_error *err);
/* Fail if the transactions of the store are not those that this handle knows. */
SEGUE_MUST_CHECK segue_status segue_postgresql_check_commits(postgresql_store *store,
                                                             const postgresql_state *now,
                                                             segue_error *err);
void segue_postgresql_rollback(segue_store *base);

/* ---- postgresql_session.c ---------------------------------------------------------------- */

extern const segue_store_sessions segue_postgresql_session_functions;

/* Run one statement, after a lost connection on a new one.  *out: for PQclear. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_run(segue_store *base, const char *text,
                                                           const postgresql_parameters *p,
                                                           PGresult **out, segue_error *err);
/* ... and read the integers of its first row; *n: how many rows it has. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_run_integers(segue_store *base,
                                                                    const char *text,
                                                                    const postgresql_parameters *p,
                                                                    int64_t *out, int count, int *n,
                                                                    segue_error *err);
/* Copy a text of a result; NULL becomes "". */
void segue_postgresql_session_copy_text(const store_row *row, int column, char *out, size_t size);

/* Return whether this handle writes for a session of several. */
bool segue_postgresql_session_is_set(const postgresql_store *store);
/* Before BEGIN, and not within a transaction, which may be rolled back: name the connection. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_name(postgresql_store *store,
                                                            segue_error *err);
/* ... and have numbers for the transaction. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_prepare(postgresql_store *store,
                                                               segue_error *err);
/* Lock the row of the session: columns as PG_LOCK_META.  SEGUE_EIO: also if it has ended. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_lock(postgresql_store *store, PGresult **out,
                                                            segue_error *err);
/* Fail because the session has ended. */
segue_status segue_postgresql_session_fail(postgresql_store *store, segue_error *err);
/* Numbers continue in this server's blocks. */
void segue_postgresql_session_set_numbers(const postgresql_store *store, postgresql_state *now);
/* Read the numbers that all servers have given out. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_read_numbers(postgresql_store *store,
                                                                    segue_store_meta *meta,
                                                                    segue_error *err);
/* Queue the count of transactions. */
SEGUE_MUST_CHECK segue_status segue_postgresql_session_queue_end(postgresql_store *store,
                                                                 segue_error *err);

/* ---- postgresql_lease.c ------------------------------------------------------------------ */

SEGUE_MUST_CHECK segue_status segue_postgresql_lease_find(segue_store *base, const char *name,
                                                          int64_t id, segue_lease *out,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_take(segue_store *base,
                                                          const segue_session *session,
                                                          const segue_lease *found, uint64_t *epoch,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_release(segue_store *base, int64_t learner,
                                                             segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_hold(segue_store *base, int64_t learner,
                                                          uint64_t epoch, bool *owns,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_claim(segue_store *base, const char *name,
                                                           bool *is_free, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_add_lease(segue_store *base, int64_t learner,
                                                               segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_list(segue_store *base,
                                                          const segue_session *session, bool own,
                                                          int64_t *out, size_t max, size_t *count,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_lease_shares(segue_store *base,
                                                            const segue_session *session,
                                                            segue_lease_shares *out,
                                                            segue_error *err);

/* ---- postgresql_meta.c ------------------------------------------------------------------- */

/* Read the row of table meta, and check it.  In a write transaction it is that of its begin. */
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_parse(PGresult *result, postgresql_state *out,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_read_state(postgresql_store *store,
                                                               postgresql_state *out,
                                                               segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_read(segue_store *base, segue_store_meta *out,
                                                         segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_start(segue_store *base, segue_store_meta *meta,
                                                          segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_set_clock(segue_store *base, double seconds,
                                                              segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_verify(postgresql_store *store,
                                                           segue_error *err);
/* Row `index` of the exported tables `meta` and `counter`, which both are in the row of table meta;
 * false: there is none.  It borrows the key of `state`. */
bool segue_postgresql_meta_export(const postgresql_state *state, segue_store_table table,
                                  size_t index, segue_table_row *out);
SEGUE_MUST_CHECK segue_status segue_postgresql_meta_load(postgresql_store *store,
                                                         segue_store_table table,
                                                         const segue_table_row *row,
                                                         segue_error *err);

/* ---- postgresql_durability.c ------------------------------------------------------------- */

/* Read the settings that a result's row has from a column on. */
void segue_postgresql_durability_parse(postgresql_store *store, const PGresult *result, int column);
segue_durability segue_postgresql_durability(const segue_store *base);
SEGUE_MUST_CHECK segue_status segue_postgresql_durability_require(segue_store *base,
                                                                  segue_error *err);
/* Fail if acknowledged changes could be lost and must not. */
SEGUE_MUST_CHECK segue_status segue_postgresql_durability_check(const postgresql_store *store,
                                                                segue_error *err);

/* ---- postgresql_write.c, postgresql_change.c, postgresql_purge.c, postgresql_verify.c ---- */

/* Queue the rows that wait. */
SEGUE_MUST_CHECK segue_status segue_postgresql_write_flush(postgresql_store *store,
                                                           segue_error *err);
/* Find out at once which of the expected decisions have a reward. */
SEGUE_MUST_CHECK segue_status segue_postgresql_write_find_rewards(postgresql_store *store,
                                                                  segue_error *err);
/* Queue a statement whose parameters are one id, or two, after the rows that wait. */
SEGUE_MUST_CHECK segue_status segue_postgresql_write_ids(postgresql_store *store,
                                                         postgresql_statement which, int64_t a,
                                                         const int64_t *b, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_write_insert(segue_store *base,
                                                            segue_store_table table, void *row,
                                                            bool *is_new, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_write_load(segue_store *base,
                                                          segue_store_table table,
                                                          const segue_table_row *row,
                                                          segue_error *err);
void segue_postgresql_write_expect(segue_store *base, int64_t task, uint64_t number);
SEGUE_MUST_CHECK segue_status segue_postgresql_change_config(segue_store *base, int64_t learner,
                                                             const char *config, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_change_retire_arm(segue_store *base, int64_t learner,
                                                                 size_t position, double when,
                                                                 segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_change_reward(segue_store *base, int64_t task,
                                                             uint64_t number, double value,
                                                             segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_change_close_task(segue_store *base,
                                                                 const segue_stored_task *task,
                                                                 uint64_t seq, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_purge_delete_learner(segue_store *base,
                                                                    int64_t learner,
                                                                    segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_change_set_base(segue_store *base, int64_t learner,
                                                               segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_change_remove_task(segue_store *base, int64_t task,
                                                                  const char *key, uint64_t tag,
                                                                  segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_purge(segue_store *base, bool *more,
                                                     segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_verify(segue_store *base, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_postgresql_verify_learner(segue_store *base, int64_t learner,
                                                              segue_error *err);

#endif
