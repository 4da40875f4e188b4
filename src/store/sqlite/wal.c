/* wal.c - watch the files that SQLite writes.
 *
 * SQLite commits to the files that it has open, and does not look at their names again.  If another
 * program removes, replaces, cuts or overwrites STORE-wal, COMMIT still succeeds, and what it
 * stored is gone after a crash.  So the file is compared with SQLite's own state, the WAL index:
 *
 *   before a write   the size and the time of change; if they differ, every frame
 *   after COMMIT     names, size, the WAL's header, the last frame of before, the last new frames
 *   before a checkpoint  all of these
 *   before it is closed  every frame
 *
 * Not seen: old frames overwritten within the few milliseconds in which the service itself writes
 * (to read every frame before each checkpoint took a tenth more processor time); pages of the main
 * file overwritten in place.
 *
 * The store is lost when the files cannot be trusted.  If every frame is still readable (the file
 * only lost its name, say), all of them are copied to the main file first.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "store/sqlite/wal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segue/internal.h"
#include "store/sqlite/wal_format.h"

#define LAST_FRAMES 4 /* that are read again after each COMMIT */

typedef struct named_file {
    char *path;
    int fd;
    dev_t device;
    ino_t inode;
} named_file;

struct segue_wal {
    named_file log, index;
    wal_state seen; /* and found on the disk */
    unsigned char header[WAL_HEADER];
    struct timespec changed; /* the log, when it was last seen */
    off_t size, main_size;
    bool main_cut;         /* the main file is smaller than it was left */
    unsigned char *buffer; /* of WAL_CHUNK frames */
};

/* ---- the header -------------------------------------------------------------------------- */

static bool is_same_log(const wal_state *a, const wal_state *b)
{
    return a->frames > 0 && memcmp(a->salt, b->salt, 8) == 0;
}

/* Whether the header on the disk is the one that was seen; after a restart of the WAL, a new one.
 */
static bool header_is_sound(segue_wal *wal, const wal_state *s)
{
    unsigned char header[WAL_HEADER];
    if (!segue_wal_format_read(wal->log.fd, header, sizeof header, 0) ||
        !segue_wal_format_is_header(s, header))
        return false;
    if (!is_same_log(&wal->seen, s))
        memcpy(wal->header, header, sizeof header);
    return memcmp(wal->header, header, sizeof header) == 0;
}

/* ---- names ------------------------------------------------------------------------------- */

static bool has_name(const named_file *file, struct stat *about)
{
    return lstat(file->path, about) == 0 && about->st_dev == file->device &&
           about->st_ino == file->inode;
}

bool segue_wal_files_exist(const segue_wal *wal)
{
    struct stat about;
    return !wal || (has_name(&wal->log, &about) && has_name(&wal->index, &about));
}

static segue_status name_lost(const named_file *file, segue_error *err)
{
    struct stat about;
    return segue_fail(err, SEGUE_EIO, "%s %s", segue_path_tail(file->path),
                      lstat(file->path, &about) == 0 ? "was replaced by another file"
                                                     : "was moved or removed");
}

/* Whether all three have their names, and are no smaller than SQLite left them. */
static segue_status check_names(const segue_store *store, const wal_state *s, struct stat *log,
                                segue_error *err)
{
    segue_wal *wal = store->wal;
    struct stat other, main_file;
    if (!segue_sqlite_has_name(store, &main_file))
        return segue_fail(err, SEGUE_EIO, "the store's file was moved or removed");
    if (!has_name(&wal->log, log))
        return name_lost(&wal->log, err);
    if (!has_name(&wal->index, &other))
        return name_lost(&wal->index, err);
    const off_t used = (off_t)s->pages * s->page_size;
    wal->main_cut = main_file.st_size < wal->main_size && main_file.st_size < used;
    if (wal->main_cut)
        return segue_fail(err, SEGUE_EIO, "%s was cut off", segue_path_tail(store->path));
    if (s->frames > 0 && log->st_size < segue_wal_format_frame_offset(s, s->frames + 1))
        return segue_fail(err, SEGUE_EIO, "%s was cut off", segue_path_tail(wal->log.path));
    return SEGUE_OK;
}

/* ---- checks ------------------------------------------------------------------------------ */

static segue_status overwritten(const segue_wal *wal, segue_error *err)
{
    return segue_fail(err, SEGUE_EIO, "%s does not hold what was written to it",
                      segue_path_tail(wal->log.path));
}

/* Every frame, by the header that was seen. */
static bool all_are_sound(const segue_wal *wal, const wal_state *s)
{
    uint32_t sum[2];
    segue_wal_format_header_sum(wal->header, sum);
    return s->frames == 0 || segue_wal_format_check_frames(wal->log.fd, s, 1, sum, wal->buffer);
}

