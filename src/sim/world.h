/* world.h - what kernels use of a simulated task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_WORLD_H
#define SEGUE_SIM_WORLD_H

#include "sim/family.h"

/** The rewards of an arm, and their law. */
arm_stream *segue_world_stream(segue_world *world, size_t arm);
const segue_rewards *segue_world_rewards(const segue_world *world);

#endif
