/* task_order.h - a random order of the tasks of a log, computed as far as it is played.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_TASK_ORDER_H
#define SEGUE_SIM_TASK_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/* All zeros: no tasks. */
typedef struct segue_task_order {
    size_t count;           /* tasks */
    uint32_t *at;           /* count: the task at each position */
    uint32_t *swapped_with; /* count: the position that each drawn one was swapped with */
    size_t n_drawn;         /* positions drawn so far */
    uint64_t seed, run;
} segue_task_order;

/** @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_order_init(segue_task_order *order, size_t count,
                                                    segue_error *err);
void segue_task_order_fini(segue_task_order *order);

/** Return the task at position `task`, below the count, in that run. */
size_t segue_task_order_at(segue_task_order *order, uint64_t seed, uint64_t run, uint64_t task);

#endif
