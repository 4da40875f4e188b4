/* kernel_ts.h - Thompson sampling by screening.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNELS_KERNEL_TS_H
#define SEGUE_SIM_KERNELS_KERNEL_TS_H

#include "sim/kernels/kernel_run.h"

/** Return the arm with the largest posterior sample, starting from arm `first`, which may depend on
 * the past in any way. */
size_t segue_kernel_ts_choose(const ziggurat *z, const beta_arm *arms, size_t n_arms, size_t first,
                              segue_rng *rng);

/** Update a posterior by a reward of 0 or 1. */
void segue_kernel_ts_add(beta_arm *arm, bool success);

#endif
