/* test_population.c - the distribution of tasks fitted to a log, against independent answers.
 *
 * False alarms.  Random errors are compared with BOUND standard errors, which a normal number passes
 * once in a million; about 40 comparisons make one alarm in 25,000 changes of the random streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "replay/population/population.h"

#define BOUND     4.9
#define MAX_CELLS 40000

/* ---- logs that are made ------------------------------------------------------------------- */

typedef struct made_counts {
    segue_counts counts;
    double sum[MAX_CELLS], pulls[MAX_CELLS], square[MAX_CELLS];
} made_counts;

static made_counts made;

/* Two types far apart, kappa 20. */
static const double two_means[2][4] = {{0.85, 0.2, 0.5, 0.3}, {0.2, 0.8, 0.5, 0.6}};
static const double two_weights[2] = {0.65, 0.35};
#define TWO_KAPPA 20.0

static void begin_log(size_t n_tasks, size_t n_arms)
{
    assert_true(n_tasks * n_arms <= MAX_CELLS);
    memset(&made, 0, sizeof made);
    made.counts =
        (segue_counts){.n_tasks = n_tasks, .n_arms = n_arms, .sum = made.sum, .pulls = made.pulls};
}

static void pull(size_t cell, double reward)
{
    made.sum[cell] += reward;
    made.pulls[cell] += 1.0;
    made.square[cell] += reward * reward;
}

/* Tasks of the two types, `pulls` pulls of each of the four arms. */
static void make_two_types(size_t n_tasks, size_t pulls, uint64_t number)
{
    segue_rng rng;
    segue_rng_init(&rng, 5, number, 0, 0);
    begin_log(n_tasks, 4);
    for (size_t l = 0; l < n_tasks; l++) {
        const double *mean = two_means[segue_rng_uniform(&rng) < two_weights[1]];
        for (size_t i = 0; i < 4; i++) {
            const double theta =
                segue_rng_beta(&rng, TWO_KAPPA * mean[i], TWO_KAPPA * (1.0 - mean[i]));
            for (size_t t = 0; t < pulls; t++)
                pull(l * 4 + i, segue_rng_uniform(&rng) < theta);
        }
    }
}

static segue_population fit_with(size_t max_types)
{
    const segue_population_config config = {.max_types = max_types, .seed = 3};
    segue_population p;
    segue_error err;
    assert_int_equal(segue_population_fit(&p, &made.counts, &config, &err), SEGUE_OK);
    return p;
}

/* ---- the likelihood ----------------------------------------------------------------------- */

/* ln B(a + won, b + lost) - ln B(a, b) by the C library. */
static double direct(double a, double b, double won, double lost)
{
    return lgamma(a + won) + lgamma(b + lost) - lgamma(a + b + won + lost) - lgamma(a) - lgamma(b) +
           lgamma(a + b);
}

static double direct_log_likelihood(const segue_population *p)
{
    double total = 0.0;
    for (size_t l = 0; l < made.counts.n_tasks; l++) {
        double likelihood = 0.0;
        for (size_t q = 0; q < p->n_types; q++) {
            double sum = log(p->weight[q]);
            for (size_t i = 0; i < p->n_arms; i++) {
                const size_t at = q * p->n_arms + i, cell = l * p->n_arms + i;
                const double a = p->mean[at] * p->concentration[at], b = p->concentration[at] - a;
                sum += direct(a, b, made.sum[cell], made.pulls[cell] - made.sum[cell]);
            }
            likelihood += exp(sum);
        }
        total += log(likelihood);
    }
    return total;
}

/* AIC's price of k parameters in n tasks, halved. */
static double price(double k, double n)
{
    return k + k * (k + 1.0) / (n - k - 1.0);
}

static void log_likelihood_is_the_sum_of_direct_ones(void **state)
{
    (void)state;
    make_two_types(300, 3, 1);
    segue_population p = fit_with(0);
    const double expected = direct_log_likelihood(&p);
    assert_true(fabs(p.log_likelihood - expected) < 1e-7 * fabs(expected));
    const double found = 0.5 * p.aic + expected, types = (double)p.n_types;
    assert_true(found > price(5.0 * types - 1.0, 300.0)); /* priors hold some parameters, */
    assert_true(found < price(9.0 * types - 1.0, 300.0)); /* of 9 per type */
    segue_population_fini(&p);
}

