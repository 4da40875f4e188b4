/* moments.h - the moments of finished tasks: sums that estimators read.
 *
 * Each task gives three views: averages of three batches of the rewards of every arm, which are
 * independent given the task's model.  Their products, averaged over tasks, estimate
 * M2 = sum rho mu (x) mu and M3 = sum rho mu (x) mu (x) mu.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_MOMENTS_H
#define SEGUE_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"
#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Up to this many arms the third moment is stored; above, the views of every task are. */
#define SEGUE_MAX_DENSE_ARMS 100

/** Which pairs of views make the second moment. */
typedef enum segue_views {
    SEGUE_VIEWS_PAPER,    /* the first with the second, as published */
    SEGUE_VIEWS_SYMMETRIC /* all pairs: less variance, at no cost in rewards */
} segue_views;

/** The sums over tasks.  Memory does not grow with the tasks up to SEGUE_MAX_DENSE_ARMS arms. */
typedef struct segue_moments segue_moments;

/**
 * Create the sums of no tasks. On failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN  `n_arms` is outside SEGUE_MIN_ARMS .. SEGUE_MAX_ARMS
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_moments_create(segue_moments **out, size_t n_arms,
                                                             segue_views views, segue_error *err);

/** Free the sums; NULL is fine. */
SEGUE_API void segue_moments_destroy(segue_moments *moments);

/**
 * Add a task: its three views, 3 x n_arms averages, with a weight (1 for a task that happened).
 *
 * @retval SEGUE_EDOMAIN  a view is not within SEGUE_MAX_ABS_MEAN of 0, or the weight not 0 to 1e12
 * @retval SEGUE_ENOMEM   on failure nothing is added
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_moments_add(segue_moments *moments,
                                                          const double *views, double weight,
                                                          segue_error *err);

/** Return a weight for a task with these pulls, at least 3 of each arm: the rewards per view, as
 * the harmonic mean over arms.  It is proportional to the precision of the views. */
SEGUE_API double segue_moments_task_weight(const uint64_t *pulls, size_t n_arms);

/**
 * Add all tasks of `other`, as if they had been added one by one (above SEGUE_MAX_DENSE_ARMS arms
 * to the digits of single precision).
 *
 * @retval SEGUE_EDOMAIN  they differ in arms or in views
 * @retval SEGUE_ENOMEM   on failure nothing is added
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_moments_merge(segue_moments *moments,
                                                            const segue_moments *other,
                                                            segue_error *err);

/** The number of tasks added. */
SEGUE_API uint64_t segue_moments_tasks(const segue_moments *moments);

#ifdef __cplusplus
}
#endif
#endif
