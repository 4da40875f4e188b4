/* log_writer.h - a log that never makes its writers wait.
 *
 * Lines go into a bounded buffer, and a thread of its own writes them to a file, a pipe or a
 * terminal.  If that blocks, as a pipe that no process reads, the buffer fills up: further lines
 * are dropped and counted, and the count is written to the log when writing continues.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_LOG_WRITER_H
#define SEGUE_SERVICE_JOBS_LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#define SEGUE_LOG_WRITER_BUFFER (1024 * 1024) /* bytes that wait; as many may be under way */

typedef struct segue_log_writer segue_log_writer;

#define SEGUE_LOG_WRITER_NOTICE 160

/** Format the line that says how many lines were dropped, as snprintf does. */
typedef int (*segue_log_writer_notice)(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped);

/** Start to write to `fd`, which stays the caller's.  @retval SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_log_writer_create(segue_log_writer **out, int fd,
                                                      segue_log_writer_notice notice,
                                                      segue_error *err);

/** Append a line; false: it was dropped.  From any thread; does not wait for the file. */
bool segue_log_writer_append(segue_log_writer *log, const void *line, size_t size);

/** Go on in another file, whose descriptor becomes the log's, and is closed by it. */
void segue_log_writer_reopen(segue_log_writer *log, int fd);

/** The first error of writing (errno), or 0. */
int segue_log_writer_error(const segue_log_writer *log);

/** Write what is left, for at most `seconds`, and free it: 0, the first error of writing (errno),
 * or ETIMEDOUT, and lines are lost.  NULL is fine. */
int segue_log_writer_destroy(segue_log_writer *log, double seconds);

#endif
