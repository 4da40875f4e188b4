/* csv.c - strict reading of comma-separated lines, with the number of each for errors.
 *
 * A row is split where it lies in the buffer; quoted fields, which only get shorter, are moved up
 * to their starts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/csv.h"

#include <stdlib.h>
#include <string.h>

#include "io/log/swar.h"

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
    segue_csv_span *grown = realloc(csv->field, capacity * sizeof *grown);
    if (!grown)
        return segue_lines_fail(&csv->lines, SEGUE_ENOMEM, err, "out of memory");
    csv->field = grown;
    csv->capacity = capacity;
    return SEGUE_OK;
}

static segue_status has_nul(const segue_csv *csv, segue_error *err)
{
    return segue_lines_fail_nul(&csv->lines, err);
}

/* How far it is to the next comma, LF or NUL: of the bytes up to the comma in ASCII few others are
 * in names and numbers, so that these are looked for together. */
static size_t plain_length(const char *text)
{
    const uint64_t ends = UINT64_C(1) << ',' | UINT64_C(1) << '\n' | UINT64_C(1) << '\0';
    size_t i = 0;
    for (;;) {
        const uint64_t marks = segue_swar_mark_less(segue_swar_load(text + i), ',' + 1);
        if (!marks) {
            i += 8;
            continue;
        }
        i += segue_swar_first(marks);
        if (ends >> text[i] & 1)
            return i;
        i++;
    }
}

/* The lines of the buffer end within a quoted field that is at `at` of the row: get more. */
static segue_status go_on(segue_csv *csv, size_t at, segue_error *err)
{
    segue_lines *lines = &csv->lines;
    const size_t before = lines->limit - csv->row;
    lines->at = csv->row;
    const segue_status status = at > SEGUE_MAX_LINE ? SEGUE_OK : segue_lines_fill(lines, err);
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

/* A quoted field ends at a comma, LF or CRLF. */
static segue_status check_end(const segue_csv *csv, size_t end, segue_error *err)
{
    const char *at = csv->lines.buffer + csv->row + end;
    if (*at == ',' || *at == '\n' || (at[0] == '\r' && at[1] == '\n'))
        return SEGUE_OK;
    return *at == '\0'
               ? has_nul(csv, err)
               : segue_lines_fail(&csv->lines, SEGUE_EPARSE, err,
                                  "field %zu: a quote is not closed before the next comma or the "
                                  "end of the line",
                                  csv->n_fields + 1);
}

/* Take the quoted field that starts at `*at` of the row; *at is then behind the mark at its end.
 * *ended: that was the end of the row. */
static segue_status take_quoted(segue_csv *csv, size_t *at, bool *ended, segue_error *err)
{
    size_t length = 0, end = 0;
    segue_status status = unquote(csv, *at, &length, &end, err);
    if (status == SEGUE_OK)
        status = check_end(csv, end, err);
    if (status != SEGUE_OK)
        return status;
    csv->field[csv->n_fields++] = (segue_csv_span){.start = *at, .length = length};
    *ended = csv->lines.buffer[csv->row + end] != ',';
    *at = end + 1;
    return SEGUE_OK;
}

/* The same for fields without quotes, as many as there are and have room; returns whether the row
 * has ended. */
static bool take_plain(segue_csv *csv, size_t *at)
{
    const char *const row = csv->lines.buffer + csv->row;
    segue_csv_span *const field = csv->field;
    size_t n = csv->n_fields, start = *at;
    bool ended = false;
    while (!ended && n < csv->capacity && row[start] != '"') {
        const size_t length = plain_length(row + start);
        field[n++] = (segue_csv_span){.start = start, .length = length};
        start += length + 1;
        ended = row[start - 1] != ',';
    }
    csv->n_fields = n;
    *at = start;
    return ended;
}

/* The row ends at `end`, with LF, CRLF or a NUL. */
static segue_status end_row(segue_csv *csv, size_t end, segue_error *err)
{
    const char *at = csv->lines.buffer + csv->row + end;
    segue_csv_span *last = &csv->field[csv->n_fields - 1];
    if (*at == '\0')
        return has_nul(csv, err);
    if (end > SEGUE_MAX_LINE)
        return segue_lines_fail(&csv->lines, SEGUE_EPARSE, err, "the line is longer than %d bytes",
                                SEGUE_MAX_LINE);
    if (last->length > 0 && end == last->start + last->length && at[-1] == '\r')
        last->length--; /* of CRLF, behind a field without quotes */
    csv->lines.at = csv->row + end + 1 + (*at == '\r');
    return SEGUE_OK;
}

static segue_status split(segue_csv *csv, segue_error *err)
{
    size_t at = 0;
    bool ended = false;
    segue_status status = SEGUE_OK;
    csv->row = csv->lines.at;
    csv->n_fields = 0;
    while (status == SEGUE_OK && !ended) {
        if (csv->n_fields == csv->capacity)
            status = grow_fields(csv, err);
        else if (csv->lines.buffer[csv->row + at] == '"')
            status = take_quoted(csv, &at, &ended, err);
        else
            ended = take_plain(csv, &at);
    }
    return status == SEGUE_OK ? end_row(csv, at - 1, err) : status;
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
            const segue_status status = segue_lines_fill(lines, err);
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

segue_status segue_csv_for_each(segue_csv *csv, segue_csv_row_function row, void *context,
                                uint64_t *rows, segue_error *err)
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
    return segue_input_stream_name(csv->lines.source);
}

uint64_t segue_csv_line(const segue_csv *csv)
{
    return csv->lines.line;
}
