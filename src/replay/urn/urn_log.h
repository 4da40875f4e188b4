/* urn_log.h - the rewards of a log by task and arm, in the order in which they were logged.
 *
 * It is all that the urn needs of a log, so that other inputs than a table of rows can be played.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_URN_URN_LOG_H
#define SEGUE_REPLAY_URN_URN_LOG_H

#include <stdbool.h>

#include "io/log/history.h"
#include "replay/population/population.h"

/* Arrays hold (task, arm) at task * n_arms + arm; rewards are in [0, 1]. */
typedef struct segue_urn_log {
    size_t n_tasks, n_arms;
    size_t *start;       /* n_tasks x n_arms + 1: offset of the first reward */
    double *reward;      /* rewards of a task and arm follow each other */
    double *sum, *pulls; /* n_tasks x n_arms */
    double *square;      /* n_tasks x n_arms: sums of squares */
    bool binary;         /* all rewards are 0 or 1 */
} segue_urn_log;

/** Group the rewards of a log; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_urn_log_init(segue_urn_log *out, const segue_history *history,
                                                 segue_error *err);

void segue_urn_log_fini(segue_urn_log *log);

/** Return the counts of the log, for a fit; they borrow from it. */
segue_counts segue_urn_log_counts(const segue_urn_log *log);

/** Return the rewards per arm and task, on average. */
double segue_urn_log_rewards_per_cell(const segue_urn_log *log);

#endif
