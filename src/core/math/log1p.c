/* log1p.c - ln(1 + x) with the digits of x that 1 + x rounds away.
 *
 * 1 + x = u + lost exactly (Knuth's sum).  log_parts.h adds `lost` to the lower half of z, where it changes
 * nothing that is exact: ln(1 + x) costs little more than ln x, and needs no other case near 0.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/ln.h"

#include <math.h>

#include "core/math/log_parts.h"

#define LARGE 0x1p60  /* from here on ln(1 + x) rounds to ln x */
#define TINY  0x1p-54 /* below, it rounds to x */

double segue_log1p(double x)
{
    if (!(x > -1.0 && x < LARGE))
        return x == -1.0 ? -INFINITY : x > 0.0 ? segue_ln(x) : NAN;
    if (fabs(x) < TINY)
        return x;
    const double u = 1.0 + x, from_one = u - 1.0;
    const double lost = (1.0 - (u - from_one)) + (x - from_one);
    const log_cut cut = log_cut_of(bits_of(u));
    const double scale = number_of((uint64_t)(1023 - cut.k) << BITS_EXPONENT); /* 2^-k */
    const log_parts parts = log_parts_of(&cut, lost * scale);
    return log_rounded(&parts);
}
