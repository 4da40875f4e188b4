/* csv.c - strict reading of comma-separated lines, with the number of each for errors.
 *
 * A row is split where it lies in the buffer.  The marks between its fields become NULs, and
 * quoted fields, which only get shorter, are moved up to their starts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/csv.h"

#include <stdlib.h>
#include <string.h>

#include "io/bytes8.h"

segue_status segue_csv_open(segue_csv *csv, const char *path, segue_error *err)
{
    *csv = (segue_csv){.next_line = 1};
    return segue_lines_open(&csv->lines, path, err);
}

void segue_csv_close(segue_csv *csv)
{
    segue_lines_close(&csv->lines);
    free(csv->field);
    *csv = (segue_csv){.n_fields = 0};
}

/* ---- fields ------------------------------------------------------------------------------ */

static segue_status grow_fields(segue_csv *csv, segue_error *err)
{
    const size_t capacity = 2 * csv->capacity + 16;
    segue_csv_field_place *grown = realloc(csv->field, capacity * sizeof *grown);
    if (!grown)
        return segue_lines_fail(&csv->lines, SEGUE_ENOMEM, err, "out of memory");
    csv->field = grown;
    csv->capacity = capacity;
    return SEGUE_OK;
}

/* How far it is to the next comma, LF or NUL. */
static size_t plain_length(const char *text)
{
    for (size_t i = 0;; i += 8) {
        const uint64_t word = segue_load8(text + i);
        const uint64_t marks =
            segue_mark(word, ',') | segue_mark(word, '\n') | segue_mark(word, '\0');
        if (marks)
            return i + segue_first_mark(marks);
    }
}

/* The lines of the buffer end within a quoted field that is at `at` of the row: get more. */
static segue_status go_on(segue_csv *csv, size_t at, segue_error *err)
{
    segue_lines *lines = &csv->lines;
    const size_t before = lines->limit - csv->row;
    lines->at = csv->row;
    const segue_status status =
        at > SEGUE_LONGEST_LINE ? SEGUE_OK : segue_lines_more(lines, err);
    csv->row = lines->at;
    if (status != SEGUE_OK || lines->limit - csv->row > before)
        return status;
    return segue_lines_fail(lines, SEGUE_EPARSE, err, "field %zu: a quote is not closed",
                            csv->n_fields + 1);
}

/* Take the quotes off a field that starts at `start` of the row; *end is then behind it. */
static segue_status unquote(segue_csv *csv, size_t start, size_t *length, size_t *end,
                            segue_error *err)
{
    size_t from = start + 1, to = start;
    for (;;) {
        if (csv->row + from == csv->lines.limit) {
            const segue_status status = go_on(csv, from, err);
            if (status != SEGUE_OK)
                return status;
        }
        char *row = csv->lines.buffer + csv->row; /* LF is at its end, and never behind it */
        if (row[from] == '"' && row[++from] != '"')
            break;
        if (row[from] == '\0')
            break;
        csv->next_line += row[from] == '\n';
        row[to++] = row[from++];
    }
    *length = to - start;
    *end = from;
    return SEGUE_OK;
}

/* What ends a field is at `end` of the row.  *last: that is the end of the row. */
static segue_status end_field(segue_csv *csv, size_t start, size_t length, size_t end, bool *last,
                              segue_error *err)
{
    char *row = csv->lines.buffer + csv->row;
    const bool crlf = row[end] == '\r' && row[end + 1] == '\n'; /* behind a quoted field */
    if (row[end] == '\0')
        return segue_lines_fail(&csv->lines, SEGUE_EPARSE, err, "the line contains a NUL byte");
    if (row[end] != ',' && row[end] != '\n' && !crlf)
        return segue_lines_fail(&csv->lines, SEGUE_EPARSE, err,
                                "field %zu: a quote is not closed before the next comma or the "
                                "end of the line",
                                csv->n_fields + 1);
    *last = row[end] != ',';
    if (row[end] == '\n' && length > 0 && end == start + length && row[end - 1] == '\r')
        length--;
    csv->lines.at = csv->row + end + 1 + crlf;
    row[start + length] = '\0';
    csv->field[csv->n_fields++] = (segue_csv_field_place){.start = start, .length = length};
    return SEGUE_OK;
}

static segue_status split(segue_csv *csv, segue_error *err)
{
    bool last = false;
    size_t start = 0;
    csv->row = csv->lines.at;
    csv->n_fields = 0;
    while (!last) {
        segue_status status = SEGUE_OK;
        size_t length = 0, end = 0;
        if (csv->n_fields == csv->capacity)
            status = grow_fields(csv, err);
        const char *text = csv->lines.buffer + csv->row + start;
        if (status == SEGUE_OK && *text == '"')
            status = unquote(csv, start, &length, &end, err);
        else
            end = start + (length = plain_length(text));
        if (status == SEGUE_OK)
            status = end_field(csv, start, length, end, &last, err);
        if (status != SEGUE_OK)
            return status;
        start = end + 1;
    }
    if (start > SEGUE_LONGEST_LINE + 1)
        return segue_lines_fail(&csv->lines, SEGUE_EPARSE, err, "the line is longer than %d bytes",
                                SEGUE_LONGEST_LINE);
    return SEGUE_OK;
}

/* ---- rows -------------------------------------------------------------------------------- */

static bool is_blank(const segue_lines *lines)
{
    const char *line = lines->buffer + lines->at;
    return line[0] == '\n' || (line[0] == '\r' && line[1] == '\n');
}

segue_status segue_csv_next(segue_csv *csv, bool *more, segue_error *err)
{
    segue_lines *lines = &csv->lines;
    *more = false;
    for (;;) {
        lines->line = csv->next_line;
        if (lines->at == lines->limit) {
            const segue_status status = segue_lines_more(lines, err);
            if (status != SEGUE_OK || lines->at == lines->limit)
                return status;
        }
        csv->next_line++;
        if (!is_blank(lines))
            break;
        lines->at += lines->buffer[lines->at] == '\r' ? 2 : 1;
    }
    *more = true;
    return split(csv, err);
}

segue_status segue_csv_each(segue_csv *csv, row_function row, void *context, uint64_t *rows,
                            segue_error *err)
{
    bool more = true;
    segue_status status = SEGUE_OK;
    *rows = 0;
    while (status == SEGUE_OK) {
        status = segue_csv_next(csv, &more, err);
        if (status != SEGUE_OK || !more)
            break;
        status = row(context, err);
        *rows += status == SEGUE_OK;
    }
    return status;
}

const char *segue_csv_path(const segue_csv *csv)
{
    return segue_source_name(csv->lines.source);
}

uint64_t segue_csv_line(const segue_csv *csv)
{
    return csv->lines.line;
}
