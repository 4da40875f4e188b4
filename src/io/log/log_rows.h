/* log_rows.h - the rows of a log, one by one: the one reader of logs.
 *
 * CSV with a header, or JSON Lines; plain, or compressed by gzip or zstd, as the first bytes tell.
 * Each row has a task, an arm and a reward; it may have a time and a probability.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_ROWS_H
#define SEGUE_IO_LOG_LOG_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "io/log/string_table.h"

#define SEGUE_MAX_LOG_TASKS      100000000
#define SEGUE_LOG_ROWS_PER_CHECK 65536 /* between two checks of options->stop */

typedef enum log_column {
    LOG_TASK,
    LOG_ARM,
    LOG_REWARD,
    LOG_TIME,
    LOG_PROBABILITY,
    LOG_N_COLUMNS
} log_column;

typedef struct log_read_options {
    double lowest, highest; /* the range of rewards, which becomes [0, 1] */
    bool time, probability; /* read these columns too, if the log has them */
    const char
        *column[LOG_N_COLUMNS];    /* their names, or keys of JSON; NULL: task, arm, reward, time
                                          and probability.  A column that is named must exist. */
    char delimiter;                /* of CSV: ',', '\t', ';' or '|'; 0: guess it from the header */
    bool skip_missing;             /* skip and count rows without a value; else they are errors */
    bool one_arm;                  /* accept a log of one arm: it may be part of a larger one */
    const atomic_bool *stop;       /* ends the reading; or NULL */
    const struct log_table *table; /* log_table.h: read it instead of a file; or NULL */
} log_read_options;

/* Rows that were skipped, by reason. */
typedef struct log_skipped {
    uint64_t missing[LOG_N_COLUMNS]; /* without a value in this column, the first one of the row */
    uint64_t dangling;               /* dsjson: rewards without a decision */
    uint64_t inactive;               /* dsjson: decisions that were not activated */
} log_skipped;

/* The names and columns of a log. */
typedef struct log_rows {
    names tasks, arms; /* numbered in the order of their first rows */
    size_t *arm_order; /* arms.count: the arms sorted by their names if all are numbers, else in
                          the order of their first rows */
    uint64_t n_rows;
    double lowest, highest; /* reward, on the scale of the log */
    log_skipped skipped;
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

/** Return the defaults: rewards in [0, 1], no times, no probabilities, missing values are errors. */
log_read_options segue_log_rows_defaults(void);

/**
 * Read a log; "-" is the standard input.  A header, or the keys of each JSON object, name the
 * fields task, arm, reward, time and probability, in any order; other fields are skipped.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM  or the status of `on_row`
 * @retval SEGUE_ESTOPPED  by options->stop
 */
SEGUE_MUST_CHECK segue_status segue_log_rows_read(log_rows *out, const char *path,
                                                  const log_read_options *options,
                                                  log_row_callback on_row, void *context,
                                                  segue_error *err);
void segue_log_rows_fini(log_rows *rows);

/** Fill arm_order, of rows that another reader has named.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_log_rows_order_arms(log_rows *out, segue_error *err);

/** Return the number of rows that were skipped. */
uint64_t segue_log_rows_count_skipped(const log_skipped *skipped);

/** Write how many rows were skipped, by reason: "1 without an arm, 3 without a reward". */
void segue_log_rows_print_skipped(const log_skipped *skipped, char *text, size_t size);

#endif
