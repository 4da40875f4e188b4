/* samples.h - rewards of logged tasks, grouped for resampling.
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
    uint32_t task, arm; /* counted from 0 */
    double reward;      /* in [0, 1] */
} segue_logged_reward;

/** Logged tasks with rewards of every arm, created by segue_samples_create. Callers may read the
 * fields, not write. */
typedef struct segue_samples {
    size_t n_arms;    /* K: SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS */
    size_t n_tasks;   /* tasks that can be played, in the order of their numbers; at least 1 */
    size_t n_skipped; /* tasks with too few rewards of some arm */
    size_t *start;    /* n_tasks x n_arms + 1: offset of the first reward */
    double *reward;   /* by task and arm, in row order */
    double *mean;     /* n_tasks x n_arms: averages */
} segue_samples;

/**
 * Group rows, in any order, by task and arm. Tasks are numbered below `n_tasks`, arms below
 * `n_arms`. Tasks with fewer than `min_rewards` (1 .. SEGUE_MAX_MIN_REWARDS) rewards of some arm
 * are skipped and counted. On failure *out is NULL.
 *
 * O(n_rows + n_tasks) time; beside the rows at most 24 bytes per row and 8 per task.
 *
 * @retval SEGUE_EDOMAIN  a number is outside its range, or every task is skipped
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_samples_create(segue_samples **out, size_t n_tasks,
                                                             size_t n_arms,
                                                             const segue_logged_reward *rows,
                                                             size_t n_rows, uint64_t min_rewards,
                                                             segue_error *err);

/** Free samples; NULL is allowed. */
SEGUE_API void segue_samples_destroy(segue_samples *samples);

#ifdef __cplusplus
}
#endif
#endif
