/* fresh_rewards.h - a control for estimates from adaptive pulls: fresh rewards at the same pulls.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_FRESH_REWARDS_H
#define SEGUE_EXPERIMENT_FRESH_REWARDS_H

#include "segue/estimator.h"
#include "segue/internal.h"

typedef struct fresh_rewards fresh_rewards;

/**
 * Create the control of one run of `sim`, whose learner estimates the models of its environment.
 * `sim` must outlive it.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_fresh_rewards_create(fresh_rewards **out,
                                                         const segue_simulation *sim, uint64_t run,
                                                         segue_error *err);
void segue_fresh_rewards_destroy(fresh_rewards *fresh);

/** Add a task: as many fresh rewards of each arm as it had pulls; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_fresh_rewards_add(fresh_rewards *fresh, const run_task *task,
                                                      segue_error *err);

/** Estimate the models from the fresh rewards; *out is NULL where there is no estimate, and valid
 * until the next call.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_fresh_rewards_fit(fresh_rewards *fresh,
                                                      const segue_models **out, segue_error *err);

#endif
