/* sampler_prior.h - the prior of a new task: a mixture of types, by number.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SAMPLER_SAMPLER_PRIOR_H
#define SEGUE_ESTIMATE_SAMPLER_SAMPLER_PRIOR_H

#include "bandit/belief.h"
#include "estimate/sampler/sampler.h"

#define MAX_BEST_ARMS (SEGUE_MAX_COMPONENTS - 1 - SEGUE_MAX_TYPES)

/* Component 0 is no type: flat on every arm.  Components 1 .. n_types are the types.  Each of the
 * others is a task that shares only the best arm with some types; `number` is that of the largest
 * of these. */
typedef struct sampler_prior {
    size_t n_components, n_types;
    double weight[SEGUE_MAX_COMPONENTS]; /* sum 1 */
    double draws;                        /* Thompson steps of look-ahead: see segue_prior */
    size_t number[SEGUE_MAX_COMPONENTS]; /* of the type that each stands for */
    size_t arm[SEGUE_MAX_COMPONENTS];    /* the best arm */
    double best_a[SEGUE_MAX_COMPONENTS], best_b[SEGUE_MAX_COMPONENTS]; /* its Beta */
} sampler_prior;

/* Describe the prior of the next task.  Needs a finished task. */
void segue_sampler_prior_describe(const segue_sampler *s, sampler_prior *p);

/* Write the Betas (n_components x n_arms) of a prior that was just described. */
void segue_sampler_prior_fill(const segue_sampler *s, const sampler_prior *p, double *a, double *b);

/* Write the rates of test pulls (n_components) and their gains (n_components x n_arms); see
 * sampler_tests.c. */
void segue_sampler_tests_fill(const segue_sampler *s, const sampler_prior *p, double *tests,
                              double *gain);

#endif
