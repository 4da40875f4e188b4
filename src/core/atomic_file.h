/* atomic_file.h - write a file whole, or not at all.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_ATOMIC_FILE_H
#define SEGUE_CORE_ATOMIC_FILE_H

#include <stddef.h>

#include "segue/status.h"

/**
 * Whether `path` could be written, to be asked before long work.
 *
 * @retval SEGUE_EFILE  it cannot, or is part of a store, which nothing must replace
 */
SEGUE_MUST_CHECK segue_status segue_atomic_file_check(const char *path, segue_error *err);

/**
 * Write `size` bytes to `path`: aside first, then renamed, so that a reader sees the old file or
 * the new one and a failure leaves the old one.  A device or a pipe is written to directly.
 *
 * @retval SEGUE_EFILE  the file cannot be created
 * @retval SEGUE_EIO    writing failed
 */
SEGUE_MUST_CHECK segue_status segue_atomic_file_write(const char *path, const void *data,
                                                      size_t size, segue_error *err);

/**
 * The same in pieces.  All zeros but fd = -1: none.
 *
 * Where the file system can do it (O_TMPFILE) the file has no name before it is whole: whatever
 * ends the process, SIGKILL too, leaves nothing behind.  But a file that replaces another one has a
 * temporary name, ".segue-" and 8 letters, between two system calls, and a SIGKILL or a loss of
 * power right there leaves it, whole.  Elsewhere, on NFS say, it has that name from the beginning;
 * SIGINT, SIGTERM and SIGHUP are held back by segue_atomic_file_write, and a caller who writes in
 * pieces sees to them.  segue_atomic_file_remove_stale removes what was left.
 */
typedef struct atomic_file {
    char *path;      /* what it is to become */
    char *temporary; /* where it is until then; NULL: it is written directly */
    int unnamed;     /* it has no name yet */
    unsigned mode;   /* its permissions; 0: those a new one gets */
    int fd;
    int code;    /* errno of the first failure, or 0 */
    size_t used; /* of the buffer, which waits to be written */
    char buffer[16384];
} atomic_file;

/** Begin one.  `mode` 0: the permissions of the file that it replaces, or those a new one gets.
 * @retval SEGUE_EFILE, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_atomic_file_begin(atomic_file *out, const char *path,
                                                      unsigned mode, segue_error *err);

/** Add a piece; whether that went well is said at the end. */
void segue_atomic_file_append(atomic_file *out, const void *data, size_t size);

/** All is there: put it in its place, or, where anything failed, leave nothing behind.
 * @retval SEGUE_EIO */
SEGUE_MUST_CHECK segue_status segue_atomic_file_commit(atomic_file *out, segue_error *err);

/** It is not to be: leave nothing behind. */
void segue_atomic_file_rollback(atomic_file *out);

/** Remove the temporary files that killed processes of this user left beside a file that was begun:
 * those that nobody holds and that were last written a minute or more before it was begun. */
void segue_atomic_file_remove_stale(const atomic_file *out);

#endif
