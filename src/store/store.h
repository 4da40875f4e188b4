/* store.h - durable rows of the service: learners, arms, tasks, decisions, rewards, the event log,
 * snapshots.
 *
 * A backend stores the rows (store_backend.h); this interface knows neither SQL nor files.  All
 * changes are made between segue_store_begin and segue_store_commit, which returns when they are
 * durable.  One thread at a time may use a store, except segue_store_path, segue_store_is_present,
 * segue_store_durability and segue_store_wal_info, which any thread may call.  A second handle, opened for reading, may be
 * used by another thread meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_H
#define SEGUE_STORE_STORE_H

#include "store/rows.h"
#include "store/session/store_session.h"
#include "store/store_chain.h"
#include "store/store_change.h"
#include "store/store_find.h"
#include "store/store_remove.h"

#define SEGUE_STORE_FORMAT 11 /* that this program reads and writes */

typedef enum segue_store_mode {
    SEGUE_STORE_CREATE,        /* open it, or create it */
    SEGUE_STORE_CHANGE,        /* it must exist */
    SEGUE_STORE_UPGRADE,       /* it must exist, maybe in an older format */
    SEGUE_STORE_READ,          /* it must exist, and is not changed */
    SEGUE_STORE_READ_IMMUTABLE /* as READ, also where this process may write nothing */
} segue_store_mode;

/**
 * Open a store, "BACKEND:LOCATION"; a name without a backend is a path of "sqlite".  The store
 * "sqlite::memory:" is lost when it is closed.  "postgresql:" is followed by what libpq takes: the
 * rest of a URI (//USER@HOST/DATABASE), or keywords and values.
 *
 * @retval SEGUE_EFILE   it cannot be opened, is no store, or has another format
 * @retval SEGUE_EUSAGE  the backend is unknown, or there is no location
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_open(segue_store **out, const char *name,
                                               segue_store_mode mode, segue_error *err);
void segue_store_close(segue_store *store);

/** Close it, and delete it if this process created it: after a failed import. */
void segue_store_discard(segue_store *store);

/** The location of a store that other handles can open; "" if this handle alone has it. */
const char *segue_store_path(const segue_store *store);

/** Write the path of file `i` that belongs to the store of this name, existing or not.
 * @retval false  there is no such file, or the path is too long */
bool segue_store_file_path(const char *name, size_t i, char *path, size_t size);

/** Lock the store, to serve it; others may still read.  The lock ends with the process.
 * @retval SEGUE_EFILE  another process has it */
SEGUE_MUST_CHECK segue_status segue_store_lock(segue_store *store, segue_error *err);

/**
 * Watch the storage of a locked store: from now on segue_store_begin and segue_store_commit also
 * fail if another program removed, replaced, truncated or overwrote it.  Checkpoints are then the
 * caller's task.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_store_watch(segue_store *store, segue_error *err);

/** Return whether the storage of a locked store is still found under its name.  Any thread. */
bool segue_store_is_present(const segue_store *store);

/** Return whether a watched store must not be used any more: its storage was altered, or it is
 * unknown whether the last transaction is durable.  Opening it again resolves that. */
bool segue_store_is_lost(const segue_store *store);

/** The promise that a commit makes. */
typedef enum segue_durability {
    SEGUE_DURABILITY_NONE,    /* a crash of the database can lose committed changes */
    SEGUE_DURABILITY_DISK,    /* they are on the disk of the store; a standby may lack some */
    SEGUE_DURABILITY_STANDBY, /* they are on the disk of a standby, too */
} segue_durability;

/** The promise as of the last transaction.  Any thread. */
segue_durability segue_store_durability(const segue_store *store);
const char *segue_store_durability_name(segue_durability durability);
/** A sentence about it; NULL for a store of this machine's own. */
const char *segue_store_durability_text(const segue_store *store);

/** From now on a transaction fails if its commit would promise nothing.
 * @retval SEGUE_EFILE  it would now; the sentence says which setting to change */
SEGUE_MUST_CHECK segue_status segue_store_require_durable(segue_store *store, segue_error *err);

/** Write the name of a store for messages and logs: without a password.  *secret: `name` has one. */
void segue_store_label(const char *name, char *out, size_t size, bool *secret);

/** The write-ahead log of a watched store; zeros for a store without one. */
typedef struct segue_wal_info {
    uint64_t frames;    /* as of the last transaction ... */
    uint64_t used;      /* ... and their bytes */
    uint64_t file_size; /* of its file */
    const char *path;   /* "" without one */
} segue_wal_info;

/** Any thread. */
void segue_store_wal_info(const segue_store *store, segue_wal_info *out);

/** Copy the write-ahead log to the main storage to free its space; `truncate`: also shrink its
 * file, unless there are readers.  @retval SEGUE_EIO  not all could be copied; nothing is lost */
SEGUE_MUST_CHECK segue_status segue_store_checkpoint(segue_store *store, bool truncate,
                                                     segue_error *err);

/** Format a sentence about damage with the next step.  @return SEGUE_EFILE */
segue_status segue_store_fail_damaged(segue_error *err, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Check what belongs to no single learner: the storage, the key, the counters, and rows whose
 * learner or task does not exist.  @retval SEGUE_EFILE  it is damaged */
SEGUE_MUST_CHECK segue_status segue_store_verify(segue_store *store, segue_error *err);

/** Check one learner: read all its rows, and compare the stored counts with them.
 * @retval SEGUE_EFILE  it is damaged */
SEGUE_MUST_CHECK segue_status segue_store_verify_learner(segue_store *store, int64_t learner,
                                                         segue_error *err);

/**
 * Bring a store that was opened with SEGUE_STORE_UPGRADE to this format; *from: the format that it
 * had.  Snapshots are deleted: this program may compute another state from the same events.
 *
 * @retval SEGUE_EFILE  there is no upgrade from its format
 * @retval SEGUE_EIO, SEGUE_ENOMEM  it is unchanged
 */
SEGUE_MUST_CHECK segue_status segue_store_upgrade(segue_store *store, int64_t *from,
                                                  segue_error *err);

/** Write all rows except snapshots to a file of JSON lines; fill a new store from such a file.
 * `stopped` is called at each row and ends the export if it returns true; NULL: never.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_store_export(segue_store *store, const char *path,
                                                 bool (*stopped)(void), segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_import(segue_store *store, const char *path,
                                                 segue_error *err);

/* ---- transactions ------------------------------------------------------------------------ */

/** @retval SEGUE_EIO  e.g. the disk is full; then roll back, and nothing has changed, unless
 * segue_store_is_lost */
SEGUE_MUST_CHECK segue_status segue_store_begin(segue_store *store, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_store_commit(segue_store *store, segue_error *err);
void segue_store_rollback(segue_store *store);

/** After a commit that failed: it is unknown whether the transaction was stored, since the connection
 * to the database was lost.  segue_store_resolve finds out: SEGUE_OK and *stored.
 * @retval SEGUE_EIO  not yet, unless segue_store_is_lost */
bool segue_store_is_unresolved(const segue_store *store);
SEGUE_MUST_CHECK segue_status segue_store_resolve(segue_store *store, bool *stored,
                                                  segue_error *err);

/** Start a read transaction: until segue_store_rollback all reads see one moment.  It does not
 * block the writer. */
SEGUE_MUST_CHECK segue_status segue_store_begin_read(segue_store *store, segue_error *err);

#endif
