/* test_math.c - the functions of core/math: special cases, and bits that are the same everywhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <fenv.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "core/ieee.h"
#include "core/math/bits.h"
#include "core/math/decade.h"
#include "core/math/erf.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"

#define SMALLEST 0x1p-1074

/* Equal, also in the sign of 0; NaN equals NaN. */
static void check_equal(const char *call, double value, double expected)
{
    if (isnan(expected) ? !isnan(value) : bits_of(value) != bits_of(expected))
        fail_msg("%s is %.17g (%a); need %.17g", call, value, value, expected);
}
#define CHECK(call, expected) check_equal(#call, call, expected)

static void logarithms_have_the_special_cases_of_c(void **state)
{
    (void)state;
    CHECK(segue_ln(0.0), -INFINITY);
    CHECK(segue_ln(-0.0), -INFINITY);
    CHECK(segue_ln(-1.0), NAN);
    CHECK(segue_ln(-INFINITY), NAN);
    CHECK(segue_ln(INFINITY), INFINITY);
    CHECK(segue_ln(NAN), NAN);
    CHECK(segue_ln(1.0), 0.0);
    CHECK(segue_ln(SMALLEST), -0x1.74385446d71c3p9);
    CHECK(segue_log1p(0.0), 0.0);
    CHECK(segue_log1p(-0.0), -0.0);
    CHECK(segue_log1p(SMALLEST), SMALLEST);
    CHECK(segue_log1p(-SMALLEST), -SMALLEST);
    CHECK(segue_log1p(-1.0), -INFINITY);
    CHECK(segue_log1p(-1.5), NAN);
    CHECK(segue_log1p(INFINITY), INFINITY);
    CHECK(segue_log1p(-INFINITY), NAN);
    CHECK(segue_log1p(NAN), NAN);
}

static void exponentials_have_the_special_cases_of_c(void **state)
{
    (void)state;
    CHECK(segue_exp(0.0), 1.0);
    CHECK(segue_exp(-0.0), 1.0);
    CHECK(segue_exp(SMALLEST), 1.0);
    CHECK(segue_exp(INFINITY), INFINITY);
    CHECK(segue_exp(-INFINITY), 0.0);
    CHECK(segue_exp(NAN), NAN);
    CHECK(segue_exp(709.79), INFINITY);
    CHECK(segue_exp(1e300), INFINITY);
    CHECK(segue_exp(-745.13), SMALLEST);
    CHECK(segue_exp(-745.14), 0.0);
    CHECK(segue_exp(-1e300), 0.0);
    CHECK(segue_expm1(0.0), 0.0);
    CHECK(segue_expm1(-0.0), -0.0);
    CHECK(segue_expm1(-SMALLEST), -SMALLEST);
    CHECK(segue_expm1(INFINITY), INFINITY);
    CHECK(segue_expm1(-INFINITY), -1.0);
    CHECK(segue_expm1(-50.0), -1.0);
    CHECK(segue_expm1(710.0), INFINITY);
    CHECK(segue_expm1(NAN), NAN);
}

/* C11, F.10.4.4. */
static void powers_have_the_special_cases_of_c(void **state)
{
    static const double ends[] = {-INFINITY, -1e300, -3.0,  -2.5,     -2.0, -1.0, -0.5,
                                  -SMALLEST, -0.0,   0.0,   SMALLEST, 0.5,  1.0,  2.0,
                                  2.5,       3.0,    1e300, INFINITY, NAN};
    enum { COUNT = sizeof ends / sizeof *ends };
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++) {
            const double theirs = pow(ends[i], ends[k]), ours = segue_pow(ends[i], ends[k]);
            if (theirs == 0.0 || !isfinite(theirs) || theirs == 1.0)
                check_equal("segue_pow", ours, theirs);
            else
                assert_near(ours, theirs, 4e-16 * fabs(theirs));
        }
    CHECK(segue_pow(10.0, 22.0), 1e22);
    CHECK(segue_pow(0.5, 1074.0), SMALLEST);
    CHECK(segue_pow(-0.5, 1073.0), -0x1p-1073);
    CHECK(segue_pow(2.0, 1023.0), 0x1p1023);
    CHECK(segue_pow(2.0, 1024.0), INFINITY);
    CHECK(segue_pow(0.5, 1076.0), 0.0);
}

