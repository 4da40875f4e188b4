/* log_rows.h - the rows of a log, one by one: the one reader of logs.
 *
 * CSV with a header, or JSON Lines; plain, or compressed by gzip or zstd.  Which it is, the file's
 * first bytes tell.  Each row has a task, an arm and a reward; it may have a time and a
 * probability.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_ROWS_H
#define SEGUE_IO_LOG_LOG_ROWS_H

#include <stdbool.h>

#include "io/log/string_table.h"

/* What to read of a log. */
typedef struct log_read_options {
    double lowest, highest; /* the range of rewards, which becomes [0, 1] */
    bool time, probability; /* read these columns too, where the log has them; else they are passed
                               over like any other */
} log_read_options;

/* What a log holds besides its rows. */
typedef struct log_rows {
    names tasks, arms; /* numbered in the order of their first rows */
    size_t *arm_order; /* arms.count: these numbers in the order of the arms, which is that of
                          their names if all are numbers */
    uint64_t n_rows;
    bool has_time, has_probability; /* known from the first row on */
    bool has_dates;                 /* times are dates: seconds since 1970, UTC; else numbers */
} log_rows;

typedef struct log_row {
    size_t task, arm;         /* numbers among the names */
    double reward;            /* mapped to [0, 1] */
    double time, probability; /* where the log has them */
} log_row;

/* Called for each row, with `log_rows` filled in so far. */
typedef segue_status (*log_row_callback)(void *context, const log_row *row, segue_error *err);

/**
 * Read a log; "-" is the standard input.  A header, or the keys of each JSON object, name the
 * fields task, arm, reward, time and probability, in any order; others are passed over.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM  or what `take` returned
 */
SEGUE_MUST_CHECK segue_status segue_log_rows_read(log_rows *out, const char *path,
                                                  const log_read_options *wanted,
                                                  log_row_callback take, void *context,
                                                  segue_error *err);
void segue_log_rows_fini(log_rows *rows);

#endif
