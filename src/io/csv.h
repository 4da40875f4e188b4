/* csv.h - strict reading of comma-separated lines.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_CSV_H
#define SEGUE_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#define SEGUE_CSV_LONGEST_LINE (1024 * 1024)

typedef struct segue_csv segue_csv;

/**
 * Open a file for reading by lines; "-" is the standard input.
 *
 * @retval SEGUE_EFILE  it cannot be opened, or is a directory
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_csv_open(segue_csv **out, const char *path, segue_error *err);
void segue_csv_close(segue_csv *csv);

/**
 * Read the next line that is not blank and split it into fields; *more is false at the end.
 *
 * A field may be quoted ("a, b" with "" for a quote).  Lines end with LF or CRLF; a byte-order
 * mark is passed over.
 *
 * @retval SEGUE_EPARSE  a NUL byte, a line that is too long, or a quote that is not closed
 * @retval SEGUE_EIO     reading failed
 */
SEGUE_MUST_CHECK segue_status segue_csv_next(segue_csv *csv, bool *more, segue_error *err);

/**
 * Call `row` for each line that is left, until one fails; *rows counts them.
 *
 * @retval  what segue_csv_next or `row` returned
 */
typedef segue_status (*row_function)(void *context, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_csv_each(segue_csv *csv, row_function row, void *context,
                                             uint64_t *rows, segue_error *err);

/** The fields of the current line, valid until the next one is read. */
size_t segue_csv_fields(const segue_csv *csv);
const char *segue_csv_field(const segue_csv *csv, size_t index);

/** Whether a text is well-formed UTF-8. */
bool segue_is_utf8(const char *text);

/** Where the reader is: for errors. */
const char *segue_csv_path(const segue_csv *csv);
uint64_t segue_csv_line(const segue_csv *csv);

#endif
