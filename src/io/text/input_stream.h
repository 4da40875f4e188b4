/* input_stream.h - the bytes of a file, decompressed if it is compressed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_INPUT_STREAM_H
#define SEGUE_IO_TEXT_INPUT_STREAM_H

#include <stddef.h>

#include "segue/status.h"

typedef struct segue_input_stream segue_input_stream;

/**
 * Open a file; "-" is the standard input.  Detects gzip and zstd by the first bytes.
 *
 * @retval SEGUE_EFILE  it cannot be opened, or is a directory
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_input_stream_open(segue_input_stream **out, const char *path,
                                                      segue_error *err);
void segue_input_stream_close(segue_input_stream *stream);

/** Return the name of the file for errors. */
const char *segue_input_stream_name(const segue_input_stream *stream);

/**
 * Read at most `size` bytes, more than 0; *got is 0 only at the end.  Errors do not name the file:
 * the caller adds file and line.
 *
 * @retval SEGUE_EPARSE  compressed data are damaged or cut off
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_input_stream_read(segue_input_stream *stream, char *to,
                                                      size_t size, size_t *got, segue_error *err);

#endif
