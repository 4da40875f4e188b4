/* count_table.h - the distinct results of an arm over many tasks: each is computed once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_COUNT_TABLE_H
#define SEGUE_ESTIMATE_TYPES_COUNT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "task_window.h"

/* The counts of an arm in a task: its sum of rewards; its pulls minus that sum; its pulls. */
enum { WON, LOST, PULLS, N_COUNTS };

/* The distinct values of one count, and the index that each pair has. */
typedef struct levels {
    size_t count;
    double *value;     /* count */
    uint32_t *of_pair; /* n_pairs */
} levels;

/* A pair is one result (won, lost) of an arm: many tasks have the same one. */
typedef struct count_table {
    size_t n_pairs;
    uint32_t *of_task; /* the pair of each task */
    levels counts[N_COUNTS];
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

/* log_lik (n_pairs): ln B(a + won, b + lost) - ln B(a, b) of every pair.  `scratch` has three
 * numbers per task. */
void segue_count_table_log_liks(const count_table *t, double a, double b, double *scratch,
                                double *log_lik);

/* A table as one type sees it: the distinct values of each count that occur in its tasks, and the
 * weight of each.  The caller owns the memory: one number per task in each array. */
typedef struct weighted_counts {
    size_t count[N_COUNTS];
    double *value[N_COUNTS], *weight[N_COUNTS];
} weighted_counts;

/* Compute them from the weights (n_pairs) of the pairs. */
void segue_count_table_weigh(const count_table *t, const double *pair_weight, weighted_counts *d);

/* The sum of the log-likelihoods of the pairs, each times its weight.  `scratch` has one number per
 * task. */
double segue_count_table_weighted_log_lik(const weighted_counts *d, double a, double b,
                                          double *scratch);

#endif
