/* exp_parts.c - exp, where its result may overflow or be subnormal: in two factors, the last of which rounds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/exp_parts.h"

#include <math.h>

#define MAX_X    709.79    /* above, exp(x) overflows */
#define MIN_X    (-745.14) /* below, it rounds to 0 */
#define EXPONENT INT64_C(600)

double segue_exp_parts(double x, double x_low)
{
    if (!(x < MAX_X))
        return x > 0.0 ? INFINITY : x;
    if (x < MIN_X)
        return 0.0;
    const exp_parts parts = exp_parts_of(x, x_low);
    const int64_t exponent = x > 0.0 ? EXPONENT : -EXPONENT;
    const double power = number_of(parts.power - ((uint64_t)exponent << BITS_EXPONENT));
    return exp_rounded(&parts, power) * (x > 0.0 ? 0x1p600 : 0x1p-600);
}
