/* screen.c - of a Beta number only what is above x, in the same law.
 *
 * Beta(a, b) with a, b >= 1 is log-concave: above x its density f lies below the exponential
 * C exp(s (t - x)), s = (a - 1) / x - (b - 1) / (1 - x), for every C >= f(x).  If s < 0 its mass is
 * M = C / -s.  If M < 1, then with probability 1 - M the number is not above x; else
 * t = x + Exp / -s is a candidate, kept with probability f(t) / (C exp(s (t - x))).  What is kept
 * has density f.  Where s >= 0, M >= 1 or f is not log-concave, the number is drawn.
 *
 * Stirling's series, cut off where it is below ln B(a, b), gives C without a Beta function.  With
 * n = a + b, m = a / n and k the Kullback-Leibler divergence of m from x,
 *
 *     M = sqrt(a b / (2 pi n)) / w  exp(1 / (12 n) - n k),      w = (n - 2) x - (a - 1),
 *
 * and most numbers are ruled out without a logarithm too, by k = integral from m to x of
 * (t - m) / (t (1 - t)) dt >= c (x - m)^2, c the least 1 / (2 t (1 - t)) there, and by
 * exp(y) >= (1 + y / 32)^32.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/screen.h"

#include <math.h>

#include "core/log_beta.h"

#define TWO_PI          6.28318530717958647693
#define MOST_CORRECTION 1.0870 /* exp(1 / (6 n)), n = 2 */

segue_bar segue_bar_at(double x)
{
    return (segue_bar){.x = x, .curvature = x < 0.5 ? 0.5 / (x * (1.0 - x)) : 2.0};
}

double segue_draw_beta(const ziggurat *fast, segue_rng *rng, double a, double b)
{
    return fast && a >= 1.0 && b >= 1.0 ? segue_ziggurat_beta(fast, rng, a, b)
                                        : segue_rng_beta(rng, a, b);
}

/* No more than exp(y), y >= 0. */
static double power_below(double y)
{
    const double p = 1.0 + y / 32.0, p2 = p * p, p4 = p2 * p2, p8 = p4 * p4, p16 = p8 * p8;
    return p16 * p16;
}

/* The logarithm of C x (1 - x), which is w M. */
static double log_height(double a, double b, double x)
{
    const double n = a + b;
    const double divergence = a * log(a / (n * x)) + b * log(b / (n * (1.0 - x)));
    return 0.5 * log(a * b / (TWO_PI * n)) + 1.0 / (12.0 * n) - divergence;
}

/* The logarithm of t (1 - t) f(t). */
static double log_density(double a, double b, double t)
{
    return a * log(t) + b * log1p(-t) - segue_log_beta(a, b);
}

/* The candidate of an exponential with the slope -w / (x (1 - x)), if it is kept. */
static double keep(double a, double b, double x, double w, double log_c, segue_rng *rng)
{
    const double far = -log1p(-segue_rng_uniform(rng)); /* as a multiple of -1 / s */
    const double spread = x * (1.0 - x), t = x + far * spread / w;
    if (!(t < 1.0))
        return -1.0;
    const double kept = log_density(a, b, t) - log(t * (1.0 - t) / spread) - log_c + far;
    return log1p(-segue_rng_uniform(rng)) < kept ? t : -1.0;
}

double segue_draw_above(const segue_bar *bar, const ziggurat *fast, segue_rng *rng, double a,
                        double b)
{
    const double x = bar->x, n = a + b, w = (n - 2.0) * x - (a - 1.0);
    if (!(w > 0.0 && a >= 1.0 && b >= 1.0))
        return segue_draw_beta(fast, rng, a, b);
    const double inverse = 1.0 / n, u = 1.0 - segue_rng_uniform(rng);
    const double gap = n * x > a ? n * x - a : 0.0; /* the mode is below x; the mean may not be */
    const double square = a * b * inverse, c = a > b ? 0.5 * n / square : bar->curvature;
    const double uw = u * w;
    if (square * (MOST_CORRECTION / TWO_PI) < uw * uw * power_below(2.0 * c * gap * gap * inverse))
        return -1.0; /* M < u, whatever it is exactly */
    const double log_c = log_height(a, b, x), mass = exp(log_c) / w;
    if (!(mass < 1.0))
        return segue_draw_beta(fast, rng, a, b);
    return u > mass ? -1.0 : keep(a, b, x, w, log_c, rng);
}
