/* schedule.h - the runs of all cells of an experiment, their order, and the numbers of each run.
 *
 * A unit is one run of one cell: run r of cell c is unit c * runs + r.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_SCHEDULE_H
#define SEGUE_EXPERIMENT_SCHEDULE_H

#include <pthread.h>
#include <stdatomic.h>

#include "experiment/checkpoint.h"
#include "experiment/experiment.h"
#include "io/output.h"

/* The first numbers of a run of tasks.  After them come, per model, the sum of the regrets of its
 * tasks and their number, and then the tracks. */
enum {
    COLUMN_REGRET,
    COLUMN_NO_MODEL,
    COLUMN_VIOLATIONS,
    COLUMN_SKIPPED,
    COLUMN_NEVER_BEST,
    COLUMN_MODELS
};

/* The numbers of a run of single tasks, after one regret per model. */
enum { SINGLE_NO_MODEL, SINGLE_NEVER_BEST, SINGLE_COLUMNS };

typedef struct schedule_cell {
    segue_simulation sim;
    size_t n_models; /* models that tasks are drawn from; a run of single tasks plays each once */
    segue_track_set track_set;
    uint64_t every;   /* tasks per point of its tracks; 0: no tracks */
    size_t width;     /* numbers per run */
    double *values;   /* runs x width */
    double steps;     /* per run */
    double task_time; /* estimated time per task: see cost.h */
    size_t position;  /* in `order` */
} schedule_cell;

typedef struct segue_schedule {
    const segue_experiment *ex;
    const segue_run_options *options;
    segue_shard shard; /* the units of this process group; count 0: all */
    size_t n_cells;
    schedule_cell *cells;
    size_t *order; /* n_cells: longest runs first, so that threads end at about the same time */
    uint64_t n_units;
    bool *done;      /* n_units; guarded by checkpoint_lock while playing, as is n_done */
    uint64_t n_done; /* units that are done */
    uint64_t *todo;  /* n_units, of which n_todo are used: what this process plays, in order */
    uint64_t n_todo;
    segue_checkpoint_file *checkpoint; /* NULL in worker processes */
    pthread_mutex_t checkpoint_lock;   /* held while a run is saved, and for all messages */
    pthread_mutex_t progress_lock;     /* held while progress is displayed */
    double total;                      /* estimated time of all units to play, by all processes */
    atomic_uint_fast64_t played;       /* estimated time of the tasks played */
    atomic_bool stop;                  /* set after a failure in another process */
} segue_schedule;

/** Compute the layout of a cell's numbers, and allocate them; the caller frees `values`.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_schedule_cell_init(schedule_cell *c, const segue_experiment *ex,
                                                       size_t number, segue_error *err);

/** @retval SEGUE_EDOMAIN  the runs need too much memory
 *  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_schedule_init(segue_schedule *s, const segue_experiment *ex,
                                                  const segue_run_options *options,
                                                  segue_error *err);
void segue_schedule_fini(segue_schedule *s);

/** Return the number of units of the shard. */
uint64_t segue_schedule_n_units(const segue_schedule *s);

/** Return the numbers of a unit, and how many they are. */
double *segue_schedule_values(const segue_schedule *s, uint64_t unit, size_t *count);

/** Add a run from a checkpoint file; `context` is the schedule.  False if the unit is not of the
 * shard, or done already. */
bool segue_schedule_add_run(void *context, uint64_t unit, const double *values, size_t count);

/** Assign the remaining units to process `self` of `count`, in turns. */
void segue_schedule_assign(segue_schedule *s, size_t self, size_t count);

/** Print everything that determines the runs: the program, the shard if there is one, and the
 * experiment, on a line or more each.  The caller calls segue_output_fini, also after a failure. */
SEGUE_MUST_CHECK segue_status segue_schedule_identity(const segue_schedule *s,
                                                      segue_output *identity, segue_error *err);

/** Open the checkpoint file of the options, and add its runs. */
SEGUE_MUST_CHECK segue_status segue_schedule_open_checkpoint(segue_schedule *s, segue_error *err);

/** Save the runs that an earlier experiment has played; @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_schedule_add_shared(segue_schedule *s, segue_error *err);

/** Play and save todo[item]; for segue_parallel_run, `context` is the schedule. */
SEGUE_MUST_CHECK segue_status segue_schedule_play_item(void *context, size_t worker, uint64_t item,
                                                       segue_error *err);

/** Append a finished run to the checkpoint file, or send it to the coordinator, which has the file.
 * The caller holds checkpoint_lock. */
SEGUE_MUST_CHECK segue_status segue_schedule_save_run(segue_schedule *s, uint64_t unit,
                                                      segue_error *err);

/** Add `tasks` played tasks of a cell to the progress, and display it. */
void segue_schedule_progress(segue_schedule *s, const schedule_cell *cell, uint64_t tasks);

/** Return the index of the first track among the numbers of a run of tasks. */
size_t segue_schedule_tracks_offset(const schedule_cell *cell);

/** Fail with "stoppedWHY", how many runs are saved, and how to continue; @retval SEGUE_ESTOPPED */
segue_status segue_schedule_stopped_error(const segue_schedule *s, const char *why,
                                          segue_error *err);

/** Compute the results from all runs; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_schedule_summarize(const segue_schedule *s, segue_results **out,
                                                       segue_error *err);

#endif
