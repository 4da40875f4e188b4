/* log_rows.h - the rows of a log, `task,arm,reward`, one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_ROWS_H
#define SEGUE_IO_LOG_ROWS_H

#include "io/names.h"

/* What a log holds besides its rewards. */
typedef struct log_rows {
    names tasks, arms; /* numbered in the order of their first rows */
    size_t *arm_place; /* arms.count: these numbers in the order of the arms, which is that of
                          their names if all are numbers */
    uint64_t n_rows;
} log_rows;

/* Called for each row, with `rows` filled in so far and the reward mapped to [0, 1]. */
typedef segue_status (*reward_function)(void *context, size_t task, size_t arm, double reward,
                                        segue_error *err);

/**
 * Read a log; "-" is the standard input.  A header names the columns task, arm and reward, in any
 * order; others are passed over.  Rewards lie in [lowest, highest].
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM  or what `take` returned
 */
SEGUE_MUST_CHECK segue_status segue_log_rows_read(log_rows *out, const char *path, double lowest,
                                                  double highest, reward_function take,
                                                  void *context, segue_error *err);
void segue_log_rows_fini(log_rows *rows);

#endif
