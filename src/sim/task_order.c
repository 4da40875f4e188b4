/* task_order.c - a random order of the tasks of a log.
 *
 * The shuffle of Fisher and Yates: position i is swapped with a position >= i, drawn from the
 * stream that would draw the model of task i. So the order depends on names alone, and is computed
 * only as far as it is played; for the next run the swaps are undone in reverse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/task_order.h"

#include <assert.h>
#include <stdlib.h>

#include "segue/rng.h"

segue_status segue_task_order_init(segue_task_order *order, size_t count, segue_error *err)
{
    *order = (segue_task_order){.count = count};
    order->at = calloc(count, sizeof *order->at);
    order->swapped_with = calloc(count, sizeof *order->swapped_with);
    if (!order->at || !order->swapped_with) {
        segue_task_order_fini(order);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the order of %zu tasks", count);
    }
    for (size_t i = 0; i < count; i++)
        order->at[i] = (uint32_t)i;
    return SEGUE_OK;
}

void segue_task_order_fini(segue_task_order *order)
{
    free(order->at);
    free(order->swapped_with);
    *order = (segue_task_order){.count = 0};
}

static void swap(segue_task_order *order, size_t position)
{
    const uint32_t swapped_with = order->swapped_with[position], task = order->at[position];
    order->at[position] = order->at[swapped_with];
    order->at[swapped_with] = task;
}

static void draw_next_task(segue_task_order *order)
{
    const size_t position = order->n_drawn++;
    segue_rng rng;
    segue_rng_init(&rng, order->seed, order->run, position, SEGUE_STREAM_MODEL);
    /* below the number of positions left: a uniform number is at most 1 - 2^-53 */
    const double jump = segue_rng_uniform(&rng) * (double)(order->count - position);
    order->swapped_with[position] = (uint32_t)(position + (size_t)jump);
    swap(order, position);
}

size_t segue_task_order_at(segue_task_order *order, uint64_t seed, uint64_t run, uint64_t task)
{
    assert(task < order->count);
    while (order->n_drawn > 0 && (order->seed != seed || order->run != run))
        swap(order, --order->n_drawn);
    order->seed = seed;
    order->run = run;
    while (order->n_drawn <= task)
        draw_next_task(order);
    return order->at[task];
}
