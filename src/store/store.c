/* store.c - the store's functions, each of which its backend implements.
 *
 * The name of a store chooses the backend: "sqlite:PATH"; a path alone is SQLite too. Nothing here
 * depends on a backend; what all of them need is done here once. An optional function of a backend
 * may be NULL (store_backend.h).
 *
 * One thread at a time uses a handle; a second thread opens its own, for reading.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "store/store_backend.h"

static const segue_store_backend *const backends[] = {&segue_store_sqlite};
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

segue_status segue_store_open(segue_store **out, const char *name, segue_store_mode mode,
                              segue_error *err)
{
    const char *location = NULL;
    const segue_store_backend *backend = find_backend(name, &location);
    *out = NULL;
    if (!backend)
        return segue_fail(err, SEGUE_EUSAGE, "there is no store '%.60s'; need sqlite:PATH", name);
    if (*location == '\0')
        return segue_fail(err, SEGUE_EUSAGE, "the store '%.60s' has no path; need sqlite:PATH",
                          name);
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

segue_status segue_store_verify_learner(segue_store *store, int64_t learner, segue_error *err)
{
    return store->backend->verify_learner(store, learner, err);
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
