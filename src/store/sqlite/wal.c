/* wal.c - watch the files that SQLite writes.
 *
 * SQLite commits to the files that it has open, and does not look up their names again.  If another
 * program removes, replaces, truncates or overwrites STORE-wal, COMMIT still succeeds, and what it
 * stored is gone after a crash.  So the file is compared with SQLite's own state (wal_check.c):
 *
 *   before a write   the size and the time of change; if they differ, every frame
 *   after COMMIT     names, size, the WAL's header, the last frame of before, the last new frames
 *   before a checkpoint  all of these
 *   before it is closed  every frame
 *
 * Not detected: old frames overwritten within the few milliseconds in which the service itself
 * writes (reading every frame before each checkpoint took a tenth more processor time); pages of
 * the main file overwritten in place.
 *
 * The store is lost when the files cannot be trusted.  If every frame is still readable (the file
 * only lost its name, say), all of them are copied to the main file first.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* O_NOFOLLOW, lstat */
#include "store/sqlite/wal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "segue/internal.h"
#include "store/sqlite/wal_check.h"

/* ---- a store that is lost ---------------------------------------------------------------- */

/* Mark it; SQLite then leaves all files as they are when it closes them. */
static void lose(sqlite_store *store)
{
    store->base.is_lost = true;
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

/* Rename a file that took the name of the log: it must not be read as the store's log. */
static bool rename_intruder(const segue_wal *wal, char *other, size_t size)
{
    struct stat about;
    if (segue_wal_check_name(&wal->wal_file, &about) || lstat(wal->wal_file.path, &about) != 0)
        return false;
    for (int i = 1; i < 100; i++) {
        if (snprintf(other, size, "%s.other%d", wal->wal_file.path, i) >= (int)size)
            return false;
        if (lstat(other, &about) != 0)
            return rename(wal->wal_file.path, other) == 0;
    }
    return false;
}

/* Copy all frames to the main file, if they can be trusted, and empty the log. */
static bool rescue(sqlite_store *store)
{
    int frames = -1, copied = -1;
    (void)sqlite3_busy_timeout(store->db, 0);
    if (!segue_wal_check_uncopied_frames(store->wal))
        return false;
    (void)sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &copied);
    return frames >= 0 && frames == copied;
}

/* The files are not what SQLite takes them for.  `err` says which; append what became of their
 * content. */
static segue_status lose_files(sqlite_store *store, segue_error *err)
{
    char what[SEGUE_ERROR_SIZE], other[4096] = "";
    const char *name = segue_path_tail(store->base.location);
    struct stat about;
    segue_sqlite_rollback(&store->base);
    lose(store);
    store->files_lost = true;
    (void)snprintf(what, sizeof what, "%.200s", err ? err->message : "");
    store->rescued = !store->wal->main_cut && rescue(store);
    if (!segue_sqlite_has_name(store, &about))
        return SEGUE_EIO; /* the main file is somewhere else */
    if (store->wal->main_cut)
        return segue_fail(err, SEGUE_EIO, "%s; what it held is lost; import a backup", what);
    if (!store->rescued)
        return segue_fail(err, SEGUE_EIO,
                          "%s; what was acknowledged since the last checkpoint may be lost", what);
    if (rename_intruder(store->wal, other, sizeof other))
        return segue_fail(err, SEGUE_EIO,
                          "%s; all that was acknowledged is in %s, the other file is now %s", what,
                          name, segue_path_tail(other));
    return segue_fail(err, SEGUE_EIO, "%s; all that was acknowledged is in %s", what, name);
}

/* ---- around a transaction ---------------------------------------------------------------- */

static segue_status check_or_lose(sqlite_store *store, bool full, segue_error *err)
{
    if (store->base.is_lost) {
        segue_sqlite_rollback(&store->base);
        return segue_fail(err, SEGUE_EIO, "the store must be opened again");
    }
    return segue_wal_check_files(store, full, err) == SEGUE_OK ? SEGUE_OK : lose_files(store, err);
}

segue_status segue_wal_before_write(sqlite_store *store, segue_error *err)
{
    const bool known =
        !store->wal || (!store->base.is_lost && segue_wal_check_unchanged(store->wal));
    return known ? SEGUE_OK : check_or_lose(store, true, err);
}

segue_status segue_wal_after_commit(sqlite_store *store, segue_error *err)
{
    return store->wal ? check_or_lose(store, false, err) : SEGUE_OK;
}

/* Return whether a failure comes before the last byte of the transaction was written, if the log
 * shows no more of it.  After any other, above all a failed sync, the disk may or may not have it.
 */
