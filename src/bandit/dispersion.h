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

#endif
