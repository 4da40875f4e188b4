/* log_gamma_ratio.c - differences of ln Gamma by Stirling's series, which do not cancel.
 *
 * For z >= SHIFT, ln Gamma(z) = (z - 1/2) ln z - z + ln(2 pi) / 2 + c(z), where
 * c(z) = 1/(12 z) - 1/(360 z^3) + ...; six terms leave at most 1/(156 z^13) < 1.2e-14 at z = 8.
 * Below, Gamma(x) = Gamma(x + SHIFT) / (x (x + 1) ... (x + SHIFT - 1)).
 *
 * The likelihood of a task is a sum of ln Gamma(a + x) - ln Gamma(a) with a up to 1e6 and x of a
 * few
 * pulls. As a difference of two numbers near 1e7 it would lose 8 digits. With L = ln(1 + x / z) it
 * is
 * x ln z + (z + x - 1/2) L - x + c(z + x) - c(z): no term is much larger than the result, and ln z
 * is
 * computed once for many x.
 *
 * Fits evaluate millions of these, so they have a logarithm of their own: no calls, no tables and no
 * branches, so that the compiler can use the widest vectors, with the same bits for any width.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/log_gamma.h"

#include <math.h>

#include "core/math/bits.h"

#define SHIFT     8
#define AT_A_TIME 32
#define LOG_TWO   0.69314718055994530942
#define ROOT_HALF 0.70710678118654752440

/* c(1 / v): terms B_2k / (2k (2k - 1) z^(2k - 1)), by Horner's rule. */
static inline double correction(double v)
{
    const double s = v * v;
    double sum = -691.0 / 360360.0;
    sum = sum * s + 1.0 / 1188.0;
    sum = sum * s - 1.0 / 1680.0;
    sum = sum * s + 1.0 / 1260.0;
    sum = sum * s - 1.0 / 360.0;
    sum = sum * s + 1.0 / 12.0;
    return sum * v;
}

/* x (x + 1) ... (x + SHIFT - 1): as pairs x (x + 7) = y, (x + 1)(x + 6) = y + 6, ... */
static inline double product(double x)
{
    const double y = x * (x + 7.0);
    return (y * (y + 6.0)) * ((y + 10.0) * (y + 12.0));
}

/* ---- a logarithm for vectors ---------------------------------------------------------------- */

/* 2 atanh(s) / (2 s) - 1 = s^2/3 + s^4/5 + ...: for |s| <= 0.172 ten terms leave 1e-18. */
static inline double atanh_tail(double square)
{
    double sum = 1.0 / 21.0;
    sum = sum * square + 1.0 / 19.0;
    sum = sum * square + 1.0 / 17.0;
    sum = sum * square + 1.0 / 15.0;
    sum = sum * square + 1.0 / 13.0;
    sum = sum * square + 1.0 / 11.0;
    sum = sum * square + 1.0 / 9.0;
    sum = sum * square + 1.0 / 7.0;
    sum = sum * square + 1.0 / 5.0;
    sum = sum * square + 1.0 / 3.0;
    return sum * square;
}

/* ln x for x > 0 that is not subnormal: x = 2^k y with y in [sqrt 1/2, sqrt 2), and
 * ln y = 2 atanh((y - 1) / (y + 1)).  Exactly 0 at 1. */
static inline double ln(double x)
{
    /* The exponent of x / sqrt 1/2, shifted by 1024 to stay positive; the low bits of 2^52 turn it
     * into a double. */
    const uint64_t scaled = bits_of(x) - bits_of(ROOT_HALF) + (UINT64_C(1024) << 52);
    const uint64_t exponent = scaled >> 52;
    const double y = number_of(bits_of(x) - (exponent << 52) + (UINT64_C(1024) << 52));
    const double k = number_of(exponent | bits_of(0x1p52)) - (0x1p52 + 1024.0);
    const double s = (y - 1.0) / (y + 1.0);
    return k * LOG_TWO + (2.0 * s + 2.0 * s * atanh_tail(s * s));
}

/* ---- differences ------------------------------------------------------------------------- */

segue_log_gamma_ratio segue_log_gamma_ratio_init(double a)
{
    const int is_small = a < SHIFT;
    const double from = is_small ? a + SHIFT : a;
    return (segue_log_gamma_ratio){.from = from,
                                   .inverse = 1.0 / from,
                                   .log_from = ln(from),
                                   .correction = correction(1.0 / from),
                                   .product = is_small ? product(a) : 1.0,
                                   .start = is_small ? a : 0.0};
}

