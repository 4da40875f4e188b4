/* mixture_refit.h - refit a mixture to finished tasks, and choose its number of types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_MIXTURE_REFIT_H
#define SEGUE_ESTIMATE_TYPES_MIXTURE_REFIT_H

#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"
#include "segue/rng.h"

/* Refit the mixture, starting from its current types; `now` tasks are finished so far.  More than 6
 * `expected_types` let the first fit try longer to add types.  On failure the mixture is as it was.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_mixture_refit(mixture *mix, const task_window *tasks,
                                                  size_t expected_types, uint64_t now,
                                                  segue_rng *rng, segue_error *err);

/* The objective that a fit maximises: log-likelihood of the tasks, less the penalty of the types.
 */
double segue_mixture_objective(const mixture *mix, const task_window *tasks);

#endif