/* ---- one type against brute force ----------------------------------------------------------- */

/* The objective of population_em.c for one type and one arm, with a centre of ln kappa. */
static double objective_around(double m, double log_kappa, double log_centre)
{
    double sum = 0.0, won = 0.0, pulls = 0.0;
    const double kappa = exp(log_kappa), off = log_kappa - log_centre;
    for (size_t l = 0; l < made.counts.n_tasks; l++) {
        sum += direct(m * kappa, (1.0 - m) * kappa, made.sum[l], made.pulls[l] - made.sum[l]);
        won += made.sum[l];
        pulls += made.pulls[l];
    }
    const double centre = (won + 0.5) / (pulls + 1.0);
    return sum + 2.0 * (centre * log(m) + (1.0 - centre) * log(1.0 - m)) - off * off / 2.0;
}

/* ... with the best centre: ln kappa then has the variance 1 + 2.25 around ln 50. */
static double objective(double m, double log_kappa)
{
    const double off = log_kappa - log(50.0);
    return objective_around(m, log_kappa, log_kappa) - off * off / 2.0 / 3.25;
}

/* Second derivatives by differences: the share that the rewards give is what AIC counts. */
static double parameters_of(const segue_population *p)
{
    const double m = p->mean[0], k = log(p->concentration[0]), h = 1e-3;
    const double c = (log(50.0) / 2.25 + k) / (1.0 / 2.25 + 1.0);
    const double up = 1.0 / (1.0 + (1.0 / m - 1.0) * exp(-h));
    const double down = 1.0 / (1.0 + (1.0 / m - 1.0) * exp(h));
    const double top = 2.0 * objective_around(m, k, c);
    const double of_mean =
        (objective_around(up, k, c) + objective_around(down, k, c) - top) / h / h;
    const double of_kappa =
        (objective_around(m, k + h, c) + objective_around(m, k - h, c) - top) / h / h;
    return (1.0 + 2.0 * m * (1.0 - m) / of_mean) + (1.0 + 1.0 / of_kappa);
}

static void one_type_has_the_largest_objective_on_a_grid(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 3; number++) {
        const double kappa[3] = {2.0, 15.0, 300.0};
        segue_rng rng;
        segue_rng_init(&rng, 6, number, 0, 0);
        begin_log(250, 1);
        for (size_t l = 0; l < 250; l++) {
            const double theta = segue_rng_beta(&rng, 0.3 * kappa[number], 0.7 * kappa[number]);
            for (size_t t = 0; t < 1 + l % 8; t++)
                pull(l, segue_rng_uniform(&rng) < theta);
        }
        segue_population p = fit_with(1);
        const double found = objective(p.mean[0], log(p.concentration[0]));
        double best = -INFINITY;
        for (double m = 0.15; m < 0.45; m += 0.004)
            for (double log_kappa = -1.0; log_kappa < 9.0; log_kappa += 0.05)
                best = fmax(best, objective(m, log_kappa));
        assert_true(found > best - 0.02); /* nats: a smaller gain ends the fit */
        assert_true(fabs(0.5 * p.aic + p.log_likelihood - price(parameters_of(&p), 250.0)) < 0.02);
        segue_population_fini(&p);
    }
}

/* ---- parameters --------------------------------------------------------------------------- */

/* With 10 pulls of 4 arms types are told apart almost surely, so that the estimates have the errors
 * of known types: an average of N w cell averages, each with the variance of theta and of 10
 * rewards. */
