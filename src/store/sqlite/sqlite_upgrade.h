/* sqlite_upgrade.h - bring a store of an older format to this one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_SQLITE_UPGRADE_H
#define SEGUE_STORE_SQLITE_SQLITE_UPGRADE_H

#include "store/store_backend.h"

/* Tables of the hash chain and of what remains of removed rewards. */
#define SEGUE_SQL_AUDIT_TABLES                                                                     \
    "CREATE TABLE chain (learner INTEGER, seq INTEGER, bytes BLOB NOT NULL,"                       \
    " PRIMARY KEY (learner, seq)) WITHOUT ROWID;"                                                  \
    "CREATE TABLE removed (task INTEGER PRIMARY KEY, learner INTEGER NOT NULL,"                    \
    " counts TEXT NOT NULL, bytes BLOB NOT NULL, erased INTEGER NOT NULL);"                        \
    "CREATE INDEX removed_learner ON removed (learner);"                                           \
    "CREATE INDEX event_trim ON event (learner, seq) WHERE kind = 10;"                             \
    "CREATE TABLE base (learner INTEGER PRIMARY KEY, seq INTEGER NOT NULL, bytes BLOB NOT NULL);"

/* The statements that lead from one format to the next. */
typedef struct sqlite_upgrade_step {
    int64_t from;
    const char *sql;
} sqlite_upgrade_step;

/* Return whether the program's steps lead from a format to the current one. */
bool segue_sqlite_can_upgrade(int64_t from);

/* Upgrade by these steps, the last of which leads to the current format. */
SEGUE_MUST_CHECK segue_status segue_sqlite_upgrade_by(segue_store *base,
                                                      const sqlite_upgrade_step *steps, size_t n,
                                                      int64_t *from, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_sqlite_upgrade(segue_store *base, int64_t *from,
                                                   segue_error *err);

#endif
