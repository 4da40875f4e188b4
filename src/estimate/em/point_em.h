/* point_em.h - a mixture of point models, fitted to the counts of tasks by likelihood.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_POINT_EM_H
#define SEGUE_ESTIMATE_POINT_EM_H

#include <stdatomic.h>

#include "estimate/types/task_window.h"
#include "segue/rng.h"

/* A fit of m models to finished tasks. */
typedef struct point_em {
    size_t n_tasks, n_arms, m;
    double *counts;          /* n_tasks x 2 n_arms: sums and pulls, task after task */
    double *mean;            /* m x n_arms, each strictly between 0 and 1 */
    double *weight;          /* m, sum 1 */
    double log_likelihood;   /* of the rewards in their order, under these */
    double certainty;        /* mean share of a task in its likeliest model */
    uint64_t iterations;     /* from the last start on */
    double *share;           /* n_tasks x m: the posterior of each task over models */
    double *slope;           /* 2 n_arms x m: of the log-likelihood, in sums and pulls */
    double *total;           /* m x 2 n_arms: sums and pulls of a model's tasks */
    const atomic_bool *stop; /* ends iterations early; or NULL */
} point_em;

/* Copy the tasks, at least m of them; a start then sets the models.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_point_em_init(point_em *em, const task_window *tasks, size_t m,
                                                  segue_error *err);
void segue_point_em_fini(point_em *em);

/* Start from means (m x n_arms; they may stray from [0, 1]) and weights (m, of any sum > 0). */
void segue_point_em_start(point_em *em, const double *mean, const double *weight);

/* Start from m tasks, each drawn where the earlier ones explain least. */
void segue_point_em_draw(point_em *em, segue_rng *rng);

/* One iteration: the log-likelihood does not fall, except by rounding. */
void segue_point_em_step(point_em *em);

/* Iterate until the log-likelihood stops growing, at most `max` times. */
void segue_point_em_run(point_em *em, uint64_t max);

/* Continue from models that another start has reached. */
void segue_point_em_resume(point_em *em, const double *mean, const double *weight);

#endif
