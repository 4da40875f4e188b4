/* test_beta.c - the distribution function of Beta numbers and its inverse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "core/random/beta.h"

static void it_has_its_closed_forms(void **state)
{
    (void)state;
    for (double x = 0.001; x < 1.0; x += 0.0173) {
        assert_near(segue_beta_cdf(x, 1.0, 1.0), x, 1e-14);
        assert_near(segue_beta_cdf(x, 3.0, 1.0), x * x * x, 1e-14);
        assert_near(segue_beta_cdf(x, 1.0, 4.0), 1.0 - pow(1.0 - x, 4.0), 1e-14);
        assert_near(segue_beta_cdf(x, 0.5, 0.5), 2.0 / acos(-1.0) * asin(sqrt(x)), 1e-13);
    }
    assert_near(segue_beta_cdf(0.5, 2.0, 3.0), 0.6875, 1e-15); /* 11 of 16 */
    assert_near(segue_beta_cdf(0.0, 2.0, 3.0), 0.0, 0.0);
    assert_near(segue_beta_cdf(1.0, 2.0, 3.0), 1.0, 0.0);
}

/* P(X <= x) of Beta(a, b) is the probability of at least a successes in a + b - 1 trials. */
static double by_binomial(double x, int a, int b)
{
    const int n = a + b - 1;
    double sum = 0.0;
    for (int k = a; k <= n; k++)
        sum += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(x) +
                   (n - k) * log1p(-x));
    return sum;
}

static void it_agrees_with_sums_of_binomials(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 12, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        const int a = (int)random_between(&rng, 1, 400), b = (int)random_between(&rng, 1, 400);
        const double x = segue_rng_uniform(&rng) * 0.998 + 0.001;
        assert_near(segue_beta_cdf(x, a, b), by_binomial(x, a, b), 1e-11);
    }
}

static void quantiles_invert_it(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 13, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        const double a = exp(14.0 * segue_rng_uniform(&rng) - 1.0);
        const double b = exp(14.0 * segue_rng_uniform(&rng) - 1.0);
        const double p = exp(-25.0 * segue_rng_uniform(&rng) - 1e-3);
        const double x = segue_beta_quantile(p, a, b);
        assert_true(x > 0.0 && x <= 1.0);
        if (x < 1.0 - 1e-12) /* where a rounding of x matters less than the tolerance */
            assert_near(segue_beta_cdf(x, a, b) / p, 1.0, 1e-6);
    }
    assert_near(segue_beta_quantile(0.0, 2.0, 3.0), 0.0, 0.0);
    assert_near(segue_beta_quantile(1.0, 2.0, 3.0), 1.0, 0.0);
    assert_near(segue_beta_quantile(0.6875, 2.0, 3.0), 0.5, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_its_closed_forms),
        cmocka_unit_test(it_agrees_with_sums_of_binomials),
        cmocka_unit_test(quantiles_invert_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
