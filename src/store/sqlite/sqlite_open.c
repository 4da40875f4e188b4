/* sqlite_open.c - open, lock and close the file of a store.
 *
 * SQLite keeps two files beside it, PATH-wal and PATH-shm.  Closing any descriptor of the file ends
 * the locks that SQLite holds on it in this process, so a file that SQLite has open is never closed
 * here before SQLite has closed it.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/encode.h"
#include "segue/internal.h"
#include "store/sqlite/wal.h"

#define IN_MEMORY ":memory:"

bool segue_sqlite_file_path(const char *location, size_t i, char *path, size_t size)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    return i < sizeof suffixes / sizeof *suffixes &&
           snprintf(path, size, "%s%s", location, suffixes[i]) < (int)size;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Create a file for its owner alone: it holds the key that signs decision ids.  An existing file is
 * not opened. */
static void create_private(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
}

/* Return whether the file and its folder, where SQLite puts the WAL, may be written to. */
static bool may_write(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    const int size = slash ? (int)(slash - path) + 1 : 0;
    return snprintf(folder, sizeof folder, "%.*s.", size, path) < (int)sizeof folder &&
           access(path, W_OK) == 0 && access(folder, W_OK) == 0;
}

static bool has_wal(const char *path)
{
    char wal[4096];
    return !segue_sqlite_file_path(path, 1, wal, sizeof wal) || access(wal, F_OK) == 0;
}

/* Open a file that no process writes to, without locks and without a WAL. */
static int open_immutable(sqlite_store *store)
{
    segue_bytes uri = {.data = NULL};
    char *path = malloc(3 * strlen(store->base.location) + 1);
    if (!path)
        return SQLITE_NOMEM;
    segue_bytes_append(&uri, "file:", 5);
    segue_bytes_append(&uri, path, segue_encode_percent(path, store->base.location));
    free(path);
    segue_bytes_append(&uri, "?immutable=1", 13);
    const int code =
        uri.failed
            ? SQLITE_NOMEM
            : sqlite3_open_v2((const char *)uri.data, &store->db,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    segue_bytes_fini(&uri);
    return code;
}

static int open_plain(sqlite_store *store, segue_store_mode mode)
{
    const int flags = mode == SEGUE_STORE_READ     ? SQLITE_OPEN_READONLY
                      : mode == SEGUE_STORE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                   : SQLITE_OPEN_READWRITE;
    return sqlite3_open_v2(store->base.location, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
}

/* The mode in which SQLite opens the file.  Where this process may write, READ_IMMUTABLE opens it
 * for writing: SQLite then removes its WAL at the end. */
static segue_store_mode effective_mode(const sqlite_store *store, segue_store_mode mode)
{
    if (mode != SEGUE_STORE_READ_IMMUTABLE)
        return mode;
    return may_write(store->base.location) ? SEGUE_STORE_CHANGE : SEGUE_STORE_READ;
}

/* Say why SQLite could not open it; SQLite has one message for all reasons. */
static const char *open_failure(const sqlite_store *store, segue_store_mode mode)
{
    const char *path = store->base.location;
    const int code = store->db ? sqlite3_system_errno(store->db) : ENOMEM;
    struct stat about;
    if (code == ENOENT && mode == SEGUE_STORE_CREATE)
        return segue_path_has_folder(path) ? "no permission to create a file in its folder"
                                           : "its folder is missing; create it first";
    if (code == ENOENT)
        return "there is no such file; 'segue serve' creates one";
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return "is a folder; need a file";
    if (code == EACCES || code == EPERM)
        return "no permission";
    return code ? strerror(code) : sqlite3_errmsg(store->db);
}

static segue_status open_file(sqlite_store *store, segue_store_mode requested, segue_error *err)
{
    const char *path = store->base.location;
    const segue_store_mode mode = effective_mode(store, requested);
    if (mode == SEGUE_STORE_CREATE && store->base.is_shared)
        create_private(path);
    const bool immutable =
        requested == SEGUE_STORE_READ_IMMUTABLE && mode == SEGUE_STORE_READ && !has_wal(path);
    if ((immutable ? open_immutable(store) : open_plain(store, mode)) != SQLITE_OK)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          open_failure(store, mode));
    if (mode != SEGUE_STORE_READ && sqlite3_db_readonly(store->db, "main") == 1)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be written to: no permission",
                          segue_path_tail(path));
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db, SEGUE_SQLITE_BUSY_MS);
    return segue_sqlite_execute(store, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF",
                                err);
}

