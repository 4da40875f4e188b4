/* erf.c - the error function and its complement.
 *
 *     |x| < 1/2    erf(x) = x (c_0 + c_1 x^2 + ...), c_0 = 2 / sqrt(pi) in two parts
 *     x >= 1/2     erfc(x) = exp(-x^2) f(x), x^2 in two parts, f smooth: a polynomial over each eighth of a binade
 *
 * erf(x) = 1 - erfc(x) there, and erfc(-x) = 2 - erfc(x).  Coefficients: scripts/make-math-tables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/erf.h"

#include <math.h>
#include <stddef.h>

#include "core/math/bits.h"
#include "core/math/erf_table.h"
#include "core/math/exp_parts.h"

#define FIRST      0.5
#define TINY       0x1p-500 /* below, halves of products would underflow */
#define LAST       27.3     /* beyond, erfc(x) rounds to 0 */
#define PIECE_BITS 49       /* a piece is an eighth of a binade */

/* erf(x) in two parts, |x| < FIRST. */
static inline two_parts near_zero(double x)
{
    const double square = x * x;
    double sum = 0.0;
    for (size_t k = sizeof erf_near / sizeof *erf_near; k-- > 2;)
        sum = sum * square + erf_near[k];
    const two_parts first = product_of(x, erf_near[0]);
    return sum_of(first.high, first.low + x * (erf_near[1] + square * sum));
}

/* erfc(x), x >= FIRST. */
static double far_out(double x)
{
    if (x > LAST)
        return 0.0;
    const double *piece = erf_pieces[(bits_of(x) - bits_of(FIRST)) >> PIECE_BITS];
    const double t = x - piece[0];
    double sum = 0.0;
    for (size_t k = ERF_DEGREE; k > 0; k--)
        sum = (sum + piece[k + 2]) * t;
    const two_parts square = product_of(x, x);
    return segue_exp_parts(-square.high, -square.low) * (piece[1] + (piece[2] + sum));
}

double segue_erf(double x)
{
    if (isnan(x) || fabs(x) < TINY)
        return x * erf_near[0];
    if (fabs(x) < FIRST)
        return near_zero(x).high;
    return copysign(1.0 - far_out(fabs(x)), x);
}

double segue_erfc(double x)
{
    if (isnan(x))
        return x;
    if (fabs(x) < FIRST) {
        const two_parts erf = near_zero(x), rest = sum_of(1.0, -erf.high);
        return rest.high + (rest.low - erf.low);
    }
    return x > 0.0 ? far_out(x) : 2.0 - far_out(-x);
}
