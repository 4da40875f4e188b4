/* task_order.c - the tasks of a log in a random order, dealt one by one.
 *
 * The shuffle of Fisher and Yates: place i is swapped with one of the places from i on, drawn from
 * the stream of task i that else draws its model.  So the order is a matter of names alone, and is
 * worked out only as far as it is played; for the next run the swaps are undone, the last first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/task_order.h"

#include <assert.h>
#include <stdlib.h>

#include "segue/rng.h"

segue_status segue_task_order_init(segue_task_order *deal, size_t count, segue_error *err)
{
    *deal = (segue_task_order){.count = count};
    deal->at = calloc(count, sizeof *deal->at);
    deal->with = calloc(count, sizeof *deal->with);
    if (!deal->at || !deal->with) {
        segue_task_order_fini(deal);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the order of %zu tasks", count);
    }
    for (size_t i = 0; i < count; i++)
        deal->at[i] = (uint32_t)i;
    return SEGUE_OK;
}

void segue_task_order_fini(segue_task_order *deal)
{
    free(deal->at);
    free(deal->with);
    *deal = (segue_task_order){.count = 0};
}

static void swap(segue_task_order *deal, size_t place)
{
    const uint32_t with = deal->with[place], task = deal->at[place];
    deal->at[place] = deal->at[with];
    deal->at[with] = task;
}

static void draw_next_task(segue_task_order *deal)
{
    const size_t place = deal->dealt++;
    segue_rng rng;
    segue_rng_init(&rng, deal->seed, deal->run, place, SEGUE_STREAM_MODEL);
    /* below the number of places left: a uniform number is at most 1 - 2^-53 */
    const double jump = segue_rng_uniform(&rng) * (double)(deal->count - place);
    deal->with[place] = (uint32_t)(place + (size_t)jump);
    swap(deal, place);
}

size_t segue_task_order_at(segue_task_order *deal, uint64_t seed, uint64_t run, uint64_t task)
{
    assert(task < deal->count);
    while (deal->dealt > 0 && (deal->seed != seed || deal->run != run))
        swap(deal, --deal->dealt);
    deal->seed = seed;
    deal->run = run;
    while (deal->dealt <= task)
        draw_next_task(deal);
    return deal->at[task];
}