static bool may_be_harmless(int code)
{
    return (code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_BUSY ||
           (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_WRITE ||
           code == SQLITE_IOERR_READ || code == SQLITE_IOERR_NOMEM ||
           code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMMAP;
}

void segue_wal_after_failure(sqlite_store *store, int code)
{
    if (store->wal && (!may_be_harmless(code) || segue_wal_check_has_more(store->wal)))
        lose(store);
}

/* ---- checkpoints ------------------------------------------------------------------------- */

/* Truncation succeeds only without readers; it does not wait for them. */
static segue_status copy_frames(sqlite_store *store, bool truncate, segue_error *err)
{
    (void)sqlite3_busy_timeout(store->db, 0);
    const int code = sqlite3_wal_checkpoint_v2(
        store->db, NULL, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, NULL,
        NULL);
    const segue_status status =
        code == SQLITE_OK || code == SQLITE_BUSY ? SEGUE_OK : segue_sqlite_fail(store, err);
    (void)sqlite3_busy_timeout(store->db, SEGUE_SQLITE_BUSY_MS);
    return status;
}

segue_status segue_wal_run_checkpoint(segue_store *base, bool truncate, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    struct stat about;
    if (store->wal)
        SEGUE_TRY(check_or_lose(store, !segue_wal_check_unchanged(store->wal), err));
    const segue_status status = copy_frames(store, truncate, err);
    if (store->wal && segue_sqlite_has_name(store, &about) && about.st_size > store->wal->main_size)
        store->wal->main_size = about.st_size;
    return status == SEGUE_OK ? segue_wal_after_commit(store, err) : status;
}

void segue_wal_read_info(const segue_store *base, segue_wal_info *out)
{
    const segue_wal *wal = ((const sqlite_store *)(const void *)base)->wal;
    struct stat about;
    if (!wal)
        return;
    *out = (segue_wal_info){.frames = atomic_load(&wal->frames),
                            .used = atomic_load(&wal->used),
                            .file_size =
                                stat(wal->wal_file.path, &about) == 0 ? (uint64_t)about.st_size : 0,
                            .path = wal->wal_file.path};
}

bool segue_wal_is_present(const segue_store *base)
{
    const sqlite_store *store = (const sqlite_store *)(const void *)base;
    const segue_wal *wal = store->wal;
    struct stat about;
    if (store->lock < 0)
        return true;
    return segue_sqlite_has_name(store, &about) &&
           (!wal || (segue_wal_check_name(&wal->wal_file, &about) &&
                     segue_wal_check_name(&wal->index, &about)));
}

/* ---- opening and closing ----------------------------------------------------------------- */

static segue_status open_named(named_file *file, const char *path, segue_error *err)
{
    struct stat about;
    file->path = strdup(path);
    if (!file->path)
        return segue_fail_no_memory(err, "a store");
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file->fd < 0 || fstat(file->fd, &about) != 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    file->device = about.st_dev;
    file->inode = about.st_ino;
    return SEGUE_OK;
}

static segue_status open_both(sqlite_store *store, segue_error *err)
{
    char index[4096];
    const char *path = sqlite3_db_filename(store->db, "main");
    if (snprintf(index, sizeof index, "%s-shm", path) >= (int)sizeof index)
        return segue_fail(err, SEGUE_EFILE, "%s: the path is too long", segue_path_tail(path));
    SEGUE_TRY(open_named(&store->wal->wal_file, sqlite3_filename_wal(path), err));
    return open_named(&store->wal->index, index, err);
}

/* Read and check the state at the start. */
static segue_status first_check(sqlite_store *store, segue_error *err)
{
    segue_wal *wal = store->wal;
    struct stat about;
    if (!segue_wal_format_read_state(wal->index.fd, &wal->last_checked) ||
        !segue_sqlite_has_name(store, &about))
        return segue_fail(err, SEGUE_EIO, "%s: cannot be read", segue_path_tail(wal->index.path));
    wal->main_size = about.st_size;
    wal->buffer = malloc(WAL_CHUNK * (size_t)segue_wal_format_frame_size(&wal->last_checked));
    if (!wal->buffer)
        return segue_fail_no_memory(err, "a store");
    if (wal->last_checked.frames > 0 &&
        !segue_wal_format_read(wal->wal_file.fd, wal->header, WAL_HEADER, 0))
        return segue_fail(err, SEGUE_EIO, "%s: cannot be read",
                          segue_path_tail(wal->wal_file.path));
    return segue_wal_check_files(store, true, err);
}

segue_status segue_wal_watch(segue_store *base, segue_error *err)
{
    sqlite_store *store = segue_sqlite_of(base);
    if (!base->is_shared)
        return SEGUE_OK;
    store->wal = calloc(1, sizeof *store->wal);
    if (!store->wal)
        return segue_fail_no_memory(err, "a store");
    store->wal->wal_file.fd = store->wal->index.fd = -1;
    (void)sqlite3_wal_autocheckpoint(store->db, 0);
    SEGUE_TRY(open_both(store, err));
    return first_check(store, err);
}

static void close_named(named_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    free(file->path);
}

/* SQLite copies the log when it closes, unless the store is lost. */
static void last_check(sqlite_store *store)
{
    segue_error err;
    if (check_or_lose(store, true, &err) != SEGUE_OK)
        assert(store->base.is_lost);
}

void segue_wal_prepare_close(sqlite_store *store)
{
    if (!store->wal || !store->wal->buffer)
        return; /* it is not, or not yet, watched */
    if (!store->base.is_lost)
        last_check(store);
    else if (store->files_lost && !store->rescued)
        (void)rescue(store); /* a reader of our own may have prevented it before */
}

void segue_wal_close(segue_wal *wal)
{
    if (!wal)
        return;
    close_named(&wal->wal_file);
    close_named(&wal->index);
    free(wal->buffer);
    free(wal);
}