/* The sum that frame `first` follows, as the log says it. */
static bool sum_before(const segue_wal *wal, const wal_state *s, uint32_t first, uint32_t sum[2])
{
    unsigned char frame[WAL_FRAME_HEADER];
    if (first == 1) {
        segue_wal_format_header_sum(wal->header, sum);
        return true;
    }
    if (!segue_wal_format_read(wal->log.fd, frame, sizeof frame,
                               segue_wal_format_frame_offset(s, first - 1)))
        return false;
    segue_wal_format_frame_sum(frame, sum);
    return true;
}

/* Whether the last frame that was seen is still what it was. */
static bool seen_is_sound(const segue_wal *wal, const wal_state *s)
{
    uint32_t sum[2];
    return !is_same_log(&wal->seen, s) ||
           (sum_before(wal, s, wal->seen.frames + 1, sum) && sum[0] == wal->seen.sum[0] &&
            sum[1] == wal->seen.sum[1]);
}

/* The last frames, which are all of a small transaction. */
static bool last_are_sound(const segue_wal *wal, const wal_state *s)
{
    const uint32_t first = s->frames > LAST_FRAMES ? s->frames - LAST_FRAMES + 1 : 1;
    uint32_t sum[2];
    return sum_before(wal, s, first, sum) &&
           segue_wal_format_check_frames(wal->log.fd, s, first, sum, wal->buffer);
}

static void note(segue_wal *wal, const wal_state *s, const struct stat *log)
{
    wal->seen = *s;
    wal->changed = log->st_mtim;
    wal->size = log->st_size;
}

/* `full`: look at every frame. */
static segue_status check(segue_store *store, bool full, segue_error *err)
{
    segue_wal *wal = store->wal;
    wal_state s;
    struct stat log;
    if (!segue_wal_format_read_state(wal->index.fd, &s) ||
        segue_wal_format_frame_size(&s) != segue_wal_format_frame_size(&wal->seen))
        return segue_fail(err, SEGUE_EIO, "%s does not hold what was written to it",
                          segue_path_tail(wal->index.path));
    const segue_status status = check_names(store, &s, &log, err);
    if (status != SEGUE_OK)
        return status;
    if (s.frames > 0 && (!header_is_sound(wal, &s) || !seen_is_sound(wal, &s) ||
                         !(full ? all_are_sound(wal, &s) : last_are_sound(wal, &s))))
        return overwritten(wal, err);
    note(wal, &s, &log);
    return SEGUE_OK;
}

/* Whether nobody wrote to the log since it was seen, as far as its time tells. */
static bool is_unchanged(const segue_wal *wal)
{
    struct stat about;
    return fstat(wal->log.fd, &about) == 0 && about.st_size == wal->size &&
           about.st_mtim.tv_sec == wal->changed.tv_sec &&
           about.st_mtim.tv_nsec == wal->changed.tv_nsec;
}

/* ---- a store that is lost ---------------------------------------------------------------- */

/* SQLite leaves all files as they are when it closes them. */
static void lose(segue_store *store)
{
    store->lost = true;
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

/* What stands under the log's name and is not ours must not be read as the store's log. */
static bool set_aside(const segue_wal *wal, char *other, size_t size)
{
    struct stat about;
    if (has_name(&wal->log, &about) || lstat(wal->log.path, &about) != 0)
        return false;
    for (int i = 1; i < 100; i++) {
        if (snprintf(other, size, "%s.other%d", wal->log.path, i) >= (int)size)
            return false;
        if (lstat(other, &about) != 0)
            return rename(wal->log.path, other) == 0;
    }
    return false;
}

/* Whether the frames that are not in the main file yet can be trusted. */
static bool rest_is_sound(segue_wal *wal, const wal_state *s)
{
    uint32_t copied = 0, sum[2];
    if (!segue_wal_format_read(wal->index.fd, &copied, sizeof copied, WAL_INDEX_COPIED))
        return false;
    if (copied >= s->frames)
        return true;
    if (copied == 0)
        return (is_same_log(&wal->seen, s) || header_is_sound(wal, s)) && all_are_sound(wal, s);
    return sum_before(wal, s, copied + 1, sum) &&
           segue_wal_format_check_frames(wal->log.fd, s, copied + 1, sum, wal->buffer);
}

/* Copy all frames to the main file, if they can be trusted, and empty the log. */
static bool rescue(segue_store *store)
{
    int frames = -1, copied = -1;
    wal_state s;
    (void)sqlite3_busy_timeout(store->db, 0);
    if (!segue_wal_format_read_state(store->wal->index.fd, &s) ||
        segue_wal_format_frame_size(&s) != segue_wal_format_frame_size(&store->wal->seen) ||
        !rest_is_sound(store->wal, &s))
        return false;
    (void)sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &copied);
    return frames >= 0 && frames == copied;
}

