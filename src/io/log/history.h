/* history.h - the rows of a log in memory, grouped by task.
 *
 * 16 bytes per row, and 8 each for its time and its probability if the log has them; up to 16 more
 * while reading.  Rewards and probabilities are doubles, so that sums over rows and weights
 * 1 / probability are exact functions of the numbers in the file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_HISTORY_H
#define SEGUE_IO_LOG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "io/log/log_rows.h"
#include "segue/rng.h"
#include "segue/samples.h"

typedef struct segue_history {
    size_t n_arms, n_tasks, n_rows;
    const char **arm_name; /* n_arms, sorted if all are numbers, else in the order of first rows */
    char **task_name;      /* n_tasks, in the order of first rows */
    size_t *start;         /* n_tasks + 1: task i has rows start[i] to start[i + 1] - 1,
                              in the order of the file */
    segue_logged_reward *row; /* n_rows, as segue_samples_create needs them */
    double *time;        /* n_rows: seconds since 1970, UTC, or the numbers of the log; or NULL */
    double *probability; /* n_rows, in (0, 1]: of choosing the arm; or NULL */
    bool has_dates;      /* times are dates, not numbers */
    bool is_tally;       /* rows were made of a tally */
    size_t drawn_from;   /* these tasks are a random sample of this number; 0: all are here */
    log_rows rows;       /* owns the names */
} segue_history;

/**
 * Read a log (log_rows.h) and store its rows.  Times and probabilities are read and validated only
 * if `options` ask for them; they are NULL if the log has none.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_history_read(segue_history *out, const char *path,
                                                 const log_read_options *options, segue_error *err);
void segue_history_fini(segue_history *history);

/** Fill names and group rows by task, of rows that another reader has stored.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_history_group(segue_history *history, segue_error *err);

/** Tasks of a log or tally that are played; of more, these are drawn at random. */
#define SEGUE_MAX_PLAYED_TASKS 20000

/** Keep a random sample of `wanted` tasks, in their order, if there are more; the same seed draws the
 * same tasks. */
void segue_history_sample(segue_history *history, size_t wanted, uint64_t seed);

/** Draw if the next of `left` tasks is among the `wanted` that a sample still lacks: every set of
 * tasks has the same probability. */
static inline bool segue_history_draws_task(segue_rng *rng, size_t left, size_t wanted)
{
    return segue_rng_uniform(rng) * (double)left < (double)wanted;
}

/**
 * Sort tasks by the earliest time of their rows, equal times in the order of the file, and write
 * their indices to order[0 .. n_tasks - 1].  Needs times.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_history_order_by_time(const segue_history *history,
                                                          size_t *order, segue_error *err);

#endif
