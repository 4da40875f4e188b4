/* mixture.h - types of tasks as a mixture, and how likely each makes what a task has seen.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_MIXTURE_H
#define SEGUE_ESTIMATE_TYPES_MIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "estimate/types/types.h"

#define N_SPREADS       12 /* concentrations kappa: 2, 4, ..., 2048, and 1e6 for a point */
#define SPREAD_FIRST    2  /* kappa = 8: where the first type starts */
#define SPREAD_NEW_TYPE 5  /* kappa = 64: where a type added from one task starts */
#define MIN_POSTERIOR                                                                              \
    1e-3 /* of a task over a type: below it the type does not learn from the task */
#define SPREAD_PRICE       0.1   /* nats per doubling of kappa */
#define MIN_NO_TYPE_WEIGHT 0.005 /* weight of no type */

/* Component 0 is "no type": flat on every arm.  Components 1 .. n_types are types. Arrays
 * hold (component, arm) at component * n_arms + arm, and those of component 0 do not change. */
typedef struct mixture {
    size_t n_arms;
    size_t cap; /* types that fit into the arrays, at most SEGUE_MAX_FITTED_TYPES */
    size_t n_types;
    double weight[SEGUE_MAX_FITTED_TYPES + 1];   /* sum 1 */
    uint64_t last[SEGUE_MAX_FITTED_TYPES + 1];   /* number of the last task that was of this type */
    size_t numbered[SEGUE_MAX_FITTED_TYPES + 1]; /* the component of each number; no type is 0 */
    double *won, *pulls;   /* what it was learned from: weighted sums of rewards and of pulls */
    double *a, *b;         /* Beta parameters of a new task's mean */
    unsigned char *spread; /* index of kappa */
} mixture;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_mixture_init(mixture *mix, size_t n_arms, size_t cap,
                                                 segue_error *err);
void segue_mixture_fini(mixture *mix);

/* Copy into a mixture with at least as many types and arms; added arms are flat. */
void segue_mixture_copy(mixture *to, const mixture *from);

/* kappa of an index below N_SPREADS. */
double segue_mixture_kappa(size_t spread);

/* Set the counts and the spread of an arm of a type. */
void segue_mixture_set(mixture *mix, size_t type, size_t arm, double won, double pulls,
                       size_t spread);

/* Its mean, (1 + won) / (2 + pulls). */
double segue_mixture_mean(const mixture *mix, size_t type, size_t arm);

/* The logarithm of the likelihood of a task's rewards under one component. */
double segue_mixture_log_likelihood(const mixture *mix, size_t component, const double *sum,
                                    const double *pulls);

/* The logarithms of the weights (n_types + 1). */
void segue_mixture_log_weights(const mixture *mix, double *log_weight);

/* Bayes' rule: the posterior of a task over n_types + 1 components from the logarithms of their
 * weights and its log-likelihoods.  Log-likelihoods and posteriors are `step` apart.  Returns the
 * task's log-likelihood under the whole mixture. */
double segue_mixture_apply_bayes(const double *log_weight, const double *log_lik, size_t n_types,
                                 size_t step, double *posterior);

/* The posterior (n_types + 1) of a task; returns its log-likelihood. */
double segue_mixture_posterior(const mixture *mix, const double *sum, const double *pulls,
                               double *posterior);

/* Learn from one task with this posterior, as the n_tasks-th. */
void segue_mixture_learn(mixture *mix, size_t n_tasks, const double *posterior, const double *sum,
                         const double *pulls);

/* Weights from the sizes (n_types + 1) of the components among n_tasks. */
void segue_mixture_set_weights(mixture *mix, const double *size, size_t n_tasks);

/* Add a type of weight 1 / (n_types + 1) from one task; remove a type. */
void segue_mixture_add_type(mixture *mix, const double *sum, const double *pulls);
void segue_mixture_remove_type(mixture *mix, size_t type);

/* Number the types by weight, the heaviest first; of equal ones the one with the larger mean of the
 * first arm in which they differ.  Later tasks change weights, not numbers. */
void segue_mixture_number_types(mixture *mix);

/* Remove all types. */
void segue_mixture_clear(mixture *mix);

/* The penalty of the types, learned from n_tasks, in nats. */
double segue_mixture_penalty(const mixture *mix, size_t n_tasks);

#endif
