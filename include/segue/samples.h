/* samples.h - the rewards of logged tasks, grouped so that they can be drawn again.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SAMPLES_H
#define SEGUE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"
#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_MAX_MIN_REWARDS UINT64_C(1000000000)

/** One reward of a log. */
typedef struct segue_logged_reward {
    uint32_t task, arm; /* from 0 on */
    double reward;      /* in [0, 1] */
} segue_logged_reward;

/** Tasks of a log that can be played: each has rewards of every arm.  Read it freely; make it with
 * segue_samples_create. */
typedef struct segue_samples {
    size_t n_arms;     /* K: SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    size_t n_tasks;    /* those that can be played, in the order of their numbers; at least 1 */
    size_t n_excluded; /* those that cannot */
    size_t *start;     /* n_tasks x n_arms, and the end of the last: where rewards start */
    double *reward;    /* by task and arm, in the order of their rows */
    double *mean;      /* n_tasks x n_arms: averages of these */
} segue_samples;

/**
 * Group rows, which come in any order, by task and arm.  Tasks are numbered below `n_tasks`, arms
 * below `n_arms`; those tasks with fewer than `least` (1 .. SEGUE_MAX_MIN_REWARDS) rewards of some
 * arm are left out, and counted.
 *
 * O(n_rows + n_tasks) time; beside the rows at most 24 bytes a row and 8 a task.
 *
 * @retval SEGUE_EDOMAIN  a number is outside its range, or no task is left
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_samples_create(segue_samples **out, size_t n_tasks,
                                                             size_t n_arms,
                                                             const segue_logged_reward *rows,
                                                             size_t n_rows, uint64_t min_rewards,
                                                             segue_error *err);

/** Free them; NULL is fine. */
SEGUE_API void segue_samples_destroy(segue_samples *samples);

#ifdef __cplusplus
}
#endif
#endif
