/* test_population_check.c - draws of populations, and checks of a fit.
 *
 * False alarms.  BOUND standard errors are passed once in a million by a normal number.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "replay/population/population.h"

#define BOUND     4.9
#define MAX_CELLS 40000

/* The counts of a log: of all rewards, of the first half of each cell, of the second half. */
static double sum[3][MAX_CELLS], pulls[3][MAX_CELLS];
static segue_counts counts[3];

/* Tasks of two types, `n_pulls` pulls of each of three arms; rewards of the second half have means
 * that are lower by `drop`. */
static const double mean[2][3] = {{0.8, 0.3, 0.4}, {0.3, 0.7, 0.5}};

static void make_log(size_t n_tasks, size_t n_pulls, double drop, uint64_t number)
{
    segue_rng rng;
    segue_rng_init(&rng, 11, number, 0, 0);
    memset(sum, 0, sizeof sum);
    memset(pulls, 0, sizeof pulls);
    assert_true(n_tasks * 3 <= MAX_CELLS);
    for (size_t k = 0; k < 3; k++)
        counts[k] =
            (segue_counts){.n_tasks = n_tasks, .n_arms = 3, .sum = sum[k], .pulls = pulls[k]};
    for (size_t l = 0; l < n_tasks; l++) {
        const double *m = mean[segue_rng_uniform(&rng) < 0.5];
        for (size_t i = 0; i < 3; i++) {
            const double theta = segue_rng_beta(&rng, 20.0 * m[i], 20.0 * (1.0 - m[i]));
            for (size_t t = 0; t < n_pulls; t++) {
                const size_t half = 2 * t < n_pulls ? 1 : 2, at = l * 3 + i;
                const double reward = segue_rng_uniform(&rng) < theta - (half == 2 ? drop : 0.0);
                sum[0][at] += reward;
                pulls[0][at] += 1.0;
                sum[half][at] += reward;
                pulls[half][at] += 1.0;
            }
        }
    }
}

static segue_population fit_log(void)
{
    const segue_population_config config = {.seed = 3};
    segue_population p;
    segue_error err;
    assert_int_equal(segue_population_fit(&p, &counts[0], &config, &err), SEGUE_OK);
    return p;
}

/* ---- draws of populations ------------------------------------------------------------------- */

enum { N_DRAWS = 120 };

static double arm_mean(const segue_population *p, size_t arm)
{
    double total = 0.0;
    for (size_t q = 0; q < p->n_types; q++)
        total += p->weight[q] * p->mean[q * p->n_arms + arm];
    return total;
}

/* The mean of an arm over the population is known from N tasks, with the error of an average of
 * their averages.  So are the draws: their spread is that error.  The spread of 120 draws, of which
 * 30 or more count after their correlation, is known within 1 / sqrt(2 x 30) = 13 % (one s.e.). */
static void draws_spread_as_the_log_allows(void **state)
{
    const segue_population_config config = {.seed = 4};
    segue_population draw[N_DRAWS];
    segue_error err;
    (void)state;
    make_log(400, 4, 0.0, 1);
    segue_population p = fit_log();
    assert_int_equal(segue_population_sample(draw, N_DRAWS, &counts[0], &p, &config, &err),
                     SEGUE_OK);
    for (size_t arm = 0; arm < 3; arm++) {
        segue_stats log = {0}, draws = {0};
        for (size_t l = 0; l < 400; l++)
            segue_stats_add(&log, sum[0][l * 3 + arm] / 4.0);
        for (size_t d = 0; d < N_DRAWS; d++)
            segue_stats_add(&draws, arm_mean(&draw[d], arm));
        const double error = segue_stats_standard_error(&log);
        const double spread = sqrt(segue_stats_variance(&draws)) / error;
        assert_true(spread > 1.0 - BOUND * 0.13 && spread < 1.0 + BOUND * 0.13);
        assert_true(fabs(draws.mean - log.mean) < BOUND * error / sqrt(30.0) + 0.3 * error);
    }
    for (size_t d = 0; d < N_DRAWS; d++) {
        double total = 0.0;
        for (size_t q = 0; q < draw[d].n_types; q++) {
            total += draw[d].weight[q];
            assert_true(q == 0 || draw[d].weight[q] <= draw[d].weight[q - 1]);
        }
        assert_true(fabs(total - 1.0) < 1e-9);
        segue_population_fini(&draw[d]);
    }
    segue_population_fini(&p);
}

