/* simulated_task.h - what kernels use of a simulated task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_SIMULATED_TASK_H
#define SEGUE_SIM_SIMULATED_TASK_H

#include "arm_stream.h"

/** The rewards of an arm, and their law. */
arm_stream *segue_simulated_task_stream(segue_simulated_task *simulated, size_t arm);
const segue_rewards *segue_simulated_task_rewards(const segue_simulated_task *simulated);

/** Begin task `task` of a run with the task `number` of the samples, whatever their order says. */
void segue_simulated_task_begin_logged(segue_simulated_task *simulated, uint64_t seed, uint64_t run,
                                       uint64_t task, size_t number);

/** Whether rewards are Bernoulli, in blocks of 64: those of a log are not, be they 0 and 1. */
bool segue_simulated_task_is_bernoulli(const segue_simulated_task *simulated);

#endif
