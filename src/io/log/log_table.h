/* log_table.h - the rows of a log that is in memory: columns, as a program has them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_TABLE_H
#define SEGUE_IO_LOG_LOG_TABLE_H

#include "io/log/log_rows.h"

/** A name; no text: it is missing. */
typedef struct log_text {
    const char *text;
    size_t length;
} log_text;

/** The columns, n_rows each; numbers that are NaN are missing. */
typedef struct log_table {
    const char *name; /* for messages */
    size_t n_rows;
    const log_text *task, *arm;
    const double *reward;
    const double *time, *probability; /* or NULL */
    bool has_dates;                   /* times are seconds since 1970, UTC; else numbers */
} log_table;

/**
 * Read options->table as segue_log_rows_read reads a file; columns, delimiter and one_arm of the
 * options are not used.  Messages count rows from 1.
 *
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ESTOPPED  or the status of `on_row`
 */
SEGUE_MUST_CHECK segue_status segue_log_table_read(log_rows *out, const log_read_options *options,
                                                   log_row_callback on_row, void *context,
                                                   segue_error *err);

#endif
