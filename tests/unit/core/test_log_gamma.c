/* test_log_gamma.c - ln Gamma, ln Beta and their ratios.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/log_gamma.h"
#include "support.h"

/* Stirling's series leaves 1.2e-14; each of its terms, the largest being z ln z, and of the shift,
 * rounds by some 2^-53.  The result is much smaller near its zeros 1 and 2: an absolute bound. */
static void log_gamma_is_that_of_the_c_library(void **state)
{
    (void)state;
    for (int k = 0; k < repeats(18000); k++) {
        const double x = exp(54.0 * k / repeats(18000) - 27.0); /* 2e-12 to 5e11 */
        const double size = 20.0 + fabs(log(x)) + x * fabs(log(x));
        assert_near(segue_log_gamma(x), (double)lgammal(x), 2e-14 + 8e-16 * size);
    }
}

/* ln Gamma(a + n) - ln Gamma(a) = sum of ln(a + k), k < n: no term cancels here, nor in ours.  What
 * rounding takes from the sum is carried along, as valgrind knows no long double. */
static void gamma_ratios_do_not_cancel(void **state)
{
    (void)state;
    for (int k = 0; k < 140; k++) {
        const double a = exp(0.3 * k - 21.0); /* 8e-10 to 1e9 */
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(a);
        long double sum = 0, carry = 0, size = 20;
        assert_near(segue_log_gamma_ratio_at(&rise, 0.0), 0.0, 0.0);
        for (int n = 1; n <= 300; n++) {
            const long double term = logl((long double)a + (n - 1)) + carry, next = sum + term;
            carry = term - (next - sum);
            sum = next;
            size += fabsl(term) + 1;
            assert_near(segue_log_gamma_ratio_at(&rise, n), (double)sum,
                        2.4e-14 + 1e-15 * (double)size);
        }
    }
}

static void many_gamma_ratios_equal_single_ones(void **state)
{
    (void)state;
    enum { COUNT = 1003 };
    double x[COUNT], out[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        x[k] = k < 500 ? (double)k : 0.37 * (double)(k * k);
    for (int power = -20; power < 20; power++) {
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(exp(power));
        segue_log_gamma_ratio_all(&rise, x, COUNT, out);
        for (size_t k = 0; k < COUNT; k++)
            assert_near(out[k], segue_log_gamma_ratio_at(&rise, x[k]), 0.0);
    }
}

static void beta_ratios_sum_over_arms(void **state)
{
    (void)state;
    enum { COUNT = 67 };
    double a[COUNT], b[COUNT], won[COUNT], pulls[COUNT], sum = 0.0;
    segue_rng rng;
    segue_rng_init(&rng, 18, 0, 0, 0);
    for (size_t k = 0; k < COUNT; k++) {
        a[k] = exp(40.0 * segue_rng_uniform(&rng) - 25.0);
        b[k] = exp(40.0 * segue_rng_uniform(&rng) - 25.0);
        pulls[k] = k % 5 == 0 ? 0.0 : floor(exp(34.0 * segue_rng_uniform(&rng))); /* to 6e14 */
        won[k] = floor(pulls[k] * segue_rng_uniform(&rng));
        assert_near(segue_log_beta_ratios(a, b, won, pulls, k), sum, 0.0);
        const double ratio = segue_log_beta_ratio(a[k], b[k], won[k], pulls[k] - won[k]);
        assert_true(isfinite(ratio) && ratio <= 0.0);
        assert_true(pulls[k] > 0.0 || ratio == 0.0);
        sum += ratio;
    }
}

/* Steps that are not whole, against differences of ln Gamma where these do not cancel much. */
static void beta_functions_follow_from_gamma_functions(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 17, 0, 0, 0);
    for (int k = 0; k < repeats(20000); k++) {
        const double a = exp(16.0 * segue_rng_uniform(&rng) - 8.0);
        const double b = exp(16.0 * segue_rng_uniform(&rng) - 8.0);
        const double won = 100.0 * segue_rng_uniform(&rng), lost = 100.0 * segue_rng_uniform(&rng);
        const long double whole = lgammal(a) + lgammal(b) - lgammal((long double)a + b);
        const long double after = lgammal((long double)a + won) + lgammal((long double)b + lost) -
                                  lgammal((long double)a + b + won + lost);
        /* sums of up to 6200 ln 6200 = 54000, in double precision under valgrind */
        assert_near(segue_log_beta(a, b), (double)whole, 1e-10);
        assert_near(segue_log_beta(b, a), (double)whole, 1e-10);
        assert_near(segue_log_beta_ratio(a, b, won, lost), (double)(after - whole), 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_gamma_is_that_of_the_c_library),
        cmocka_unit_test(gamma_ratios_do_not_cancel),
        cmocka_unit_test(many_gamma_ratios_equal_single_ones),
        cmocka_unit_test(beta_ratios_sum_over_arms),
        cmocka_unit_test(beta_functions_follow_from_gamma_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
