/* test_rewards.c - reward laws: names, means, distributions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/laws/clipped_lognormal.h"
#include "sim/laws/truncated_normal.h"
#include "support.h"

/* The mean of the cut normal by Simpson's rule, in 4,000 steps over the part of [0, 1] that
 * carries the mass. */
static double simpson_mean(double location, double sd)
{
    const double mode = fmin(1.0, fmax(0.0, location));
    const double slope = fabs(location - mode) / (sd * sd); /* decay from the edge */
    const double reach = fmin(1.0, slope > 0 ? fmin(40.0 / slope, 12.0 * sd) : 12.0 * sd);
    const double low = fmax(0.0, mode - reach), high = fmin(1.0, mode + reach);
    double mass = 0, moment = 0;
    for (int i = 0; i <= 4000; i++) {
        const double x = low + (high - low) * i / 4000;
        const double z = (x - location) / sd, top = (mode - location) / sd;
        const double w = (i == 0 || i == 4000 ? 1
                          : i % 2             ? 4
                                              : 2) *
                         exp(0.5 * (mode - x) / sd * (top + z));
        mass += w;
        moment += w * x;
    }
    return moment / mass;
}

static void the_truncated_normal_has_the_given_mean(void **state)
{
    (void)state;
    const double sds[] = {0.001, 0.03, 0.1, 0.5, 2.0, 100.0};
    const double means[] = {1e-6, 0.001, 0.03, 0.2, 0.5, 0.725, 0.97, 0.9999};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 8; k++) {
            const double location = segue_truncated_normal_location(means[k], sds[i]);
            if (!(fabs(simpson_mean(location, sds[i]) / means[k] - 1.0) < 1e-6))
                fail_msg("mean %g, sd %g: location %g has mean %.12g", means[k], sds[i], location,
                         simpson_mean(location, sds[i]));
        }
}

/* The average of 200,000 rewards against the mean, in units of the standard error seen; |z| < 6.2
 * for 40 cases: false alarm 40 * 5.7e-10 (the rewards are bounded, so the normal law serves). */
static void rewards_of_every_family_have_their_mean_and_range(void **state)
{
    (void)state;
    static const char *const laws[] = {"bernoulli",    "beta:0.5",     "beta:20",   "normal:0.1",
                                       "normal:1.5",   "twopoint:0.9", "grades:10", "zeros:0.9",
                                       "jackpot:0.01", "lognormal:1"};
    const double mean[] = {0.02, 0.45, 0.725, 0.89};
    segue_models *models = models_of(4, 1, mean);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        segue_environment env = {.size = sizeof(segue_environment), .models = models};
        assert_ok(segue_rewards_parse(&env.rewards, laws[i], NULL));
        segue_simulated_task *simulated = new_simulated_task(&env, 51, i, 0);
        for (size_t arm = 0; arm < 4; arm++) {
            segue_stats stats = {0};
            for (int t = 0; t < 200000; t++) {
                const double x = segue_simulated_task_reward(simulated, arm);
                assert_true(x >= 0.0 && x <= 1.0);
                segue_stats_add(&stats, x);
            }
            if (!(fabs(stats.mean - mean[arm]) < 6.2 * segue_stats_standard_error(&stats)))
                fail_msg("%s pays %g, not %g", laws[i], stats.mean, mean[arm]);
        }
        segue_simulated_task_destroy(simulated);
    }
    segue_models_destroy(models);
}

/* Simpson's rule over the density of ln x, plus the mass above 1. */
static double lognormal_mean(double location, double sigma)
{
    enum { N = 20000 };
    const double low = location - 12.0 * sigma, high = fmin(0.0, location + 14.0 * sigma);
    double sum = 0.0;
    for (int i = 0; high > low && i <= N; i++) {
        const double y = low + (high - low) * i / N, z = (y - location) / sigma;
        sum += (i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0) * exp(y - 0.5 * z * z);
    }
    const double below = sum * (high - low) / (3.0 * N) / (sigma * sqrt(8.0 * atan(1.0)));
    return fmax(0.0, below) + 0.5 * erfc(-location / sigma / sqrt(2.0));
}

static void locations_give_the_mean_of_the_clipped_lognormal(void **state)
{
    (void)state;
    const double sigmas[] = {0.1, 0.5, 1.0, 3.0};
    const double means[] = {0.001, 0.03, 0.2, 0.5, 0.9};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 5; k++) {
            const double location = segue_clipped_lognormal_location(means[k], sigmas[i]);
            if (!(fabs(lognormal_mean(location, sigmas[i]) / means[k] - 1.0) < 1e-6))
                fail_msg("mean %g, sigma %g: location %g has mean %.12g", means[k], sigmas[i],
                         location, lognormal_mean(location, sigmas[i]));
        }
}

