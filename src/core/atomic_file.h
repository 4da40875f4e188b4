/* atomic_file.h - replace a file completely or not at all.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_ATOMIC_FILE_H
#define SEGUE_CORE_ATOMIC_FILE_H

#include <stddef.h>

#include "segue/status.h"

/**
 * Check that `path` can be written; call it before long work.
 *
 * @retval SEGUE_EFILE  it cannot be written, or it is part of a store, which no output may replace
 */
SEGUE_MUST_CHECK segue_status segue_atomic_file_check(const char *path, segue_error *err);

/**
 * Write `size` bytes to a temporary file and rename it to `path`. A reader sees the old file or
 * the new one; a failure leaves the old one. A device or a pipe is written to directly.
 *
 * @retval SEGUE_EFILE  the file cannot be created
 * @retval SEGUE_EIO    writing failed
 */
SEGUE_MUST_CHECK segue_status segue_atomic_file_write(const char *path, const void *data,
                                                      size_t size, segue_error *err);

/**
 * A file that is written in pieces. All zeros but fd = -1: none.
 *
 * Where the file system supports O_TMPFILE the file has no name before it is complete, so that
 * even SIGKILL leaves nothing. A file that replaces another one has a temporary name, ".segue-"
 * and 8 letters, between two system calls; SIGKILL or a loss of power there leaves it, complete.
 * Elsewhere, for example on NFS, it has that name from the start: segue_atomic_file_write blocks
 * SIGINT, SIGTERM and SIGHUP, and a caller that writes in pieces must do so.
 * segue_atomic_file_remove_stale removes such files.
 */
typedef struct atomic_file {
    char *path;      /* final path */
    char *temporary; /* name until commit; NULL: written directly */
    int unnamed;     /* it has no name before commit */
    unsigned mode;   /* permissions; 0: those of a new file */
    int fd;
    int code;    /* errno of the first failure, or 0 */
    size_t used; /* bytes in the buffer */
    char buffer[16384];
} atomic_file;

/**
 * Begin to write `path`. `mode` 0: the permissions of the file that it replaces, or of a new file.
 * @retval SEGUE_EFILE, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_atomic_file_begin(atomic_file *out, const char *path,
                                                      unsigned mode, segue_error *err);

/** Append bytes. The commit reports a failure. */
void segue_atomic_file_append(atomic_file *out, const void *data, size_t size);

/**
 * Sync the file and rename it to its path. After a failure no file remains.
 * @retval SEGUE_EIO
 */
SEGUE_MUST_CHECK segue_status segue_atomic_file_commit(atomic_file *out, segue_error *err);

/** Discard the file. */
void segue_atomic_file_rollback(atomic_file *out);

/** Remove temporary files of this user in the folder of `out` that no process has locked and that
 * are at least a minute older than it. */
void segue_atomic_file_remove_stale(const atomic_file *out);

#endif
