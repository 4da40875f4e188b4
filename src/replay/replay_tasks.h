/* replay_tasks.h - summaries of the tasks of a log, for a replay and its dry run.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_TASKS_H
#define SEGUE_REPLAY_REPLAY_TASKS_H

#include "io/log/history.h"

/** Sums over tasks, per arm. */
typedef struct segue_replay_tasks {
    size_t n_arms, n_tasks;
    double *pulls;      /* n_arms: rewards */
    double *mean_sum;   /* n_arms: sum of tasks' averages ... */
    double *mean_count; /* n_arms: ... and the number of tasks with rewards of the arm */
    double *scratch;    /* 2 x n_arms: sums and pulls of one task */
} segue_replay_tasks;

/** Return the number of rows of a task. */
double segue_replay_tasks_rows(const segue_history *history, size_t task);

/** Sum a task's rewards and count its pulls, n_arms each. */
void segue_replay_tasks_count(const segue_history *history, size_t task, double *sum,
                              double *pulls);

/** Begin a summary; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_replay_tasks_init(segue_replay_tasks *out, size_t n_arms,
                                                      segue_error *err);
void segue_replay_tasks_fini(segue_replay_tasks *tasks);

/** Add a task; one that is not scored counts for `pulls` only.  Return the average of its best arm.
 */
double segue_replay_tasks_add(segue_replay_tasks *tasks, const segue_history *history, size_t task,
                              bool scored);

/** Return the arm with the largest average over tasks, which goes to *mean. */
size_t segue_replay_tasks_best_arm(const segue_replay_tasks *tasks, double *mean);

/** Return the arm with the fewest rewards; their number per task goes to *rewards. */
size_t segue_replay_tasks_rarest_arm(const segue_replay_tasks *tasks, double *rewards);

#endif
