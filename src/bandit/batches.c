/* batches.c - the rewards of a task in three batches.
 *
 * Consecutive, as in the paper: of T rewards of an arm the first floor(T/3), the next floor(T/3),
 * and the rest. T is known only at the end, so all rewards are stored: O(horizon). Interleaved:
 * the t-th reward of an arm goes to batch t mod 3: O(n_arms), however long the task.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/batches.h"
#include "core/fail.h"

#include <stdlib.h>
#include <string.h>

segue_status segue_batches_init(batches *b, segue_batches kind, size_t n_arms, uint64_t horizon,
                                segue_error *err)
{
    *b = (batches){.kind = kind, .n_arms = n_arms};
    if (kind == SEGUE_BATCHES_NONE)
        return SEGUE_OK;
    const bool consecutive = kind == SEGUE_BATCHES_CONSECUTIVE;
    b->capacity = consecutive ? horizon : 0;
    b->sum = calloc(3 * n_arms, sizeof *b->sum);
    b->count = calloc(3 * n_arms, sizeof *b->count);
    b->arm = consecutive ? calloc(horizon, sizeof *b->arm) : NULL;
    b->reward = consecutive ? calloc(horizon, sizeof *b->reward) : NULL;
    if (!b->sum || !b->count || (consecutive && (!b->arm || !b->reward)))
        return segue_fail_no_memory(err, "the batches of a task");
    return SEGUE_OK;
}

void segue_batches_fini(batches *b)
{
    free(b->sum);
    free(b->count);
    free(b->arm);
    free(b->reward);
}

size_t segue_batches_bytes(const batches *b)
{
    return b->kind == SEGUE_BATCHES_NONE
               ? 0
               : 3 * b->n_arms * (sizeof *b->sum + sizeof *b->count) +
                     (size_t)b->capacity * (sizeof *b->arm + sizeof *b->reward);
}

void segue_batches_clear(batches *b)
{
    b->length = 0;
    b->counted = false;
    if (b->kind != SEGUE_BATCHES_INTERLEAVED)
        return;
    memset(b->sum, 0, 3 * b->n_arms * sizeof *b->sum);
    memset(b->count, 0, 3 * b->n_arms * sizeof *b->count);
}

/* Divide sums by `count` (3 x n_arms); false if a batch is empty. */
static bool average(const batches *b, const double *sum, double *views)
{
    for (size_t i = 0; i < 3 * b->n_arms; i++) {
        if (b->count[i] == 0)
            return false;
        views[i] = sum[i] / (double)b->count[i];
    }
    return true;
}

/* Assign the stored rewards to batches: the pulls of an arm give the size of its thirds. */
static bool consecutive_views(const batches *b, const uint64_t *pulls, double *views)
{
    memset(views, 0, 3 * b->n_arms * sizeof *views);
    memset(b->count, 0, 3 * b->n_arms * sizeof *b->count);
    for (uint64_t t = 0; t < b->length; t++) {
        const size_t arm = b->arm[t];
        const uint64_t third = pulls[arm] / 3;
        const uint64_t *count = b->count + arm;
        const size_t batch = count[0] < third ? 0 : count[b->n_arms] < third ? 1 : 2;
        views[batch * b->n_arms + arm] += b->reward[t];
        b->count[batch * b->n_arms + arm]++;
    }
    return average(b, views, views);
}

bool segue_batches_views(const batches *b, const uint64_t *pulls, double *views)
{
    for (size_t arm = 0; arm < b->n_arms; arm++)
        if (pulls[arm] < 3)
            return false;
    return b->counted || b->kind == SEGUE_BATCHES_INTERLEAVED ? average(b, b->sum, views)
                                                              : consecutive_views(b, pulls, views);
}
