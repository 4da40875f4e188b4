/* log_beta.c - ln Gamma by Stirling's series, in differences that do not cancel.
 *
 * For z >= SHIFT, ln Gamma(z) = (z - 1/2) ln z - z + ln(2 pi) / 2 + c(z), where
 * c(z) = 1/(12 z) - 1/(360 z^3) + ...; six terms leave at most 1/(156 z^13) < 1.2e-14 at z = 8.
 * Below, Gamma(x) = Gamma(x + SHIFT) / (x (x + 1) ... (x + SHIFT - 1)).
 *
 * The likelihood of a task is made of ln Gamma(a + x) - ln Gamma(a) with a up to 1e6 and x of a few
 * pulls: taken as two numbers of 1e7, their difference would have lost 8 digits.  With
 * L = ln(1 + x / z) it is x ln z + (z + x - 1/2) L - x + c(z + x) - c(z), of which no term is much
 * larger than the result; and ln z is known beforehand, where many x have one a.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/log_beta.h"

#include <math.h>
#include <stddef.h>

#define SHIFT           8
#define HALF_LOG_TWO_PI 0.91893853320467274178

/* c(z): terms B_2k / (2k (2k - 1) z^(2k - 1)), by Horner's rule. */
static double correction(double z)
{
    const double v = 1.0 / z, s = v * v;
    double sum = -691.0 / 360360.0;
    sum = sum * s + 1.0 / 1188.0;
    sum = sum * s - 1.0 / 1680.0;
    sum = sum * s + 1.0 / 1260.0;
    sum = sum * s - 1.0 / 360.0;
    sum = sum * s + 1.0 / 12.0;
    return sum * v;
}

/* x (x + 1) ... (x + SHIFT - 1): as pairs x (x + 7) = y, (x + 1)(x + 6) = y + 6, ... */
static double product(double x)
{
    const double y = x * (x + 7.0);
    return (y * (y + 6.0)) * ((y + 10.0) * (y + 12.0));
}

double segue_log_gamma(double x)
{
    const double z = x < SHIFT ? x + SHIFT : x;
    const double series = (z - 0.5) * log(z) - z + HALF_LOG_TWO_PI + correction(z);
    return x < SHIFT ? series - log(product(x)) : series;
}

segue_rise segue_rise_from(double a)
{
    const int is_small = a < SHIFT;
    const double from = is_small ? a + SHIFT : a;
    return (segue_rise){.from = from,
                        .log_from = log(from),
                        .correction = correction(from),
                        .product = is_small ? product(a) : 1.0,
                        .start = is_small ? a : 0.0};
}

double segue_rise_by(const segue_rise *rise, double x)
{
    if (!(x > 0.0))
        return 0.0;
    const double to = rise->from + x;
    const double series = x * rise->log_from + (to - 0.5) * log1p(x / rise->from) - x +
                          (correction(to) - rise->correction);
    if (!(rise->start > 0.0))
        return series;
    return series + log(rise->product / product(rise->start + x));
}

double segue_log_beta(double a, double b)
{
    const double less = fmin(a, b);
    const segue_rise rise = segue_rise_from(fmax(a, b));
    return segue_log_gamma(less) - segue_rise_by(&rise, less);
}

double segue_log_beta_ratio(double a, double b, double won, double lost)
{
    const segue_rise above = segue_rise_from(a), below = segue_rise_from(b),
                     both = segue_rise_from(a + b);
    return segue_rise_by(&above, won) + segue_rise_by(&below, lost) -
           segue_rise_by(&both, won + lost);
}
