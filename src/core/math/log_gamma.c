/* log_gamma.c - ln Gamma(x) for x > 0.
 *
 *     x < 1/4          ln Gamma(1 + x) - ln x
 *     near 1 and 2     where it is 0: t (c_0 + c_1 t + ...), t = x - 1 or x - 2, which is exact; so the error is
 *                      relative to the result here too
 *     x < 16           a polynomial in x - c over each sixteenth of a binade, its value at c in two parts
 *     x >= 16          Stirling's series, (x - 1/2)(ln x - 1) + (ln(2 pi) - 1) / 2 + 1/(12 x) - ..., with the
 *                      logarithm and the product in two parts; the first term that is missing is below 2^-53
 *
 * Coefficients: scripts/make-math-tables.  Negative numbers have no meaning in the project: NaN.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/log_gamma.h"

#include <math.h>
#include <stddef.h>

#include "core/math/log_gamma_table.h"
#include "core/math/log_parts.h"

#define SMALL      0.25
#define LARGE      16.0
#define NEAR       0.125 /* around 1 and below 2 */
#define FIRST      0.25  /* of the pieces */
#define PIECE_BITS 48    /* a piece is a sixteenth of a binade */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline double polynomial(const double *coefficient, size_t count, double t)
{
    double sum = coefficient[count - 1];
    for (size_t k = count - 1; k-- > 0;)
        sum = sum * t + coefficient[k];
    return sum;
}

/* c_0 + c_1 t + ..., where c_0 is the sum of the first two numbers and c_1 that of the next two.  t c_1 is
 * exact in its upper half, so that only terms from t^2 on round much. */
static inline two_parts expand(const double *c, size_t count, double t)
{
    const double t_1 = upper_half(t), t_2 = t - t_1;
    const two_parts sum = sum_of(c[0], t_1 * c[2]);
    const double rest = c[3] + t * polynomial(c + 4, count - 4, t);
    return sum_of(sum.high, (sum.low + c[1]) + (t_2 * c[2] + t * rest));
}

/* t times that, t = x - 1 or x - 2. */
static inline double from_zero(const double *c, size_t count, double t)
{
    const two_parts sum = expand(c, count, t), value = product_of(t, sum.high);
    return value.high + (value.low + t * sum.low);
}

/* x from FIRST to LARGE. */
static two_parts in_pieces(double x)
{
    const double *piece = gamma_pieces[(bits_of(x) - bits_of(FIRST)) >> PIECE_BITS];
    return expand(piece + 1, GAMMA_DEGREE + 3, x - piece[0]);
}

/* ln Gamma(1 + x) - ln x. */
static double below(double x)
{
    if (x == 0.0)
        return INFINITY;
    const two_parts log = log_of(x);
    const double more =
        x < NEAR ? from_zero(gamma_near_one, COUNT(gamma_near_one), x) : in_pieces(1.0 + x).high;
    const two_parts sum = sum_of(-log.high, more);
    return sum.high + (sum.low - log.low);
}

static double stirling(double x)
{
    if (!(x < INFINITY))
        return x;
    const two_parts log = log_of(x);
    const double factor = x - 0.5, lost = (x - factor) - 0.5, less = log.high - 1.0;
    const two_parts product = product_of(factor, less);
    if (!(product.high < INFINITY))
        return INFINITY;
    const double inverse = 1.0 / x;
    const double series =
        inverse * polynomial(gamma_stirling, COUNT(gamma_stirling), inverse * inverse);
    const two_parts sum = sum_of(product.high, HALF_LOG_TWO_PI_HIGH - 0.5);
    return sum.high + (sum.low + (product.low + (factor * log.low + lost * less)) +
                       (series + HALF_LOG_TWO_PI_LOW));
}

double segue_log_gamma(double x)
{
    if (!(x >= 0.0))
        return NAN;
    if (x < SMALL)
        return below(x);
    if (x >= LARGE)
        return stirling(x);
    if (fabs(x - 1.0) < NEAR)
        return from_zero(gamma_near_one, COUNT(gamma_near_one), x - 1.0);
    if (x >= 2.0 - NEAR && x < 2.0 + 4.0 * NEAR)
        return from_zero(gamma_near_two, COUNT(gamma_near_two), x - 2.0);
    return in_pieces(x).high;
}
