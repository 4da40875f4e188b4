/* ln.c - the natural logarithm; log_parts.h has the method.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/ln.h"

#include <math.h>

#include "core/math/log_parts.h"

/* Of 0, subnormal and negative numbers, infinity and NaN. */
static double special(double x)
{
    if (x == 0.0)
        return -INFINITY;
    if (!(x > 0.0))
        return NAN;
    if (isinf(x))
        return x;
    const two_parts log = log_of(x);
    return log.high;
}

double segue_ln(double x)
{
    const uint64_t bits = bits_of(x);
    if (bits - BITS_MIN_NORMAL >= BITS_INFINITY - BITS_MIN_NORMAL)
        return special(x);
    const log_cut cut = log_cut_of(bits);
    const log_parts parts = log_parts_short(&cut);
    return log_rounded(&parts);
}
