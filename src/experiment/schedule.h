/* schedule.h - the runs of all cells of an experiment, and the place of each one's numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_SCHEDULE_H
#define SEGUE_EXPERIMENT_SCHEDULE_H

#include <pthread.h>
#include <stdatomic.h>

#include "experiment/checkpoint.h"
#include "experiment/experiment.h"
#include "io/output.h"

/* The first numbers of a run of tasks.  After them come, for each model, the sum of the regrets of
 * its tasks and how many tasks it had, and then the tracks. */
enum {
    COLUMN_REGRET,
    COLUMN_NO_MODEL,
    COLUMN_VIOLATIONS,
    COLUMN_LEFT_OUT,
    COLUMN_NEVER_BEST,
    COLUMN_MODELS
};

/* And of single tasks, behind one regret for each model. */
enum { SINGLE_NO_MODEL, SINGLE_NEVER_BEST, SINGLE_COLUMNS };

typedef struct schedule_cell {
    segue_simulation sim;
    size_t n_models;        /* that tasks are drawn from; a run of single tasks plays each once */
    segue_track_set follow; /* what is followed over tasks */
    size_t width;           /* numbers a run */
    double *values;         /* runs x width */
    double steps;           /* of a run */
    double task_time;       /* of a task, estimated: see cost.h */
    size_t place;           /* in the order of cells */
} schedule_cell;

/** Run r of cell c is unit c * runs + r. */
typedef struct plan {
    const segue_experiment *ex;
    const segue_run_options *conduct;
    segue_shard shard; /* which units are meant; count 0: all */
    size_t n_cells;
    schedule_cell *cells;
    size_t *order; /* n_cells: the longest runs first, lest one is left to a single thread */
    uint64_t n_units;
    bool *done;      /* n_units */
    uint64_t kept;   /* how many are done */
    uint64_t *todo;  /* n_units, of which n_todo are in use: what this process plays, in order */
    uint64_t n_todo; /* 0 until they are dealt */
    segue_checkpoint_file *journal;
    pthread_mutex_t writing;     /* held while a run is kept, or sent to who keeps it */
    pthread_mutex_t telling;     /* held while progress is told */
    double total;                /* estimated time of what is to be played, by all processes ... */
    atomic_uint_fast64_t played; /* ... and of what has been */
    atomic_bool stop;            /* set when something failed elsewhere */
} plan;

/** @retval SEGUE_EDOMAIN  it asks for more than is kept in memory
 *  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_schedule_init(plan *p, const segue_experiment *ex,
                                                  const segue_run_options *conduct,
                                                  segue_error *err);
void segue_schedule_fini(plan *p);

/** How many units are meant. */
uint64_t segue_schedule_n_units(const plan *p);

/** Where the numbers of a unit are, and how many. */
double *segue_schedule_values(const plan *p, uint64_t unit, size_t *count);

/** A run that was played before or elsewhere, for a journal: `context` is the plan.  False: it is
 * not meant, or there already. */
bool segue_schedule_add_run(void *context, uint64_t unit, const double *values, size_t count);

/** Work out what is left for process `self` of `count`; they take turns. */
void segue_schedule_assign(plan *p, size_t self, size_t count);

/** Print all that decides what a journal holds: the program, the shard if it is one, and the
 * experiment, a part a line or more.  `identity` is to be released whatever comes back. */
SEGUE_MUST_CHECK segue_status segue_schedule_identity(const plan *p, segue_output *identity,
                                                      segue_error *err);

/** Open the journal that the conduct names, and take what it holds. */
SEGUE_MUST_CHECK segue_status segue_schedule_open_checkpoint(plan *p, segue_error *err);

/** Play todo[item] into its place, and see it kept; for segue_parallel_run, `context` is the plan.
 */
SEGUE_MUST_CHECK segue_status segue_schedule_play_item(void *context, size_t worker, uint64_t item,
                                                       segue_error *err);

/** So many tasks more of a cell were played: report how far all have come. */
void segue_schedule_progress(plan *p, const schedule_cell *cell, uint64_t tasks);

/** Where the tracks begin among the numbers of a run of tasks. */
size_t segue_schedule_tracks_offset(const schedule_cell *cell);

/** Say that it was stopped, how much is kept, and how to go on; @retval SEGUE_ESTOPPED */
segue_status segue_schedule_stopped_error(const plan *p, const char *why, segue_error *err);

/** Make results of all runs; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_schedule_summarize(const plan *p, segue_results **out,
                                                       segue_error *err);

#endif
