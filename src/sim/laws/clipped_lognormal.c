/* clipped_lognormal.c - the lognormal distribution, with values above 1 set to 1.
 *
 * With ln x normal of mean m and standard deviation s, E min(1, x) = exp(m + s^2/2) N(-(m + s^2)/s) +
 * N(m/s), N being the normal distribution function.  It grows with m, which is found by bisection.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/laws/clipped_lognormal.h"

#include "core/math/erf.h"
#include "core/math/exp.h"
#include "core/math/ln.h"

#define SQRT_HALF    0.70710678118654752440 /* sqrt(1/2) */
#define MAX_HALVINGS 200

static double normal_below(double x)
{
    return 0.5 * segue_erfc(-SQRT_HALF * x);
}

static double mean_of(double location, double sigma)
{
    const double variance = sigma * sigma;
    const double below = normal_below(-(location + variance) / sigma);
    return (below > 0.0 ? segue_exp(location + 0.5 * variance + segue_ln(below)) : 0.0) +
           normal_below(location / sigma);
}

double segue_clipped_lognormal_location(double mean, double sigma)
{
    double low = -1.0, high = 1.0;
    while (mean_of(low, sigma) > mean)
        low *= 2.0;
    while (mean_of(high, sigma) < mean && high < 1e9)
        high *= 2.0;
    for (int i = 0; i < MAX_HALVINGS && low < high; i++) {
        const double middle = 0.5 * (low + high);
        if (middle == low || middle == high)
            break;
        if (mean_of(middle, sigma) > mean)
            high = middle;
        else
            low = middle;
    }
    return high;
}
