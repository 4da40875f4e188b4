/* test_math_accuracy.c - core/math against MPFR; bench/bench_math.c takes 10^8 arguments.
 *
 * The build skips it where MPFR is not installed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <mpfr.h>

#include "core/math/bits.h"
#include "core/math/erf.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"

#define PRECISION 80
#define ARGUMENTS 4000 /* per range */

/* The error of a value in units of the last place of the exact one, of subnormal ones 2^-1074. */
static double error_of_value(double value, mpfr_t exact)
{
    const long exponent = (long)mpfr_get_exp(exact) - 53,
               unit = exponent < -1074 ? -1074 : exponent;
    mpfr_sub_d(exact, exact, value, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, -unit, MPFR_RNDN);
    return fabs(mpfr_get_d(exact, MPFR_RNDN));
}

typedef int exact_form(mpfr_t, mpfr_srcptr, mpfr_rnd_t);

/* The largest error at the low end and up to the high one; by exponent if both are above 0. */
static void check_range(const char *name, double (*ours)(double), exact_form *exact_of,
                        double limit, double low, double high)
{
    mpfr_t exact, argument;
    segue_rng rng;
    segue_rng_init(&rng, 3, 0, 0, 0);
    mpfr_inits2(PRECISION, exact, argument, (mpfr_ptr)0);
    const int count = low == high ? 1 : repeats(ARGUMENTS);
    for (int i = 0; i < count; i++) {
        const double u = i > 0 ? segue_rng_uniform(&rng) : 0.0;
        const double x =
            low > 0.0 ? exp(log(low) + u * (log(high) - log(low))) : low + u * (high - low);
        mpfr_set_d(argument, x, MPFR_RNDN);
        (void)exact_of(exact, argument, MPFR_RNDN);
        const double value = ours(x);
        if (!isfinite(value) || mpfr_zero_p(exact)) {
            if (value != mpfr_get_d(exact, MPFR_RNDN))
                fail_msg("%s(%.17g) is %.17g", name, x, value);
            continue;
        }
        const double error = error_of_value(value, exact);
        if (!(error < limit))
            fail_msg("%s(%.17g) is %.17g, off by %.3f units of its last place", name, x, value,
                     error);
    }
    mpfr_clears(exact, argument, (mpfr_ptr)0);
}

static int log_gamma(mpfr_t to, mpfr_srcptr x, mpfr_rnd_t round)
{
    return mpfr_lngamma(to, x, round);
}

static void logarithms_are_within_a_unit(void **state)
{
    (void)state;
    check_range("ln", segue_ln, mpfr_log, 1.0, 1e-320, 1e308);
    check_range("ln", segue_ln, mpfr_log, 1.0, 0.99, 1.01);
    check_range("ln", segue_ln, mpfr_log, 1.0, 1.0 - 0x1p-9, 1.0 + 0x1p-8);
    check_range("log1p", segue_log1p, mpfr_log1p, 1.0, 1e-320, 1e308);
    check_range("log1p", segue_log1p, mpfr_log1p, 1.0, -1.0 + 0x1p-53, 0.0);
    check_range("log1p", segue_log1p, mpfr_log1p, 1.0, -0x1p-8, 0x1p-8);
    check_range("log1p", segue_log1p, mpfr_log1p, 1.0, 0x1p-30, 0x1p-10);
}

static void exponentials_are_within_a_unit(void **state)
{
    (void)state;
    check_range("exp", segue_exp, mpfr_exp, 1.0, -745.13, 709.78);
    check_range("exp", segue_exp, mpfr_exp, 1.0, -745.13, -700.0);
    check_range("exp", segue_exp, mpfr_exp, 1.0, -0.01, 0.01);
    check_range("expm1", segue_expm1, mpfr_expm1, 1.0, -41.0, 709.78);
    check_range("expm1", segue_expm1, mpfr_expm1, 1.0, -0.01, 0.01);
    check_range("expm1", segue_expm1, mpfr_expm1, 1.0, 1e-320, 1.0);
}

static void log_gamma_is_within_a_unit_at_its_zeros_too(void **state)
{
    static const double zeros[] = {1.0, 2.0};
    (void)state;
    check_range("log_gamma", segue_log_gamma, log_gamma, 1.0, 1e-320, 1e305);
    check_range("log_gamma", segue_log_gamma, log_gamma, 1.0, 0.2, 17.0);
    for (size_t k = 0; k < 2; k++)
        for (int power = 3; power <= 52; power++) {
            segue_rng rng;
            segue_rng_init(&rng, 4, 0, 0, 0);
            const double off = ldexp(1.0 + segue_rng_uniform(&rng), -power);
            check_range("log_gamma", segue_log_gamma, log_gamma, 1.0, zeros[k] - off,
                        zeros[k] - off);
            check_range("log_gamma", segue_log_gamma, log_gamma, 1.0, zeros[k] + off,
                        zeros[k] + off);
        }
}

static void error_functions_are_within_two_units(void **state)
{
    (void)state;
    check_range("erf", segue_erf, mpfr_erf, 2.0, -6.0, 6.0);
    check_range("erf", segue_erf, mpfr_erf, 2.0, 1e-300, 1.0);
    check_range("erfc", segue_erfc, mpfr_erfc, 2.0, -6.0, 26.5);
}

static void powers_are_within_a_unit(void **state)
{
    mpfr_t exact, base, exponent;
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 3, 0, 0, 0);
    mpfr_inits2(PRECISION, exact, base, exponent, (mpfr_ptr)0);
    for (int i = 0; i < repeats(5 * ARGUMENTS); i++) {
        const double x = exp(1400.0 * segue_rng_uniform(&rng) - 700.0);
        const double y =
            (1490.0 * segue_rng_uniform(&rng) - 745.0) / log(x); /* to subnormal results */
        const double value = segue_pow(x, y);
        mpfr_set_d(base, x, MPFR_RNDN);
        mpfr_set_d(exponent, y, MPFR_RNDN);
        (void)mpfr_pow(exact, base, exponent, MPFR_RNDN);
        const double error = isfinite(value) ? error_of_value(value, exact) : 0.0;
        if (!(error < 1.0) || (!isfinite(value) && mpfr_cmp_d(exact, 0x1.fffffffffffffp1023) <= 0))
            fail_msg("pow(%.17g, %.17g) is %.17g, off by %.3f", x, y, value, error);
    }
    mpfr_clears(exact, base, exponent, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_are_within_a_unit),
        cmocka_unit_test(exponentials_are_within_a_unit),
        cmocka_unit_test(powers_are_within_a_unit),
        cmocka_unit_test(log_gamma_is_within_a_unit_at_its_zeros_too),
        cmocka_unit_test(error_functions_are_within_two_units),
    };
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return status;
}
