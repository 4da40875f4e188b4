/* simulated_task.h - parts of a simulated task for kernels and replays.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_SIMULATED_TASK_H
#define SEGUE_SIM_SIMULATED_TASK_H

#include "arm_stream.h"
#include "segue/environment.h"

/**
 * Copy an environment; fields that an older, shorter struct lacks are 0.  Pointers stay borrowed.
 *
 * @retval SEGUE_EDOMAIN  its size is unknown
 */
SEGUE_MUST_CHECK segue_status segue_environment_copy(segue_environment *out,
                                                     const segue_environment *given,
                                                     segue_error *err);

/** Return the stream of an arm, and the distribution of rewards. */
arm_stream *segue_simulated_task_stream(segue_simulated_task *simulated, size_t arm);
const segue_rewards *segue_simulated_task_rewards(const segue_simulated_task *simulated);

/** Begin task `task` of a run with task `number` of the samples, whatever their order. */
void segue_simulated_task_begin_logged(segue_simulated_task *simulated, uint64_t seed, uint64_t run,
                                       uint64_t task, size_t number);

/** Return true if rewards are Bernoulli blocks of 64; those of a log are not, even if they are 0
 * and 1. */
bool segue_simulated_task_is_bernoulli(const segue_simulated_task *simulated);

#endif
