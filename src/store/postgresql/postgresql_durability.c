/* postgresql_durability.c - what a commit promises, by the settings of the database.
 *
 *   fsync off or synchronous_commit off   nothing: a crash of the database loses commits
 *   synchronous_standby_names empty, or
 *   synchronous_commit local              the disk of this database
 *   synchronous_commit remote_write       the same: a standby has it in memory
 *   synchronous_commit on, remote_apply   the disk of a standby, too
 *
 * They are read at the begin of each transaction, so a change of the settings shows at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

static segue_durability durability_of(const char *commit, const char *standbys, const char *fsync)
{
    if (strcmp(fsync, "on") != 0 || strcmp(commit, "off") == 0)
        return SEGUE_DURABILITY_NONE;
    const bool waits = strcmp(commit, "on") == 0 || strcmp(commit, "remote_apply") == 0;
    return waits && *standbys ? SEGUE_DURABILITY_STANDBY : SEGUE_DURABILITY_DISK;
}

void segue_postgresql_durability_parse(postgresql_store *store, const PGresult *result, int column)
{
    atomic_store(&store->durability,
                 durability_of(PQgetvalue(result, 0, column), PQgetvalue(result, 0, column + 1),
                               PQgetvalue(result, 0, column + 2)));
}

segue_durability segue_postgresql_durability(const segue_store *base)
{
    const postgresql_store *store = (const postgresql_store *)(const void *)base;
    return (segue_durability)atomic_load(&store->durability);
}

segue_status segue_postgresql_durability_check(const postgresql_store *store, segue_error *err)
{
    return !store->requires_durable || atomic_load(&store->durability) != SEGUE_DURABILITY_NONE
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EFILE,
                            "%s: synchronous_commit or fsync is off, so that a crash of the "
                            "database can lose acknowledged rewards; set both on (ALTER SYSTEM), "
                            "or accept the loss with --allow-loss",
                            store->base.location);
}

/* A transaction reads the settings. */
segue_status segue_postgresql_durability_require(segue_store *base, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    store->requires_durable = true;
    SEGUE_TRY(segue_postgresql_begin(base, err));
    segue_postgresql_rollback(base);
    return SEGUE_OK;
}
