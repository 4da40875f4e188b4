/* history.h - the rows of a log kept in memory, task by task: what was pulled, when, and how
 * likely.
 *
 * 16 bytes a row, and 8 for its time and 8 for its probability where the log tells them; while it
 * is read, up to 16 more.  Rewards and probabilities are doubles: sums over rows, and weights
 * 1 / probability, are then those of the numbers as they were written.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_HISTORY_H
#define SEGUE_IO_LOG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "io/log/log_rows.h"
#include "segue/samples.h"

typedef struct segue_history {
    size_t n_arms, n_tasks, n_rows;
    const char **arm_name;    /* n_arms, in the order of their numbers, or of their first rows */
    char **task_name;         /* n_tasks, in the order of their first rows */
    size_t *start;            /* n_tasks + 1: rows start[i] to start[i + 1] - 1 are those of task i,
                                 in the order of the file */
    segue_logged_reward *row; /* n_rows; segue_samples_create takes them as they are */
    double *time;        /* n_rows: seconds since 1970, UTC, or the numbers of the log; or NULL */
    double *probability; /* n_rows, in (0, 1]: that of the arm, when it was pulled; or NULL */
    bool has_dates;      /* times are dates, not numbers */
    log_rows rows;       /* which holds the names */
} segue_history;

/**
 * Read a log as log_rows.h says and keep its rows.  Times and probabilities are read, and checked,
 * only if `wanted` says so; a log without them leaves NULL.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_history_read(segue_history *out, const char *path,
                                                 const log_read_options *wanted, segue_error *err);
void segue_history_fini(segue_history *history);

/**
 * The tasks by the earliest time of their rows, those of the same time in the order of the file:
 * their numbers go to order[0 .. n_tasks - 1].  Needs times.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_history_order_by_time(const segue_history *history,
                                                          size_t *order, segue_error *err);

#endif
