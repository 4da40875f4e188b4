/* partition.h - a partition of closed tasks into clusters, sampled by collapsed Gibbs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_RIVALS_PARTITION_H
#define SEGUE_TRANSFER_RIVALS_PARTITION_H

#include "estimate/types/task_window.h"
#include "segue/rng.h"

enum { SEGUE_MAX_CLUSTERS = 128 };

/* Cluster c is used if size[c] > 0. Its mean of an arm has the posterior Beta(a, b). */
typedef struct segue_partition {
    task_window tasks;
    double alpha;
    size_t *cluster;                 /* window: of each task, by index */
    double size[SEGUE_MAX_CLUSTERS]; /* tasks in it */
    double *a, *b;                   /* SEGUE_MAX_CLUSTERS x n_arms: 1 + won, 1 + lost */
} segue_partition;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_partition_create(segue_partition **out, size_t n_arms,
                                                     size_t window, double alpha, segue_error *err);
void segue_partition_destroy(segue_partition *p);

/* A copy for n_arms, at least as many as it has.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_partition_copy(segue_partition **out,
                                                   const segue_partition *from, size_t n_arms,
                                                   segue_error *err);

/* Add a task, over the oldest one if the window is full, and draw its cluster.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_partition_add(segue_partition *p, uint64_t number,
                                                  const double *sum, const double *pulls,
                                                  segue_rng *rng, segue_error *err);

/* Redraw the cluster of each task in turn. */
void segue_partition_sweep(segue_partition *p, segue_rng *rng);

/* Compute sizes, a and b again, so that they are a function of tasks and clusters to the last bit. */
void segue_partition_recount(segue_partition *p);

size_t segue_partition_count(const segue_partition *p);
size_t segue_partition_bytes(const segue_partition *p);

/* Write as bytes, and read into an empty one of the same sizes.
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
void segue_partition_serialize(const segue_partition *p, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_partition_deserialize(segue_partition *p, segue_bytes_reader *r,
                                                          segue_error *err);

#endif
