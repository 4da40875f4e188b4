/* audit_log.h - a log that loses no line: who changed what.
 *
 * A line is in the file before its caller goes on.  If it cannot be written, it waits in memory and
 * is written before the next one; segue_audit_log_flush says if lines wait, so that the caller can
 * reject what it could not log.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_AUDIT_LOG_H
#define SEGUE_SERVICE_JOBS_AUDIT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "segue/status.h"

#define SEGUE_AUDIT_LOG_BUFFER (1024 * 1024) /* bytes of lines that may wait */

typedef struct segue_audit_log segue_audit_log;

/**
 * Append to a regular file, which is created with mode 0600.  The path is borrowed.
 *
 * @retval SEGUE_EFILE  it cannot be opened, is no regular file, or is part of a store
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_audit_log_open(segue_audit_log **out, const char *path,
                                                   segue_error *err);

/** Write the lines that wait, and close.  @retval SEGUE_EIO  lines are lost */
SEGUE_MUST_CHECK segue_status segue_audit_log_close(segue_audit_log *log, segue_error *err);

/** Append a line; with `sync` it is on the disk at the return.  Returns 0, or the error (errno) for
 * which the line waits in memory.  From any thread; waits for the disk. */
int segue_audit_log_append(segue_audit_log *log, const void *line, size_t size, bool sync);

/** Count a line for which there was no memory: the file will say that it is missing. */
void segue_audit_log_drop(segue_audit_log *log);

/** Write the lines that wait.  Returns 0 if none is left, or the error (errno).  From any thread. */
int segue_audit_log_flush(segue_audit_log *log);

/** Go on in the file that has the name now.  On failure the old file is still used.
 * @retval SEGUE_EFILE */
SEGUE_MUST_CHECK segue_status segue_audit_log_reopen(segue_audit_log *log, segue_error *err);

#endif
