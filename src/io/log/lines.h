/* lines.h - whole lines in a buffer, to be taken apart where they are.
 *
 * The bytes from `at` to `limit` are lines that each end with LF, the last line of a file too; NUL
 * bytes are not looked for.  SEGUE_LINES_SLACK bytes behind them can be read, and mean nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LINES_H
#define SEGUE_IO_LOG_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "io/log/input_stream.h"

#define SEGUE_MAX_LINE    (1024 * 1024)
#define SEGUE_LINES_SLACK 16

typedef struct segue_lines {
    segue_input_stream *source;
    char *buffer; /* whoever reads lines may write to them */
    size_t capacity;
    size_t at;     /* where the next line starts: for its reader to move on */
    size_t limit;  /* behind the last whole line */
    size_t filled; /* behind what has been read */
    uint64_t line; /* the number of the current line, from 1 on: for its reader to count */
    bool ended;
    bool is_utf16; /* its first bytes look like it */
} segue_lines;

/**
 * Open a file as segue_input_stream_open does, and pass over a byte-order mark.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_lines_open(segue_lines *lines, const char *path,
                                               segue_error *err);
void segue_lines_close(segue_lines *lines);

/**
 * Get at least one more line behind `limit`, and keep those bytes from `at` on, which go to the
 * start of the buffer: `at` is then 0.  At the end of the file `limit` does not grow.
 *
 * @retval SEGUE_EPARSE  there is no end of a line within SEGUE_MAX_LINE bytes, or as
 *                       segue_input_stream_read says
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_lines_fill(segue_lines *lines, segue_error *err);

/** Refuse the current line: file and line go before the sentence.  Returns `status`. */
segue_status segue_lines_fail(const segue_lines *lines, segue_status status, segue_error *err,
                              const char *format, ...) SEGUE_PRINTF(4, 5);

/** Refuse the current line because it contains a NUL byte: text that is not UTF-8, perhaps UTF-16.
 */
segue_status segue_lines_fail_nul(const segue_lines *lines, segue_error *err);

#ifdef __clang_analyzer__ /* as for segue_fail */
#define segue_lines_fail(lines, status, err, ...)                                                  \
    ((void)segue_lines_fail(lines, status, err, __VA_ARGS__), (status))
#endif

#endif
