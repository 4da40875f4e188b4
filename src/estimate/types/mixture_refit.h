/* mixture_refit.h - how many types there are, and what they are, from the finished tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_MIXTURE_REFIT_H
#define SEGUE_ESTIMATE_TYPES_MIXTURE_REFIT_H

#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"
#include "segue/rng.h"

/* Fit the mixture anew, starting from what it is; with `hint` types expected, and `now` tasks
 * finished so far.  On failure the mixture is as it was.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_mixture_refit(mixture *mix, const task_window *tasks,
                                                  size_t hint, uint64_t now, segue_rng *rng,
                                                  segue_error *err);

/* What a fit makes large: the logarithm of the tasks' likelihood, less what so many types cost. */
double segue_mixture_objective(const mixture *mix, const task_window *tasks);

#endif
