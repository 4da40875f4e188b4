/* types_read.h - queries: weights, Beta parameters and fit of the types; the posterior of a task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_TYPES_READ_H
#define SEGUE_ESTIMATE_TYPES_TYPES_READ_H

#include "types.h"

size_t segue_types_arms(const segue_types *types);

/** The number of types; 0 before the first fit, and for a few tasks after a change. */
size_t segue_types_count(const segue_types *types);

/** Tasks finished so far, and those in the window. */
uint64_t segue_types_tasks(const segue_types *types);
size_t segue_types_in_window(const segue_types *types);

/** The component of each number (count + 1): people see types by number, 1 .. count by decreasing
 * weight at the last refit; of equal ones the first has the larger mean of the first arm in which
 * they differ.  Number 0 is no type.  The functions below go by component. */
const size_t *segue_types_numbered(const segue_types *types);

/* Weights (count + 1) of the components; weight 0 is the fraction of tasks of no type, 1 before the
 * first fit. */
const double *segue_types_weights(const segue_types *types);

/** Beta parameters of the means of a new task, (count + 1) x n_arms each, valid until the types
 * change. */
const double *segue_types_a(const segue_types *types);
const double *segue_types_b(const segue_types *types);

/** Weights (count + 1) for a new task: weight 0 rises within a few tasks if these fit no type. */
void segue_types_prior(const segue_types *types, double *weight);

/** The posterior (count + 1) of a task, finished or not, over the components.  Returns the
 * log-likelihood of its rewards. */
double segue_types_posterior(const segue_types *types, const double *sum, const double *pulls,
                             double *posterior);

/** An arm of a type (1 .. count). */
typedef struct segue_type_arm {
    double mean;      /* of the type */
    double low, high; /* 95 % interval of it (Wilson) */
    double kappa;     /* means of tasks are Beta(kappa mean, kappa (1 - mean)); 1e6: all equal */
    double pulls;     /* effective pulls that it was learned from */
} segue_type_arm;

segue_type_arm segue_types_arm(const segue_types *types, size_t type, size_t arm);

/** The number of the last task of a type (1 .. count), counted from 1. */
uint64_t segue_types_last_task(const segue_types *types, size_t type);

/** How the types fit the task window. */
typedef struct segue_types_fit {
    double log_likelihood;
    double objective; /* log-likelihood less the penalty of the types; a fit maximises it */
    double size[SEGUE_MAX_FITTED_TYPES + 1]; /* tasks per component; they sum to the window */
} segue_types_fit;

/** Cost O(window x types x arms). */
segue_types_fit segue_types_evaluate(const segue_types *types);

#endif
