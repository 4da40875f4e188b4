/* csv.c - strict reading of rows of fields, separated by commas or another delimiter.
 *
 * A row is split in place, in the buffer of lines: a field is an offset and a length, without a
 * copy.  Removing doubled quotes makes a field shorter, so it moves towards its start.  The search for
 * delimiters reads eight bytes at a time (swar.h); LF ends every line of the buffer, so that no
 * search runs past it.  Errors carry the line number of the row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/text/csv.h"

#include <stdlib.h>
#include <string.h>

#include "io/text/swar.h"
#include "segue/internal.h"

segue_status segue_csv_open(segue_csv *csv, const char *path, segue_error *err)
{
    *csv = (segue_csv){.next_line = 1, .delimiter = ','};
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

static segue_status fail_nul(const segue_csv *csv, segue_error *err)
{
    return segue_lines_fail_nul(&csv->lines, err);
}

/* Return the distance to the next comma, LF or NUL.  Searches for any byte up to the comma in
 * ASCII: few others of these occur in names and numbers. */
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

/* Return the distance to the next `delimiter`, LF or NUL: those up to LF in ASCII are few. */
static size_t delimited_length(const char *text, char delimiter)
{
    size_t i = 0;
    for (;;) {
        const uint64_t word = segue_swar_load(text + i);
        const uint64_t marks =
            segue_swar_mark(word, delimiter) | segue_swar_mark_less(word, '\n' + 1);
        if (!marks) {
            i += 8;
            continue;
        }
        i += segue_swar_first(marks);
        if (text[i] == delimiter || text[i] == '\n' || text[i] == '\0')
            return i;
        i++;
    }
}

/* The buffer ends inside a quoted field, `at` bytes into the row: read more lines. */
static segue_status read_more(segue_csv *csv, size_t at, segue_error *err)
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

/* Remove the quotes of a field whose text starts at offset `start` of the row; *end is the offset
 * after it.  The first quote stays before it, as the mark of a quoted field. */
static segue_status unquote(segue_csv *csv, size_t start, size_t *length, size_t *end,
                            segue_error *err)
{
    size_t from = start, to = start;
    for (;;) {
        if (csv->row + from == csv->lines.limit)
            SEGUE_TRY(read_more(csv, from, err));
        char *row = csv->lines.buffer + csv->row; /* it ends with LF */
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

/* A quoted field ends at a delimiter, LF or CRLF. */
static segue_status check_end(const segue_csv *csv, size_t end, segue_error *err)
{
    const char *at = csv->lines.buffer + csv->row + end;
    if (*at == csv->delimiter || *at == '\n' || (at[0] == '\r' && at[1] == '\n'))
        return SEGUE_OK;
    return *at == '\0'
               ? fail_nul(csv, err)
               : segue_lines_fail(&csv->lines, SEGUE_EPARSE, err,
                                  "field %zu: a quote is not closed before the next %s or the "
                                  "end of the line",
                                  csv->n_fields + 1, segue_csv_delimiter_name(csv->delimiter));
}

/* Read the quoted field at offset *at, and advance *at past the delimiter or LF after it; *ended: the
 * row ended. */
static segue_status read_quoted(segue_csv *csv, size_t *at, bool *ended, segue_error *err)
{
    size_t length = 0, end = 0;
    SEGUE_TRY(unquote(csv, *at + 1, &length, &end, err));
    SEGUE_TRY(check_end(csv, end, err));
    csv->field[csv->n_fields++] = (segue_csv_span){.start = *at + 1, .length = length};
    *ended = csv->lines.buffer[csv->row + end] != csv->delimiter;
    *at = end + 1;
    return SEGUE_OK;
}

/* Read fields without quotes until a quote, the capacity or the end of the row; returns true at the
 * end of the row.  The compiler makes a faster copy of it for commas. */
static inline bool read_delimited(segue_csv *csv, size_t *at, char delimiter)
{
    const char *const row = csv->lines.buffer + csv->row;
    segue_csv_span *const field = csv->field;
    size_t n = csv->n_fields, start = *at;
    bool ended = false;
    while (!ended && n < csv->capacity && row[start] != '"') {
        const size_t length =
            delimiter == ',' ? plain_length(row + start) : delimited_length(row + start, delimiter);
        field[n++] = (segue_csv_span){.start = start, .length = length};
        start += length + 1;
        ended = row[start - 1] != delimiter;
    }
    csv->n_fields = n;
    *at = start;
    return ended;
}

static bool read_plain(segue_csv *csv, size_t *at)
{
    return csv->delimiter == ',' ? read_delimited(csv, at, ',')
                                 : read_delimited(csv, at, csv->delimiter);
}

/* Finish a row that ends at offset `end`, with LF, CRLF or a NUL. */
static segue_status end_row(segue_csv *csv, size_t end, segue_error *err)
{
    const char *at = csv->lines.buffer + csv->row + end;
    segue_csv_span *last = &csv->field[csv->n_fields - 1];
    if (*at == '\0')
        return fail_nul(csv, err);
    if (end > SEGUE_MAX_LINE)
        return segue_lines_fail(&csv->lines, SEGUE_EPARSE, err, "the line is longer than %d bytes",
                                SEGUE_MAX_LINE);
    if (last->length > 0 && end == last->start + last->length && at[-1] == '\r')
        last->length--; /* the CR of CRLF after a field without quotes */
    csv->lines.at = csv->row + end + 1 + (*at == '\r');
    return SEGUE_OK;
}

static segue_status split(segue_csv *csv, segue_error *err)
{
    size_t at = 0;
    bool ended = false;
    csv->row = csv->lines.at;
    csv->n_fields = 0;
    while (!ended) {
        if (csv->n_fields == csv->capacity)
            SEGUE_TRY(grow_fields(csv, err));
        else if (csv->lines.buffer[csv->row + at] == '"')
            SEGUE_TRY(read_quoted(csv, &at, &ended, err));
        else
            ended = read_plain(csv, &at);
    }
    return end_row(csv, at - 1, err);
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
            SEGUE_TRY(segue_lines_fill(lines, err));
            if (lines->at == lines->limit)
                return SEGUE_OK;
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
    for (*rows = 0;; ++*rows) {
        SEGUE_TRY(segue_csv_next(csv, &more, err));
        if (!more)
            return SEGUE_OK;
        SEGUE_TRY(row(context, err));
    }
}

const char *segue_csv_delimiter_name(char delimiter)
{
    return delimiter == '\t'  ? "tab"
           : delimiter == ';' ? "semicolon"
           : delimiter == '|' ? "pipe"
                              : "comma";
}

const char *segue_csv_path(const segue_csv *csv)
{
    return segue_input_stream_name(csv->lines.stream);
}

uint64_t segue_csv_line(const segue_csv *csv)
{
    return csv->lines.line;
}
