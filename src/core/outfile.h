/* outfile.h - write a file whole, or not at all.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_OUTFILE_H
#define SEGUE_CORE_OUTFILE_H

#include <stddef.h>

#include "segue/status.h"

/**
 * Whether `path` could be written, to be asked before long work.
 *
 * @retval SEGUE_EFILE  it cannot
 */
SEGUE_MUST_CHECK segue_status segue_outfile_check(const char *path, segue_error *err);

/** Whether two paths lead to the same file, or would, if it does not exist yet; NULL is none. */
int segue_is_same_file(const char *a, const char *b);

/**
 * Write `size` bytes to `path`: aside first, then renamed, so that a reader sees the old file or
 * the new one and a failure leaves the old one.  A device or a pipe is written to directly.
 *
 * @retval SEGUE_EFILE  the file cannot be created
 * @retval SEGUE_EIO    writing failed
 */
SEGUE_MUST_CHECK segue_status segue_outfile_write(const char *path, const void *data, size_t size,
                                                  segue_error *err);

/** The same, for its owner alone to read, whatever the file that it replaces allowed. */
SEGUE_MUST_CHECK segue_status segue_outfile_write_private(const char *path, const void *data,
                                                          size_t size, segue_error *err);

#endif
