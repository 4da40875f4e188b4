/* test_mix_ts.c - the choices of mix-ts against an integral of its posterior.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "core/random/beta.h"

enum { ARMS = 3, MODELS = 2, POINTS = 4000 };

static const double means[MODELS * ARMS] = {.8, .4, .2, .3, .6, .2};

/* The density of Beta(a, b). */
static double density(double x, double a, double b)
{
    return exp((a - 1) * log(x) + (b - 1) * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
}

/* The probability that an arm is the best of independent Betas, by the midpoint rule. */
static double best_probability(const double *a, const double *b, size_t arm)
{
    double sum = 0.0;
    for (size_t p = 0; p < POINTS; p++) {
        const double x = ((double)p + 0.5) / POINTS;
        double product = density(x, a[arm], b[arm]) / POINTS;
        for (size_t i = 0; i < ARMS; i++)
            product *= i == arm ? 1.0 : segue_beta_cdf(x, a[i], b[i]);
        sum += product;
    }
    return sum;
}

/* 200,000 draws: by Hoeffding a share is off by more than 0.0085 with probability below
 * 2 exp(-2 200,000 0.0085^2) < 6e-13. */
static void choices_have_the_probabilities_of_the_posterior(void **state)
{
    (void)state;
    const double spread = 10.0;
    static const double won[ARMS] = {2, 3, 0}, lost[ARMS] = {2, 1, 1};
    segue_models *models = models_of(ARMS, MODELS, means);
    segue_task *task = task_of("mix-ts:spread=10", models, 100);
    double exact[ARMS] = {0}, weight[MODELS], total = 0.0, seen[ARMS];
    bool is_exact = true;
    for (size_t arm = 0; arm < ARMS; arm++) {
        for (int t = 0; t < (int)won[arm]; t++)
            tell(task, arm, 1.0);
        for (int t = 0; t < (int)lost[arm]; t++)
            tell(task, arm, 0.0);
    }
    double a[MODELS][ARMS], b[MODELS][ARMS];
    for (size_t k = 0; k < MODELS; k++) {
        weight[k] = models->weight[k];
        for (size_t i = 0; i < ARMS; i++) {
            const double p = spread * means[k * ARMS + i], q = spread - p;
            a[k][i] = p + won[i];
            b[k][i] = q + lost[i];
            weight[k] *= exp(lgamma(a[k][i]) + lgamma(b[k][i]) - lgamma(a[k][i] + b[k][i]) -
                             lgamma(p) - lgamma(q) + lgamma(p + q));
        }
        total += weight[k];
    }
    for (size_t i = 0; i < ARMS; i++)
        for (size_t k = 0; k < MODELS; k++)
            exact[i] += weight[k] / total * best_probability(a[k], b[k], i);
    assert_ok(segue_task_probabilities(task, NULL, 200000, seen, &is_exact, NULL));
    for (size_t i = 0; i < ARMS; i++)
        assert_near(seen[i], exact[i], 0.0085);
    segue_task_destroy(task);
    segue_models_destroy(models);
}

/* With a very large spread the components are points: the choices are those of mts. The same bound
 * for two shares. */
static void a_large_spread_is_mts(void **state)
{
    (void)state;
    segue_models *models = models_of(ARMS, MODELS, means);
    segue_task *mix = task_of("mix-ts:spread=1e9", models, 100);
    segue_task *points = task_of("mts", models, 100);
    double one[ARMS], two[ARMS];
    bool exact = true;
    for (int t = 0; t < 6; t++) {
        tell(mix, 1, t % 2);
        tell(points, 1, t % 2);
    }
    assert_ok(segue_task_probabilities(mix, NULL, 200000, one, &exact, NULL));
    assert_ok(segue_task_probabilities(points, NULL, 200000, two, &exact, NULL));
    for (size_t i = 0; i < ARMS; i++)
        assert_near(one[i], two[i], 2 * 0.0085);
    assert_true(one[0] > 0.1 && one[1] > 0.1);
    segue_task_destroy(mix);
    segue_task_destroy(points);
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_have_the_probabilities_of_the_posterior),
        cmocka_unit_test(a_large_spread_is_mts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