/* Switch to WAL mode, which changes the file: only after check_format found it to be a store. */
static segue_status configure(sqlite_store *store, segue_store_mode requested, segue_error *err)
{
    if (effective_mode(store, requested) == SEGUE_STORE_READ)
        return SEGUE_OK;
    return segue_sqlite_execute(store,
                                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                "PRAGMA journal_size_limit = 20971520; PRAGMA cache_size = -16384;"
                                "PRAGMA wal_autocheckpoint = 4000",
                                err);
}

static segue_status prepare(sqlite_store *store, segue_store_mode mode, segue_error *err)
{
    SEGUE_TRY(open_file(store, mode, err));
    SEGUE_TRY(segue_sqlite_check_format(store, mode, err));
    SEGUE_TRY(configure(store, mode, err));
    return mode == SEGUE_STORE_UPGRADE ? SEGUE_OK : segue_sqlite_check_schema(store, err);
}

segue_status segue_sqlite_open(segue_store **out, const char *path, segue_store_mode mode,
                               segue_error *err)
{
    sqlite_store *store = calloc(1, sizeof *store);
    char *copy = malloc(strlen(path) + 1);
    if (!store || !copy) {
        free(store);
        free(copy);
        return segue_fail_no_memory(err, "a store");
    }
    store->base = (segue_store){.backend = &segue_store_sqlite,
                                .location = strcpy(copy, path),
                                .is_shared = strcmp(path, IN_MEMORY) != 0};
    store->lock = -1;
    const segue_status status = prepare(store, mode, err);
    if (status == SEGUE_OK)
        *out = &store->base;
    else
        segue_sqlite_close(&store->base, false);
    return status;
}

/* ---- closing ----------------------------------------------------------------------------- */

static void finalize_all(sqlite_store *store)
{
    for (size_t i = 0; i < N_STATEMENTS; i++)
        (void)sqlite3_finalize(store->prepared[i]);
    for (size_t i = 0; i < SEGUE_N_TABLES; i++)
        for (size_t j = 0; j < 2; j++)
            (void)sqlite3_finalize(store->table[i][j]);
}

void segue_sqlite_close(segue_store *base, bool discard)
{
    sqlite_store *store = segue_sqlite_of(base);
    finalize_all(store);
    segue_wal_prepare_close(store);
    (void)sqlite3_close(store->db); /* removes the files beside it, unless others use them */
    segue_wal_close(store->wal);
    if (store->lock >= 0)
        (void)close(store->lock);
    if (discard && store->is_new && base->is_shared)
        (void)unlink(base->location);
    free(base->location);
    free(store);
}

/* ---- the lock ---------------------------------------------------------------------------- */

/* The lock is on the file itself, whatever name leads to it: for SQLite, a link has a WAL of its
 * own.  SQLite's locks are of another kind. */
segue_status segue_sqlite_lock(segue_store *base, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    const char *name = segue_path_tail(base->location);
    struct stat locked;
    if (!base->is_shared)
        return SEGUE_OK;
    store->lock = open(base->location, O_RDWR | O_CLOEXEC);
    if (store->lock < 0 || fstat(store->lock, &locked) != 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", name, strerror(errno));
    store->device = locked.st_dev;
    store->inode = locked.st_ino;
    if (flock(store->lock, LOCK_EX | LOCK_NB) == 0)
        return SEGUE_OK;
    if (errno == EWOULDBLOCK)
        return segue_fail(err, SEGUE_EFILE, "%s: another process serves this store", name);
    return segue_fail(err, SEGUE_EFILE, "%s: cannot be locked: %s", name, strerror(errno));
}

bool segue_sqlite_has_name(const sqlite_store *store, struct stat *named)
{
    return stat(store->base.location, named) == 0 && store->device == named->st_dev &&
           store->inode == named->st_ino;
}
