/* beta.h - Beta numbers that matter only where they are above a bar.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_RANDOM_BETA_H
#define SEGUE_CORE_RANDOM_BETA_H

#include <stddef.h>

#include "core/random/ziggurat.h"

/** Beta(a, b), a, b > 0: by the numbers of segue/rng.h, or by the faster ones of `fast` if given.
 */
double segue_beta_draw(const ziggurat *fast, segue_rng *rng, double a, double b);

/** At least the probability that a Beta(a, b) number is above x; at 1 or more nothing is known.  A
 * larger x has no larger chance. */
double segue_beta_tail_bound(double x, double a, double b);

/** Beta(a[i], b[i]) numbers. */
typedef struct segue_beta_array {
    const double *a, *b;
    size_t count;
} segue_beta_array;

/** The sum of their chances, but for that of number `but`; 1 or more, no matter what, where it is
 * not below 1. */
double segue_beta_tail_bound_sum(double x, const segue_beta_array *betas, size_t but);

/** To be called with probability `chance` < 1, as it was told: a Beta(a, b) number that is above x,
 * or -1.  So called, and else taken for -1, it has the law of a Beta(a, b) number as far as that is
 * above x. */
double segue_beta_draw_above(double x, double chance, segue_rng *rng, double a, double b);

#endif
