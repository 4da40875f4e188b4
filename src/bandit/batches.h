/* batches.h - the rewards of a task in three batches, for the three views of the estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_BATCHES_H
#define SEGUE_BANDIT_BATCHES_H

#include "segue/task.h"

typedef struct batches {
    segue_batches kind;
    size_t n_arms;
    double *sum;       /* interleaved, or `counted`: 3 x n_arms */
    uint64_t *count;   /* as sum; else scratch of the views */
    uint32_t *arm;     /* consecutive: capacity entries, in the order of the rewards */
    double *reward;    /* as arm */
    uint64_t capacity; /* steps */
    uint64_t length;   /* stored rewards */
    bool counted;      /* a kernel has filled sums and counts, whatever the kind */
} batches;

/* Initialise empty batches; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_batches_init(batches *b, segue_batches kind, size_t n_arms,
                                                 uint64_t horizon, segue_error *err);
void segue_batches_fini(batches *b);

/* Return the bytes of the arrays. */
size_t segue_batches_bytes(const batches *b);

/* Remove all rewards. */
void segue_batches_clear(batches *b);

/* Add a reward of `arm`, in [0, 1]; `before` is the number of earlier rewards of that arm. */
static inline void segue_batches_add(batches *b, size_t arm, double reward, uint64_t before)
{
    if (b->kind == SEGUE_BATCHES_INTERLEAVED) {
        const size_t at = (size_t)(before % 3) * b->n_arms + arm;
        b->sum[at] += reward;
        b->count[at]++;
    } else if (b->length < b->capacity) { /* rewards after the horizon are ignored */
        b->arm[b->length] = (uint32_t)arm;
        b->reward[b->length++] = reward;
    }
}

/* Compute the three views, 3 x n_arms; false if an arm has fewer than three rewards. `pulls` has
 * n_arms. */
bool segue_batches_views(const batches *b, const uint64_t *pulls, double *views);

#endif
