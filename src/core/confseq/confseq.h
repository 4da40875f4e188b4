/* confseq.h - a confidence sequence for the difference of two means.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_CONFSEQ_H
#define SEGUE_CORE_CONFSEQ_H

#include <stdbool.h>

#include "segue/stats.h"

/** Probability that all intervals of one sequence, together, contain the true difference. */
#define SEGUE_CONFSEQ_LEVEL 0.95

typedef struct segue_confseq {
    double difference; /* mean of the first sample minus mean of the second */
    double low, high;  /* the interval now; inside [-range, range] */
    double half_width; /* before it is cut to that range; may be infinite */
} segue_confseq;

/** A sample, by its moments.  `size` is the effective size of a weighted sample. */
typedef struct segue_confseq_moments {
    double size, mean;
    double squares; /* sum of squared distances from the mean; variance * (size - 1) */
} segue_confseq_moments;

/**
 * The interval for the difference of the means of two growing samples.  It may be read after every
 * number, and reading may stop at any time for any reason.
 *
 * All numbers lie in an interval of width `range` > 0.
 *
 * @retval false  a sample has fewer than two numbers: there is no interval
 */
bool segue_confseq_difference(const segue_stats *first, const segue_stats *second, double range,
                              segue_confseq *out);

/**
 * The interval from moments.  `clock`: the time of the Brownian motion in units of the effective
 * sample size; 1 for samples without weights (trial.h has the other cases).
 *
 * Both sizes are above 1; else the interval is the whole range.
 */
segue_confseq segue_confseq_of_moments(const segue_confseq_moments *first,
                                       const segue_confseq_moments *second, double range,
                                       double clock);

#endif