/* A log that tells little allows several numbers of types, and equal seeds allow the same. */
static void draws_differ_in_their_number_of_types(void **state)
{
    const segue_population_config config = {.seed = 4};
    segue_population a[30], b[30];
    segue_error err;
    size_t min = SEGUE_MAX_POPULATION_TYPES, max = 0;
    (void)state;
    make_log(100, 1, 0.0, 2);
    segue_population p = fit_log();
    assert_int_equal(segue_population_sample(a, 30, &counts[0], &p, &config, &err), SEGUE_OK);
    assert_int_equal(segue_population_sample(b, 30, &counts[0], &p, &config, &err), SEGUE_OK);
    for (size_t d = 0; d < 30; d++) {
        min = a[d].n_types < min ? a[d].n_types : min;
        max = a[d].n_types > max ? a[d].n_types : max;
        assert_int_equal(a[d].n_types, b[d].n_types);
        assert_memory_equal(a[d].mean, b[d].mean, a[d].n_types * 3 * sizeof *a[d].mean);
        segue_population_fini(&a[d]);
        segue_population_fini(&b[d]);
    }
    assert_true(max > min);
    segue_population_fini(&p);
}

/* Weighted average of ln kappa. */
static double average_log_kappa(const segue_population *p)
{
    double total = 0.0;
    for (size_t k = 0; k < p->n_types * p->n_arms; k++)
        total += p->weight[k / p->n_arms] * log(p->concentration[k]) / (double)p->n_arms;
    return total;
}

enum { N_BATCHES = 12 };

/* Draw from a start with the concentration kappa; store the averages of batches of draws. */
static void draw_batches(segue_population *start, double kappa, segue_stats *batches)
{
    const segue_population_config config = {.seed = 5};
    segue_population draw[N_DRAWS];
    segue_error err;
    double average[N_BATCHES] = {0.0};
    for (size_t k = 0; k < start->n_types * 3; k++)
        start->concentration[k] = kappa;
    assert_int_equal(segue_population_sample(draw, N_DRAWS, &counts[0], start, &config, &err),
                     SEGUE_OK);
    for (size_t d = 0; d < N_DRAWS; d++) {
        average[d * N_BATCHES / N_DRAWS] += average_log_kappa(&draw[d]) * N_BATCHES / N_DRAWS;
        segue_population_fini(&draw[d]);
    }
    for (size_t k = 0; k < N_BATCHES; k++)
        segue_stats_add(batches, average[k]);
}

/* With three rewards per arm a log says little of spreads: kappa has a wide posterior.  Chains from
 * both its ends must forget where they began.  Averages of batches of ten draws are taken as
 * independent: Student's t with 22 degrees of freedom passes 6.6 once in a million. */
static void draws_forget_their_start(void **state)
{
    segue_stats low = {0}, high = {0};
    (void)state;
    make_log(100, 3, 0.0, 4);
    segue_population p = fit_log();
    draw_batches(&p, 2.0, &low);
    draw_batches(&p, 5e4, &high);
    const double error = hypot(segue_stats_standard_error(&low), segue_stats_standard_error(&high));
    assert_true(fabs(low.mean - high.mean) < 6.6 * error);
    assert_true(error < 1.0); /* of ln kappa; the starts differ by 10 */
    segue_population_fini(&p);
}

/* ---- what types need ------------------------------------------------------------------------ */

