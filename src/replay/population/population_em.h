/* population_em.h - EM for a population with a given number of types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_POPULATION_POPULATION_EM_H
#define SEGUE_REPLAY_POPULATION_POPULATION_EM_H

#include "replay/population/population.h"
#include "segue/internal.h"

/* Limits of the parameters of a type. */
#define SEGUE_MIN_POPULATION_MEAN  1e-6 /* and 1 minus this is the largest */
#define SEGUE_MIN_POPULATION_KAPPA 0.05
#define SEGUE_MAX_POPULATION_KAPPA 1e5

/* The tasks of a fit, and its current population.  Arrays of (type, task) hold it at
 * type * n_tasks + task. */
typedef struct population_em {
    size_t n_tasks, n_arms;
    task_window tasks;        /* counts divided by the dispersion */
    count_table *tables;      /* one per arm */
    double *arm_mean;         /* n_arms: over all tasks */
    segue_population now;     /* its log-likelihood is that of the last E-step */
    double *log_lik;          /* (type, task) */
    double *posterior;        /* (type, task) */
    double *scratch;          /* three numbers per task */
    double *pair_value;       /* per pair of an arm (count_table.h): log-likelihood or weight */
    weighted_counts weighted; /* counts of an arm as one type sees them */
    double log_kappa;         /* centre of ln kappa over types and arms */
    double n_parameters;      /* that AIC counts, at the last M-step */
    double objective;         /* log-likelihood less the penalty */
    const atomic_bool *stop;  /* ends iterations; or NULL */
} population_em;

/* Copy `count` tasks of the counts, given by their numbers (NULL: all, in order), and start with
 * one type.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_population_em_init(population_em *em,
                                                       const segue_counts *counts,
                                                       const size_t *task, size_t count,
                                                       size_t max_types, segue_error *err);
void segue_population_em_fini(population_em *em);

/* Compute log-likelihoods and posteriors under the population `now`. */
void segue_population_em_expect(population_em *em);

/* Weigh the counts of an arm (`weighted`) by the weights (n_tasks) of the tasks. */
void segue_population_em_weigh(population_em *em, size_t arm, const double *weight);

/* Iterate up to `max` times, until an iteration gains less than `min_gain` nats. */
void segue_population_em_run(population_em *em, size_t max, double min_gain);

/* Copy parameters; both have room for the types of `from`. */
void segue_population_em_copy(segue_population *to, const segue_population *from);

/* Copy parameters, types by descending weight; equal weights stay in order. */
void segue_population_em_copy_sorted(segue_population *to, const segue_population *from);

/* Choose `count` of the tasks at random, in order. */
void segue_population_em_sample_tasks(segue_rng *rng, size_t n_tasks, size_t count, size_t *task);

#endif
