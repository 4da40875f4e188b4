/* beta.h - Beta numbers that are needed only above a threshold; their distribution function.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_RANDOM_BETA_H
#define SEGUE_CORE_RANDOM_BETA_H

#include <stddef.h>

#include "core/random/ziggurat.h"

/** Draw Beta(a, b), a, b > 0, with segue/rng.h, or with the faster tables `fast` if given. */
double segue_beta_draw(const ziggurat *fast, segue_rng *rng, double a, double b);

/** Return an upper bound of the probability that a Beta(a, b) number exceeds x; 1 or more: no bound
 * is known. The bound does not grow with x. */
double segue_beta_tail_bound(double x, double a, double b);

/** Beta(a[i], b[i]) numbers. */
typedef struct segue_beta_array {
    const double *a, *b;
    size_t count;
} segue_beta_array;

/** Return the sum of their tail bounds without number `but`; any value >= 1 if the sum is not below
 * 1. */
double segue_beta_tail_bound_sum(double x, const segue_beta_array *betas, size_t but);

/** Draw a Beta(a, b) number above x, or -1. `probability` < 1 is the tail bound at x, and the
 * caller calls this with that probability; it takes -1 otherwise. The result then has the
 * distribution of a Beta(a, b) number where that exceeds x. */
double segue_beta_draw_above(double x, double probability, segue_rng *rng, double a, double b);

/** Return the probability that a Beta(a, b) number, a, b > 0, is at most x. */
double segue_beta_cdf(double x, double a, double b);

/** Return the x at which segue_beta_cdf is p: 0 for p <= 0, 1 for p >= 1. */
double segue_beta_quantile(double p, double a, double b);

#endif
