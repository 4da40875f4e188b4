/* kernel_ts.h - Thompson sampling by screening.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNEL_TS_H
#define SEGUE_SIM_KERNEL_TS_H

#include "sim/game.h"

/** The arm whose posterior sample is the largest, starting from arm `first`, which may be chosen in
 * any way from the past. */
size_t segue_screened_arm(const ziggurat *z, const beta_arm *arms, size_t n_arms, size_t first,
                          segue_rng *rng);

/** Take in a reward of 0 or 1. */
void segue_beta_arm_add(beta_arm *arm, bool success);

#endif
