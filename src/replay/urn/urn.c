/* urn.c - populations that a log allows, and means and rewards drawn from them.
 *
 * Rewards of 0 and 1 are drawn as such.  Graded rewards follow a Beta law with the right mean m and
 * the variance phi m (1 - m) of the log, phi being the dispersion within a task and arm: learners
 * use only sums and numbers of rewards, so mean and variance are what matters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/urn/urn.h"

#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

#define DRAWS_OF_MEANS 4     /* per task, to find the best arm */
#define MIN_PRECISION  0.001 /* of a Beta law: below, its draws are 0 or 1 */

segue_status segue_urn_init(segue_urn *out, const segue_urn_log *log, size_t n_draws, uint64_t seed,
                            const atomic_bool *stop, segue_error *err)
{
    const segue_counts counts = segue_urn_log_counts(log);
    const segue_population_config config = {.seed = seed, .stop = stop};
    *out = (segue_urn){.log = log, .stop = stop};
    SEGUE_TRY(segue_population_fit(&out->population, &counts, &config, err));
    out->draw = calloc(n_draws, sizeof *out->draw);
    segue_status status = out->draw ? segue_population_sample(out->draw, n_draws, &counts,
                                                              &out->population, &config, err)
                                    : segue_fail_no_memory(err, "the types of tasks");
    if (status == SEGUE_OK)
        out->n_draws = n_draws;
    else
        segue_urn_fini(out);
    return status;
}

void segue_urn_fini(segue_urn *urn)
{
    segue_population_fini(&urn->population);
    for (size_t i = 0; i < urn->n_draws; i++)
        segue_population_fini(&urn->draw[i]);
    free(urn->draw);
    *urn = (segue_urn){.log = NULL};
}

/* Copy the counts of some tasks of a log; `sum` has room for 3 x n x n_arms numbers. */
static segue_counts gather_counts(const segue_urn_log *log, const size_t *from, size_t n,
                                  double *sum)
{
    const size_t n_arms = log->n_arms, row = n_arms * sizeof *sum;
    double *pulls = sum + n * n_arms, *square = pulls + n * n_arms;
    for (size_t i = 0; i < n; i++) {
        memcpy(sum + i * n_arms, log->sum + from[i] * n_arms, row);
        memcpy(pulls + i * n_arms, log->pulls + from[i] * n_arms, row);
        memcpy(square + i * n_arms, log->square + from[i] * n_arms, row);
    }
    return (segue_counts){.n_tasks = n,
                          .n_arms = n_arms,
                          .sum = sum,
                          .pulls = pulls,
                          .square = log->binary ? NULL : square};
}

segue_status segue_urn_init_replicate(segue_urn *out, const segue_urn *urn, const size_t *from,
                                      size_t n, uint64_t seed, uint64_t run, segue_error *err)
{
    const segue_population_config config = {.seed = seed, .run = run, .stop = urn->stop};
    segue_status status = SEGUE_ENOMEM;
    double *scratch = calloc(3 * n * urn->log->n_arms, sizeof *scratch);
    *out = (segue_urn){.log = urn->log, .draw = calloc(1, sizeof *out->draw)};
    if (!scratch || !out->draw) {
        (void)segue_fail_no_memory(err, "a replicate of the log");
        goto done;
    }
    const segue_counts counts = gather_counts(urn->log, from, n, scratch);
    status = segue_population_sample(out->draw, 1, &counts, &urn->population, &config, err);
    out->n_draws = status == SEGUE_OK;
done:
    free(scratch);
    if (status != SEGUE_OK)
        segue_urn_fini(out);
    return status;
}

const segue_population *segue_urn_population(const segue_urn *urn, uint64_t run)
{
    return &urn->draw[run % urn->n_draws];
}

void segue_urn_draw_means(const segue_urn *urn, size_t task, uint64_t seed, uint64_t run,
                          double *theta)
{
    const size_t at = task * urn->log->n_arms;
    segue_rng rng;
    segue_rng_init(&rng, seed, run, task, SEGUE_STREAM_MEANS);
    (void)segue_population_draw(segue_urn_population(urn, run), urn->log->sum + at,
                                urn->log->pulls + at, &rng, theta);
}

double segue_urn_draw_reward(const segue_urn *urn, double mean, segue_rng *rng)
{
    const double precision = 1.0 / urn->draw->dispersion - 1.0;
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
    double *sum = calloc(2 * n_arms, sizeof *sum);
    if (!sum)
        return segue_fail_no_memory(err, "the means of arms");
    double *theta = sum + n_arms;
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
