/* task.h - one task: ask for an arm, tell its reward.
 *
 * A simulated task and a live one are the same object, fed by an environment or by a user. A task
 * belongs to one thread at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TASK_H
#define SEGUE_TASK_H

#include "segue/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct segue_task segue_task;

/** How the rewards of an arm are split into three batches; their averages are the three views. */
typedef enum segue_batches {
    SEGUE_BATCHES_NONE,        /* no batches */
    SEGUE_BATCHES_CONSECUTIVE, /* the first third, the second, the rest: stores `horizon` rewards */
    SEGUE_BATCHES_INTERLEAVED  /* in turn: memory for the arms only */
} segue_batches;

/** The configuration of a task. Start from segue_task_defaults(). */
typedef struct segue_task_config {
    size_t size; /* of this struct in bytes; segue_task_defaults() sets it */
    segue_policy_spec policy;
    segue_setting setting;
    double lowest; /* the smallest reward; default 0 */
    double highest;
    uint64_t seed; /* of the policy's draws; default 1 */
    segue_batches batches;
} segue_task_config;

/** The counts of a task. It owns the arrays and changes them. */
typedef struct segue_task_summary {
    uint64_t step;            /* decisions */
    uint64_t no_model_left;   /* of them, while no model agreed with the rewards */
    const uint64_t *pulls;    /* n_arms: rewards */
    const double *sum;        /* n_arms: their sum, mapped to [0, 1] */
    segue_reason last_reason; /* of the last choice */
} segue_task_summary;

/** Fill a configuration of `size` bytes with the defaults; see learner_config.h on sizes. */
SEGUE_API void segue_task_config_init(segue_task_config *config, size_t size);

/** Return a configuration with the defaults. */
static inline segue_task_config segue_task_defaults(void)
{
    segue_task_config config;
    segue_task_config_init(&config, sizeof config);
    return config;
}

/**
 * Create a task.
 *
 * On success *out owns all its memory except `config->setting.models`, which must outlive it. On
 * failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN  a field of `config` is outside its range, or its size is unknown
 * @retval SEGUE_EUSAGE   the policy needs models, and there are none
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_create(segue_task **out,
                                                          const segue_task_config *config,
                                                          segue_error *err);

/** Free a task; NULL is allowed. */
SEGUE_API void segue_task_destroy(segue_task *task);

/** Start the next task of the same run in the same memory: counts return to zero; a state that the
 * policy carries from task to task stays. `rng` is copied; `model_index`, below
 * setting.n_model_indices, is the task's model for told-ucb, and 0 for other policies. */
SEGUE_API void segue_task_next(segue_task *task, const segue_rng *rng, size_t model_index);

/**
 * Set the costs of pulls, in units of the rewards: `cost` (n_arms, copied; NULL: 0 each) of every
 * pull of an arm, and `switch_cost` of a pull of another arm than the task's last decision.
 *
 * Decisions then maximise the expected reward minus these costs.  Rewards are told without costs.
 * The costs stay for the next tasks of the same memory; NULL and 0 remove them.  A learner gives
 * tasks without costs: set them after segue_learner_open_task.
 *
 * @retval SEGUE_EDOMAIN  a cost is negative, or above a million times the range of rewards
 * @retval SEGUE_EUSAGE   the policy of the task knows no costs: segue_policy.takes_costs
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_set_costs(segue_task *task, const double *cost,
                                                             double switch_cost, segue_error *err);

/** Clear the policy's state for a new run. Call segue_task_next after it. */
SEGUE_API void segue_task_reset(segue_task *task);

/**
 * Return the arm to pull next: 0 .. n_arms - 1.
 *
 * Cannot fail, allocates nothing. Several asks may be outstanding: an ask counts as a pull where
 * an arm must be pulled a number of times, and as a pull with the expected reward in look-ahead and
 * in confidence radii; averages change only when a reward is told.
 */
SEGUE_API size_t segue_task_ask(segue_task *task);

/**
 * Ask as if only the allowed arms (n_arms flags) existed.
 *
 * @retval SEGUE_EDOMAIN  no arm is allowed that the task may pull
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_ask_among(segue_task *task, const bool *allowed,
                                                             size_t *arm, segue_error *err);

/**
 * Compute the probability that the next ask returns each arm (n_arms, sum 1), among the allowed
 * arms (NULL: all). The task does not change.
 *
 * Exact where nothing is drawn (*exact becomes true), else the shares of the arms in `draws` >= 1
 * draws from a separate stream. For a policy with random and deterministic steps, such as tla, the
 * share of random steps is exact, and only they are drawn.
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
 * Allocates nothing. On failure the task is unchanged.
 *
 * @retval SEGUE_EDOMAIN  there is no such arm, or the reward is not in the range of the task
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_task_tell(segue_task *task, size_t arm, double reward,
                                                        segue_error *err);

/** Return the counts of the task. */
SEGUE_API segue_task_summary segue_task_info(const segue_task *task);

/** Return the average reward of an arm, in the range of the told rewards; NaN without a reward. */
SEGUE_API double segue_task_mean(const segue_task *task, size_t arm);

/**
 * Compute the three views of the task: 3 x n_arms averages, mapped to [0, 1].
 *
 * Returns false, with `views` undefined, if an arm has fewer than three rewards or the task has no
 * batches. Consecutive batches ignore rewards after the horizon; if about as many come after it as
 * before, a batch may be empty, which gives false too.
 */
SEGUE_API bool segue_task_views(const segue_task *task, double *views);

#ifdef __cplusplus
}
#endif
#endif
