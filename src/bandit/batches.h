/* batches.h - the rewards of a task in three batches, for the three views of the estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_BATCHES_H
#define SEGUE_BANDIT_BATCHES_H

#include "segue/task.h"

typedef struct batches {
    segue_batches kind;
    size_t n_arms;
    double *sum;       /* interleaved, or counted: 3 x n_arms */
    uint64_t *count;   /* likewise; else scratch of the views */
    uint32_t *arm;     /* consecutive: capacity, in the order of the rewards */
    double *reward;    /* likewise */
    uint64_t capacity; /* steps */
    uint64_t length;   /* rewards kept */
    bool counted;      /* sums and counts are complete, whatever the kind: a kernel made them */
} batches;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_batches_init(batches *b, segue_batches kind, size_t n_arms,
                                                 uint64_t horizon, segue_error *err);
void segue_batches_fini(batches *b);

/* Bytes of its arrays. */
size_t segue_batches_bytes(const batches *b);

/* No rewards yet. */
void segue_batches_clear(batches *b);

/* A reward of `arm`, in [0, 1], the one after `before` others of that arm. */
static inline void segue_batches_add(batches *b, size_t arm, double reward, uint64_t before)
{
    if (b->kind == SEGUE_BATCHES_INTERLEAVED) {
        const size_t at = (size_t)(before % 3) * b->n_arms + arm;
        b->sum[at] += reward;
        b->count[at]++;
    } else if (b->length < b->capacity) { /* what comes after the horizon has no place */
        b->arm[b->length] = (uint32_t)arm;
        b->reward[b->length++] = reward;
    }
}

/* The three views, 3 x n_arms; false if an arm has fewer than three rewards.  `pulls` has n_arms.
 */
bool segue_batches_views(const batches *b, const uint64_t *pulls, double *views);

#endif
