/* expm1.c - exp(x) - 1 without cancellation.
 *
 * With the parts of exp_parts.h and p = 2^(k/128) it is (p - 1) + r + (exp(r) - 1 - r) + (p - 1)(exp(r) - 1).
 * p - 1 is in two parts, r too, and the other terms are below 2^-7 of the sum or of p.  For k = 0 the first
 * is 0.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/exp.h"

#include <math.h>

#include "core/math/exp_parts.h"

#define TINY  0x1p-54 /* below, it rounds to x */
#define LARGE 708.0   /* above, it is exp(x) */
#define MIN_X (-40.0) /* below, it rounds to -1 */

/* exp(r) - 1 - r. */
static inline double tail_of(double r)
{
    const double square = r * r;
    return square *
           ((EXP_FULL_0 + r * EXP_FULL_1) +
            square * ((EXP_FULL_2 + r * EXP_FULL_3) + square * (EXP_FULL_4 + r * EXP_FULL_5)));
}

double segue_expm1(double x)
{
    if (!(x <= LARGE))
        return segue_exp_parts(x, 0.0);
    if (x < MIN_X)
        return -1.0;
    if (fabs(x) < TINY)
        return x;
    const exp_parts parts = exp_parts_of(x, 0.0);
    const double power = number_of(parts.power), tail = parts.r_low + tail_of(parts.r);
    const two_parts less = power > 1.0 ? sum_of(power, -1.0) : sum_of(-1.0, power);
    const two_parts sum = sum_of(less.high, parts.r);
    const double power_low = power * parts.power_low;
    const double rest = tail + ((less.high + power_low) * (parts.r + tail) + power_low);
    return sum.high + ((sum.low + less.low) + rest);
}
