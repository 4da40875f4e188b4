/* task_limits.h - limits of one ask: allowed arms, a floor of their probabilities, fixed shares.
 *
 * An arm with a share has exactly that probability.  The policy chooses among the other arms, its
 * free arms, with what the shares leave; each of them has at least the floor.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_TASK_LIMITS_H
#define SEGUE_BANDIT_TASK_LIMITS_H

#include "segue/task.h"

/** Limits of an ask.  The arrays are the caller's, of n_arms or more; all zeros: no limits. */
typedef struct segue_task_limits {
    bool
        *allowed; /* arms that may be chosen, later the free arms; NULL: all that the task may pull;
                      with `share` not NULL */
    double *share; /* fixed probabilities, 0: none; their sum is 1 or less; NULL: no arm has one */
    double floor;  /* least probability of a free arm */
    size_t n_free; /* segue_task_limits_fit sets it, and ... */
    double rest;   /* ... the probability that the policy chooses */
} segue_task_limits;

/**
 * Fit the limits to the arms of a task, before the functions below.
 *
 * Shares of arms that may not be chosen become 0; `allowed` keeps the free arms.  A floor that is
 * too high for the free arms becomes the highest that is possible: they are equally likely.  Without
 * a free arm the shares grow in proportion, to a sum of 1.
 *
 * @retval SEGUE_EDOMAIN  no arm is allowed that the task may pull
 */
SEGUE_MUST_CHECK segue_status segue_task_limits_fit(segue_task_limits *limits, segue_task *task,
                                                    segue_error *err);

/** True if a floor or a share acts: an ask then takes one more random number. */
static inline bool segue_task_limits_act(const segue_task_limits *limits)
{
    return limits->share || limits->floor > 0.0;
}

/** Ask within the limits.  @retval SEGUE_EDOMAIN  no arm is allowed that the task may pull */
SEGUE_MUST_CHECK segue_status segue_task_limits_ask(const segue_task_limits *limits,
                                                    segue_task *task, size_t *arm,
                                                    segue_error *err);

/** Return the probability of an arm, given its probability under the policy among the free arms; 0
 * for an arm that may not be chosen. */
double segue_task_limits_probability(const segue_task_limits *limits, segue_task *task, size_t arm,
                                     double by_policy);

#endif
