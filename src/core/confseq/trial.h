/* trial.h - a randomized trial: two treatments, assigned with probabilities that may change.
 *
 * Each subject gets the control treatment with a probability that is fixed before the subject is
 * assigned and depends only on subjects that are finished: the share of control in force.  Outcomes
 * are weighted by the inverse of the probability of the treatment that the subject got.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_TRIAL_H
#define SEGUE_CORE_TRIAL_H

#include <stdint.h>

#include "confseq.h"

/** Shares of control outside [MIN, 1 - MIN] compare nothing: the subject does not count. */
#define SEGUE_TRIAL_MIN_SHARE 1e-9

enum { SEGUE_TRIAL_TREATED, SEGUE_TRIAL_CONTROL, SEGUE_TRIAL_N_GROUPS };

/** Weighted outcomes of one group: w is the weight, x the outcome. */
typedef struct segue_trial_group {
    segue_stats plain;      /* of x, without weights */
    double weight, weight2; /* sums of w and of w^2 */
    double mean, mean2;     /* means of x, weighted by w and by w^2 */
    double squares2;        /* sum of w^2 (x - mean2)^2 */
} segue_trial_group;

/** All zeros: no subject yet. */
typedef struct segue_trial {
    segue_trial_group group[SEGUE_TRIAL_N_GROUPS];
    double first;   /* p (1 - p) of the first subject, p its share of control */
    double inverse; /* sum of 1 / (p (1 - p)) over subjects */
} segue_trial;

/** Add a finished subject; `share` is the probability of control when it was assigned.
 * @retval false  the share compares nothing, and the subject does not count */
bool segue_trial_add(segue_trial *trial, bool control, double share, double outcome);

/** The number of subjects. */
uint64_t segue_trial_count(const segue_trial *trial);

/**
 * The confidence sequence for the mean effect over the subjects so far: treated minus control.
 * All outcomes lie in an interval of width `range` > 0.
 *
 * @retval false  a group has fewer than two subjects: there is no interval
 */
bool segue_trial_interval(const segue_trial *trial, double range, segue_confseq *out);

/**
 * The number of further subjects until the half width is below `effect` > 0, if the variances stay
 * as they are and the share of control stays `share`.
 *
 * @retval UINT64_MAX  more than `max`, or there is no interval, or the share compares nothing
 */
uint64_t segue_trial_subjects_until(const segue_trial *trial, double range, double share,
                                    double effect, uint64_t max);

#endif