static void types_are_recovered_from_a_large_log(void **state)
{
    const double n = 4000.0, pulls = 10.0;
    (void)state;
    make_two_types((size_t)n, (size_t)pulls, 2);
    segue_population p = fit_with(0);
    assert_int_equal(p.n_types, 2);
    for (size_t q = 0; q < 2; q++) {
        const double w = two_weights[q];
        assert_true(fabs(p.weight[q] - w) < BOUND * sqrt(w * (1.0 - w) / n) + 0.002);
        for (size_t i = 0; i < 4; i++) {
            const double m = two_means[q][i], own = m * (1.0 - m) / (TWO_KAPPA + 1.0);
            const double variance = own + (m * (1.0 - m) - own) / pulls;
            assert_true(fabs(p.mean[q * 4 + i] - m) < BOUND * sqrt(variance / (n * w)) + 0.002);
            /* kappa: a variance over 1,400 tasks or more is known within 4 % (one s.e.), and that of
             * theta is a third of it */
            assert_true(fabs(log(p.concentration[q * 4 + i] / TWO_KAPPA)) < BOUND * 0.04 * 3.0);
        }
    }
    segue_population_fini(&p);
}

static void equal_tasks_in_another_order_have_the_same_fit(void **state)
{
    (void)state;
    make_two_types(400, 2, 3);
    segue_population p = fit_with(0);
    for (size_t k = 0; k < 200 * 4; k++) { /* reverse the tasks */
        const size_t other = (399 - k / 4) * 4 + k % 4;
        const double sum = made.sum[k], pulls = made.pulls[k];
        made.sum[k] = made.sum[other];
        made.pulls[k] = made.pulls[other];
        made.sum[other] = sum;
        made.pulls[other] = pulls;
    }
    segue_population r = fit_with(0);
    assert_int_equal(p.n_types, r.n_types);
    assert_true(fabs(p.log_likelihood - r.log_likelihood) < 1e-6);
    for (size_t k = 0; k < p.n_types * 4; k++)
        assert_true(fabs(p.mean[k] - r.mean[k]) < 1e-6);
    segue_population_fini(&p);
    segue_population_fini(&r);
}

static void arms_without_pulls_take_nothing_from_the_others(void **state)
{
    (void)state;
    make_two_types(300, 3, 4);
    for (size_t l = 0; l < 300; l++) { /* arm 3 was never pulled; half of the tasks lack arm 2 */
        made.sum[l * 4 + 3] = made.pulls[l * 4 + 3] = 0.0;
        if (l % 2)
            made.sum[l * 4 + 2] = made.pulls[l * 4 + 2] = 0.0;
    }
    segue_population p = fit_with(0);
    for (size_t q = 0; q < p.n_types; q++) {
        assert_true(fabs(p.mean[q * 4 + 3] - 0.5) < 1e-6); /* the prior: (0 + 1/2) / (0 + 1) */
        assert_true(p.mean[q * 4 + 2] > 0.3 && p.mean[q * 4 + 2] < 0.7);
    }
    segue_population_fini(&p);
}

/* ---- graded rewards ------------------------------------------------------------------------- */

static void squares_of_rewards_of_0_and_1_change_nothing(void **state)
{
    (void)state;
    make_two_types(300, 3, 5);
    segue_population plain = fit_with(0);
    made.counts.square = made.square;
    segue_population graded = fit_with(0);
    assert_true(fabs(graded.dispersion - 1.0) < 1e-12);
    assert_true(fabs(graded.log_likelihood - plain.log_likelihood) < 1e-6);
    segue_population_fini(&plain);
    segue_population_fini(&graded);
}

/* Beta rewards of precision P have the variance m (1 - m) / (P + 1). */
static void dispersion_of_graded_rewards_is_found(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 7, 0, 0, 0);
    begin_log(2000, 2);
    for (size_t cell = 0; cell < 4000; cell++) {
        const double theta = segue_rng_beta(&rng, 6.0, 6.0);
        for (size_t t = 0; t < 4; t++)
            pull(cell, segue_rng_beta(&rng, 4.0 * theta, 4.0 * (1.0 - theta)));
    }
    made.counts.square = made.square;
    segue_population p = fit_with(1);
    /* 4,000 variances of 4 rewards: a relative s.e. of about sqrt(2 / 3 / 4,000) = 1.3 %. */
    assert_true(fabs(p.dispersion / 0.2 - 1.0) < BOUND * 0.013);
    /* Cells of 20 rewards of 0 or 1 each: ln kappa = ln 12 within sqrt(2 / 2,000) / 0.6. */
    assert_true(fabs(log(p.concentration[0] / 12.0)) < BOUND * 0.053);
    segue_population_fini(&p);
}

