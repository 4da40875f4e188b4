/* replay.h - what would transfer have given on a log?
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_H
#define SEGUE_REPLAY_REPLAY_H

#include "io/log/history.h"
#include "io/policy_list.h"
#include "replay/replay_result.h"
#include "segue/internal.h"

/** How a log is played. */
typedef enum segue_replay_method {
    SEGUE_REPLAY_METHOD_AUTO, /* resampling; but replay if the log tells probabilities, and fewer
                        than 30 tasks, and than half, have rewards of every arm */
    SEGUE_REPLAY_METHOD_RESAMPLE, /* rewards of a task and arm are drawn again */
    SEGUE_REPLAY_METHOD_ROWS      /* rows answer in their order; for logs of randomised decisions */
} segue_replay_method;

typedef enum segue_replay_order {
    SEGUE_REPLAY_ORDER_FILE,
    SEGUE_REPLAY_ORDER_SHUFFLE,
    SEGUE_REPLAY_ORDER_TIME /* by the first time of a task; needs times */
} segue_replay_order;

/** What to play; all is borrowed, and must outlive what was found. */
typedef struct segue_replay_config {
    const char *path; /* of the log, for sentences */
    const segue_history *history;
    double lowest, highest;
    /* ts, ts-prior, tla:cap=1 (a prior of each arm, with look-ahead) and the best fixed arm join.
     */
    const segue_policy_list *players;
    segue_replay_method way;
    segue_replay_order order;
    const char *holdout; /* score tasks whose names match this POSIX extended regular expression,
                            having learned on the others; or NULL */
    uint64_t least;      /* resampling: rewards of each arm that a task must have; 0: 3 */
    uint64_t steps;      /* n; 0: as many as a task of the log can give, by the median */
    uint64_t from;       /* score from this task of the order on; 0: from the 41st, or from half */
    uint64_t runs, seed;
    size_t threads;
    bool values_only; /* no intervals, no types and no verdict: for many logs in a row */
    void (*progress)(void *context, double done, double total);
    void *context;
} segue_replay_config;

/**
 * Play the log, and tell what was found.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EDOMAIN, SEGUE_EPARSE  the log or a field is not fit for it
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD
 */
SEGUE_MUST_CHECK segue_status segue_replay_evaluate(segue_replay_result *out,
                                                    const segue_replay_config *config,
                                                    segue_error *err);

/** Tasks of a log: fewer have no types. */
#define SEGUE_MIN_TYPED_TASKS 8

/**
 * The types of the tasks of a log, from all its rows.  *out is to be destroyed.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_fit_types(segue_types **out,
                                                     const segue_history *history, size_t cap,
                                                     uint64_t seed, segue_error *err);

/** The sums of a task's rewards and its pulls, n_arms each. */
void segue_replay_task_counts(const segue_history *history, size_t task, double *sum,
                              double *pulls);

/**
 * How far the means of tasks differ: *variance around a single type, average over arms, in [0, 1];
 * and the share of it that the types, fitted to the same log, explain.  `variance` may be NULL.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_explained_variance(const segue_types *types,
                                                              const segue_history *history,
                                                              uint64_t seed, double *variance,
                                                              double *explained, segue_error *err);

/** Whether all rewards of a log are the same: then there is nothing to learn. */
bool segue_replay_is_constant(const segue_history *history);

/** An arm, and its share of the rows of a log. */
typedef struct segue_arm_share {
    size_t arm;
    double share;
} segue_arm_share;

/**
 * Whether a log's arms were drawn alike, as far as their shares tell (a chi-square test, wrong once
 * in a million); and the arm with the most rows.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_is_uniform(const segue_history *history, bool *alike,
                                                      segue_arm_share *most, segue_error *err);

#endif
