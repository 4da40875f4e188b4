/* screen.h - Beta numbers that matter only where they are above a bar.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_SCREEN_H
#define SEGUE_CORE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/ziggurat.h"

/** Beta(a, b), a, b > 0: by the numbers of segue/rng.h, or by the faster ones of `fast` if given. */
double segue_draw_beta(const ziggurat *fast, segue_rng *rng, double a, double b);

/** Many Beta(a[i], b[i]) numbers, each to be held against x. */
typedef struct segue_betas {
    const double *a, *b;
    size_t count;
} segue_betas;

/** At least the probability that number i is above x; at 1 or more nothing is known. */
double segue_chance_above(double x, const segue_betas *betas, size_t i);

/** Their sum, but for number `but`. */
double segue_chances_above(double x, const segue_betas *betas, size_t but);

/** To be called with probability `chance` < 1, as it was told: a number of that law that is above
 * x, or -1.  So called, and else taken for -1, it has the law of the number as far as that is above
 * x. */
double segue_draw_above(double x, double chance, segue_rng *rng, double a, double b);

#endif
