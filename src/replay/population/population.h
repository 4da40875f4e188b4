/* population.h - the distribution of tasks that a log shows: types with Beta means per arm.
 *
 * A task has a type; given it, the means of its arms are independent Beta numbers.  A log with few
 * rewards per arm and task does not show the means of a task, but thousands of tasks show their
 * distribution.  replay draws the means of a logged task from its posterior under that.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_POPULATION_POPULATION_H
#define SEGUE_REPLAY_POPULATION_POPULATION_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/rng.h"
#include "segue/status.h"

#define SEGUE_MAX_POPULATION_TYPES 10
#define SEGUE_MAX_POPULATION_TASKS 8192 /* a fit reads a random sample of more tasks */

/* Sufficient statistics of tasks, rewards in [0, 1].  Arrays hold (task, arm) at
 * task * n_arms + arm; an arm without pulls has 0 in all of them. */
typedef struct segue_counts {
    size_t n_tasks, n_arms;
    const double *sum, *pulls;
    const double *square; /* sums of squared rewards; NULL: rewards are 0 or 1 */
} segue_counts;

/* Arrays hold (type, arm) at type * n_arms + arm.  The mean of an arm in a task of a type is a
 * Beta(mean * concentration, (1 - mean) * concentration) number. */
typedef struct segue_population {
    size_t n_arms, n_types;
    double *weight; /* n_types: descending, sum 1; owns the memory of the next two */
    double *mean, *concentration;
    double dispersion;     /* variance of a reward over mean * (1 - mean); 1: rewards are 0 or 1 */
    double log_likelihood; /* of the tasks of the fit */
    double aic;            /* corrected for few tasks, of the parameters that priors leave free */
} segue_population;

typedef struct segue_population_config {
    size_t max_types; /* 1 .. SEGUE_MAX_POPULATION_TYPES; 0: as many as possible */
    uint64_t seed;    /* of the sample of tasks, and of the directions in which types are split */
    uint64_t run;
    const atomic_bool *stop; /* ends the work; or NULL */
} segue_population_config;

/**
 * Fit a population to tasks; the number of types minimises AIC.
 *
 * At least one task.  The same counts and config give the same bytes.
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED
 */
SEGUE_MUST_CHECK segue_status segue_population_fit(segue_population *out,
                                                   const segue_counts *counts,
                                                   const segue_population_config *config,
                                                   segue_error *err);

/**
 * Draw populations from the posterior given the same tasks: each is one that the log allows, with
 * its own number of types.  What differs between them is what the log does not tell.
 *
 * `out` has room for n_draws; the chain starts from the fit `start`.  A draw has no AIC.
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED
 */
SEGUE_MUST_CHECK segue_status segue_population_sample(segue_population *out, size_t n_draws,
                                                      const segue_counts *counts,
                                                      const segue_population *start,
                                                      const segue_population_config *config,
                                                      segue_error *err);

/** Allocate a population of at most `max_types` types, all zero.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_population_init(segue_population *out, size_t n_arms,
                                                    size_t max_types, segue_error *err);
void segue_population_fini(segue_population *population);

/** Posterior (n_types) of a task over types from its n_arms counts; returns its log-likelihood. */
double segue_population_posterior(const segue_population *population, const double *sum,
                                  const double *pulls, double *posterior);

/** Draw type and means (n_arms) of a task, given its posterior over types and its counts; returns
 * the type. */
size_t segue_population_draw_means(const segue_population *population, const double *posterior,
                                   const double *sum, const double *pulls, segue_rng *rng,
                                   double *theta);

/** segue_population_posterior and segue_population_draw_means in one. */
size_t segue_population_draw(const segue_population *population, const double *sum,
                             const double *pulls, segue_rng *rng, double *theta);

/** Draw type and means of a new task; returns the type. */
size_t segue_population_draw_new(const segue_population *population, segue_rng *rng, double *theta);

/** Return the largest |z| over pairs of arms of the difference between the covariance of cell
 * averages and that of the population.  Above 5, the types do not describe the log. */
double segue_population_check_moments(const segue_population *population,
                                      const segue_counts *counts);

/** How much the log would need to show its types; infinite if it shows no covariance at all. */
typedef struct segue_population_needs {
    double rewards_per_cell; /* that the log has */
    double tasks;            /* needed with as many rewards per task */
    double rows;             /* needed per task with as many tasks */
} segue_population_needs;

segue_population_needs segue_population_check_needs(const segue_population *population,
                                                    const segue_counts *counts);

/** The arm that the first half of a task's rewards predicts to be best, over all tasks. */
typedef struct segue_population_halves {
    double predicted; /* its mean, given the first half */
    double observed;  /* the average of its rewards in the second half */
    double z;         /* of the difference: standard normal if the population is right */
} segue_population_halves;

/** Predict the second half of the rewards of each cell (task and arm) from the first. */
segue_population_halves segue_population_check_halves(const segue_population *population,
                                                      const segue_counts *first,
                                                      const segue_counts *second);

#endif
