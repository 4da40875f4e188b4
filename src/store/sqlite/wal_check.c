/* wal_check.c - compare the WAL on the disk with SQLite's own state, the WAL index.
 *
 * A frame is intact if its checksum follows from that of the frame before it (wal_format.c).  The
 * index says how many frames are committed and the checksum of the last one.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* st_mtim, lstat */
#include "store/sqlite/wal_check.h"

#include <string.h>

#include "segue/internal.h"

#define LAST_FRAMES 4 /* that are read again after each COMMIT */

/* ---- names ------------------------------------------------------------------------------- */

bool segue_wal_check_name(const named_file *file, struct stat *about)
{
    return lstat(file->path, about) == 0 && about->st_dev == file->device &&
           about->st_ino == file->inode;
}

/* Say how a file lost its name. */
static segue_status fail_name(const named_file *file, segue_error *err)
{
    struct stat about;
    return segue_fail(err, SEGUE_EIO, "%s %s", segue_path_tail(file->path),
                      lstat(file->path, &about) == 0 ? "was replaced by another file"
                                                     : "was moved or removed");
}

/* Check that all three files have their names, and are not smaller than SQLite left them. */
static segue_status check_names(const sqlite_store *store, const wal_state *s,
                                struct stat *wal_stat, segue_error *err)
{
    segue_wal *wal = store->wal;
    struct stat other, main_file;
    if (!segue_sqlite_has_name(store, &main_file))
        return segue_fail(err, SEGUE_EIO, "the store's file was moved or removed");
    if (!segue_wal_check_name(&wal->wal_file, wal_stat))
        return fail_name(&wal->wal_file, err);
    if (!segue_wal_check_name(&wal->index, &other))
        return fail_name(&wal->index, err);
    const off_t used = (off_t)s->pages * s->page_size;
    wal->main_cut = main_file.st_size < wal->main_size && main_file.st_size < used;
    if (wal->main_cut)
        return segue_fail(err, SEGUE_EIO, "%s was cut off", segue_path_tail(store->base.location));
    if (s->frames > 0 && wal_stat->st_size < segue_wal_format_frame_offset(s, s->frames + 1))
        return segue_fail(err, SEGUE_EIO, "%s was cut off", segue_path_tail(wal->wal_file.path));
    return SEGUE_OK;
}

/* ---- the header and the frames ----------------------------------------------------------- */

static bool is_same_wal(const wal_state *a, const wal_state *b)
{
    return a->frames > 0 && memcmp(a->salt, b->salt, 8) == 0;
}

/* Return whether the header is the one of the last check; after a restart of the WAL, a new one. */
static bool header_is_intact(segue_wal *wal, const wal_state *s)
{
    unsigned char header[WAL_HEADER];
    if (!segue_wal_format_read(wal->wal_file.fd, header, sizeof header, 0) ||
        !segue_wal_format_is_header(s, header))
        return false;
    if (!is_same_wal(&wal->last_checked, s))
        memcpy(wal->header, header, sizeof header);
    return memcmp(wal->header, header, sizeof header) == 0;
}

/* Check every frame, from the header of the last check on. */
static bool all_are_intact(const segue_wal *wal, const wal_state *s)
{
    uint32_t sum[2];
    segue_wal_format_header_sum(wal->header, sum);
    return s->frames == 0 ||
           segue_wal_format_check_frames(wal->wal_file.fd, s, 1, sum, wal->buffer);
}

/* Read the checksum that frame `first` follows. */
static bool sum_before(const segue_wal *wal, const wal_state *s, uint32_t first, uint32_t sum[2])
{
    unsigned char frame[WAL_FRAME_HEADER];
    if (first == 1) {
        segue_wal_format_header_sum(wal->header, sum);
        return true;
    }
    if (!segue_wal_format_read(wal->wal_file.fd, frame, sizeof frame,
                               segue_wal_format_frame_offset(s, first - 1)))
        return false;
    segue_wal_format_frame_sum(frame, sum);
    return true;
}

/* Return whether the last frame of the last check is unchanged. */
static bool last_checked_is_intact(const segue_wal *wal, const wal_state *s)
{
    uint32_t sum[2];
    return !is_same_wal(&wal->last_checked, s) ||
           (sum_before(wal, s, wal->last_checked.frames + 1, sum) &&
            sum[0] == wal->last_checked.sum[0] && sum[1] == wal->last_checked.sum[1]);
}

