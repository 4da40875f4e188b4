/* em.h - fit a mixture to the finished tasks, step by step.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_EM_H
#define SEGUE_ESTIMATE_TYPES_EM_H

#include "estimate/types/count_table.h"
#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"

/* A mixture and its fit to the tasks.  Arrays hold (component, task) at
 * component * n_tasks + task. */
typedef struct em_state {
    size_t n_tasks;
    mixture mix;
    double *fit;                      /* logarithms of likelihoods */
    double *share;                    /* the posterior of each task over components */
    double *log_likelihood;           /* n_tasks, under the whole mixture */
    double size[SEGUE_MAX_TYPES + 1]; /* sums of the shares */
    double objective;                 /* log-likelihood less the penalty */
} em_state;

typedef struct em {
    const task_window *tasks;
    size_t n_tasks, n_arms;
    count_table *count_tables; /* one per arm */
    em_state now, swept;       /* the fit, and the fit before the last sweep */
    double *scratch;           /* three numbers per task */
    double *pair_fit;          /* one number per pair of an arm ... */
    double *pair_share;        /* ... and the sum of the shares of its tasks */
    digest digest;             /* of these */
    uint32_t *used;            /* the tasks that an M-step learns from */
    size_t n_used;
} em;

/* Start from a mixture; the tasks are borrowed, at least one, and must not change.  If it has no
 * types, one type gets all tasks.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_em_init(em *fit, const task_window *tasks, const mixture *mix,
                                            segue_error *err);
void segue_em_fini(em *fit);

/* Allocate a state for a fit of these tasks.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_em_state_init(em_state *state, const task_window *tasks,
                                                  size_t cap, segue_error *err);
void segue_em_state_fini(em_state *state);
void segue_em_state_copy(em_state *to, const em_state *from);

/* Compute the fits of the tasks to one component, after it changed. */
void segue_em_fit_component(em *fit, size_t component);

/* E-step: compute shares, sizes and the objective. */
void segue_em_expect(em *fit);

/* M-step of one type: compute it and its fits from the shares. */
void segue_em_maximise(em *fit, size_t type);

/* Update the weights and one type, then the shares. */
void segue_em_step(em *fit, size_t type);

/* Sweep over weights and all types up to `max` times, until a sweep gains nothing. */
void segue_em_sweeps(em *fit, size_t max);

#endif
