/* mixture_em.h - fit a mixture to the finished tasks, step by step.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_MIXTURE_EM_H
#define SEGUE_ESTIMATE_TYPES_MIXTURE_EM_H

#include <stdatomic.h>

#include "estimate/types/count_table.h"
#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"

/* A mixture and its fit to the tasks.  Arrays hold (component, task) at
 * component * n_tasks + task. */
typedef struct mixture_em_state {
    size_t n_tasks;
    mixture mix;
    double *log_lik;                         /* log-likelihood of a task under a component */
    double *posterior;                       /* of a task over the components */
    double *mixture_log_lik;                 /* n_tasks: log-likelihood under the whole mixture */
    double size[SEGUE_MAX_FITTED_TYPES + 1]; /* of a component: the sum of its posteriors */
    double objective;                        /* log-likelihood less the penalty */
} mixture_em_state;

typedef struct mixture_em {
    const task_window *tasks;
    size_t n_tasks, n_arms;
    count_table *count_tables;   /* one per arm */
    mixture_em_state now, swept; /* the fit, and the fit before the last sweep */
    double *scratch;             /* three numbers per task */
    double *pair_log_lik;        /* per pair (count_table.h) of an arm: its log-likelihood ... */
    double *pair_weight;         /* ... and the sum of the posteriors of its tasks */
    weighted_counts weighted;    /* the counts of these pairs, with weights */
    uint32_t *used;              /* the tasks that an M-step learns from */
    size_t n_used;
    const atomic_bool *stop; /* ends sweeps early; or NULL */
} mixture_em;

/* Start from a mixture; the tasks are borrowed, at least one, and must not change.  If it has no
 * types, one type gets all tasks.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_mixture_em_init(mixture_em *em, const task_window *tasks,
                                                    const mixture *mix, segue_error *err);
void segue_mixture_em_fini(mixture_em *em);

/* Allocate a state for a fit of these tasks.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_mixture_em_state_init(mixture_em_state *state,
                                                          const task_window *tasks, size_t cap,
                                                          segue_error *err);
void segue_mixture_em_state_fini(mixture_em_state *state);
void segue_mixture_em_state_copy(mixture_em_state *to, const mixture_em_state *from);

/* Compute the log-likelihoods of the tasks under one component, after it changed. */
void segue_mixture_em_update_log_lik(mixture_em *em, size_t component);

/* E-step: compute posteriors, sizes and the objective. */
void segue_mixture_em_expect(mixture_em *em);

/* M-step of one type: compute it, then its log-likelihoods, from the posteriors. */
void segue_mixture_em_maximise(mixture_em *em, size_t type);

/* Update the weights and one type, then the posteriors. */
void segue_mixture_em_step(mixture_em *em, size_t type);

/* Sweep over weights and all types up to `max` times, until a sweep gains nothing. */
void segue_mixture_em_sweeps(mixture_em *em, size_t max);

#endif
