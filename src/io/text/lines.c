/* lines.c - whole lines in a buffer.
 *
 * Blocks are read into one buffer, and one search per block finds its last LF: what follows is an
 * incomplete line, which moves to the start of the buffer before the next block.  A reader splits
 * lines in place.  Zeros after the last byte let it read words of eight bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "io/text/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/file_kind.h"
#include "segue/internal.h"

#define BLOCK 262144 /* fits into the L2 cache */

segue_status(segue_lines_fail)(const segue_lines *lines, segue_status status, segue_error *err,
                               const char *format, ...)
{
    char prefix[SEGUE_ERROR_SIZE];
    va_list args;
    (void)snprintf(prefix, sizeof prefix, "%s:%" PRIu64 ": ",
                   segue_input_stream_name(lines->stream), lines->line);
    va_start(args, format);
    segue_vfail(err, status, prefix, format, args);
    va_end(args);
    return status;
}

segue_status segue_lines_fail_nul(const segue_lines *lines, segue_error *err)
{
    return segue_lines_fail(lines, SEGUE_EPARSE, err,
                            "the line contains a NUL byte; need text: remove it, such as with "
                            "tr -d '\\000' < FILE");
}

void segue_lines_close(segue_lines *lines)
{
    segue_input_stream_close(lines->stream);
    free(lines->buffer);
    *lines = (segue_lines){.stream = NULL};
}

/* Move unread bytes to the start of the buffer, and grow it if less than half a block is free. */
static segue_status reserve(segue_lines *lines, segue_error *err)
{
    memmove(lines->buffer, lines->buffer + lines->at, lines->filled - lines->at);
    lines->filled -= lines->at;
    lines->limit -= lines->at;
    lines->at = 0;
    if (lines->capacity - lines->filled >= BLOCK / 2)
        return SEGUE_OK;
    char *grown = realloc(lines->buffer, 2 * lines->capacity + SEGUE_LINES_SLACK);
    if (!grown)
        return segue_lines_fail(lines, SEGUE_ENOMEM, err, "out of memory");
    lines->buffer = grown;
    lines->capacity *= 2;
    return SEGUE_OK;
}

/* Read a block, and put zeros after it. */
static segue_status read_block(segue_lines *lines, segue_error *err)
{
    size_t got = 0;
    segue_error why = {.status = SEGUE_OK};
    const segue_status status = segue_input_stream_read(
        lines->stream, lines->buffer + lines->filled, lines->capacity - lines->filled, &got, &why);
    if (status != SEGUE_OK)
        return segue_lines_fail(lines, status, err, "%s", why.message);
    lines->ended = got == 0;
    lines->filled += got;
    memset(lines->buffer + lines->filled, 0, SEGUE_LINES_SLACK);
    return SEGUE_OK;
}

/* Move the limit past the last LF; at the end of the file add a missing one. */
static void find_limit(segue_lines *lines)
{
    const char *from = lines->buffer + lines->limit;
    const char *last = memrchr(from, '\n', lines->filled - lines->limit);
    if (last)
        lines->limit = (size_t)(last - lines->buffer) + 1;
    if (lines->ended && lines->limit < lines->filled) {
        lines->buffer[lines->filled++] = '\n'; /* the slack has space for it */
        lines->limit = lines->filled;
    }
}

segue_status segue_lines_fill(segue_lines *lines, segue_error *err)
{
    if (lines->ended)
        return SEGUE_OK;
    const size_t before = lines->limit - lines->at;
    do {
        if (lines->filled - lines->at > SEGUE_MAX_LINE)
            return segue_lines_fail(lines, SEGUE_EPARSE, err, "the line is longer than %d bytes",
                                    SEGUE_MAX_LINE);
        SEGUE_TRY(reserve(lines, err));
        SEGUE_TRY(read_block(lines, err));
        find_limit(lines);
    } while (!lines->ended && lines->limit == before);
    return SEGUE_OK;
}

static void skip_byte_order_mark(segue_lines *lines)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    if (lines->filled >= 3 && memcmp(lines->buffer, mark, 3) == 0)
        lines->at = 3;
}

/* Read the first lines.  A file that is no text may have no lines: its kind is the better error. */
static segue_status read_first(segue_lines *lines, segue_error *err)
{
    lines->buffer = calloc(1, BLOCK + SEGUE_LINES_SLACK);
    if (!lines->buffer)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory",
                          segue_input_stream_name(lines->stream));
    const segue_status status = segue_lines_fill(lines, err);
    const segue_file_kind *kind = segue_file_kind_find(lines->buffer, lines->filled);
    if (kind && (status == SEGUE_OK || status == SEGUE_EPARSE))
        return segue_lines_fail(lines, SEGUE_EPARSE, err, "the file is %s; need text, UTF-8: %s",
                                kind->name, kind->convert);
    return status;
}

segue_status segue_lines_open(segue_lines *lines, const char *path, segue_error *err)
{
    *lines = (segue_lines){.line = 1, .capacity = BLOCK};
    SEGUE_TRY(segue_input_stream_open(&lines->stream, path, err));
    const segue_status status = read_first(lines, err);
    if (status == SEGUE_OK)
        skip_byte_order_mark(lines);
    else
        segue_lines_close(lines);
    return status;
}