/* By Stirling's series. `lost` corrects for the rounding of 1 + u. */
static inline double gamma_ratio_series(const segue_log_gamma_ratio *rise, double x)
{
    const double to = rise->from + x, v = 1.0 / to;
    const double u = x * rise->inverse, w = 1.0 + u;
    const double lost = u - (w - 1.0);
    const double log_ratio = ln(w) + lost * (rise->from * v);
    return x * (rise->log_from - 1.0) + (to - 0.5) * log_ratio + (correction(v) - rise->correction);
}

static inline double gamma_ratio_shift(const segue_log_gamma_ratio *rise, double x)
{
    return ln(rise->product / product(rise->start + x));
}

double segue_log_gamma_ratio_at(const segue_log_gamma_ratio *rise, double x)
{
    const double series = gamma_ratio_series(rise, x);
    return rise->start > 0.0 ? series + gamma_ratio_shift(rise, x) : series;
}

static inline void gamma_ratio_all(const segue_log_gamma_ratio *rise, const double *x, size_t count,
                                   double *out)
{
    const segue_log_gamma_ratio r = *rise; /* `out` cannot change it */
    if (r.start > 0.0)
        for (size_t k = 0; k < count; k++)
            out[k] = gamma_ratio_series(&r, x[k]) + gamma_ratio_shift(&r, x[k]);
    else
        for (size_t k = 0; k < count; k++)
            out[k] = gamma_ratio_series(&r, x[k]);
}

#if defined(__x86_64__) && defined(__GNUC__)
/* Compiled again for wider registers: the same operations give the same bits. */
__attribute__((target("avx2"))) static void
gamma_ratio_all_avx2(const segue_log_gamma_ratio *rise, const double *x, size_t count, double *out)
{
    gamma_ratio_all(rise, x, count, out);
}
#endif

void segue_log_gamma_ratio_all(const segue_log_gamma_ratio *rise, const double *x, size_t count,
                               double *out)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) {
        gamma_ratio_all_avx2(rise, x, count, out);
        return;
    }
#endif
    gamma_ratio_all(rise, x, count, out);
}

double segue_log_beta(double a, double b)
{
    const double less = fmin(a, b);
    const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(fmax(a, b));
    return segue_log_gamma(less) - segue_log_gamma_ratio_at(&rise, less);
}

/* ---- ratios of Betas --------------------------------------------------------------------- */

/* Shift whatever a is: this needs no branch, and one logarithm serves all shifted terms. */
static inline segue_log_gamma_ratio shifted(double a)
{
    const double from = a + SHIFT, v = 1.0 / from;
    return (segue_log_gamma_ratio){
        .from = from, .inverse = v, .log_from = ln(from), .correction = correction(v)};
}

static inline double ratio(double a, double b, double won, double lost)
{
    const segue_log_gamma_ratio above = shifted(a), below = shifted(b), both = shifted(a + b);
    const double pulls = won + lost;
    const double shift = (product(a) / product(a + won)) * (product(b) / product(b + lost)) *
                         (product(a + b + pulls) / product(a + b));
    return gamma_ratio_series(&above, won) + gamma_ratio_series(&below, lost) -
           gamma_ratio_series(&both, pulls) + ln(shift);
}

double segue_log_beta_ratio(double a, double b, double won, double lost)
{
    return ratio(a, b, won, lost);
}

/* Add terms in their order, whatever the width of the vectors that computed them. */
static inline double ratios(const double *a, const double *b, const double *won,
                            const double *pulls, size_t count)
{
    double term[AT_A_TIME], sum = 0.0;
    for (size_t done = 0; done < count; done += AT_A_TIME) {
        const size_t n = count - done < AT_A_TIME ? count - done : AT_A_TIME;
        for (size_t k = 0; k < n; k++)
            term[k] =
                ratio(a[done + k], b[done + k], won[done + k], pulls[done + k] - won[done + k]);
        for (size_t k = 0; k < n; k++)
            sum += term[k];
    }
    return sum;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static double
ratios_avx2(const double *a, const double *b, const double *won, const double *pulls, size_t count)
{
    return ratios(a, b, won, pulls, count);
}
#endif

double segue_log_beta_ratios(const double *a, const double *b, const double *won,
                             const double *pulls, size_t count)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        return ratios_avx2(a, b, won, pulls, count);
#endif
    return ratios(a, b, won, pulls, count);
}
