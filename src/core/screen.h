/* screen.h - Beta numbers that matter only where they are above a bar.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_SCREEN_H
#define SEGUE_CORE_SCREEN_H

#include "core/ziggurat.h"

/** A number that others are held against, and what is the same for all of them. */
typedef struct segue_bar {
    double x;
    double curvature; /* 1 / (2 t (1 - t)) at its least, t from 0 to x */
} segue_bar;

segue_bar segue_bar_at(double x);

/** Beta(a, b), a, b > 0: by the numbers of segue/rng.h, or by the faster ones of `fast` if given. */
double segue_draw_beta(const ziggurat *fast, segue_rng *rng, double a, double b);

/** A draw of Beta(a, b) if it is above the bar, else anything that is not: most of those that
 * have no chance take one random number and no logarithm. */
double segue_draw_above(const segue_bar *bar, const ziggurat *fast, segue_rng *rng, double a,
                        double b);

#endif
