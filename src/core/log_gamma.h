/* log_gamma.h - logarithms of the Gamma and Beta functions, and of their ratios.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_LOG_GAMMA_H
#define SEGUE_CORE_LOG_GAMMA_H

#include <stddef.h>

/** ln Gamma(x), x > 0. */
double segue_log_gamma(double x);

/** ln B(a, b); a, b > 0. */
double segue_log_beta(double a, double b);

/** What ln Gamma(a + x) - ln Gamma(a) needs of a: prepared once, for many x. */
typedef struct segue_log_gamma_ratio {
    double from;       /* a, shifted to where Stirling's series holds */
    double inverse;    /* 1 / from */
    double log_from;   /* ln from */
    double correction; /* terms of the series at from */
    double product;    /* what the shift left out; 1 without a shift */
    double start;      /* a, where it was shifted; 0 without a shift */
} segue_log_gamma_ratio;

/** Prepare; a > 0. */
segue_log_gamma_ratio segue_log_gamma_ratio_init(double a);

/** ln Gamma(a + x) - ln Gamma(a), x >= 0; exactly 0 at x = 0. */
double segue_log_gamma_ratio_at(const segue_log_gamma_ratio *rise, double x);

/** The same for many x, faster; the same bits. */
void segue_log_gamma_ratio_all(const segue_log_gamma_ratio *rise, const double *x, size_t count,
                               double *out);

/** ln B(a + won, b + lost) - ln B(a, b): how likely a Beta(a, b) mean makes one given row of
 * rewards with these sums of what was won and lost.  a, b > 0; won, lost >= 0; exactly 0 if both
 * are. */
double segue_log_beta_ratio(double a, double b, double won, double lost);

/** Its sum over arms: `count` of each, won <= pulls = won + lost. */
double segue_log_beta_ratios(const double *a, const double *b, const double *won,
                             const double *pulls, size_t count);

#endif
