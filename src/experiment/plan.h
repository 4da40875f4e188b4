/* plan.h - the runs of all cells of an experiment, and the place of each one's numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_PLAN_H
#define SEGUE_EXPERIMENT_PLAN_H

#include <pthread.h>
#include <stdatomic.h>

#include "experiment/experiment.h"
#include "experiment/journal.h"
#include "io/output.h"

/* The first numbers of a run of tasks.  After them come, for each model, the sum of the regrets of
 * its tasks and how many tasks it had, and then the tracks. */
enum { AT_REGRET, AT_NO_MODEL, AT_VIOLATIONS, AT_LEFT_OUT, AT_NEVER_BEST, AT_MODELS };

/* And of single tasks, behind one regret for each model. */
enum { BEHIND_NO_MODEL, BEHIND_NEVER_BEST, BEHIND };

typedef struct plan_cell {
    segue_simulation sim;
    size_t n_models;     /* that tasks are drawn from; a run of single tasks plays each once */
    segue_follow follow; /* what is followed over tasks */
    size_t width;        /* numbers a run */
    double *values;      /* runs x width */
    double steps;        /* of a run */
    double task_time;    /* of a task, estimated: see cost.h */
    size_t place;        /* in the order of cells */
} plan_cell;

/** Run r of cell c is unit c * runs + r. */
typedef struct plan {
    const segue_experiment *ex;
    const segue_conduct *conduct;
    segue_shard shard; /* which units are meant; count 0: all */
    size_t n_cells;
    plan_cell *cells;
    size_t *order; /* n_cells: the longest runs first, lest one is left to a single thread */
    uint64_t n_units;
    bool *done;      /* n_units */
    uint64_t kept;   /* how many are done */
    uint64_t *todo;  /* n_units, of which n_todo are in use: what this process plays, in order */
    uint64_t n_todo; /* 0 until they are dealt */
    segue_journal *journal;
    pthread_mutex_t writing;     /* held while a run is kept, or sent to who keeps it */
    pthread_mutex_t telling;     /* held while progress is told */
    double total;                /* estimated time of what is to be played, by all processes ... */
    atomic_uint_fast64_t played; /* ... and of what has been */
    atomic_bool stop;            /* set when something failed elsewhere */
} plan;

/** @retval SEGUE_EDOMAIN  it asks for more than is kept in memory
 *  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_plan_init(plan *p, const segue_experiment *ex,
                                              const segue_conduct *conduct, segue_error *err);
void segue_plan_fini(plan *p);

/** How many units are meant. */
uint64_t segue_plan_share(const plan *p);

/** Where the numbers of a unit are, and how many. */
double *segue_plan_values(const plan *p, uint64_t unit, size_t *count);

/** A run that was played before or elsewhere, for a journal: `context` is the plan.  False: it is
 * not meant, or there already. */
bool segue_plan_take(void *context, uint64_t unit, const double *values, size_t count);

/** Work out what is left for process `self` of `count`; they take turns. */
void segue_plan_deal(plan *p, size_t self, size_t count);

/** Print all that decides what a journal holds: the program, the shard if it is one, and the
 * experiment, a part a line or more.  `identity` is to be released whatever comes back. */
SEGUE_MUST_CHECK segue_status segue_plan_identity(const plan *p, segue_output *identity,
                                                  segue_error *err);

/** Open the journal that the conduct names, and take what it holds. */
SEGUE_MUST_CHECK segue_status segue_plan_open_journal(plan *p, segue_error *err);

/** Play todo[item] into its place, and see it kept; for segue_parallel, `context` is the plan. */
SEGUE_MUST_CHECK segue_status segue_plan_work(void *context, size_t worker, uint64_t item,
                                              segue_error *err);

/** So many tasks more of a cell were played: report how far all have come. */
void segue_plan_progress(plan *p, const plan_cell *cell, uint64_t tasks);

/** Where the tracks begin among the numbers of a run of tasks. */
size_t segue_plan_at_tracks(const plan_cell *cell);

/** Say that it was stopped, how much is kept, and how to go on; @retval SEGUE_ESTOPPED */
segue_status segue_plan_say_stopped(const plan *p, const char *why, segue_error *err);

/** Make results of all runs; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_plan_tally(const plan *p, segue_results **out,
                                               segue_error *err);

#endif
