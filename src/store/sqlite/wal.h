/* wal.h - watch the files that SQLite writes: is what it committed there, under the store's name?
 *
 * All functions are the writer's, except segue_wal_is_present and segue_wal_read_info.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_WAL_H
#define SEGUE_STORE_SQLITE_WAL_H

#include "store/sqlite/sqlite.h"

/* Start to watch. */
SEGUE_MUST_CHECK segue_status segue_wal_watch(segue_store *base, segue_error *err);

/* Compare the files with the last check, inside a write transaction and before it writes.
 * @retval SEGUE_EIO  the store is lost, and rolled back */
SEGUE_MUST_CHECK segue_status segue_wal_before_write(sqlite_store *store, segue_error *err);

/* Read what a COMMIT wrote, under the store's name.  @retval SEGUE_EIO  the store is lost */
SEGUE_MUST_CHECK segue_status segue_wal_after_commit(sqlite_store *store, segue_error *err);

/* A COMMIT failed, with this extended code of SQLite.  The store is lost if the transaction may be
 * on the disk all the same. */
void segue_wal_after_failure(sqlite_store *store, int code);

SEGUE_MUST_CHECK segue_status segue_wal_run_checkpoint(segue_store *base, bool truncate,
                                                       segue_error *err);

/* Return whether all files have their names.  Any thread. */
bool segue_wal_is_present(const segue_store *base);
void segue_wal_read_info(const segue_store *base, segue_wal_info *out);

/* Call before the database is closed, and after: closing a descriptor ends SQLite's locks. */
void segue_wal_prepare_close(sqlite_store *store);
void segue_wal_close(segue_wal *wal);

#endif
