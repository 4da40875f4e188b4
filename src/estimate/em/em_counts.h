/* em_counts.h - the state of `em` beside the moments: counts of finished tasks, and the last fit.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_EM_COUNTS_H
#define SEGUE_ESTIMATE_EM_COUNTS_H

#include <stdatomic.h>

#include "estimate/types/task_window.h"
#include "segue/rng.h"

typedef struct em_counts {
    task_window tasks; /* the newest */
    uint64_t added;    /* tasks so far, also those that left the window */
    /* of the last fit: */
    double log_likelihood, certainty;
    uint64_t iterations, starts; /* over all its starts */
    const atomic_bool *stop;     /* ends fits early; or NULL */
} em_counts;

/* A start of a fit. */
typedef struct em_start {
    const double *mean;   /* m x n_arms */
    const double *weight; /* m */
} em_start;

/* Add a task: sums of its rewards and pulls.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_em_counts_add(em_counts *c, const double *sum,
                                                  const double *pulls, segue_error *err);

/* Find the likeliest m models by EM from the starts and, unless rng is NULL, from a few random
 * ones; the window has at least m tasks.  mean is m x n_arms, weight m; they may be the first
 * start.
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_em_counts_fit(em_counts *c, size_t m, const em_start *starts,
                                                  size_t n_starts, segue_rng *rng, double *mean,
                                                  double *weight, segue_error *err);

/* Write as bytes, and read into an empty object of the same sizes.  @retval SEGUE_EDOMAIN,
 * SEGUE_ENOMEM */
void segue_em_counts_serialize(const em_counts *c, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_em_counts_deserialize(em_counts *c, segue_bytes_reader *r,
                                                          segue_error *err);

#endif
