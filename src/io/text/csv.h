/* csv.h - strict reading of rows of fields, separated by commas or another delimiter.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_CSV_H
#define SEGUE_IO_TEXT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/text/lines.h"

/* A field of the current row: where it starts in the row, after its quote if it has one, and its
 * bytes. */
typedef struct segue_csv_span {
    size_t start, length;
} segue_csv_span;

typedef struct segue_csv {
    segue_lines lines;
    uint64_t next_line; /* the number of the line after the current row */
    size_t row;         /* where the current row starts in the buffer */
    char delimiter;     /* ',' after opening; the caller may change it before the first row */
    segue_csv_span *field;
    size_t n_fields, capacity;
} segue_csv;

/**
 * Open a file for reading by rows, as segue_lines_open does.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_csv_open(segue_csv *csv, const char *path, segue_error *err);
void segue_csv_close(segue_csv *csv);

/**
 * Read the next row that is not blank and split it into fields; *more is false at the end.
 *
 * A field may be quoted ("a, b" with "" for a quote; it may contain line ends).  Lines end with
 * LF or CRLF.
 *
 * @retval SEGUE_EPARSE  a NUL byte, a row that is too long, or a quote that is not closed
 * @retval SEGUE_EIO     reading failed
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_csv_next(segue_csv *csv, bool *more, segue_error *err);

/**
 * Call `row` for each remaining row until one fails; *rows counts them.
 *
 * @retval  the status of segue_csv_next or `row`
 */
typedef segue_status (*segue_csv_row_function)(void *context, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_csv_for_each(segue_csv *csv, segue_csv_row_function row,
                                                 void *context, uint64_t *rows, segue_error *err);

/** Return the number of fields of the current row. */
static inline size_t segue_csv_n_fields(const segue_csv *csv)
{
    return csv->n_fields;
}

/** Return a field of the current row, without a NUL after it; valid until the next row is read. */
static inline char *segue_csv_text(const segue_csv *csv, size_t index)
{
    return csv->lines.buffer + csv->row + csv->field[index].start;
}

/** Remove blanks at both ends of a field, unless it is quoted. */
static inline void segue_csv_trim(segue_csv *csv, size_t index)
{
    const char *const row = csv->lines.buffer + csv->row;
    segue_csv_span *field = &csv->field[index];
    if (field->start > 0 && row[field->start - 1] == '"')
        return;
    while (field->length > 0 && row[field->start + field->length - 1] == ' ')
        field->length--;
    for (; field->length > 0 && row[field->start] == ' '; field->length--)
        field->start++;
}

/** Return a field of the current row with a NUL after it. */
static inline const char *segue_csv_field(const segue_csv *csv, size_t index)
{
    char *text = segue_csv_text(csv, index);
    text[csv->field[index].length] = '\0'; /* overwrites its delimiter */
    return text;
}

/** Return "comma", "tab", "semicolon" or "pipe". */
const char *segue_csv_delimiter_name(char delimiter);

/** Return the name of the file, and the line of the current row, for errors. */
const char *segue_csv_path(const segue_csv *csv);
uint64_t segue_csv_line(const segue_csv *csv);

#endif
