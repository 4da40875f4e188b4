/* pow.c - x^y = exp(y ln x), with ln x and the product in two parts (log_parts.h, exp_parts.h).
 *
 * y ln x is at most 745: an error of 2^-67 of ln x is one of 2^-57 in the exponent, 1/16 of the last place.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>

#include "core/math/exp.h"
#include "core/math/exp_parts.h"
#include "core/math/log_parts.h"

#define MAX_ABS   700.0  /* up to here results are normal numbers */
#define MAX_POWER 0x1p66 /* |ln x| is 0 or above 2^-54: with this y the result overflows or is 0 */

static bool is_integer(double y)
{
    return y == rint(y);
}

static bool is_odd(double y)
{
    return is_integer(y) && fabs(y) < 0x1p53 && (int64_t)y % 2 != 0;
}

/* exp(y ln x), ln x in two parts; |y| from 2^-66 to 2^66.  The product of upper halves is exact. */
static inline double power_of(two_parts log, double y)
{
    const double y_1 = upper_half(y), log_1 = upper_half(log.high);
    const double product = y_1 * log_1;
    const double rest = (y - y_1) * log_1 + y * ((log.high - log_1) + log.low);
    if (!(fabs(product) < MAX_ABS))
        return segue_exp_parts(product, rest);
    const exp_parts parts = exp_parts_of(product, rest);
    return exp_rounded(&parts, number_of(parts.power));
}

/* x > 0, finite, not 1; y finite, not 0. */
static double positive(double x, double y)
{
    if (fabs(y) > MAX_POWER)
        return (x > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    if (fabs(y) < 1.0 / MAX_POWER)
        return 1.0;
    return power_of(log_of(x), y);
}

/* x or y is 0, infinite or NaN: C11 F.10.4.4. */
static double special(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return NAN;
    if (isinf(y))
        return fabs(x) == 1.0 ? 1.0 : (fabs(x) > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    const double value = (x != 0.0) == (y > 0.0) ? INFINITY : 0.0; /* x is 0 or infinite */
    return is_odd(y) ? copysign(value, x) : value;
}

/* x is subnormal or not above 0, or one is infinite or NaN, or y is tiny, huge or 0. */
static double unusual(double x, double y)
{
    const bool is_finite =
        fabs(x) > 0.0 && fabs(x) < INFINITY && fabs(y) > 0.0 && fabs(y) < INFINITY;
    if (!is_finite || x == 1.0)
        return special(x, y);
    if (x > 0.0)
        return positive(x, y);
    if (!is_integer(y))
        return NAN;
    const double value = x == -1.0 ? 1.0 : positive(-x, y);
    return is_odd(y) ? -value : value;
}

double segue_pow(double x, double y)
{
    const uint64_t bits = bits_of(x);
    if (bits - BITS_MIN_NORMAL >= BITS_INFINITY - BITS_MIN_NORMAL ||
        !(fabs(y) <= MAX_POWER && fabs(y) >= 1.0 / MAX_POWER))
        return unusual(x, y);
    const log_cut cut = log_cut_of(bits);
    const log_parts parts = log_parts_of(&cut, 0.0);
    return power_of(log_in_two_parts(&parts), y);
}
