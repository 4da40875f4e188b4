/* replay.h - evaluate policies and learners on a log: would transfer have paid?
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_H
#define SEGUE_REPLAY_REPLAY_H

#include <math.h>

#include "io/log/history.h"
#include "io/policy_list.h"
#include "replay/replay_result.h"
#include "segue/internal.h"

/** Defaults of the runs and replicates of the urn. */
#define SEGUE_REPLAY_PLAYED_TASKS 16000
#define SEGUE_REPLAY_REPLICATES   20

/** Tasks of a log below which no types are fitted. */
#define SEGUE_MIN_TYPED_TASKS 8

/** Rewards per task of the rarest arm, on average, below which types are not judged: resampling
 * then mistakes the noise of a task's averages for differences between tasks. */
#define SEGUE_MIN_REWARDS_FOR_TYPES 30.0

/** Share of the regret of a prior per arm that types must save; below, they add little. */
#define SEGUE_MIN_TYPES_SAVING 0.10

/** Rewards per arm and task, on average, below which a log does not show how tasks differ: there
 * are no figures of regret. */
#define SEGUE_MIN_REWARDS_PER_CELL 2.0

/** Fewer tasks of a type do not show how common it is. */
#define SEGUE_MIN_TASKS_OF_TYPE 20.0

/** Round a number of rewards down to the two digits of %.2g, so that 1.99 is not 2. */
static inline double segue_replay_round_down(double rewards)
{
    const double unit = rewards > 0.0 ? segue_decade_power(segue_decade(rewards) - 1) : 1.0;
    return floor(rewards / unit + 1e-9) * unit;
}

/** How a log is played. */
typedef enum segue_replay_method {
    SEGUE_REPLAY_METHOD_URN, /* a pull takes the task's next reward of the arm; after the last one,
                                draws from what types that were fitted to the log say of the task */
    SEGUE_REPLAY_METHOD_ROWS /* a pull takes the next row with the arm; for randomised logs */
} segue_replay_method;

typedef enum segue_replay_order {
    SEGUE_REPLAY_ORDER_FILE,
    SEGUE_REPLAY_ORDER_SHUFFLE,
    SEGUE_REPLAY_ORDER_TIME /* by the first time of a task; needs times */
} segue_replay_order;

/** The input: all is borrowed, and must outlive the result. */
typedef struct segue_replay_config {
    const char *path; /* of the log, for messages */
    const segue_history *history;
    double lowest, highest; /* the range of rewards */
    const char
        *log_options; /* with which the log was read, for a shell, with a blank before each */
    /* ts, ts-prior, tla:cap=1 (a prior per arm, with look-ahead) and the best fixed arm are added
     */
    const segue_policy_list *policies;
    segue_replay_method method;
    segue_replay_order order;
    const char *holdout;   /* score the tasks whose names match this POSIX extended regular
                              expression, after learning on the others; or NULL */
    uint64_t steps;        /* horizon; 0: what the median task of the log can answer */
    uint64_t first_scored; /* position of the first scored task; 0: 41, or half of the tasks */
    uint64_t runs;         /* 0: enough for SEGUE_REPLAY_PLAYED_TASKS tasks, 4 to 32 */
    uint64_t replicates;   /* urn: for the intervals; 0: SEGUE_REPLAY_REPLICATES */
    segue_yearly yearly;   /* what is reported, not computed with */
    uint64_t seed;
    size_t threads;
    const atomic_bool *stop; /* ends the replay; or NULL */
    bool values_only;        /* no intervals, no types and no verdict: for many logs in a row */
    void (*progress)(void *context, double done, double total);
    void *context;
} segue_replay_config;

/**
 * Play the log with every candidate; score and judge them.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EDOMAIN, SEGUE_EPARSE  the log or a field is not fit for it
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD
 * @retval SEGUE_ESTOPPED  by config->stop
 */
SEGUE_MUST_CHECK segue_status segue_replay_evaluate(segue_replay_result *out,
                                                    const segue_replay_config *config,
                                                    segue_error *err);

/** Set conclusion, use and verdict of a scored result. */
void segue_replay_verdict(segue_replay_result *result);

/**
 * Fit types to all rows of a log.  The caller destroys *out, also after a failure.  `stop` ends the fit;
 * or NULL.
 *
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED
 */
SEGUE_MUST_CHECK segue_status segue_replay_fit_types(segue_types **out,
                                                     const segue_history *history, size_t cap,
                                                     uint64_t seed, const atomic_bool *stop,
                                                     segue_error *err);

/**
 * Compute the variance of tasks' means around a single type, averaged over arms, in [0, 1], and the
 * share of it that types, fitted to the same log, explain.  `variance` may be NULL.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_explained_variance(const segue_types *types,
                                                              const segue_history *history,
                                                              uint64_t seed, double *variance,
                                                              double *explained, segue_error *err);

/** True if all rewards of a log are equal: then there is nothing to learn. */
bool segue_replay_is_constant(const segue_history *history);

/** An arm, and its share of the rows of a log. */
typedef struct segue_arm_share {
    size_t arm;
    double share;
} segue_arm_share;

/**
 * Test by the shares of the arms if a log drew its arms uniformly (chi-square; false alarm 1e-6),
 * and find the most frequent arm.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_is_uniform(const segue_history *history, bool *uniform,
                                                      segue_arm_share *frequent, segue_error *err);

#endif
