/* urn.h - the urn: play logged tasks beyond their logged rewards.
 *
 * The j-th pull of an arm in a task receives the task's j-th logged reward of that arm.  After the
 * last one, rewards are drawn with a mean theta, and theta from the posterior of the task given
 * its logged rewards under a fitted population (population.h).  docs/math.md derives it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_URN_URN_H
#define SEGUE_REPLAY_URN_URN_H

#include "replay/urn/urn_log.h"

/** A log, the population that fits it best, and populations that it allows. */
typedef struct segue_urn {
    const segue_urn_log *log; /* borrowed */
    segue_population population;
    segue_population *draw; /* n_draws */
    size_t n_draws;
    const atomic_bool *stop; /* ends fits and draws; or NULL */
} segue_urn;

/** Fit a population to the tasks of a log, and draw others; @retval SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_urn_init(segue_urn *out, const segue_urn_log *log,
                                             size_t n_draws, uint64_t seed, const atomic_bool *stop,
                                             segue_error *err);
void segue_urn_fini(segue_urn *urn);

/** Draw one population that these tasks of the log, from[0 .. n - 1], allow.  The replicate plays
 * the same log, and borrows from it; no population is fitted.  @retval SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_urn_init_replicate(segue_urn *out, const segue_urn *urn,
                                                       const size_t *from, size_t n, uint64_t seed,
                                                       uint64_t run, segue_error *err);

/** Return the population of a run: run i has draw i; after the last draw, the first follows. */
const segue_population *segue_urn_population(const segue_urn *urn, uint64_t run);

/** Draw the means (n_arms) of a task from its posterior under the population of the run, from the
 * stream of (seed, run, task). */
void segue_urn_draw_means(const segue_urn *urn, size_t task, uint64_t seed, uint64_t run,
                          double *theta);

/** Draw a reward with that mean: 0 or 1, or a Beta number with the dispersion of the log. */
double segue_urn_draw_reward(const segue_urn *urn, double mean, segue_rng *rng);

/** Return the arm whose mean is largest on average over these tasks (positions first .. n - 1 of
 * `order`); @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_urn_best_arm(const segue_urn *urn, const size_t *order,
                                                 size_t first, size_t n, uint64_t seed,
                                                 uint64_t run, size_t *arm, segue_error *err);

#endif
