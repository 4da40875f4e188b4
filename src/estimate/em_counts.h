/* em_counts.h - what `em` has beside the moments: the counts of finished tasks, and their models.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_EM_COUNTS_H
#define SEGUE_ESTIMATE_EM_COUNTS_H

#include "estimate/types/task_window.h"
#include "segue/rng.h"

typedef struct em_counts {
    task_window tasks; /* the newest */
    uint64_t added;    /* tasks so far */
    /* the last fit: */
    double log_likelihood, certainty;
    uint64_t iterations, starts; /* of all its starts */
} em_counts;

/* Where a fit may start. */
typedef struct em_start {
    const double *mean;   /* m x n_arms */
    const double *weight; /* m */
} em_start;

/* Add a task: sums of its rewards and pulls.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_em_counts_add(em_counts *c, const double *sum,
                                                  const double *pulls, segue_error *err);

/* The likeliest m models that EM finds from the starts and, unless rng is NULL, from a few random
 * ones; at least m tasks are kept.  mean is m x n_arms, weight m; they may be those of the first
 * start.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_em_counts_fit(em_counts *c, size_t m, const em_start *starts,
                                                  size_t n_starts, segue_rng *rng, double *mean,
                                                  double *weight, segue_error *err);

/* To bytes, and back into an empty one of the same sizes.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
void segue_em_counts_serialize(const em_counts *c, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_em_counts_deserialize(em_counts *c, segue_bytes_reader *r,
                                                          segue_error *err);

#endif
