/* task.h - one task: ask for an arm, tell its reward.
 *
 * A simulated task and a live one are the same object, fed by an environment or by a user.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TASK_H
#define SEGUE_TASK_H

#include "segue/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct segue_task segue_task;

/** How the rewards of an arm are split into three batches, whose averages are the task's views. */
typedef enum segue_batches {
    SEGUE_BATCHES_NONE,        /* not at all */
    SEGUE_BATCHES_CONSECUTIVE, /* the first third, the second, the rest: keeps `horizon` rewards */
    SEGUE_BATCHES_INTERLEAVED  /* in turn: needs no more memory than the arms do */
} segue_batches;

/** How to open a task.  Start from segue_task_defaults(). */
typedef struct segue_task_config {
    segue_policy_spec policy;
    segue_setting setting;
    double lowest; /* the range of rewards; default 0 .. 1 */
    double highest;
    uint64_t seed; /* of what the policy draws; default 1 */
    segue_batches batches;
} segue_task_config;

/** What a task has seen.  The arrays are the task's, and change with it. */
typedef struct segue_task_summary {
    uint64_t step;            /* decisions */
    uint64_t no_model_left;   /* of them, made while no model agreed with the rewards */
    const uint64_t *pulls;    /* n_arms: rewards told */
    const double *sum;        /* n_arms: their sum, mapped to [0, 1] */
    segue_reason last_reason; /* why the last arm was chosen */
} segue_task_summary;

SEGUE_API segue_task_config segue_task_defaults(void);

/**
 * Open a task.
 *
 * On success *out owns every byte it needs except `config->setting.models`, which must outlive
 * it.  On failure *out is NULL and nothing is leaked.
 *
 * @retval SEGUE_EDOMAIN  a field of `config` is outside its range
 * @retval SEGUE_EUSAGE   the policy needs models, and there are none
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_create(segue_task **out,
                                                          const segue_task_config *config,
                                                          segue_error *err);

/** Free a task; NULL is fine. */
SEGUE_API void segue_task_destroy(segue_task *task);

/**
 * Start the next task of the same run in the same memory: counts return to zero; what the policy
 * carries from task to task stays.  `rng` is copied; `told`, below setting.n_model_indices, is the
 * model for told-ucb, and 0 for the others.
 */
SEGUE_API void segue_task_next(segue_task *task, const segue_rng *rng, size_t model_index);

/** Forget all, also what the policy carries: a new run.  Follow it with segue_task_next. */
SEGUE_API void segue_task_reset(segue_task *task);

/**
 * The arm to pull next: 0 .. n_arms - 1.
 *
 * Cannot fail, allocates nothing.  Several asks may be outstanding: an ask counts as a pull where
 * an arm must be pulled a number of times; averages change only when a reward is told.
 */
SEGUE_API size_t segue_task_ask(segue_task *task);

/**
 * The same, as if there were no other arms than the allowed ones (n_arms flags).
 *
 * @retval SEGUE_EDOMAIN  no arm is allowed that the task may pull
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_ask_among(segue_task *task, const bool *allowed,
                                                             size_t *arm, segue_error *err);

/**
 * How likely each arm is to be what the next ask gives (n_arms, sum 1), among the allowed ones
 * (NULL: all).  The task goes on as if it had not been looked at.
 *
 * Exact where nothing is drawn (*exact becomes true), else the shares of the arms in `draws` >= 1
 * draws of a stream of their own.  A policy that draws now and then, such as tla, is taken apart:
 * the share of its drawn steps is exact, and only they are drawn.
 *
 * @retval SEGUE_EDOMAIN  no arm is allowed that the task may pull, or no draws
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_probabilities(segue_task *task,
                                                                 const bool *allowed,
                                                                 uint64_t draws, double *out,
                                                                 bool *exact, segue_error *err);

/**
 * Tell the reward of a pull, in any order, also of an arm that was not asked for.
 *
 * Allocates nothing.  On failure the task is unchanged.
 *
 * @retval SEGUE_EDOMAIN  there is no such arm, or the reward is not in the range of the task
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_tell(segue_task *task, size_t arm, double reward,
                                                        segue_error *err);

/** What the task has seen so far. */
SEGUE_API segue_task_summary segue_task_info(const segue_task *task);

/** The average reward of an arm so far, in the range that rewards are told in; NaN without one. */
SEGUE_API double segue_task_mean(const segue_task *task, size_t arm);

/**
 * The three views of the task: 3 x n_arms averages, mapped to [0, 1].
 *
 * False, and `views` undefined, if an arm has fewer than three rewards or the task was opened
 * without batches.  Rewards behind the horizon are not in consecutive batches; if there are about
 * as many as before it, a batch may be empty, which is false too.
 */
SEGUE_API bool segue_task_views(const segue_task *task, double *views);

#ifdef __cplusplus
}
#endif
#endif
