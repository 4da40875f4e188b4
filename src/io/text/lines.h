/* lines.h - whole lines in a buffer, to be split in place.
 *
 * The bytes from `at` to `limit` are lines that each end with LF, also the last one of a file. They
 * may contain NULs.  SEGUE_LINES_SLACK more bytes can be read, with any value.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_LINES_H
#define SEGUE_IO_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "io/text/input_stream.h"

#define SEGUE_MAX_LINE    (1024 * 1024)
#define SEGUE_LINES_SLACK 16

typedef struct segue_lines {
    segue_input_stream *stream;
    char *buffer; /* readers may modify their lines */
    size_t capacity;
    size_t at;     /* start of the next line; the reader advances it */
    size_t limit;  /* end of the last whole line */
    size_t filled; /* end of the bytes read */
    uint64_t line; /* number of the current line, from 1; the reader counts */
    bool ended;
} segue_lines;

/**
 * Open a file (segue_input_stream_open) and skip a byte-order mark.
 *
 * @retval SEGUE_EPARSE  it is no text (file_kind.h), or its first line is too long
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_lines_open(segue_lines *lines, const char *path,
                                               segue_error *err);
void segue_lines_close(segue_lines *lines);

/**
 * Read at least one more line.  Bytes from `at` on move to the start of the buffer: `at` is then 0.
 * At the end of the file `limit` - `at` does not grow.
 *
 * @retval SEGUE_EPARSE  a line is longer than SEGUE_MAX_LINE bytes, or compressed data are damaged
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_lines_fill(segue_lines *lines, segue_error *err);

/** Fail with "FILE:LINE: " before the sentence.  Returns `status`. */
segue_status segue_lines_fail(const segue_lines *lines, segue_status status, segue_error *err,
                              const char *format, ...) SEGUE_PRINTF(4, 5);

/** Fail because the current line contains a NUL byte. */
segue_status segue_lines_fail_nul(const segue_lines *lines, segue_error *err);

#ifdef __clang_analyzer__ /* as for segue_fail */
#define segue_lines_fail(lines, status, err, ...)                                                  \
    ((void)segue_lines_fail(lines, status, err, __VA_ARGS__), (status))
#endif

#endif
