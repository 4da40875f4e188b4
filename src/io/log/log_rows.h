/* log_rows.h - the rows of a log, one by one: the one reader of logs.
 *
 * CSV with a header, or JSON Lines; plain, or compressed by gzip or zstd, as the first bytes tell.
 * Each row has a task, an arm and a reward; it may have a time and a probability.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_ROWS_H
#define SEGUE_IO_LOG_LOG_ROWS_H

#include <stdbool.h>

#include "io/log/string_table.h"

typedef struct log_read_options {
    double lowest, highest; /* the range of rewards, which becomes [0, 1] */
    bool time, probability; /* read these columns too, if the log has them */
} log_read_options;

/* The names and columns of a log. */
typedef struct log_rows {
    names tasks, arms; /* numbered in the order of their first rows */
    size_t *arm_order; /* arms.count: the arms sorted by their names if all are numbers, else in
                          the order of their first rows */
    uint64_t n_rows;
    bool has_time, has_probability; /* valid from the first row on */
    bool has_dates;                 /* times are dates: seconds since 1970, UTC; else numbers */
} log_rows;

typedef struct log_row {
    size_t task, arm;         /* indices of their names */
    double reward;            /* mapped to [0, 1] */
    double time, probability; /* where the log has them */
} log_row;

/* Called for each row; `log_rows` holds the names so far. */
typedef segue_status (*log_row_callback)(void *context, const log_row *row, segue_error *err);

/**
 * Read a log; "-" is the standard input.  A header, or the keys of each JSON object, name the
 * fields task, arm, reward, time and probability, in any order; other fields are skipped.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM  or the status of `on_row`
 */
SEGUE_MUST_CHECK segue_status segue_log_rows_read(log_rows *out, const char *path,
                                                  const log_read_options *options,
                                                  log_row_callback on_row, void *context,
                                                  segue_error *err);
void segue_log_rows_fini(log_rows *rows);

#endif
