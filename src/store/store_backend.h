/* store_backend.h - a kind of store: a constant table of functions.
 *
 * A backend keeps the rows of rows.h with transactions that are durable when commit returns.  Its
 * handle begins with a segue_store.  A backend of one file and one of a database server both fit:
 *
 *   location     a path, or the parameters of a connection
 *   label        the name of a location without its password; NULL: it has none
 *   lock         one process serves a store: a file lock, or an advisory lock
 *   watch ...    what a backend must do beyond its library so that "committed" means durable; a
 *                backend without such a need leaves watch, is_present, wal_info, checkpoint NULL
 *   rows_*       cursors; `rows->cursor` is the backend's
 *
 * tests/unit/store/test_store_conformance*.c check every backend.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_BACKEND_H
#define SEGUE_STORE_STORE_BACKEND_H

#include "store/store.h"

/** Tables, as exports name and order them. */
typedef enum segue_store_table {
    SEGUE_TABLE_META, /* key, number of starts, service time */
    SEGUE_TABLE_LEARNER,
    SEGUE_TABLE_ARM,
    SEGUE_TABLE_TASK,
    SEGUE_TABLE_DECISION,
    SEGUE_TABLE_REWARD,
    SEGUE_TABLE_EVENT,
    SEGUE_TABLE_INITIAL, /* the saved learner that a learner was created from */
    SEGUE_TABLE_CHAIN,   /* hashes over the event log */
    SEGUE_TABLE_REMOVED, /* what remains of removed rewards */
    SEGUE_TABLE_BASE,    /* the snapshot that replaces removed rewards */
    SEGUE_TABLE_REWARD_PART,
    SEGUE_TABLE_MERGED,  /* saved learners that a learner was merged with */
    SEGUE_TABLE_COUNTER, /* the largest id that each table gave out; last: rows before it count */
    SEGUE_N_TABLES,
    SEGUE_TABLE_SNAPSHOT = SEGUE_N_TABLES, /* not exported */
    SEGUE_TABLE_ANY                        /* of SEGUE_QUERY_TABLE */
} segue_store_table;

#define SEGUE_MAX_COLUMNS 16

typedef enum segue_value_type {
    SEGUE_VALUE_NULL,
    SEGUE_VALUE_INTEGER,
    SEGUE_VALUE_REAL,
    SEGUE_VALUE_TEXT,
    SEGUE_VALUE_BYTES
} segue_value_type;

/** A value as it is stored. */
typedef struct segue_value {
    segue_value_type type;
    int64_t integer;
    double real;
    const void *data; /* of a text or bytes; a text ends with a zero byte */
    size_t size;
} segue_value;

/** A row of SEGUE_QUERY_TABLE. */
typedef struct segue_table_row {
    size_t n;
    segue_value value[SEGUE_MAX_COLUMNS];
} segue_table_row;

/** Read the next row of SEGUE_QUERY_TABLE, as the other functions of rows.h do. */
bool segue_rows_next_values(segue_rows *rows, segue_table_row *out);

/** Values about the store as a whole. */
typedef struct segue_store_meta {
    unsigned char key[SEGUE_STORE_KEY_SIZE];
    uint64_t starts;
    double clock; /* the stored service time; negative: none */
    int64_t last_learner, last_task;
} segue_store_meta;

/** More functions, of a backend that several servers can serve (store_session.h). */
typedef struct segue_store_sessions {
    segue_status (*lock_shared)(segue_store *store, segue_error *err);
    segue_status (*add)(segue_store *store, const segue_session *session, const char *address,
                        double ttl, double *clock, segue_error *err);
    segue_status (*renew)(segue_store *store, const segue_session *session, double ttl,
                          double clock, bool *lives, segue_error *err);
    segue_status (*end)(segue_store *store, const segue_session *session, segue_error *err);
    segue_status (*end_expired)(segue_store *store, uint64_t *ended, segue_error *err);
    segue_status (*find)(segue_store *store, const char *name, int64_t id, segue_lease *out,
                         segue_error *err);
    segue_status (*take)(segue_store *store, const segue_session *session, const segue_lease *found,
                         uint64_t *epoch, segue_error *err);
    segue_status (*list_servers)(segue_store *store, const segue_session *session,
                                 char (*out)[SEGUE_MAX_ADDRESS + 1], size_t *count,
                                 segue_error *err);
    segue_status (*release)(segue_store *store, int64_t learner, segue_error *err);
    segue_status (*hold)(segue_store *store, int64_t learner, uint64_t epoch, bool *owns,
                         segue_error *err);
    segue_status (*claim)(segue_store *store, const char *name, bool *is_free, segue_error *err);
    segue_status (*add_lease)(segue_store *store, int64_t learner, segue_error *err);
    segue_status (*list)(segue_store *store, const segue_session *session, bool own, int64_t *out,
                         size_t max, size_t *count, segue_error *err);
    segue_status (*shares)(segue_store *store, const segue_session *session,
                           segue_lease_shares *out, segue_error *err);
    void (*skip_events)(segue_store *store, uint64_t seq);
} segue_store_sessions;