/* Check the last frames: all of a small transaction. */
static bool last_are_intact(const segue_wal *wal, const wal_state *s)
{
    const uint32_t first = s->frames > LAST_FRAMES ? s->frames - LAST_FRAMES + 1 : 1;
    uint32_t sum[2];
    return sum_before(wal, s, first, sum) &&
           segue_wal_format_check_frames(wal->wal_file.fd, s, first, sum, wal->buffer);
}

static segue_status fail_content(const named_file *file, segue_error *err)
{
    return segue_fail(err, SEGUE_EIO, "%s does not hold what was written to it",
                      segue_path_tail(file->path));
}

/* Remember the state of a check that succeeded. */
static void remember(segue_wal *wal, const wal_state *s, const struct stat *wal_stat)
{
    wal->last_checked = *s;
    wal->changed = wal_stat->st_mtim;
    wal->size = wal_stat->st_size;
    atomic_store(&wal->frames, s->frames);
    atomic_store(&wal->used,
                 s->frames > 0 ? (uint64_t)segue_wal_format_frame_offset(s, s->frames + 1) : 0);
}

static bool read_state(const segue_wal *wal, wal_state *s)
{
    return segue_wal_format_read_state(wal->index.fd, s) &&
           segue_wal_format_frame_size(s) == segue_wal_format_frame_size(&wal->last_checked);
}

/* Cost without `full`: three stats and a few short reads, whatever the size of the WAL. */
segue_status segue_wal_check_files(sqlite_store *store, bool full, segue_error *err)
{
    segue_wal *wal = store->wal;
    wal_state s;
    struct stat wal_stat;
    if (!read_state(wal, &s))
        return fail_content(&wal->index, err);
    SEGUE_TRY(check_names(store, &s, &wal_stat, err));
    if (s.frames > 0 && (!header_is_intact(wal, &s) || !last_checked_is_intact(wal, &s) ||
                         !(full ? all_are_intact(wal, &s) : last_are_intact(wal, &s))))
        return fail_content(&wal->wal_file, err);
    remember(wal, &s, &wal_stat);
    return SEGUE_OK;
}

/* Cheap test between transactions: size and time of change, by one fstat. */
bool segue_wal_check_unchanged(const segue_wal *wal)
{
    struct stat about;
    return fstat(wal->wal_file.fd, &about) == 0 && about.st_size == wal->size &&
           about.st_mtim.tv_sec == wal->changed.tv_sec &&
           about.st_mtim.tv_nsec == wal->changed.tv_nsec;
}

/* ---- a store that is lost ---------------------------------------------------------------- */

bool segue_wal_check_uncopied_frames(segue_wal *wal)
{
    uint32_t copied = 0, sum[2];
    wal_state s;
    if (!read_state(wal, &s) ||
        !segue_wal_format_read(wal->index.fd, &copied, sizeof copied, WAL_INDEX_COPIED))
        return false;
    if (copied >= s.frames)
        return true;
    if (copied == 0)
        return (is_same_wal(&wal->last_checked, &s) || header_is_intact(wal, &s)) &&
               all_are_intact(wal, &s);
    return sum_before(wal, &s, copied + 1, sum) &&
           segue_wal_format_check_frames(wal->wal_file.fd, &s, copied + 1, sum, wal->buffer);
}

/* Return whether the WAL has that many bytes, or that cannot be determined. */
static bool is_inside(const segue_wal *wal, off_t end)
{
    struct stat about;
    return fstat(wal->wal_file.fd, &about) != 0 || about.st_size >= end;
}

bool segue_wal_check_has_more(const segue_wal *wal)
{
    unsigned char header[WAL_HEADER];
    wal_state s;
    if (!read_state(wal, &s))
        return true;
    uint32_t sum[2] = {s.sum[0], s.sum[1]};
    if (s.frames == 0) {
        if (!segue_wal_format_read(wal->wal_file.fd, header, sizeof header, 0) ||
            !segue_wal_format_is_header(&s, header))
            return false;
        segue_wal_format_header_sum(header, sum);
    }
    for (uint32_t at = s.frames + 1;; at++) {
        if (!is_inside(wal, segue_wal_format_frame_offset(&s, at + 1)))
            return false;
        if (!segue_wal_format_read(wal->wal_file.fd, wal->buffer,
                                   (size_t)segue_wal_format_frame_size(&s),
                                   segue_wal_format_frame_offset(&s, at)))
            return true;
        if (!segue_wal_format_follows(&s, wal->buffer, sum))
            return false;
        if (segue_wal_format_commit_pages(wal->buffer) > 0)
            return true;
    }
}