/* The files are not what SQLite takes them for; `err` tells which, and is told what became of what
 * they held. */
static segue_status lose_files(segue_store *store, segue_error *err)
{
    char what[SEGUE_ERROR_SIZE], other[4096] = "";
    struct stat about;
    segue_store_rollback(store);
    lose(store);
    store->files_lost = true;
    (void)snprintf(what, sizeof what, "%.200s", err ? err->message : "");
    store->rescued = !store->wal->main_cut && rescue(store);
    if (!segue_sqlite_has_name(store, &about))
        return SEGUE_EIO; /* nobody knows where the main file is */
    if (store->wal->main_cut)
        return segue_fail(err, SEGUE_EIO, "%s; what it held is lost; import a backup", what);
    if (!store->rescued)
        return segue_fail(err, SEGUE_EIO,
                          "%s; what was acknowledged since the last checkpoint may be lost", what);
    if (set_aside(store->wal, other, sizeof other))
        return segue_fail(err, SEGUE_EIO,
                          "%s; all that was acknowledged is in %s, the other file is now %s", what,
                          segue_path_tail(store->path), segue_path_tail(other));
    return segue_fail(err, SEGUE_EIO, "%s; all that was acknowledged is in %s", what,
                      segue_path_tail(store->path));
}

/* What another program did to the files ends it. */
static segue_status check_or_lose(segue_store *store, bool full, segue_error *err)
{
    if (store->lost) {
        segue_store_rollback(store);
        return segue_fail(err, SEGUE_EIO, "the store must be opened again");
    }
    return check(store, full, err) == SEGUE_OK ? SEGUE_OK : lose_files(store, err);
}

segue_status segue_wal_before_write(segue_store *store, segue_error *err)
{
    const bool known = !store->wal || (!store->lost && is_unchanged(store->wal));
    return known ? SEGUE_OK : check_or_lose(store, true, err);
}

segue_status segue_wal_after_commit(segue_store *store, segue_error *err)
{
    return store->wal ? check_or_lose(store, false, err) : SEGUE_OK;
}

segue_status segue_wal_check(segue_store *store, segue_error *err)
{
    return store->wal ? check_or_lose(store, !is_unchanged(store->wal), err) : SEGUE_OK;
}

/* Whether the log has so many bytes, or that cannot be told. */
static bool is_inside(const segue_wal *wal, off_t end)
{
    struct stat about;
    return fstat(wal->log.fd, &about) != 0 || about.st_size >= end;
}

/* Whether the log has a whole transaction after those that SQLite knows of: recovery would take it
 * for committed.  True also if that cannot be told. */
static bool has_more(const segue_wal *wal)
{
    unsigned char header[WAL_HEADER];
    wal_state s;
    if (!segue_wal_format_read_state(wal->index.fd, &s) ||
        segue_wal_format_frame_size(&s) != segue_wal_format_frame_size(&wal->seen))
        return true;
    uint32_t sum[2] = {s.sum[0], s.sum[1]};
    if (s.frames == 0) {
        if (!segue_wal_format_read(wal->log.fd, header, sizeof header, 0) ||
            !segue_wal_format_is_header(&s, header))
            return false;
        segue_wal_format_header_sum(header, sum);
    }
    for (uint32_t at = s.frames + 1;; at++) {
        if (!is_inside(wal, segue_wal_format_frame_offset(&s, at + 1)))
            return false;
        if (!segue_wal_format_read(wal->log.fd, wal->buffer,
                                   (size_t)segue_wal_format_frame_size(&s),
                                   segue_wal_format_frame_offset(&s, at)))
            return true;
        if (!segue_wal_format_follows(&s, wal->buffer, sum))
            return false;
        if (segue_wal_format_commit_pages(wal->buffer) > 0)
            return true;
    }
}

/* Failures that come before the last byte of the transaction was written, if no more is seen of it
 * in the log.  After any other, above all a failed sync, the disk may or may not have it. */
