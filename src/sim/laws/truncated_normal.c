/* truncated_normal.c - the normal distribution truncated to [0, 1]: the location for a mean, and
 * draws.
 *
 * In units of the standard deviation the distribution lives on [a, b], a = -location / sd, b = a +
 * 1 / sd. Its mean falls as a grows, and is found by bisection. For a > 0 both ends lie in one
 * tail, and Mills' ratio R(x) = Q(x) / phi(x) avoids cancellation. By symmetry a mean above 1/2 is
 * the mirror image of one below. Draws: rejection from the normal, from the uniform, or, in the
 * tail, from an exponential (Robert 1995); at least two in five are accepted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/laws/truncated_normal.h"

#include <math.h>
#include <stdbool.h>

#include "core/math/erf.h"
#include "core/math/exp.h"
#include "core/math/ln.h"

#define SQRT_HALF         0.70710678118654752440 /* sqrt(1/2) */
#define SQRT_HALF_PI      1.25331413731550025121 /* sqrt(pi/2) */
#define TAIL_START        25.0 /* from here on the continued fraction converges in a few terms */
#define EXPONENTIAL_START 1e4  /* from here on 1/R(x) - x is 1/x - 2/x^3 to all digits */
#define TERMS             30
#define MAX_HALVINGS      200
#define MAX_NORMAL_SD     0.5 /* standard deviations above this: draw from the uniform */

static double mills_ratio(double x)
{
    if (x < TAIL_START)
        return SQRT_HALF_PI * segue_exp(0.5 * x * x) * segue_erfc(SQRT_HALF * x);
    double fraction = x;
    for (int k = TERMS; k >= 1; k--)
        fraction = x + k / fraction;
    return 1.0 / fraction;
}

/* Return the mean on [0, 1] for the lower end a. */
static double mean_of(double a, double sd)
{
    const double b = a + 1.0 / sd;
    const double fall = -0.5 * (b - a) * (b + a); /* log phi(b) - log phi(a) */
    if (a > EXPONENTIAL_START)
        return sd * (1.0 / a - 2.0 / (a * a * a));
    if (a > 0.0)
        return sd * (-segue_expm1(fall) / (mills_ratio(a) - segue_exp(fall) * mills_ratio(b)) - a);
    const double mass = SQRT_HALF_PI * (segue_erf(SQRT_HALF * b) - segue_erf(SQRT_HALF * a));
    return sd * (-segue_exp(-0.5 * a * a) * segue_expm1(fall) / mass - a);
}

/* Return the lower end for a mean in (0, 1/2]. */
static double lower_end(double mean, double sd)
{
    double low = -0.5 / sd; /* there the mean is 1/2 */
    double high = fmax(1.0, -low);
    while (mean_of(high, sd) > mean)
        high *= 2.0;
    for (int i = 0; i < MAX_HALVINGS && low < high; i++) {
        const double middle = 0.5 * (low + high);
        if (middle == low || middle == high)
            break;
        if (mean_of(middle, sd) > mean)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double segue_truncated_normal_location(double mean, double sd)
{
    if (mean > 0.5)
        return 1.0 - segue_truncated_normal_location(1.0 - mean, sd);
    return -lower_end(mean, sd) * sd;
}

/* Draw in the tail: an exponential of the best rate, truncated to [a, b], then accepted or not. */
static double draw_tail(segue_rng *rng, double a, double sd)
{
    const bool is_exponential =
        a > EXPONENTIAL_START; /* the distribution is the exponential to all digits */
    const double rate = is_exponential ? a : 0.5 * (a + sqrt(a * a + 4.0));
    const double mass = -segue_expm1(-rate / sd);
    for (;;) {
        const double x = -segue_log1p(-segue_rng_uniform(rng) * mass) / rate;
        const double off = a + x - rate;
        if (is_exponential || segue_rng_uniform(rng) < segue_exp(-0.5 * off * off))
            return fmin(1.0, x * sd);
    }
}

static double draw_middle(segue_rng *rng, double location, double sd)
{
    for (;;) {
        const double x =
            sd > MAX_NORMAL_SD ? segue_rng_uniform(rng) : location + sd * segue_rng_normal(rng);
        const double off = (x - location) / sd;
        if (sd > MAX_NORMAL_SD && segue_rng_uniform(rng) >= segue_exp(-0.5 * off * off))
            continue;
        if (x >= 0.0 && x <= 1.0)
            return x;
    }
}

double segue_truncated_normal_draw(segue_rng *rng, double location, double sd)
{
    if (location < 0.0)
        return draw_tail(rng, -location / sd, sd);
    if (location > 1.0)
        return 1.0 - draw_tail(rng, (location - 1.0) / sd, sd);
    return draw_middle(rng, location, sd);
}
