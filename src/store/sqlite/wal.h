/* wal.h - watch the files that SQLite writes: is what it committed there, under the store's name?
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_WAL_H
#define SEGUE_STORE_SQLITE_WAL_H

#include "store/sqlite/sqlite.h"

/* Compare the files with what was last seen of them, inside a write transaction and before it
 * writes.  @retval SEGUE_EIO  the store is lost (segue_store_is_lost), and rolled back */
SEGUE_MUST_CHECK segue_status segue_wal_before_write(segue_store *store, segue_error *err);

/* Read what a COMMIT wrote, under the store's name.  @retval SEGUE_EIO  the store is lost */
SEGUE_MUST_CHECK segue_status segue_wal_after_commit(segue_store *store, segue_error *err);

/* A COMMIT failed, with this extended code of SQLite.  The store is lost if the transaction may be
 * on the disk all the same. */
void segue_wal_after_failure(segue_store *store, int code);

/* Compare the files with what was seen, as before a checkpoint.  @retval SEGUE_EIO  the store is
 * lost */
SEGUE_MUST_CHECK segue_status segue_wal_check(segue_store *store, segue_error *err);

/* The database is about to be closed. */
void segue_wal_prepare_close(segue_store *store);

/* Stop watching; after the database was closed: to close a descriptor ends SQLite's locks. */
void segue_wal_close(segue_wal *wal);

/* Whether the files beside the main one have their names. */
bool segue_wal_files_exist(const segue_wal *wal);

#endif