/* Two types: cov_kl = 1/4 d_k d_l with d the differences of means, v = m (1 - m) of the arm. */
static void needs_follow_the_formula(void **state)
{
    double expected = 0.0;
    (void)state;
    make_log(10000, 2, 0.0, 3);
    segue_population p = fit_log();
    const segue_population_needs found = segue_population_check_needs(&p, &counts[0]);
    for (size_t k = 0; k < 3; k++)
        for (size_t l = 0; l < k; l++) {
            const double m = (mean[0][k] + mean[1][k]) / 2.0, o = (mean[0][l] + mean[1][l]) / 2.0;
            const double covariance = 0.25 * (mean[0][k] - mean[1][k]) * (mean[0][l] - mean[1][l]);
            expected += covariance * covariance / (m * (1.0 - m) * o * (1.0 - o));
        }
    assert_int_equal(p.n_types, 2);
    assert_true(fabs(found.rewards_per_cell - 2.0) < 1e-12);
    /* the strongest correlation, 0.2 of a variance, is known within sqrt(0.4 / 10,000) = 0.0063 */
    assert_true(fabs(found.tasks * expected * 4.0 / 14.0 - 1.0) < BOUND * 2.0 * 0.0063 / 0.2);
    assert_true(fabs(found.rows * found.rows * 1e4 / 9.0 / (14.0 / expected) - 1.0) <
                BOUND * 2.0 * 0.0063 / 0.2);
    segue_population_fini(&p);
}

/* ---- checks of a fit ------------------------------------------------------------------------ */

/* Over LOGS logs the sum of z^2 is chi-squared: above LOGS + 2 sqrt(LOGS x) + 2 x with probability
 * exp(-x) at most (Laurent and Massart 2000), one in a million for x = 13.8.  A moment of one of
 * the 90 pairs of arms passes 5 once in 20,000 changes of the streams. */
static void halves_of_right_logs_agree(void **state)
{
    enum { LOGS = 30 };
    double squares = 0.0;
    (void)state;
    for (uint64_t number = 0; number < LOGS; number++) {
        make_log(200, 4, 0.0, 100 + number);
        segue_population p = fit_log();
        const double z = segue_population_check_halves(&p, &counts[1], &counts[2]).z;
        squares += z * z;
        assert_true(segue_population_check_moments(&p, &counts[0]) < 5.0);
        segue_population_fini(&p);
    }
    assert_true(squares < LOGS + 2.0 * sqrt(LOGS * 13.8) + 2.0 * 13.8);
    assert_true(squares > 0.1 * LOGS);
}

/* The second halves are lower by 0.2, and the fit knows the average of both: 0.1 is more than ten
 * standard errors of 1,000 tasks. */
static void drift_inside_tasks_is_found(void **state)
{
    (void)state;
    make_log(1000, 4, 0.2, 5);
    segue_population p = fit_log();
    const segue_population_halves found = segue_population_check_halves(&p, &counts[1], &counts[2]);
    assert_true(found.z < -4.0);
    assert_true(found.observed < found.predicted);
    segue_population_fini(&p);
}

/* One type has no covariances; the log has strong ones. */
static void moments_of_too_few_types_differ(void **state)
{
    const segue_population_config config = {.max_types = 1, .seed = 3};
    segue_population p;
    segue_error err;
    (void)state;
    make_log(1000, 4, 0.0, 6);
    assert_int_equal(segue_population_fit(&p, &counts[0], &config, &err), SEGUE_OK);
    assert_true(segue_population_check_moments(&p, &counts[0]) > 5.0);
    segue_population_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_spread_as_the_log_allows),
        cmocka_unit_test(draws_differ_in_their_number_of_types),
        cmocka_unit_test(draws_forget_their_start),
        cmocka_unit_test(needs_follow_the_formula),
        cmocka_unit_test(halves_of_right_logs_agree),
        cmocka_unit_test(drift_inside_tasks_is_found),
        cmocka_unit_test(moments_of_too_few_types_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