static bool may_be_harmless(int code)
{
    return (code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_BUSY ||
           (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_WRITE ||
           code == SQLITE_IOERR_READ || code == SQLITE_IOERR_NOMEM ||
           code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMMAP;
}

void segue_wal_after_failure(segue_store *store, int code)
{
    if (store->wal && (!may_be_harmless(code) || has_more(store->wal)))
        lose(store);
}

/* ---- checkpoints ------------------------------------------------------------------------- */

/* Truncate: only if no reader is in the way; nobody waits for one here. */
static segue_status copy_frames(segue_store *store, bool truncate, segue_checkpoint *out,
                                segue_error *err)
{
    (void)sqlite3_busy_timeout(store->db, 0);
    const int code = sqlite3_wal_checkpoint_v2(
        store->db, NULL, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
        &out->frames, &out->copied);
    const segue_status status =
        code == SQLITE_OK || code == SQLITE_BUSY ? SEGUE_OK : segue_sqlite_fail(store, err);
    (void)sqlite3_busy_timeout(store->db, SEGUE_BUSY_MILLISECONDS);
    return status;
}

segue_status segue_store_checkpoint(segue_store *store, bool truncate, segue_checkpoint *out,
                                    segue_error *err)
{
    struct stat about;
    *out = (segue_checkpoint){.frames = 0};
    segue_status status = segue_wal_check(store, err);
    if (status == SEGUE_OK)
        status = copy_frames(store, truncate, out, err);
    if (store->wal && segue_sqlite_has_name(store, &about) && about.st_size > store->wal->main_size)
        store->wal->main_size = about.st_size;
    return status == SEGUE_OK ? segue_wal_after_commit(store, err) : status;
}

uint64_t segue_store_wal_frames(const segue_store *store)
{
    return store->wal ? store->wal->seen.frames : 0;
}

uint64_t segue_store_wal_bytes(const segue_store *store)
{
    struct stat about;
    return store->wal && stat(store->wal->log.path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

uint64_t segue_store_wal_used(const segue_store *store)
{
    const wal_state *s = store->wal ? &store->wal->seen : NULL;
    return s && s->frames > 0 ? (uint64_t)segue_wal_format_frame_offset(s, s->frames + 1) : 0;
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

static segue_status open_both(segue_store *store, segue_error *err)
{
    char index[4096];
    const char *path = sqlite3_db_filename(store->db, "main");
    if (snprintf(index, sizeof index, "%s-shm", path) >= (int)sizeof index)
        return segue_fail(err, SEGUE_EFILE, "%s: the path is too long", segue_path_tail(path));
    const segue_status status = open_named(&store->wal->log, sqlite3_filename_wal(path), err);
    return status == SEGUE_OK ? open_named(&store->wal->index, index, err) : status;
}

/* What there is at the start. */
static segue_status begin(segue_store *store, segue_error *err)
{
    segue_wal *wal = store->wal;
    struct stat about;
    if (!segue_wal_format_read_state(wal->index.fd, &wal->seen) ||
        !segue_sqlite_has_name(store, &about))
        return segue_fail(err, SEGUE_EIO, "%s: cannot be read", segue_path_tail(wal->index.path));
    wal->main_size = about.st_size;
    wal->buffer = malloc(WAL_CHUNK * (size_t)segue_wal_format_frame_size(&wal->seen));
    if (!wal->buffer)
        return segue_fail_no_memory(err, "a store");
    if (wal->seen.frames > 0 && !segue_wal_format_read(wal->log.fd, wal->header, WAL_HEADER, 0))
        return segue_fail(err, SEGUE_EIO, "%s: cannot be read", segue_path_tail(wal->log.path));
    return check(store, true, err);
}

segue_status segue_store_watch(segue_store *store, segue_error *err)
{
    if (*segue_store_path(store) == '\0')
        return SEGUE_OK;
    store->wal = calloc(1, sizeof *store->wal);
    if (!store->wal)
        return segue_fail_no_memory(err, "a store");
    store->wal->log.fd = store->wal->index.fd = -1;
    const segue_status status = open_both(store, err);
    (void)sqlite3_wal_autocheckpoint(store->db, 0);
    return status == SEGUE_OK ? begin(store, err) : status;
}

static void close_named(named_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    free(file->path);
}

/* SQLite copies the log when it closes; it does not, once the store is lost. */
static void check_last(segue_store *store)
{
    segue_error err;
    if (check_or_lose(store, true, &err) != SEGUE_OK)
        assert(store->lost);
}

void segue_wal_prepare_close(segue_store *store)
{
    if (!store->wal || !store->wal->buffer)
        return; /* it is not, or not yet, watched */
    if (!store->lost)
        check_last(store);
    else if (store->files_lost && !store->rescued)
        (void)rescue(store); /* a reader of our own may have been in the way */
}

void segue_wal_close(segue_wal *wal)
{
    if (!wal)
        return;
    close_named(&wal->log);
    close_named(&wal->index);
    free(wal->buffer);
    free(wal);
}