static void gamma_and_error_functions_have_their_limits(void **state)
{
    (void)state;
    CHECK(segue_log_gamma(0.0), INFINITY);
    CHECK(segue_log_gamma(1.0), 0.0);
    CHECK(segue_log_gamma(2.0), 0.0);
    CHECK(segue_log_gamma(INFINITY), INFINITY);
    CHECK(segue_log_gamma(1e306), INFINITY);
    CHECK(segue_log_gamma(-0.5), NAN);
    CHECK(segue_log_gamma(NAN), NAN);
    CHECK(segue_erf(0.0), 0.0);
    CHECK(segue_erf(-0.0), -0.0);
    CHECK(segue_erf(INFINITY), 1.0);
    CHECK(segue_erf(-INFINITY), -1.0);
    CHECK(segue_erf(NAN), NAN);
    CHECK(segue_erfc(0.0), 1.0);
    CHECK(segue_erfc(-INFINITY), 2.0);
    CHECK(segue_erfc(30.0), 0.0);
    CHECK(segue_erfc(INFINITY), 0.0);
    CHECK(segue_erfc(NAN), NAN);
}

static void decades_are_exact(void **state)
{
    (void)state;
    for (int n = -307; n <= 308; n++) {
        char text[16];
        (void)snprintf(text, sizeof text, "1e%d", n);
        const double power = strtod(text, NULL);
        CHECK(segue_decade_power(n), power);
        assert_int_equal(segue_decade(power), n);
        assert_int_equal(segue_decade(-power), n);
        assert_int_equal(segue_decade(nextafter(power, 0.0)), n - 1);
    }
    assert_int_equal(segue_decade(0.0), 0);
    assert_int_equal(segue_decade(INFINITY), 0);
    assert_int_equal(segue_decade(NAN), 0);
}

static void other_modes_of_arithmetic_are_refused(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    segue_error err;
    (void)state;
    assert_ok(segue_ieee_check(&err));
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        assert_int_equal(fesetround(modes[k]), 0);
        const segue_status status = segue_ieee_check(&err);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(status, SEGUE_EDOMAIN);
        assert_non_null(strstr(err.message, "does not round to nearest"));
    }
#ifdef __SSE2__
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U); /* flush results, take subnormal arguments for 0 */
    const segue_status status = segue_ieee_check(&err);
    _mm_setcsr(before);
    assert_int_equal(status, SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "flushes subnormal numbers"));
#endif
}

/* FNV-1a over the bits of many results, from arguments of xoshiro256++: the numbers below are the same on any
 * processor, with any compiler and any option that the project uses. */
static uint64_t hash_of(double (*function)(double), double low, double high)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    segue_rng rng;
    segue_rng_init(&rng, 5, 0, 0, 0);
    for (int i = 0; i < 100000; i++)
        hash = (hash ^ bits_of(function(low + segue_rng_uniform(&rng) * (high - low)))) *
               UINT64_C(0x100000001b3);
    return hash;
}

static double power(double x)
{
    return segue_pow(x, 0.37 + 1e-3 * x);
}

static void results_have_these_bits(void **state)
{
    static const struct {
        const char *name;
        double (*function)(double);
        double low, high;
        uint64_t hash;
    } pinned[] = {{"ln", segue_ln, 0.0, 2.0, UINT64_C(0x673c1d90e1451b11)},
                  {"log1p", segue_log1p, -1.0, 2.0, UINT64_C(0x15d78aa25dc3dd97)},
                  {"exp", segue_exp, -745.0, 709.0, UINT64_C(0x880e6ca60b97fcad)},
                  {"expm1", segue_expm1, -2.0, 2.0, UINT64_C(0x8fa25a0b417bd63a)},
                  {"pow", power, 0.0, 20.0, UINT64_C(0x7aca745557dbec0)},
                  {"log_gamma", segue_log_gamma, 0.0, 40.0, UINT64_C(0xdc2a628b64b2ef5f)},
                  {"erf", segue_erf, -4.0, 4.0, UINT64_C(0x93be65f88d60c7a6)},
                  {"erfc", segue_erfc, -4.0, 28.0, UINT64_C(0x5b922b642d4d098d)}};
    bool is_same = true;
    (void)state;
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) {
        const uint64_t hash = hash_of(pinned[k].function, pinned[k].low, pinned[k].high);
        if (hash != pinned[k].hash)
            print_error("%s: UINT64_C(%#llx)\n", pinned[k].name, (unsigned long long)hash);
        is_same = is_same && hash == pinned[k].hash;
    }
    assert_true(is_same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_have_the_special_cases_of_c),
        cmocka_unit_test(exponentials_have_the_special_cases_of_c),
        cmocka_unit_test(powers_have_the_special_cases_of_c),
        cmocka_unit_test(gamma_and_error_functions_have_their_limits),
        cmocka_unit_test(decades_are_exact),
        cmocka_unit_test(other_modes_of_arithmetic_are_refused),
        cmocka_unit_test(results_have_these_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
