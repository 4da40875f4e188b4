/* kernel.h - whole tasks at once: the same pulls as the plain form, in less time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNELS_KERNEL_H
#define SEGUE_SIM_KERNELS_KERNEL_H

#include "segue/environment.h"
#include "segue/task.h"

/** Tables that a kernel keeps from task to task, for one thread. */
typedef struct segue_kernel segue_kernel;

/** For tasks of `n_arms` arms and at most `steps` steps; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_kernel_create(segue_kernel **out, size_t n_arms, uint64_t steps,
                                                  segue_error *err);
void segue_kernel_destroy(segue_kernel *kernel);

/**
 * Play a task of which no step was made to its end, and take its regret.  False, and nothing done,
 * if there is no kernel for its policy, or for a task of this size.  The task is over then: counts,
 * sums and batches are there, a state that its policy keeps is not.
 */
bool segue_kernel_play(segue_kernel *kernel, segue_task *task, segue_simulated_task *simulated,
                       uint64_t steps, double *regret);

#endif
