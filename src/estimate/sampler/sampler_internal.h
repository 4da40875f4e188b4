/* sampler_internal.h - the state of a sampler, for the files that implement it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SAMPLER_SAMPLER_INTERNAL_H
#define SEGUE_ESTIMATE_SAMPLER_SAMPLER_INTERNAL_H

#include "estimate/sampler/kappas.h"
#include "estimate/sampler/sampler.h"
#include "estimate/sampler/type_table.h"
#include "estimate/types/task_window.h"

#define SAMPLER_REFIT_SHARE 8 /* a refit is due after finished / this tasks, or sooner */

#define N_HALF_LIVES 4
#define NO_TYPE      UINT32_MAX /* of a task that is in no type for the moment */

struct segue_sampler {
    segue_sampler_config config;
    task_window tasks;
    type_table types;       /* by number, from 0 here */
    uint32_t *type_of;      /* of each task of the window */
    size_t capacity;        /* tasks for which there is memory */
    feature_table features; /* of the tasks of the window */
    kappas kappas;
    double alpha;                /* concentration of the Dirichlet process */
    double memory[N_HALF_LIVES]; /* weights of the half-lives; sum 1 */
    double unlike, judged;       /* tasks that share only the best arm with a type, of all judged */
    double pulls;                /* of all tasks */
    uint64_t finished;           /* tasks so far */
    uint64_t fitted;             /* tasks at the last refit */
    uint64_t next_id;
    uint64_t
        first_own_id; /* of a copy: types from this id on are its own, not those of the original */
    double *ones;     /* n_arms: the Betas of a task of no type */
    /* scratch */
    uint32_t *first, *second; /* capacity: indices of tasks */
    double *scratch;          /* 4 x capacity */
};

/* Reserve memory for `more` tasks, up to the window.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_sampler_reserve(segue_sampler *s, size_t more,
                                                    segue_error *err);

/* ---- sampler_moves.c: changes of the partition --------------------------------------------- */

/* Give a task that is in no type to one, or to a new type, by the numbers of their tasks; the last
 * task by the shares that were predicted. */
void segue_sampler_moves_assign(segue_sampler *s, size_t task, segue_rng *rng);
void segue_sampler_moves_assign_last(segue_sampler *s, segue_rng *rng);

/* Remove a task from its type, and the type if it was the last. */
void segue_sampler_moves_remove(segue_sampler *s, size_t task);

/* Remove a type that has no tasks; those after it move up. */
void segue_sampler_moves_drop(segue_sampler *s, size_t type);

/* True if there may be one more type. */
bool segue_sampler_moves_may_grow(const segue_sampler *s);

/* Redraw the kappas of a type; uses `first`. */
void segue_sampler_moves_draw_kappas(segue_sampler *s, size_t type, segue_rng *rng);

/* Redraw the type of every task, the concentration of the process, and the kappas. */
void segue_sampler_moves_sweep(segue_sampler *s, segue_rng *rng);

/* ---- sampler_split.c ----------------------------------------------------------------------- */

/* Try to split a type in two, or to merge two types. */
void segue_sampler_split(segue_sampler *s, segue_rng *rng);
void segue_sampler_split_merge(segue_sampler *s, segue_rng *rng);

/* ---- sampler_mixing.c: how much recent tasks count, and how alike types are ------------------ */

/* Set the weights of the memories before any task. */
void segue_sampler_mixing_start(segue_sampler *s);

/* Shares of the types among the next tasks; returns that of no type. */
double segue_sampler_mixing_shares(const segue_sampler *s, double *share);

/* How much each task of the window counts, over all memories; in the scratch memory. */
const double *segue_sampler_mixing_weigh(const segue_sampler *s);

/* Learn from a task, before it is added, how well each memory predicted it. */
void segue_sampler_mixing_learn(segue_sampler *s, const double *sum, const double *pulls);

/* The share of tasks that have only the best arm in common with a type. */
double segue_sampler_mixing_unlike(const segue_sampler *s);

/* 2^(-1 / half-life) of a memory; 1 of the last, which never forgets. */
double segue_sampler_mixing_decay(size_t memory);

/* ---- sampler_near.c: how common types are near a task ---------------------------------------- */

/* Prepare for segue_sampler_near_shares, in the scratch memory. */
void segue_sampler_near_begin(segue_sampler *s);

/* Shares of the types near a task that is in no type; returns that of a new type. */
double segue_sampler_near_shares(const segue_sampler *s, size_t task, double *share);

/* Log of the probability of two types, relative to one with the tasks of both. */
double segue_sampler_near_log_division(const segue_sampler *s, size_t first, size_t second);

/* Log of the probability of the number of types, up to a term without alpha. */
double segue_sampler_near_log_births(const segue_sampler *s, double alpha);

/* ---- sampler_recent.c ---------------------------------------------------------------------- */

/* Update the Betas of the next task, after every change of tasks, types or memories. */
void segue_sampler_recent_update(segue_sampler *s);

/* ---- helpers ------------------------------------------------------------------------------- */

static inline const double *sum_of(const segue_sampler *s, size_t task)
{
    return segue_task_window_sum(&s->tasks, task);
}

static inline const double *pulls_of(const segue_sampler *s, size_t task)
{
    return segue_task_window_pulls(&s->tasks, task);
}

/* The set of some tasks, with the scratch memory of the sampler. */
static inline task_set set_of(const segue_sampler *s, const uint32_t *index, size_t count)
{
    return (task_set){.tasks = &s->tasks,
                      .index = index,
                      .count = count,
                      .won = s->scratch,
                      .lost = s->scratch + s->capacity,
                      .pulls = s->scratch + 2 * s->capacity,
                      .scratch = s->scratch + 3 * s->capacity};
}

/* Collect the tasks of a type; returns how many. */
static inline size_t collect_tasks(const segue_sampler *s, size_t type, uint32_t *index)
{
    size_t count = 0;
    for (size_t l = 0; l < s->tasks.count; l++)
        if (s->type_of[l] == type)
            index[count++] = (uint32_t)l;
    return count;
}

#endif
