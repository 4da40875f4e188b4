/* count_table.h - the distinct results of an arm over many tasks: each is computed once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_COUNT_TABLE_H
#define SEGUE_ESTIMATE_TYPES_COUNT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "estimate/types/task_window.h"

enum { WON, LOST, PULLS, N_KINDS };

/* The distinct numbers of one kind, and the index that each pair has. */
typedef struct levels {
    size_t count;
    double *value;     /* count */
    uint32_t *of_pair; /* n_pairs */
} levels;

/* A pair is one result (won, lost) of an arm. */
typedef struct count_table {
    size_t n_pairs;
    uint32_t *of_task; /* the pair of each task */
    levels kind[N_KINDS];
    double *number;  /* memory of the values ... */
    uint32_t *index; /* ... and of the indices */
} count_table;

/* Create one table per arm, of the tasks in the order of the window.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_count_table_create(count_table **out, const task_window *tasks,
                                                       segue_error *err);
void segue_count_table_destroy(count_table *count_tables, size_t n_arms);

/* won and pulls of a pair. */
double segue_count_table_won(const count_table *t, size_t pair);
double segue_count_table_pulls(const count_table *t, size_t pair);

/* fit (n_pairs): ln B(a + won, b + lost) - ln B(a, b) of every pair.  `scratch` has three
 * numbers per task. */
void segue_count_table_fits(const count_table *t, double a, double b, double *scratch, double *fit);

/* The share of one type in a table: the numbers of each kind that occur in its tasks, and the
 * weight of each.  The caller owns the memory: one number per task in each array. */
typedef struct digest {
    size_t count[N_KINDS];
    double *value[N_KINDS], *share[N_KINDS];
} digest;

/* Compute a digest from the shares (n_pairs) of the pairs. */
void segue_count_table_digest(const count_table *t, const double *pair_share, digest *d);

/* The sum of the fits, each times its share.  `scratch` has one number per task. */
double segue_count_table_digest_fit(const digest *d, double a, double b, double *scratch);

#endif
