/* view_store.h - moments above SEGUE_MAX_DENSE_ARMS arms: the views of all tasks replace M3.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_VIEW_STORE_H
#define SEGUE_ESTIMATE_VIEW_STORE_H

#include "core/bytes.h"
#include "segue/estimator.h"

/* Tasks in a block, which are multiplied at once; the last block may be part empty. */
#define VIEW_BLOCK 64

typedef struct view_block {
    double weight[VIEW_BLOCK]; /* 0 where there is no task yet, and so are its views */
    float view[];              /* 3 x VIEW_BLOCK x n_arms: all first views, all second, all third */
} view_block;

typedef struct view_store {
    size_t n_arms;
    size_t n_pairs; /* of views that make M2: 1 or 3 */
    uint64_t n_tasks;
    size_t n_blocks; /* allocated */
    view_block **block;
    double *second;  /* n_arms x n_arms: the symmetric sum over full blocks, its upper triangle */
    double *probe;   /* n_arms x PROBES: random signs */
    double *odd;     /* n_arms x PROBES: the antisymmetric sum over tasks, times the probes */
    double *scratch; /* 2 x VIEW_BLOCK x n_arms */
} view_store;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_view_store_init(view_store *k, size_t n_arms, segue_views views,
                                                    segue_error *err);
void segue_view_store_fini(view_store *k);

/* Bytes of its arrays. */
size_t segue_view_store_bytes(const view_store *k);

/* Reserve memory for `more` tasks; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_view_store_reserve(view_store *k, uint64_t more,
                                                       segue_error *err);

/* Add a task, for which memory is reserved; get task t (views 3 x n_arms; returns its weight). */
void segue_view_store_add(view_store *k, const double *views, double weight);
double segue_view_store_task(const view_store *k, uint64_t t, double *views);

/* Copy the tasks of another store into an empty one.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_view_store_copy(view_store *k, const view_store *from,
                                                    segue_error *err);

/* Sums over tasks: that of M2 (n_arms x n_arms), symmetric; its product with x (n_arms x m); and an
 * estimate of the squared Frobenius norm of the antisymmetric part.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_view_store_second(const view_store *k, double *sum,
                                                      segue_error *err);
SEGUE_MUST_CHECK segue_status segue_view_store_apply(const view_store *k, const double *x, size_t m,
                                                     double *y, segue_error *err);
double segue_view_store_antisymmetric_norm2(const view_store *k);

/* tensor (m x m x m) = sum of weight U'v1 (x) U'v2 (x) U'v3 over all tasks, for u of n_arms x m.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_view_store_third(const view_store *k, const double *u, size_t m,
                                                     double *tensor, segue_error *err);

/* Write all tasks, and read them into an empty store.
 * @retval SEGUE_EDOMAIN  bytes are missing, or a number is invalid
 * @retval SEGUE_ENOMEM */
void segue_view_store_serialize(const view_store *k, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_view_store_deserialize(view_store *k, uint64_t n_tasks,
                                                           segue_bytes_reader *r, segue_error *err);

#endif
