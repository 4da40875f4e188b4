/* log.h - a log summed into three batches of rewards per task and arm.
 *
 * Rows go to the batches in turn and are not stored; or, as in the paper, to three consecutive
 * thirds, for which they are stored while the log is read.  history.h stores them with their times.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_H
#define SEGUE_IO_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/log/log_rows.h"
#include "segue/internal.h"

/* The rewards of one arm in one task, mapped to [0, 1]. */
typedef struct log_cell {
    double sum[3];
    uint32_t count[3];
    double graded; /* the sum of x (1 - x) over the rewards x: 0 if all are 0 or 1 */
} log_cell;

typedef struct log_task {
    char *name;
    log_cell *cells; /* n_cells: arms from there on have no reward */
    size_t n_cells;
} log_task;

/* A row while its log is read, for consecutive batches. */
typedef struct log_pending {
    size_t task, arm;
    double reward;
} log_pending;

typedef struct segue_log {
    size_t n_arms, n_tasks;
    uint64_t n_rows;
    char **arm_name;      /* n_arms, sorted if all are numbers, else in the order of first rows */
    log_task *tasks;      /* n_tasks, in the order of first rows */
    size_t capacity;      /* of tasks */
    log_pending *pending; /* n_pending: rows without a batch; NULL after the log was read */
    size_t n_pending, pending_capacity;
    size_t *arm_order; /* n_arms: the index of an arm's cell; borrowed from rows */
    log_rows rows;
} segue_log;

/**
 * Read a log (log_rows.h); its times and probabilities are validated if `options` ask for them.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_log_read(segue_log *out, const char *path,
                                             const log_read_options *options, segue_error *err);
/** Read a log into consecutive batches: of T rewards of an arm in a task, in the order of their rows,
 * the first floor(T/3), the next floor(T/3), and the rest.  Returns as segue_log_read. */
SEGUE_MUST_CHECK segue_status segue_log_read_consecutive(segue_log *out, const char *path,
                                                         const log_read_options *options,
                                                         segue_error *err);
void segue_log_fini(segue_log *log);

/** Fill counts and names from `rows`, of a log whose tasks another reader has filled.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_log_fill_names(segue_log *log, segue_error *err);

/** Write the three views of a task, 3 x n_arms; false if an arm has fewer than three rewards. */
bool segue_log_views(const segue_log *log, size_t task, double *views);

/** Write the sums of a task's rewards and its pulls, n_arms each. */
void segue_log_counts(const segue_log *log, size_t task, double *sum, double *pulls);

/** Write how many rewards of 0 or 1 a reward of each arm counts as (n_arms), by the dispersion of the
 * log's rewards; all are 1 if these are 0 or 1.  `arm` is scratch, n_arms. */
void segue_log_reward_weights(const segue_log *log, segue_dispersion *arm, double *weight);

/** Write the sums and pulls of a task, multiplied by these weights. */
void segue_log_weighted_counts(const segue_log *log, size_t task, const double *weight, double *sum,
                               double *pulls);

#endif
