/* population_check.c - does a fitted population describe the log, and does the log show types?
 *
 * Types show in the covariances of arms between tasks.  The averages of two arms of a task have
 * independent noise, so the average over tasks of the product of their deviations estimates the
 * covariance of their means.  With N tasks and r rewards per cell, a correlation rho, relative to
 * the variance of one reward, stands out by N r^2 rho^2 / 2 nats, and AIC asks for one nat per
 * parameter: 2 K + 1 per further type of K arms.  So M types need
 *
 *     N = 2 (2 K + 1) (M - 1) / (r^2 sum_{k<l} rho_kl^2)
 *
 * tasks.  sum rho^2 is estimated from the log, less what noise adds to it.
 *
 * The checks: moments compares these covariances with those of the population.  Halves predicts
 * from the first half of a task's rewards which arm is best, and its mean; the second half of its
 * rewards must have that mean on average.  It is what a learner relies on.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>

#include "replay/population/population.h"
#include "segue/internal.h"
#include "segue/stats.h"

#define MAX_ARMS 64 /* whose pairs are looked at: the first ones */

/* ---- covariances of arms ----------------------------------------------------------------- */

/* Averages over all rewards of the first arms; returns their number. */
static size_t average_arms(const segue_counts *c, double *mean)
{
    const size_t count = c->n_arms < MAX_ARMS ? c->n_arms : MAX_ARMS;
    for (size_t arm = 0; arm < count; arm++) {
        double sum = 0.0, pulls = 0.0;
        for (size_t l = 0; l < c->n_tasks; l++) {
            sum += c->sum[l * c->n_arms + arm];
            pulls += c->pulls[l * c->n_arms + arm];
        }
        mean[arm] = pulls > 0.0 ? sum / pulls : 0.0;
    }
    return count;
}

/* Products of the deviations of two arms, over the tasks that have both. */
static segue_stats products(const segue_counts *c, const double *mean, size_t k, size_t l)
{
    segue_stats stats = {0};
    for (size_t task = 0; task < c->n_tasks; task++) {
        const double *sum = c->sum + task * c->n_arms, *pulls = c->pulls + task * c->n_arms;
        if (pulls[k] > 0.0 && pulls[l] > 0.0)
            segue_stats_add(&stats, (sum[k] / pulls[k] - mean[k]) * (sum[l] / pulls[l] - mean[l]));
    }
    return stats;
}

/* Covariance of the means of two arms under a population, around the given means. */
static double covariance(const segue_population *p, const double *mean, size_t k, size_t l)
{
    double sum = 0.0;
    for (size_t q = 0; q < p->n_types; q++)
        sum += p->weight[q] * (p->mean[q * p->n_arms + k] - mean[k]) *
               (p->mean[q * p->n_arms + l] - mean[l]);
    return sum;
}

double segue_population_check_moments(const segue_population *population,
                                      const segue_counts *counts)
{
    double mean[MAX_ARMS], max = 0.0;
    const size_t n_arms = average_arms(counts, mean);
    for (size_t k = 0; k < n_arms; k++)
        for (size_t l = 0; l < k; l++) {
            const segue_stats found = products(counts, mean, k, l);
            const double error = segue_stats_standard_error(&found);
            if (found.count > 1 && error > 0.0)
                max = fmax(max, fabs(found.mean - covariance(population, mean, k, l)) / error);
        }
    return max;
}

/* ---- tasks and rows that types need -------------------------------------------------------- */

/* sum_{k<l} rho_kl^2, less what noise adds; at most 0 if there is nothing but noise. */
static double squared_correlations(const segue_counts *c)
{
    double mean[MAX_ARMS], sum = 0.0;
    const size_t n_arms = average_arms(c, mean);
    for (size_t k = 0; k < n_arms; k++)
        for (size_t l = 0; l < k; l++) {
            const segue_stats found = products(c, mean, k, l);
            const double error = segue_stats_standard_error(&found);
            const double scale = mean[k] * (1.0 - mean[k]) * mean[l] * (1.0 - mean[l]);
            if (found.count > 1 && scale > 0.0)
                sum += (found.mean * found.mean - error * error) / scale;
        }
    return sum;
}

segue_population_needs segue_population_check_needs(const segue_population *population,
                                                    const segue_counts *counts)
{
    const double arms = (double)counts->n_arms, tasks = (double)counts->n_tasks;
    const double types = fmax(2.0, (double)population->n_types);
    const double rho =
        squared_correlations(counts) / (population->dispersion * population->dispersion);
    const double signal = 2.0 * (2.0 * arms + 1.0) * (types - 1.0) / rho;
    double pulls = 0.0;
    for (size_t k = 0; k < counts->n_tasks * counts->n_arms; k++)
        pulls += counts->pulls[k];
    const double per_cell = pulls / (tasks * arms);
    if (!(rho > 0.0))
        return (segue_population_needs){per_cell, INFINITY, INFINITY};
    return (segue_population_needs){per_cell, signal / (per_cell * per_cell),
                                    arms * sqrt(signal / tasks)};
}

/* ---- halves ------------------------------------------------------------------------------ */

/* Predict, from the counts of a task, which of the arms with `later` pulls is best; returns the
 * arm (n_arms: none), and its mean. */
static size_t predict_best(const segue_population *p, const double *sum, const double *pulls,
                           const double *later, double *mean)
{
    double posterior[SEGUE_MAX_POPULATION_TYPES];
    size_t best = p->n_arms;
    *mean = -1.0;
    (void)segue_population_posterior(p, sum, pulls, posterior);
    for (size_t i = 0; i < p->n_arms; i++) {
        double expected = 0.0;
        for (size_t q = 0; q < p->n_types; q++) {
            const double kappa = p->dispersion * p->concentration[q * p->n_arms + i];
            expected +=
                posterior[q] * (kappa * p->mean[q * p->n_arms + i] + sum[i]) / (kappa + pulls[i]);
        }
        if (later[i] > 0.0 && expected > *mean) {
            *mean = expected;
            best = i;
        }
    }
    return best;
}

segue_population_halves segue_population_check_halves(const segue_population *population,
                                                      const segue_counts *first,
                                                      const segue_counts *second)
{
    const size_t arms = first->n_arms;
    segue_stats off = {0}, predicted = {0};
    assert(second->n_tasks == first->n_tasks && second->n_arms == arms);
    for (size_t l = 0; l < first->n_tasks; l++) {
        double mean;
        const size_t at = l * arms,
                     arm = predict_best(population, first->sum + at, first->pulls + at,
                                        second->pulls + at, &mean);
        if (arm == arms)
            continue;
        segue_stats_add(&off, second->sum[at + arm] / second->pulls[at + arm] - mean);
        segue_stats_add(&predicted, mean);
    }
    const double error = segue_stats_standard_error(&off);
    return (segue_population_halves){.predicted = predicted.mean,
                                     .observed = predicted.mean + off.mean,
                                     .z = error > 0.0 ? off.mean / error : 0.0};
}
