/* urn.c - fit a population to a log, and draw means, rewards and whole logs from it.
 *
 * Rewards of 0 and 1 are drawn as such.  Graded rewards follow a Beta law with the right mean m and
 * the variance phi m (1 - m) of the log, phi being the dispersion within a task and arm: learners
 * use only sums and numbers of rewards, so mean and variance are what matters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/urn/urn.h"

#include <stdlib.h>

#include "segue/internal.h"

#define DRAWS_OF_MEANS 4     /* per task, to find the best arm */
#define MIN_PRECISION  0.001 /* of a Beta law: below, its draws are 0 or 1 */

segue_status segue_urn_init(segue_urn *out, const segue_urn_log *log, uint64_t seed, uint64_t run,
                            segue_error *err)
{
    const segue_counts counts = segue_urn_log_counts(log);
    const segue_population_config config = {.seed = seed, .run = run};
    const size_t n_arms = log->n_arms;
    *out = (segue_urn){.log = log};
    SEGUE_TRY(segue_population_fit(&out->population, &counts, &config, err));
    const size_t n_types = out->population.n_types;
    out->posterior = calloc(log->n_tasks * n_types, sizeof *out->posterior);
    if (!out->posterior) {
        segue_urn_fini(out);
        return segue_fail_no_memory(err, "the types of tasks");
    }
    for (size_t task = 0; task < log->n_tasks; task++)
        (void)segue_population_posterior(&out->population, log->sum + task * n_arms,
                                         log->pulls + task * n_arms,
                                         out->posterior + task * n_types);
    return SEGUE_OK;
}

void segue_urn_fini(segue_urn *urn)
{
    segue_population_fini(&urn->population);
    free(urn->posterior);
    *urn = (segue_urn){.log = NULL};
}

void segue_urn_draw_means(const segue_urn *urn, size_t task, uint64_t seed, uint64_t run,
                          double *theta)
{
    const size_t at = task * urn->log->n_arms;
    segue_rng rng;
    segue_rng_init(&rng, seed, run, task, SEGUE_STREAM_MEANS);
    (void)segue_population_draw_means(&urn->population,
                                      urn->posterior + task * urn->population.n_types,
                                      urn->log->sum + at, urn->log->pulls + at, &rng, theta);
}

double segue_urn_draw_reward(const segue_urn *urn, double mean, segue_rng *rng)
{
    const double precision = 1.0 / urn->population.dispersion - 1.0;
    if (urn->log->binary || precision < MIN_PRECISION)
        return segue_rng_uniform(rng) < mean;
    if (mean <= 0.0 || mean >= 1.0)
        return mean;
    return segue_rng_beta(rng, precision * mean, precision * (1.0 - mean));
}

segue_status segue_urn_best_arm(const segue_urn *urn, const size_t *order, size_t first, size_t n,
                                uint64_t seed, uint64_t run, size_t *arm, segue_error *err)
{
    const size_t n_arms = urn->log->n_arms;
    double *sum = calloc(2 * n_arms, sizeof *sum), *theta = sum + n_arms;
    if (!sum)
        return segue_fail_no_memory(err, "the means of arms");
    for (size_t i = first; i < n; i++)
        for (uint64_t draw = 0; draw < DRAWS_OF_MEANS; draw++) {
            segue_urn_draw_means(urn, order[i], seed, run + draw, theta);
            for (size_t k = 0; k < n_arms; k++)
                sum[k] += theta[k];
        }
    *arm = 0;
    for (size_t k = 1; k < n_arms; k++)
        *arm = sum[k] > sum[*arm] ? k : *arm;
    free(sum);
    return SEGUE_OK;
}

/* Draw the rewards of a task with these means. */
static void draw_rewards(const segue_urn *urn, const double *theta, size_t task, segue_rng *rng,
                         segue_urn_log *out)
{
    const size_t *start = out->start + task * out->n_arms;
    for (size_t arm = 0; arm < out->n_arms; arm++)
        for (size_t i = start[arm]; i < start[arm + 1]; i++)
            out->reward[i] = segue_urn_draw_reward(urn, theta[arm], rng);
}

segue_status segue_urn_draw_log(const segue_urn *urn, const size_t *from, size_t n_tasks,
                                uint64_t seed, uint64_t run, segue_urn_log *out, segue_error *err)
{
    const segue_urn_log *log = urn->log;
    const size_t n_types = urn->population.n_types;
    double *theta = calloc(log->n_arms, sizeof *theta);
    if (!theta)
        return segue_fail_no_memory(err, "the means of arms");
    const segue_status status = segue_urn_log_init_like(out, log, from, n_tasks, err);
    for (size_t task = 0; task < n_tasks && status == SEGUE_OK; task++) {
        const size_t at = from[task] * log->n_arms;
        segue_rng rng;
        segue_rng_init(&rng, seed, run, task, SEGUE_STREAM_BOOTSTRAP);
        (void)segue_population_draw_means(&urn->population, urn->posterior + from[task] * n_types,
                                          log->sum + at, log->pulls + at, &rng, theta);
        draw_rewards(urn, theta, task, &rng, out);
    }
    free(theta);
    if (status == SEGUE_OK)
        segue_urn_log_add_up(out);
    return status;
}
