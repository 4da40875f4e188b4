/* population.c - posterior of a task under a population, and draws from it.
 *
 * The likelihood of a task's counts under a type is a product over arms of
 * B(a + won, b + lost) / B(a, b) with a = m kappa, b = (1 - m) kappa, and the posterior of an arm's
 * mean is Beta(a + won, b + lost).  Graded rewards with the dispersion phi have the precision of
 * 1 / phi as many rewards of 0 or 1: their counts are divided by phi.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/population/population.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "segue/internal.h"

segue_status segue_population_init(segue_population *out, size_t n_arms, size_t max_types,
                                   segue_error *err)
{
    *out = (segue_population){.n_arms = n_arms, .dispersion = 1.0};
    out->weight = calloc(max_types * (1 + 2 * n_arms), sizeof *out->weight);
    if (!out->weight)
        return segue_fail_no_memory(err, "the distribution of tasks");
    out->mean = out->weight + max_types;
    out->concentration = out->mean + max_types * n_arms;
    return SEGUE_OK;
}

void segue_population_fini(segue_population *population)
{
    free(population->weight);
    *population = (segue_population){.weight = NULL};
}

static double log_likelihood(const segue_population *p, size_t type, const double *sum,
                             const double *pulls)
{
    double total = 0.0;
    for (size_t i = 0; i < p->n_arms; i++) {
        const size_t at = type * p->n_arms + i;
        const double a = p->mean[at] * p->concentration[at], b = p->concentration[at] - a;
        if (pulls[i] > 0.0)
            total += segue_log_beta_ratio(a, b, sum[i] / p->dispersion,
                                          fmax(0.0, pulls[i] - sum[i]) / p->dispersion);
    }
    return total;
}

double segue_population_posterior(const segue_population *population, const double *sum,
                                  const double *pulls, double *posterior)
{
    double best = -INFINITY, total = 0.0;
    for (size_t q = 0; q < population->n_types; q++) {
        posterior[q] = segue_ln(population->weight[q]) + log_likelihood(population, q, sum, pulls);
        best = fmax(best, posterior[q]);
    }
    for (size_t q = 0; q < population->n_types; q++) {
        posterior[q] = segue_exp(posterior[q] - best);
        total += posterior[q];
    }
    for (size_t q = 0; q < population->n_types; q++)
        posterior[q] /= total;
    /* cppcheck-suppress invalidFunctionArg ; the best type adds exp(0) = 1 */
    return best + segue_ln(total);
}

size_t segue_population_draw_means(const segue_population *population, const double *posterior,
                                   const double *sum, const double *pulls, segue_rng *rng,
                                   double *theta)
{
    const segue_population *p = population;
    const size_t type = segue_rng_index(rng, posterior, p->n_types);
    for (size_t i = 0; i < p->n_arms; i++) {
        const size_t at = type * p->n_arms + i;
        const double a = p->mean[at] * p->concentration[at], b = p->concentration[at] - a;
        theta[i] = segue_rng_beta(rng, a + sum[i] / p->dispersion,
                                  b + fmax(0.0, pulls[i] - sum[i]) / p->dispersion);
    }
    return type;
}

size_t segue_population_draw(const segue_population *population, const double *sum,
                             const double *pulls, segue_rng *rng, double *theta)
{
    double posterior[SEGUE_MAX_POPULATION_TYPES];
    assert(population->n_types <= SEGUE_MAX_POPULATION_TYPES);
    (void)segue_population_posterior(population, sum, pulls, posterior);
    return segue_population_draw_means(population, posterior, sum, pulls, rng, theta);
}

size_t segue_population_draw_new(const segue_population *population, segue_rng *rng, double *theta)
{
    const segue_population *p = population;
    const size_t type = segue_rng_index(rng, p->weight, p->n_types);
    for (size_t i = 0; i < p->n_arms; i++) {
        const size_t at = type * p->n_arms + i;
        const double a = p->mean[at] * p->concentration[at];
        theta[i] = segue_rng_beta(rng, a, p->concentration[at] - a);
    }
    return type;
}
