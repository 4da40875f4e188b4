/* log_gamma.h - logarithms of the Gamma and Beta functions, and of their ratios.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_LOG_GAMMA_H
#define SEGUE_CORE_MATH_LOG_GAMMA_H

#include <stddef.h>

/** ln Gamma(x), x > 0, within a unit of the last place, also near its zeros 1 and 2; NaN for x < 0. */
double segue_log_gamma(double x);

/** ln B(a, b); a, b > 0. */
double segue_log_beta(double a, double b);

/** The part of ln Gamma(a + x) - ln Gamma(a) that depends on a alone; prepare it once for many x.
 */
typedef struct segue_log_gamma_ratio {
    double from;       /* a, shifted to where Stirling's series holds */
    double inverse;    /* 1 / from */
    double log_from;   /* ln from */
    double correction; /* terms of the series at from */
    double product;    /* a (a + 1) ... up to the shift; 1 without a shift */
    double start;      /* a, where it was shifted; 0 without a shift */
} segue_log_gamma_ratio;

/** Prepare; a > 0. */
segue_log_gamma_ratio segue_log_gamma_ratio_init(double a);

/** ln Gamma(a + x) - ln Gamma(a), x >= 0; exactly 0 at x = 0. */
double segue_log_gamma_ratio_at(const segue_log_gamma_ratio *rise, double x);

/** segue_log_gamma_ratio_at for many x: faster, the same bits. */
void segue_log_gamma_ratio_all(const segue_log_gamma_ratio *rise, const double *x, size_t count,
                               double *out);

/** ln B(a + won, b + lost) - ln B(a, b): the log probability that a Beta(a, b) mean gives one
 * sequence of rewards with these sums. a, b > 0; won, lost >= 0; exactly 0 if both are 0. */
double segue_log_beta_ratio(double a, double b, double won, double lost);

/** The sum of segue_log_beta_ratio over `count` arms; won <= pulls = won + lost. */
double segue_log_beta_ratios(const double *a, const double *b, const double *won,
                             const double *pulls, size_t count);

#endif
