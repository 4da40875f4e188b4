/* world.h - what kernels use of a simulated task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_WORLD_H
#define SEGUE_SIM_WORLD_H

#include "sim/family.h"

/** The rewards of an arm, and their law. */
arm_stream *segue_world_stream(segue_world *world, size_t arm);
const segue_rewards *segue_world_rewards(const segue_world *world);

/** Begin task `task` of a run with the task `number` of the samples, whatever their order says. */
void segue_world_begin_with(segue_world *world, uint64_t seed, uint64_t run, uint64_t task,
                            size_t number);

/** Whether rewards are Bernoulli, in blocks of 64: those of a log are not, be they 0 and 1. */
bool segue_world_pays_bits(const segue_world *world);

#endif
