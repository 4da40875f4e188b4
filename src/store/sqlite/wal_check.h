/* wal_check.h - compare the WAL on the disk with SQLite's own state.
 *
 * All functions are the writer's; `frames` and `used` may be read by any thread.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_WAL_CHECK_H
#define SEGUE_STORE_SQLITE_WAL_CHECK_H

#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "store/sqlite/wal.h"
#include "store/sqlite/wal_format.h"

/* A file that was opened, to be found under its name later. */
typedef struct named_file {
    char *path;
    int fd;
    dev_t device;
    ino_t inode;
} named_file;

struct segue_wal {
    named_file wal_file, index;    /* PATH-wal and PATH-shm */
    wal_state last_checked;        /* the WAL index at the last check */
    _Atomic uint64_t frames, used; /* of `last_checked`: frames and their bytes */
    unsigned char header[WAL_HEADER];
    struct timespec changed; /* time of change of wal_file at the last check */
    off_t size, main_size;
    bool main_cut;         /* the main file was truncated */
    unsigned char *buffer; /* of WAL_CHUNK frames */
};

/* Return whether a file still has its name. */
bool segue_wal_check_name(const named_file *file, struct stat *about);

/* Check names, sizes, the header, and the last frames (`full`: all frames); remember the state.
 * @retval SEGUE_EIO  another program altered the files */
SEGUE_MUST_CHECK segue_status segue_wal_check_files(sqlite_store *store, bool full,
                                                    segue_error *err);

/* Return whether the WAL has its size and time of change since the last check. */
bool segue_wal_check_unchanged(const segue_wal *wal);

/* Return whether the frames that are not yet in the main file are all intact. */
bool segue_wal_check_uncopied_frames(segue_wal *wal);

/* Return whether the WAL holds a whole transaction after those that SQLite knows: recovery would
 * take it as committed.  True also if that cannot be determined. */
bool segue_wal_check_has_more(const segue_wal *wal);

#endif
