/* exp_parts.h - what exponentials share: x = k ln(2)/128 + r, so that exp(x) = 2^(k/128) exp(r).
 *
 * |r| <= ln(2)/256 < 2^-8.5.  A table has 2^(j/128) in two parts (Tang 1989), a polynomial exp(r) - 1 - r.
 * k ln(2)/128 is a product of a number of 18 bits and one of 35: exact, and so is its difference from x.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_EXP_PARTS_H
#define SEGUE_CORE_MATH_EXP_PARTS_H

#include "core/math/bits.h"
#include "core/math/exp_table.h"

#define EXP_ROUND 0x1.8p52 /* added to a number below 2^51, it rounds it to an integer */

/* exp(x) = 2^e power (1 + power_low) exp(r + r_low); `power` has the bits of a double. */
typedef struct exp_parts {
    uint64_t power; /* of 2^(j/128), times 2^e */
    double power_low, r, r_low;
} exp_parts;

/* Of x + x_low; |x| < 1000. */
static inline exp_parts exp_parts_of(double x, double x_low)
{
    const double shifted = x * EXP_INVERSE_STEP + EXP_ROUND, k = shifted - EXP_ROUND;
    const uint64_t integer = bits_of(shifted), j = integer % EXP_CELLS; /* its low bits are k's */
    const double near = x - k * EXP_STEP_HIGH, far = x_low - k * EXP_STEP_LOW;
    const double r = near + far;
    return (exp_parts){.power = segue_exp_table[j].power + ((integer - j) << 45),
                       .power_low = segue_exp_table[j].low,
                       .r = r,
                       .r_low = (near - r) + far};
}

/* exp(x) of the parts, but for r_low: `power` is theirs, or a multiple of it by a power of 2. */
static inline double exp_rounded(const exp_parts *x, double power)
{
    const double r = x->r, square = r * r;
    const double tail = square * (EXP_SHORT_0 + r * EXP_SHORT_1);
    const double far = (square * square) * (EXP_SHORT_2 + r * EXP_SHORT_3);
    return power + power * (((x->power_low + r) + tail) + far);
}

/* exp(x + x_low), any x, |x_low| a few units of x's last place; NaN for NaN. */
double segue_exp_parts(double x, double x_low);

#endif
