/* type_table.h - the types of a sampler: their tasks, and a Beta per arm.
 *
 * In a task of a type the mean of an arm is Beta(kappa p, kappa (1 - p)): p is the type's mean, kappa
 * says how alike its tasks are on that arm.  Neither is known.  The table holds one drawn kappa per
 * type and arm, and what the type's tasks say about p given that kappa.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SAMPLER_TYPE_TABLE_H
#define SEGUE_ESTIMATE_SAMPLER_TYPE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#define MAX_SAMPLED_TYPES 64
#define TYPE_SLOTS        (MAX_SAMPLED_TYPES + 2) /* a split makes two before it removes one */
#define N_KAPPAS          14                      /* 1, 2, 4, ..., 512, 2048, ..., 131072 */

#define MIN_SPREAD 1e-6  /* 1 / kappa of a played Beta: all tasks of the type are alike */
#define MIN_MEAN   1e-12 /* of a played Beta, and of 1 minus it */

/* Arrays hold (type, arm) at type * n_arms + arm. */
typedef struct type_table {
    size_t n_arms, n_types;
    double size[TYPE_SLOTS]; /* tasks */
    uint64_t id[TYPE_SLOTS]; /* the same as long as a type exists */
    unsigned char *kappa;    /* index of the drawn kappa */
    double *won, *pulls;     /* effective sums of rewards and of pulls, given kappa */
    double *a, *b;           /* Beta of a further task's mean, given kappa */
    double *play_a, *play_b; /* Beta of a further task's mean, over all kappas */
    double *next_a, *next_b; /* Beta of the next task's mean: tasks of long ago count less */
    double *next_pulls;      /* effective pulls, counted so */
} type_table;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_type_table_init(type_table *t, size_t n_arms, segue_error *err);
void segue_type_table_fini(type_table *t);
size_t segue_type_table_bytes(const type_table *t);

/* Copy all types into a table with at least as many arms; added arms are not known. */
void segue_type_table_copy(type_table *to, const type_table *from);

/* kappa of an index below N_KAPPAS. */
double segue_type_table_kappa(size_t index);

/* How much each pull of a task with this number of pulls counts. */
static inline double segue_type_table_count(double kappa, double pulls)
{
    return (kappa + 1.0) / (kappa + pulls);
}

/* Add an empty type with this id; its kappas are to be set.  Returns its index. */
size_t segue_type_table_append(type_table *t, uint64_t id);

/* Copy one type over another. */
void segue_type_table_move(type_table *t, size_t to, size_t from);

/* Remove a type; those after it move up. */
void segue_type_table_remove(type_table *t, size_t type);

/* Set the sums and the kappa of an arm. */
void segue_type_table_set(type_table *t, size_t type, size_t arm, double won, double pulls,
                          size_t kappa);

/* The mean of an arm of a type, (1 + won) / (2 + pulls). */
double segue_type_table_mean(const type_table *t, size_t type, size_t arm);

/* Add a task (sums of rewards and pulls per arm) to a type, or with sign -1 remove it. */
void segue_type_table_add(type_table *t, size_t type, const double *sum, const double *pulls,
                          double sign);

/* Update the Betas over all kappas by a task that was added. */
void segue_type_table_play(type_table *t, size_t type, const double *sum, const double *pulls);

/* The log-likelihood of a task given the type's other tasks. */
double segue_type_table_log_likelihood(const type_table *t, size_t type, const double *sum,
                                       const double *pulls);

/* The arm with the largest mean of the next task. */
size_t segue_type_table_best_arm(const type_table *t, size_t type);

#endif