typedef struct segue_store_backend {
    const char *name; /* the first part of a store's name: "sqlite" of "sqlite:PATH" */

    /* ---- the store ---- */
    segue_status (*open)(segue_store **out, const char *location, segue_store_mode mode,
                         segue_error *err);
    void (*close)(segue_store *store, bool discard);
    bool (*file_path)(const char *location, size_t i, char *path, size_t size);
    segue_status (*lock)(segue_store *store, segue_error *err);
    segue_status (*watch)(segue_store *store, segue_error *err);
    bool (*is_present)(const segue_store *store);
    void (*wal_info)(const segue_store *store, segue_wal_info *out);
    segue_status (*checkpoint)(segue_store *store, bool truncate, segue_error *err);
    /* NULL: changes are on this machine's disk, and a commit is always known. */
    segue_durability (*durability)(const segue_store *store);
    segue_status (*require_durable)(segue_store *store, segue_error *err);
    segue_status (*resolve)(segue_store *store, bool *stored, segue_error *err);
    void (*label)(const char *location, char *out, size_t size, bool *secret);
    segue_status (*upgrade)(segue_store *store, int64_t *from, segue_error *err);
    segue_status (*verify)(segue_store *store, segue_error *err);
    segue_status (*verify_learner)(segue_store *store, int64_t learner, segue_error *err);

    /* ---- transactions ---- */
    segue_status (*begin)(segue_store *store, segue_error *err);
    segue_status (*begin_read)(segue_store *store, segue_error *err);
    segue_status (*commit)(segue_store *store, segue_error *err);
    void (*rollback)(segue_store *store);

    /* ---- changes ---- */
    /* NULL, or a hint: the transaction will look for the reward of a decision, or add it. */
    void (*expect_reward)(segue_store *store, int64_t task, uint64_t number);
    /* Insert a segue_stored_... of the table, fill in its id; is_new: NULL, or of a reward. */
    segue_status (*insert)(segue_store *store, segue_store_table table, void *row, bool *is_new,
                           segue_error *err);
    segue_status (*set_config)(segue_store *store, int64_t learner, const char *config,
                               segue_error *err);
    segue_status (*retire_arm)(segue_store *store, int64_t learner, size_t position, double when,
                               segue_error *err);
    segue_status (*close_task)(segue_store *store, const segue_stored_task *task, uint64_t seq,
                               segue_error *err);
    segue_status (*set_reward)(segue_store *store, int64_t task, uint64_t number, double value,
                               segue_error *err);
    segue_status (*delete_learner)(segue_store *store, int64_t learner, segue_error *err);
    segue_status (*purge)(segue_store *store, bool *more, segue_error *err);
    /* Make the newest snapshot of a learner its base. */
    segue_status (*set_base)(segue_store *store, int64_t learner, segue_error *err);
    /* Delete the rewards and the decisions of a task; with `key` the task gets that key and tag;
     * with an empty one the task goes, too. */
    segue_status (*remove_task)(segue_store *store, int64_t task, const char *key, uint64_t tag,
                                segue_error *err);
    segue_status (*set_clock)(segue_store *store, double seconds, segue_error *err);
    /* Check the counters, read `meta`, and increment the number of starts, in `meta` too. */
    segue_status (*start)(segue_store *store, segue_store_meta *meta, segue_error *err);
    /* Insert a row as exported; replaces one with the same key. */
    segue_status (*load)(segue_store *store, segue_store_table table, const segue_table_row *row,
                         segue_error *err);

    const segue_store_sessions *sessions; /* NULL: one server */

    /* ---- reads ---- */
    segue_status (*read_meta)(segue_store *store, segue_store_meta *out, segue_error *err);
    segue_status (*rows_open)(segue_rows *rows, segue_error *err);
    /* Fill `out`, a segue_stored_... of the query.  *more: false without a row. */
    segue_status (*rows_next)(segue_rows *rows, void *out, bool *more, segue_error *err);
    void (*rows_close)(segue_rows *rows);
} segue_store_backend;

/** The common part of every handle. */
struct segue_store {
    const segue_store_backend *backend;
    char *location;
    bool is_shared;             /* other handles can open it */
    bool is_lost;               /* nothing more may be stored */
    bool is_unresolved;         /* it is unknown whether the last transaction was stored */
    segue_stored_event closing; /* the close event whose task is not closed yet */
    segue_session session;      /* that write transactions check */
    bool is_fenced;             /* it has ended */
    segue_error row_damage;     /* of the learner that a cursor has read last */
};

extern const segue_store_backend segue_store_sqlite, segue_store_postgresql;

#endif
