/* refit.h - how many types there are, and what they are, from the finished tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_REFIT_H
#define SEGUE_ESTIMATE_REFIT_H

#include "estimate/mixture.h"
#include "estimate/ring.h"
#include "segue/rng.h"

/* Fit the mixture anew, starting from what it is; with `hint` types expected, and `now` tasks
 * finished so far.  On failure the mixture is as it was.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_mixture_refit(mixture *mix, const ring *tasks, size_t hint,
                                                  uint64_t now, segue_rng *rng, segue_error *err);

#endif
