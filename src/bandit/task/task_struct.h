/* task_struct.h - a task, for the files that implement it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_TASK_STRUCT_H
#define SEGUE_BANDIT_TASK_STRUCT_H

#include <math.h>

#include "bandit/batches.h"
#include "bandit/reward_weights.h"

struct segue_task {
    const segue_policy *policy;
    segue_rng rng;
    segue_task_view view; /* points into the arrays below */
    uint64_t *asked;      /* n_arms */
    uint64_t *pulls;      /* n_arms */
    double *pending;      /* n_arms: asks whose reward is expected */
    uint64_t n_pending;   /* asks without a reward, as if every reward came */
    double *sum;          /* n_arms */
    double *cost;         /* n_arms: of a pull, as a share of the range, if there are costs */
    uint64_t switches;    /* decisions for another arm than the one before */
    double *graded;       /* n_arms: sum of x (1 - x), 0 if all rewards are 0 or 1 */
    segue_reward_weights weights; /* unless its option says that all are 1 */
    bool weighs;
    bool *allowed; /* n_arms: arms that it may pull, if not all; then n_arms: arms of one ask */
    void *precomputed;
    double option[SEGUE_MAX_OPTIONS];
    double lowest, highest;
    double width; /* highest - lowest */
    size_t state_size, precomputed_size;
    size_t n_model_indices;
    batches batches;
    void *owner;
    uint64_t no_model_left;
    segue_reason last_reason;
};

/* Map a reward in the task's range to [0, 1]; the highest is exactly 1. */
static inline double segue_task_to_unit(const segue_task *task, double reward)
{
    return fmin(1.0, (reward - task->lowest) / task->width);
}

/* Remove all rewards, and what the policy's state has of them; asks and the random stream stay. */
void segue_task_clear_rewards(segue_task *task);

/* Count a reward in [0, 1] in totals, batches and weights: not in the asks or the policy's state. */
void segue_task_add_reward(segue_task *task, size_t arm, double x);

#endif
