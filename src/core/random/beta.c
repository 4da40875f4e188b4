/* beta.c - draw a Beta number only where it exceeds x, from the same distribution.
 *
 * Beta(a, b) with a, b >= 1 is log-concave: above x its density f lies below the exponential
 * C exp(s (t - x)), s = (a - 1) / x - (b - 1) / (1 - x), for every C >= f(x). If s < 0 its mass is
 * M = C / -s. If M < 1, propose t = x + Exp / -s with probability M, and accept it with
 * probability
 * f(t) / (C exp(s (t - x))): accepted numbers have density f.
 *
 * Stirling's series, cut off where it is below ln B(a, b), gives C without a Beta function. With
 * n = a + b, m = a / n, v = a b / n and k the Kullback-Leibler divergence of m from x,
 *
 *     M = sqrt(v / (2 pi)) / w  exp(1 / (12 n) - n k),      w = (n - 2) x - (a - 1),
 *
 * and simpler bounds avoid logarithms: k = integral from m to x of (t - m) / (t (1 - t)) dt is at
 * least (x - m)^2 / 2 times the least 1 / (t (1 - t)) there, and exp(y) >= (1 + y / 256)^256.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/random/beta.h"

#include <math.h>

#include "core/math/ln.h"
#include "core/math/log_gamma.h"

/* exp(1 / (6 n)) / (2 pi) at its most, n = 2: M^2 w^2 exp(2 n k) / v is not above. */
#define MAX_SQUARE (1.0870 / 6.28318530717958647693)

double segue_beta_draw(const ziggurat *fast, segue_rng *rng, double a, double b)
{
    return fast && a >= 1.0 && b >= 1.0 ? segue_ziggurat_beta(fast, rng, a, b)
                                        : segue_rng_beta(rng, a, b);
}

/* No more than exp(y), y >= 0. */
static inline double power_below(double y)
{
    double power = 1.0 + y * (1.0 / 256.0);
    for (int i = 0; i < 8; i++)
        power *= power;
    return power;
}

/* The least 1 / (t (1 - t)), t from 0 to x. */
static inline double steepness_below(double x)
{
    return x < 0.5 ? 1.0 / (x * (1.0 - x)) : 4.0;
}

/* No more than exp(2 n k).  Of means above 1/2 the least 1 / (t (1 - t)) is at m, n^2 / (a b). */
static inline double divergence_power(double x, double steepness, double a, double b)
{
    const double n = a + b, ahead = n * x - a;
    const double gap = ahead > 0.0 ? ahead : 0.0; /* the mode is below x; the mean may not be */
    return power_below(gap * gap * (a > b ? n : steepness) / (a > b ? a * b : n));
}

/* w: above 0 if x is above the mode. */
static inline double width_of(double x, double a, double b)
{
    return (a + b - 2.0) * x - (a - 1.0);
}

/* The bound falls as x rises; belief.c relies on this. */
static inline double tail_bound(double x, double steepness, double a, double b)
{
    const double w = width_of(x, a, b);
    if (!(w > 0.0 && a >= 1.0 && b >= 1.0))
        return INFINITY;
    return sqrt(MAX_SQUARE * a * b / ((a + b) * w * w * divergence_power(x, steepness, a, b)));
}

double segue_beta_tail_bound(double x, double a, double b)
{
    return tail_bound(x, steepness_below(x), a, b);
}

double segue_beta_tail_bound_sum(double x, const segue_beta_array *betas, size_t but)
{
    const double steepness = steepness_below(x);
    double sum = 0.0;
    for (size_t i = 0; i < betas->count && sum < 1.0; i++)
        if (i != but)
            sum += tail_bound(x, steepness, betas->a[i], betas->b[i]);
    return sum;
}

/* The logarithm of t (1 - t) f(t). */
static double log_density(double a, double b, double t)
{
    return a * segue_ln(t) + b * segue_log1p(-t) - segue_log_beta(a, b);
}

double segue_beta_draw_above(double x, double probability, segue_rng *rng, double a, double b)
{
    const double far = -segue_log1p(-segue_rng_uniform(rng)); /* in units of -1 / s */
    const double w = width_of(x, a, b), spread = x * (1.0 - x), t = x + far * spread / w;
    if (!(t < 1.0))
        return -1.0;
    const double log_acceptance =
        log_density(a, b, t) - segue_ln(t * (1.0 - t) / spread * probability * w) + far;
    return segue_log1p(-segue_rng_uniform(rng)) < log_acceptance ? t : -1.0;
}
