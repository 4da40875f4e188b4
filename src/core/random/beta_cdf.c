/* beta_cdf.c - the distribution function of Beta numbers, and its inverse.
 *
 * I_x(a, b) is x^a (1 - x)^b / (a B(a, b)) times a continued fraction (Abramowitz and Stegun
 * 26.5.8), evaluated by Lentz's method. It converges fast for x below (a + 1) / (a + b + 2); above,
 * I_x(a, b) = 1 - I_{1-x}(b, a). Quantiles are found by Newton's method on the logarithm, which is
 * concave for a, b >= 1, in a bracket.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "core/random/beta.h"

#define MAX_TERMS 100000 /* about sqrt(max(a, b)) are needed */
#define MAX_STEPS 200    /* of Newton's method, or halvings of the bracket */
#define TINY      1e-300 /* instead of a denominator of 0 */

static double away_from_zero(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

/* Return term m of the fraction: the even one, or the odd one after it. */
static double even_term(double x, double a, double b, double m)
{
    return m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
}

static double odd_term(double x, double a, double b, double m)
{
    return -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
}

/* Evaluate 1 / (1 + d1 / (1 + d2 / (1 + ...))). */
static double fraction(double x, double a, double b)
{
    double c = 1.0, d = 1.0 / away_from_zero(1.0 + odd_term(x, a, b, 0.0)), value = d;
    for (int i = 1; i <= MAX_TERMS; i++) {
        const double m = (double)i, even = even_term(x, a, b, m), odd = odd_term(x, a, b, m);
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        value *= d * c;
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1.0) < DBL_EPSILON)
            break;
    }
    return value;
}

/* Return ln(x^a (1 - x)^b / B(a, b)). */
static double log_front(double x, double a, double b)
{
    return a * segue_ln(x) + b * segue_log1p(-x) - segue_log_beta(a, b);
}

double segue_beta_cdf(double x, double a, double b)
{
    if (!(x > 0.0))
        return 0.0;
    if (x >= 1.0)
        return 1.0;
    const double front = segue_exp(log_front(x, a, b));
    if (x < (a + 1.0) / (a + b + 2.0))
        return fmin(1.0, front * fraction(x, a, b) / a);
    return fmax(0.0, 1.0 - front * fraction(1.0 - x, b, a) / b);
}

double segue_beta_quantile(double p, double a, double b)
{
    if (!(p > 0.0))
        return 0.0;
    if (p >= 1.0)
        return 1.0;
    double low = 0.0, high = 1.0, x = a / (a + b);
    for (int i = 0; i < MAX_STEPS; i++) {
        const double value = segue_beta_cdf(x, a, b);
        *(value > p ? &high : &low) = x;
        const double density = segue_exp(log_front(x, a, b)) / (x * (1.0 - x));
        double next = x - segue_ln(value / p) * value / density;
        if (!(next > low && next < high)) /* NaN too */
            next = 0.5 * (low + high);
        const double step = fabs(next - x);
        x = next;
        if (step <= 2.0 * DBL_EPSILON * x || next <= low || next >= high)
            break;
    }
    return x;
}
