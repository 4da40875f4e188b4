/* mixture_refit.h - refit a mixture to finished tasks, and choose its number of types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_MIXTURE_REFIT_H
#define SEGUE_ESTIMATE_TYPES_MIXTURE_REFIT_H

#include <stdatomic.h>

#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"
#include "segue/rng.h"

typedef struct mixture_refit_options {
    size_t expected_types;   /* more than 6: the first fit tries longer to add types */
    uint64_t now;            /* tasks that are finished so far */
    const atomic_bool *stop; /* ends the fit; or NULL */
} mixture_refit_options;

/* Refit the mixture, starting from its current types.  On failure the mixture is as it was.
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_mixture_refit(mixture *mix, const task_window *tasks,
                                                  const mixture_refit_options *options,
                                                  segue_rng *rng, segue_error *err);

/* The objective that a fit maximises: log-likelihood of the tasks, less the penalty of the types.
 */
double segue_mixture_objective(const mixture *mix, const task_window *tasks);

#endif
