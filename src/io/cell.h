/* cell.h - one cell of an experiment: a policy in an environment with n steps and J tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_CELL_H
#define SEGUE_IO_CELL_H

#include "segue/simulation.h"

/** A quantity followed over the tasks of a run, with one point per `every` tasks. */
typedef enum segue_track {
    SEGUE_TRACK_REGRET,     /* per task, the average since the last point */
    SEGUE_TRACK_COMPLEXITY, /* of the next task, by the weights of the models */
    SEGUE_TRACK_ERROR,      /* the largest error of an estimated mean */
    SEGUE_TRACK_EPS,        /* the learner's bound on that error */
    SEGUE_TRACK_RESOLVED,   /* estimated models with a single non-dominated arm */
    SEGUE_TRACK_DISTANCE,   /* the largest Euclidean error of an estimated model */
    SEGUE_TRACK_FRESH,      /* the largest error of a mean, estimated from fresh rewards */
    SEGUE_TRACK_TYPES,      /* of a learner of types: how many it has found */
    SEGUE_N_TRACKS
} segue_track;

/** The tracks of a cell: regret alone; those of a learner's estimated models too, without or with
 * the control of fresh rewards; or the number of types a learner has found. */
typedef enum segue_track_set {
    SEGUE_TRACK_SET_REGRET,
    SEGUE_TRACK_SET_MODELS,
    SEGUE_TRACK_SET_FRESH,
    SEGUE_TRACK_SET_TYPES
} segue_track_set;

typedef struct segue_cell {
    char *environment; /* names */
    char *policy;
    uint64_t steps, tasks, runs; /* n, J (0: single tasks) and runs (per model, if single) */
    segue_regret regret;         /* per task */
    size_t n_models;             /* 0 where tasks have none */
    segue_regret *by_model;      /* n_models; NaN: no task had the model */
    uint64_t *model_tasks;       /* n_models: tasks with the model, in all runs */
    double no_model_left;        /* steps per task at which no model agreed with the rewards */
    double violations, skipped;  /* of a learner, per run */
    segue_regret never_best;     /* pulls per task of arms that are best for no model; NaN if there
                                    are no models, or the models change */
    double *run_regret;          /* runs: per task; NULL for single tasks */
    uint64_t every;              /* tasks per point; 0: no tracks */
    size_t n_points;
    double *track[SEGUE_N_TRACKS]; /* runs x n_points; NULL: not in the set */
} segue_cell;

/** Test whether a set contains a track. */
bool segue_cell_tracks(segue_track_set set, segue_track track);

/** Return the name of a track in files. */
const char *segue_cell_track_name(segue_track track);

/** Allocate memory for the runs of a cell, and for its points if `every` is set;
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_cell_reserve(segue_cell *cell, segue_track_set set,
                                                 segue_error *err);
void segue_cell_fini(segue_cell *cell);

/** Return the number of tasks that the regret of a cell is the average of. */
uint64_t segue_cell_count_tasks(const segue_cell *cell);

/** Return the last task of a point, counted from 1. */
uint64_t segue_cell_last_task(const segue_cell *cell, size_t point);

/** Return mean and standard error of one point over the runs. */
segue_regret segue_cell_mean(const segue_cell *cell, segue_track track, size_t point);

/** Return the median of one point over the runs, and a 95 % band: two order statistics.  With fewer
 * than six runs the band is from the least to the largest, which covers less.  Runs without a
 * number are skipped; all NaN if none has one. */
typedef struct segue_median {
    double middle, low, high;
} segue_median;
segue_median segue_cell_median(const segue_cell *cell, segue_track track, size_t point);

/** Return half the width of the 95 % band around a cell's mean, or a point's. */
double segue_cell_half_width(const segue_cell *cell, segue_regret regret);

#endif