/* ---- draws -------------------------------------------------------------------------------- */

enum { DRAWS = 40000 };

/* The posterior is a mixture of Betas with known moments. */
static void draws_have_the_moments_of_the_posterior(void **state)
{
    double weight[2] = {0.6, 0.4}, mean[4] = {0.7, 0.3, 0.4, 0.6},
           kappa[4] = {10.0, 5.0, 3.0, 40.0};
    const segue_population p = {.n_arms = 2,
                                .n_types = 2,
                                .weight = weight,
                                .mean = mean,
                                .concentration = kappa,
                                .dispersion = 0.5};
    const double sum[2] = {2.0, 0.0}, pulls[2] = {3.0, 1.0};
    double joint[2], theta[2], total[2] = {0}, squares[2] = {0}, first = 0.0;
    segue_rng rng;
    (void)state;
    for (size_t q = 0; q < 2; q++) {
        joint[q] = weight[q];
        for (size_t i = 0; i < 2; i++) {
            const double k = kappa[2 * q + i], a = mean[2 * q + i] * k;
            joint[q] *= exp(direct(a, k - a, sum[i] / 0.5, (pulls[i] - sum[i]) / 0.5));
        }
    }
    segue_rng_init(&rng, 8, 0, 0, 0);
    for (size_t d = 0; d < DRAWS; d++) {
        first += segue_population_draw(&p, sum, pulls, &rng, theta) == 0;
        for (size_t i = 0; i < 2; i++) {
            total[i] += theta[i];
            squares[i] += theta[i] * theta[i];
        }
    }
    const double r = joint[0] / (joint[0] + joint[1]), n = (double)DRAWS;
    assert_true(fabs(first / n - r) < BOUND * sqrt(r * (1.0 - r) / n));
    for (size_t i = 0; i < 2; i++) {
        double e = 0.0, e2 = 0.0;
        for (size_t q = 0; q < 2; q++) {
            const double k = kappa[2 * q + i] + pulls[i] / 0.5;
            const double m = (mean[2 * q + i] * kappa[2 * q + i] + sum[i] / 0.5) / k;
            e += (q ? 1.0 - r : r) * m;
            e2 += (q ? 1.0 - r : r) * (m * m + m * (1.0 - m) / (k + 1.0));
        }
        assert_true(fabs(total[i] / n - e) < BOUND * sqrt((e2 - e * e) / n));
        /* theta^2 has at most the variance of 4 theta */
        assert_true(fabs(squares[i] / n - e2) < BOUND * 2.0 * sqrt((e2 - e * e) / n));
    }
}

static void a_new_task_is_drawn_from_the_population(void **state)
{
    double weight[1] = {1.0}, mean[1] = {0.3}, kappa[1] = {9.0}, theta, sum = 0.0;
    const segue_population p = {.n_arms = 1,
                                .n_types = 1,
                                .weight = weight,
                                .mean = mean,
                                .concentration = kappa,
                                .dispersion = 1.0};
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 9, 0, 0, 0);
    for (size_t d = 0; d < DRAWS; d++) {
        (void)segue_population_draw_new(&p, &rng, &theta);
        sum += theta;
    }
    assert_true(fabs(sum / DRAWS - 0.3) < BOUND * sqrt(0.21 / 10.0 / DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_likelihood_is_the_sum_of_direct_ones),
        cmocka_unit_test(one_type_has_the_largest_objective_on_a_grid),
        cmocka_unit_test(types_are_recovered_from_a_large_log),
        cmocka_unit_test(equal_tasks_in_another_order_have_the_same_fit),
        cmocka_unit_test(arms_without_pulls_take_nothing_from_the_others),
        cmocka_unit_test(squares_of_rewards_of_0_and_1_change_nothing),
        cmocka_unit_test(dispersion_of_graded_rewards_is_found),
        cmocka_unit_test(draws_have_the_moments_of_the_posterior),
        cmocka_unit_test(a_new_task_is_drawn_from_the_population),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
