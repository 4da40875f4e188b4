/* log_beta.h - logarithms of the Gamma and Beta functions, and of their ratios.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LOG_BETA_H
#define SEGUE_CORE_LOG_BETA_H

/** ln Gamma(x), x > 0. */
double segue_log_gamma(double x);

/** ln B(a, b); a, b > 0. */
double segue_log_beta(double a, double b);

/** What ln Gamma(a + x) - ln Gamma(a) needs of a: prepared once, for many x. */
typedef struct segue_rise {
    double from;       /* a, shifted to where Stirling's series holds */
    double log_from;   /* its logarithm */
    double correction; /* its terms of the series */
    double product;    /* of what the shift left out; 1 without a shift */
    double start;      /* a, where it was shifted; 0 without a shift */
} segue_rise;

/** Prepare; a > 0. */
segue_rise segue_rise_from(double a);

/** ln Gamma(a + x) - ln Gamma(a), x >= 0; exactly 0 at x = 0. */
double segue_rise_by(const segue_rise *rise, double x);

/** ln B(a + won, b + lost) - ln B(a, b): how likely a Beta(a, b) mean makes one given row of
 * rewards with these sums of what was won and lost.  a, b > 0; won, lost >= 0; exactly 0 if both
 * are. */
double segue_log_beta_ratio(double a, double b, double won, double lost);

#endif
