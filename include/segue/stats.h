/* stats.h - running mean, variance and standard error; quantiles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STATS_H
#define SEGUE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Running moments of the numbers seen so far. All zeros: none. */
typedef struct segue_stats {
    uint64_t count;
    double mean;
    double squares; /* sum of squared distances from the mean */
} segue_stats;

/** Add one number. */
SEGUE_API void segue_stats_add(segue_stats *stats, double x);

/** Add the numbers of `other`. */
SEGUE_API void segue_stats_merge(segue_stats *stats, const segue_stats *other);

/** Return the unbiased variance; NaN below two numbers. */
SEGUE_API double segue_stats_variance(const segue_stats *stats);

/** Return the standard error of the mean; NaN below two numbers. */
SEGUE_API double segue_stats_standard_error(const segue_stats *stats);

/** Return the half width, in standard errors, of a 95 % confidence interval for the mean of `count`
 * normal numbers: the 0.975-quantile of Student's t with count - 1 degrees of freedom. NaN below
 * two numbers. */
SEGUE_API double segue_stats_student_95(uint64_t count);

/** Return the probability that |t| is above `t` for Student's t with count - 1 degrees of freedom:
 * the two-sided p-value of a mean of `count` numbers that lies `t` standard errors from 0. NaN below
 * two numbers. */
SEGUE_API double segue_stats_student_p(double t, uint64_t count);

/**
 * Return the q-quantile, linear between order statistics (q = 0 the smallest, 1 the largest).
 *
 * `values` is sorted in place; `count` >= 1; no value is NaN; 0 <= q <= 1.
 */
SEGUE_API double segue_stats_quantile(double *values, size_t count, double q);

#ifdef __cplusplus
}
#endif
#endif
