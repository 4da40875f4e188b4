/* dispersion.h - how much rewards vary, relative to rewards of 0 and 1 with the same mean.
 *
 * The dispersion phi of rewards with mean p is their variance over p (1 - p): 1 if they are 0 or 1,
 * less if they are graded.  One graded reward tells as much of its mean as 1 / phi rewards of 0 or 1.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_DISPERSION_H
#define SEGUE_BANDIT_DISPERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sums of squares of rewards around the mean of their task and arm. */
typedef struct segue_dispersion {
    double within;  /* of the rewards */
    double binary;  /* expected of rewards of 0 and 1 with these means; equal if they are these */
    double freedom; /* degrees of freedom: rewards minus means */
} segue_dispersion;

/** Return the sums of one task and arm: number of rewards, their sum, and the sum of x (1 - x). */
segue_dispersion segue_dispersion_of(double pulls, double sum, double graded);

/** Return them multiplied by 6 / (5 + freedom), so that an arm that is pulled often does not decide
 * for the others. */
segue_dispersion segue_dispersion_capped(double pulls, double sum, double graded);

/** Add sums, multiplied by a number that may be negative. */
void segue_dispersion_add(segue_dispersion *to, segue_dispersion more, double times);

/** Return the p (1 - p) of an average reward: at most 1/4, and 1/4 without rewards. */
double segue_dispersion_unit(const segue_dispersion *sums);

/** Return the dispersion, with `count` rewards of dispersion `expected` and p (1 - p) = `unit` added:
 * exactly 1 if that is expected and all rewards are 0 or 1. */
double segue_dispersion_shrunk(const segue_dispersion *sums, double count, double unit,
                               double expected);

/** The dispersion that a learner expects of the rewards of a task. */
typedef struct segue_expected_dispersion {
    const double *arm; /* n_arms: dispersion */
    double all;        /* of all arms together */
    double unit;       /* p (1 - p) of an average reward */
} segue_expected_dispersion;

/** Compute it from the sums of each arm over tasks: an arm is shrunk to all arms by eight rewards,
 * and these to 1 by one reward.  `expected` (n_arms) becomes out->arm. */
void segue_dispersion_expect(const segue_dispersion *arm, size_t n_arms, double *expected,
                             segue_expected_dispersion *out);

/** Return how many rewards of 0 or 1 a reward counts as: 1 / dispersion, 1 to 10,000. */
double segue_dispersion_weight(double dispersion);

#endif
