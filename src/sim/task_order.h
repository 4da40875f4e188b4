/* task_order.h - the tasks of a log in a random order, dealt one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_TASK_ORDER_H
#define SEGUE_SIM_TASK_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/* All zeros: there is nothing to deal. */
typedef struct segue_task_order {
    size_t count;           /* tasks */
    uint32_t *at;           /* count: which task stands at a place */
    uint32_t *swapped_with; /* count: the place that each place dealt was swapped with */
    size_t n_drawn;         /* places */
    uint64_t seed, run;
} segue_task_order;

/** @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_order_init(segue_task_order *order, size_t count,
                                                    segue_error *err);
void segue_task_order_fini(segue_task_order *order);

/** Which task is the one of number `task`, below the count, in that run. */
size_t segue_task_order_at(segue_task_order *order, uint64_t seed, uint64_t run, uint64_t task);

#endif
