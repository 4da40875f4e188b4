/* kappas.h - how alike the tasks of a type are: the distribution of kappa.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SAMPLER_KAPPAS_H
#define SEGUE_ESTIMATE_SAMPLER_KAPPAS_H

#include "estimate/sampler/type_table.h"
#include "estimate/types/task_window.h"
#include "segue/rng.h"

/* The distribution of kappa over all types and arms. */
typedef struct kappas {
    size_t count;               /* the first of the kappas are possible */
    double log_share[N_KAPPAS]; /* logarithms of their shares */
} kappas;

/* Tasks of a type, and scratch memory: one number of each array per task. */
typedef struct task_set {
    const task_window *tasks;
    const uint32_t *index; /* count */
    size_t count;
    double *won, *lost, *pulls, *scratch;
} task_set;

/* Estimate the shares from the drawn kappas of types with several tasks; `pulls` is the mean number
 * of pulls of a task, on which the largest kappa depends. */
void segue_kappas_estimate(kappas *k, const type_table *types, double pulls);

/* The log marginal likelihood of a set of tasks as one type: means and kappas are summed out. */
double segue_kappas_score(const kappas *k, const task_set *set);

/* Draw the kappas of a type that consists of the set; set its sums and its Betas. */
void segue_kappas_draw(const kappas *k, const task_set *set, type_table *types, size_t type,
                       segue_rng *rng);

/* Draw one kappa from the distribution; returns its index. */
size_t segue_kappas_draw_one(const kappas *k, segue_rng *rng);

/* Draw an index with the probability exp(log_weight) over their sum; *log_probability, unless NULL,
 * becomes the logarithm of the probability of that index.  The weights are overwritten. */
size_t segue_kappas_draw_index(double *log_weight, size_t count, segue_rng *rng,
                               double *log_probability);

#endif