/* Ten grades have a tenth of the variance of 0 and 1.  The variance of 200,000 rewards has a
 * relative standard error below sqrt(2 / 200,000) = 0.32 %; 2 % is 6.3 of them: false alarm 3e-10. */
static void ten_grades_have_a_tenth_of_the_variance(void **state)
{
    (void)state;
    const double mean[] = {0.5, 0.3};
    segue_models *models = models_of(2, 1, mean);
    segue_environment env = {.size = sizeof(segue_environment), .models = models};
    assert_ok(segue_rewards_parse(&env.rewards, "grades:10", NULL));
    segue_simulated_task *simulated = new_simulated_task(&env, 55, 0, 0);
    segue_stats stats = {0};
    for (int t = 0; t < 200000; t++) {
        const double x = segue_simulated_task_reward(simulated, 0);
        assert_near(10.0 * x, round(10.0 * x), 1e-12);
        segue_stats_add(&stats, x);
    }
    assert_near(segue_stats_variance(&stats) / 0.025, 1.0, 0.02);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* The whole law of the cut normal, by Kolmogorov-Smirnov against its distribution function, in the
 * three ways it is drawn: P(sqrt(n) D > 3) < 2 exp(-2 * 3^2) = 3e-8 each, five times. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void the_truncated_normal_follows_its_distribution(void **state)
{
    (void)state;
    enum { N = 50000 };
    static double x[N];
    const double cases[][2] = {{0.4, 0.2}, {0.7, 1.5}, {-0.3, 0.25}, {1.4, 0.3}, {-20.0, 5.0}};
    for (size_t c = 0; c < 5; c++) {
        const double location = cases[c][0], sd = cases[c][1];
        segue_rng rng;
        segue_rng_init(&rng, 52, c, 0, 0);
        for (int i = 0; i < N; i++)
            x[i] = segue_truncated_normal_draw(&rng, location, sd);
        qsort(x, N, sizeof *x, ascending);
        const double low = erfc(location / sd / sqrt(2.0)); /* in the tail that keeps digits */
        const double high = erfc((location - 1.0) / sd / sqrt(2.0));
        double distance = 0;
        for (int i = 0; i < N; i++) {
            const double cdf = (erfc((location - x[i]) / sd / sqrt(2.0)) - low) / (high - low);
            distance = fmax(distance, fmax(cdf - (double)i / N, (i + 1.0) / N - cdf));
        }
        if (!(sqrt(N) * distance < 3.0))
            fail_msg("location %g, sd %g: sqrt(n) D = %g", location, sd, sqrt(N) * distance);
    }
}

static void a_mean_of_0_or_1_is_the_reward_in_every_family(void **state)
{
    (void)state;
    static const char *const laws[] = {"bernoulli",  "beta:3",    "normal:0.2",
                                       "twopoint:1", "grades:10", "lognormal:1"};
    const double mean[] = {0.0, 1.0};
    segue_models *models = models_of(2, 1, mean);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        segue_environment env = {.size = sizeof(segue_environment), .models = models};
        assert_ok(segue_rewards_parse(&env.rewards, laws[i], NULL));
        segue_simulated_task *simulated = new_simulated_task(&env, 53, 0, 0);
        for (int t = 0; t < 200; t++) {
            assert_near(segue_simulated_task_reward(simulated, 0), 0.0, 0.0);
            assert_near(segue_simulated_task_reward(simulated, 1), 1.0, 0.0);
        }
        segue_simulated_task_destroy(simulated);
    }
    segue_models_destroy(models);
}

static void wrong_families_are_rejected(void **state)
{
    (void)state;
    static const char *const wrong[] = {"poisson",      "beta",     "bernoulli:3", "beta:0",
                                        "beta:x",       "beta:",    "normal:0",    "normal:1e9",
                                        "twopoint:1.5", "",         "twopoint:-1", "betas:3",
                                        "grades:2.5",   "grades:0", "zeros:1",     "jackpot:-0.1",
                                        "lognormal:0"};
    segue_rewards rewards;
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const segue_status status = segue_rewards_parse(&rewards, wrong[i], &err);
        if (segue_status_exit_code(status) != 2)
            fail_msg("'%s' was not refused", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truncated_normal_has_the_given_mean),
        cmocka_unit_test(rewards_of_every_family_have_their_mean_and_range),
        cmocka_unit_test(locations_give_the_mean_of_the_clipped_lognormal),
        cmocka_unit_test(ten_grades_have_a_tenth_of_the_variance),
        cmocka_unit_test(the_truncated_normal_follows_its_distribution),
        cmocka_unit_test(a_mean_of_0_or_1_is_the_reward_in_every_family),
        cmocka_unit_test(wrong_families_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
