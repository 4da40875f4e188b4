/* urn.h - the urn: play logged tasks beyond their logged rewards.
 *
 * The j-th pull of an arm in a task receives the task's j-th logged reward of that arm.  After the
 * last one, rewards are drawn with a mean theta, and theta from the posterior of the task given
 * its logged rewards under a fitted population (population.h).  docs/math.md derives it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_URN_URN_H
#define SEGUE_REPLAY_URN_URN_H

#include "replay/urn/urn_log.h"

/** A log and the population that was fitted to it. */
typedef struct segue_urn {
    const segue_urn_log *log; /* borrowed */
    segue_population population;
    double *posterior; /* n_tasks x n_types: of each task over types */
} segue_urn;

/** Fit a population to the tasks of a log; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_urn_init(segue_urn *out, const segue_urn_log *log,
                                             uint64_t seed, uint64_t run, segue_error *err);
void segue_urn_fini(segue_urn *urn);

/** Draw the means (n_arms) of a task from its posterior, from the stream of (seed, run, task). */
void segue_urn_draw_means(const segue_urn *urn, size_t task, uint64_t seed, uint64_t run,
                          double *theta);

/** Draw a reward with that mean: 0 or 1, or a Beta number with the dispersion of the log. */
double segue_urn_draw_reward(const segue_urn *urn, double mean, segue_rng *rng);

/** Return the arm whose mean is largest on average over these tasks (positions first .. n - 1 of
 * `order`); @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_urn_best_arm(const segue_urn *urn, const size_t *order,
                                                 size_t first, size_t n, uint64_t seed,
                                                 uint64_t run, size_t *arm, segue_error *err);

/**
 * Draw a log of the same shape from the fitted population: task i has the numbers of rewards of
 * task from[i], means from the posterior of that task, and new rewards.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_urn_draw_log(const segue_urn *urn, const size_t *from,
                                                 size_t n_tasks, uint64_t seed, uint64_t run,
                                                 segue_urn_log *out, segue_error *err);

#endif
