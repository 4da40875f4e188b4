/* parallel.h - numbered work items over threads, with results in order.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_PARALLEL_H
#define SEGUE_SIM_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/** A work item, and the commit of its result. */
typedef segue_status (*work_function)(void *context, size_t worker, uint64_t item,
                                      segue_error *err);
typedef void (*commit_function)(void *context, size_t worker, uint64_t item);

/**
 * Call work(context, worker, item) for items 0 .. n_items - 1, each on one of n_threads workers (0
 * .. n_threads - 1; 0 is the caller's thread). Then call commit(context, worker, item), one at a
 * time and in the order of the items: sums in commit do not depend on the threads. The first
 * failure in that order ends the run and is returned.
 *
 * With a NULL commit no worker waits for its turn: each item stores its result in memory of its
 * own, and the first failure in time ends the run.
 *
 * @retval SEGUE_ETHREAD  a thread could not be started
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_parallel_run(size_t n_threads, uint64_t n_items,
                                                 work_function work, commit_function commit,
                                                 void *context, segue_error *err);

#endif
