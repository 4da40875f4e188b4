/* estimator_state.h - the state of an estimator, for the files that implement it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_ESTIMATOR_STATE_H
#define SEGUE_ESTIMATE_ESTIMATOR_STATE_H

#include "estimate/em/em_counts.h"
#include "estimate/estimator_internal.h"
#include "estimate/estimator_method.h"

/* The outcome of the last fit; learner files store the number. */
typedef enum outcome_kind { NOTHING_YET, FEW_TASKS, FEW_ARMS, LOW_RANK, FOUND } outcome_kind;

struct segue_estimator {
    segue_estimator_config config;
    const estimator_method *method;
    fit fit;
    double *memory;       /* of the fit's arrays */
    segue_models *models; /* the last estimate, or NULL */
    double *weight;       /* m: its weights before they were normalised */
    double *best;         /* the better of two answers, while the other is computed: see refresh */
    uint64_t cold_at;     /* tasks at which the next cold fit is due */
    em_counts counts;     /* em only */
    outcome_kind outcome;
    uint64_t used;            /* tasks in the last fit */
    segue_estimate_info info; /* without the verdict, which segue_estimator_info writes */
};

/* Numbers in the answer of a fit: means, lambdas, weights, in this order. */
static inline size_t answer_size(const fit *f)
{
    return f->m * f->n_arms + 2 * f->m;
}

/* Decide if the moments of `n_tasks` can hold m models at all. */
outcome_kind segue_estimator_judge(const fit *f, uint64_t n_tasks);

/* Fill in the info of a fit to counts. */
void segue_estimator_set_em_info(segue_estimator *est);

#endif
