/* task_sets.h - kinds of tasks to play: where their means come from, how long they are.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BENCH_TASK_SETS_H
#define SEGUE_BENCH_TASK_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"
#include "segue/rng.h"

#define MAX_ARMS  1000
#define MAX_TYPES 40

typedef enum kind {
    PAPER,
    RANDOM,
    ONE_ARM, /* each type has one arm that is better than a base, which all share */
    APART,   /* every mean is 0.5 or 0.55 */
    TRAP,    /* arm 1 pays 0.6 under every type; rare types hide an arm of 0.95 */
    PROBES,  /* the last arm is never the best, and tells the type */
    CLICKS,  /* means of 0.01 to 0.05 */
    NEAR_1,  /* means of 0.95 to 0.99 */
    NOTHING  /* tasks share nothing */
} kind;

typedef struct task_set {
    const char *name;
    size_t n_arms, n_types;
    uint64_t steps, n_tasks;
    size_t replaced; /* number of tasks after which all types are replaced; 0: never */
    size_t seasons;  /* number of tasks after which two sets of types take turns */
    size_t block;    /* tasks come type by type: the number of tasks of each */
    double spread;   /* concentration of a task's means around its type; 0: none */
    double no_type;  /* share of tasks of no type */
    double drift;    /* standard deviation by which means move per task */
    kind kind;
    bool mixed;        /* a task is a mixture of two types */
    uint64_t shortest; /* tasks end after `shortest` to `steps` steps; 0: none ends early ... */
    double early;      /* ... but only this share of them does */
    size_t batch;      /* asks before their rewards; 0: one */
    size_t open;       /* tasks open at once, step by step in turn; 0: one */
    const double *weight;
} task_set;

/* One run: its types now, and the means of every task. */
typedef struct task_run {
    const task_set *set;
    uint64_t seed;
    double type[MAX_TYPES][MAX_ARMS];
    double weight[MAX_TYPES];
    double *mean; /* n_tasks x n_arms */
    segue_models *models;
    segue_rng rng;
} task_run;

/* The i-th set; NULL: there are no more. */
const task_set *task_set_at(size_t i);

/* Draw the types and the tasks of a run with `set` and `seed`; task_run_fini frees them. */
void task_run_init(task_run *r, const task_set *set, uint64_t seed);
void task_run_fini(task_run *r);

/* The number of steps of a task. */
uint64_t task_set_steps(const task_run *r, size_t j);

#endif
