/* kernel.h - play whole tasks: the pulls of the plain form, in less time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNELS_KERNEL_H
#define SEGUE_SIM_KERNELS_KERNEL_H

#include "segue/environment.h"
#include "segue/task.h"

/** Tables that kernels use from task to task, for one thread. */
typedef struct segue_kernel segue_kernel;

/** Create tables for tasks of `n_arms` arms and at most `steps` steps; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_kernel_create(segue_kernel **out, size_t n_arms, uint64_t steps,
                                                  segue_error *err);
void segue_kernel_destroy(segue_kernel *kernel);

/** Play a task without steps to its end, and compute its regret. Returns false and does nothing if
 * there is no kernel for its policy or for a task of this size. Afterwards the counts, sums and
 * batches are those of the plain form; the state of the policy is not. */
bool segue_kernel_play(segue_kernel *kernel, segue_task *task, segue_simulated_task *simulated,
                       uint64_t steps, double *regret);

#endif
