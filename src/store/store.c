/* store.c - the store's functions, each of which its backend implements.
 *
 * The name of a store chooses the backend: "sqlite:PATH", "postgresql:..."; a path alone is SQLite
 * too. Nothing here depends on a backend; what all of them need is done here once. An optional function of a backend
 * may be NULL (store_backend.h).
 *
 * One thread at a time uses a handle; a second thread opens its own, for reading.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "store/store_backend.h"

static const segue_store_backend *const backends[] = {&segue_store_sqlite, &segue_store_postgresql};
enum { N_BACKENDS = sizeof backends / sizeof *backends };

/* Find the backend of a name, and its location.  NULL: the name has a backend that is unknown. */
static const segue_store_backend *find_backend(const char *name, const char **location)
{
    const char *colon = strchr(name, ':');
    *location = name;
    for (size_t i = 0; colon && i < N_BACKENDS; i++) {
        const size_t size = strlen(backends[i]->name);
        if ((size_t)(colon - name) == size && strncmp(name, backends[i]->name, size) == 0) {
            *location = colon + 1;
            return backends[i];
        }
    }
    const bool is_path = !colon || memchr(name, '/', (size_t)(colon - name));
    return is_path ? backends[0] : NULL;
}

#define NAMES "sqlite:PATH or postgresql://USER@HOST/DATABASE"

/* The text after the colon may be a password. */
static segue_status fail_unknown(const char *name, segue_error *err)
{
    const int size = (int)(strchr(name, ':') - name);
    return segue_fail(err, SEGUE_EUSAGE, "there is no kind of store '%.*s'; need " NAMES,
                      size < 60 ? size : 60, name);
}

segue_status segue_store_open(segue_store **out, const char *name, segue_store_mode mode,
                              segue_error *err)
{
    const char *location = NULL;
    const segue_store_backend *backend = find_backend(name, &location);
    *out = NULL;
    if (!backend)
        return fail_unknown(name, err);
    if (*location == '\0')
        return segue_fail(err, SEGUE_EUSAGE, "the store '%s:' has no location; need " NAMES,
                          backend->name);
    return backend->open(out, location, mode, err);
}

void segue_store_close(segue_store *store)
{
    if (store)
        store->backend->close(store, false);
}

/* Close, and remove a store that this handle has created. */
void segue_store_discard(segue_store *store)
{
    if (store)
        store->backend->close(store, true);
}

/* A store in memory has no path. */
const char *segue_store_path(const segue_store *store)
{
    return store->is_shared ? store->location : "";
}

bool segue_store_file_path(const char *name, size_t i, char *path, size_t size)
{
    const char *location = NULL;
    const segue_store_backend *backend = find_backend(name, &location);
    return backend && backend->file_path && backend->file_path(location, i, path, size);
}

void segue_store_label(const char *name, char *out, size_t size, bool *secret)
{
    const char *location = NULL;
    const segue_store_backend *backend = find_backend(name, &location);
    *secret = false;
    if (backend && backend->label)
        backend->label(location, out, size, secret);
    else
        (void)snprintf(out, size, "%s", name);
}

segue_status segue_store_lock(segue_store *store, segue_error *err)
{
    return store->backend->lock(store, err);
}

segue_status segue_store_watch(segue_store *store, segue_error *err)
{
    return store->backend->watch ? store->backend->watch(store, err) : SEGUE_OK;
}

/* A backend without files is always present. */
bool segue_store_is_present(const segue_store *store)
{
    return !store->backend->is_present || store->backend->is_present(store);
}

bool segue_store_is_lost(const segue_store *store)
{
    return store->is_lost;
}

/* A file is on the disk when its transaction ends. */
segue_durability segue_store_durability(const segue_store *store)
{
    return store->backend->durability ? store->backend->durability(store) : SEGUE_DURABILITY_DISK;
}

const char *segue_store_durability_name(segue_durability durability)
{
    return durability == SEGUE_DURABILITY_STANDBY ? "standby"
           : durability == SEGUE_DURABILITY_DISK  ? "disk"
                                                  : "none";
}

const char *segue_store_durability_text(const segue_store *store)
{
    static const char *const texts[] = {
        [SEGUE_DURABILITY_NONE] = "a crash of the database can lose acknowledged rewards: fsync or "
                                  "synchronous_commit is off",
        [SEGUE_DURABILITY_DISK] =
            "acknowledged rewards are on the disk of the database; a standby that takes over may "
            "lack the last ones, unless synchronous_standby_names lists it",
        [SEGUE_DURABILITY_STANDBY] =
            "acknowledged rewards are on the disks of the database and of a standby"};
    return store->backend->durability ? texts[segue_store_durability(store)] : NULL;
}

segue_status segue_store_require_durable(segue_store *store, segue_error *err)
{
    return store->backend->require_durable ? store->backend->require_durable(store, err) : SEGUE_OK;
}

bool segue_store_is_unresolved(const segue_store *store)
{
    return store->is_unresolved;
}

segue_status segue_store_resolve(segue_store *store, bool *stored, segue_error *err)
{
    return store->backend->resolve(store, stored, err);
}

void segue_store_wal_info(const segue_store *store, segue_wal_info *out)
{
    *out = (segue_wal_info){.path = ""};
    if (store->backend->wal_info)
        store->backend->wal_info(store, out);
}

segue_status segue_store_checkpoint(segue_store *store, bool truncate, segue_error *err)
{
    return store->backend->checkpoint ? store->backend->checkpoint(store, truncate, err) : SEGUE_OK;
}

/* SEGUE_EFILE is damage: the service quarantines the learner and serves the others. */
segue_status segue_store_fail_damaged(segue_error *err, const char *format, ...)
{
    char what[SEGUE_ERROR_SIZE - 80]; /* the rest of the sentence must fit, too */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return segue_fail(err, SEGUE_EFILE,
                      "the store is damaged: %s; restore a backup (docs/service.md)", what);
}

segue_status segue_store_verify(segue_store *store, segue_error *err)
{
    return store->backend->verify(store, err);
}

segue_status segue_store_upgrade(segue_store *store, int64_t *from, segue_error *err)
{
    return store->backend->upgrade(store, from, err);
}

/* ---- transactions ------------------------------------------------------------------------ */

segue_status segue_store_begin(segue_store *store, segue_error *err)
{
    return store->backend->begin(store, err);
}

segue_status segue_store_begin_read(segue_store *store, segue_error *err)
{
    return store->backend->begin_read(store, err);
}

segue_status segue_store_commit(segue_store *store, segue_error *err)
{
    return store->backend->commit(store, err);
}

void segue_store_rollback(segue_store *store)
{
    store->backend->rollback(store);
}
