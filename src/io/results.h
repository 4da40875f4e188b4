/* results.h - what an experiment found: one cell for each policy, environment, n and J.
 *
 * Written as JSON, which holds all that is needed to repeat it and is read again by the report, and
 * as CSV for other programs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_RESULTS_H
#define SEGUE_IO_RESULTS_H

#include <jansson.h>

#include "segue/simulation.h"

/** What is followed over the tasks of a run: a point every so many tasks. */
typedef enum segue_track {
    SEGUE_TRACK_REGRET,     /* a task, the average since the last point */
    SEGUE_TRACK_COMPLEXITY, /* of the next task, by the weights of the models */
    SEGUE_TRACK_ERROR,      /* the largest error of an estimated mean */
    SEGUE_TRACK_EPS,        /* what the learner takes it for */
    SEGUE_TRACK_RESOLVED,   /* estimated models with a single non-dominated arm */
    SEGUE_TRACK_TYPES,      /* of a learner of types: how many it has found */
    SEGUE_N_TRACKS
} segue_track;

/** What can be followed of a run: its regret alone, a learner's estimated models too, or how many
 * types a learner has found. */
typedef enum segue_track_set {
    SEGUE_TRACK_SET_REGRET,
    SEGUE_TRACK_SET_MODELS,
    SEGUE_TRACK_SET_TYPES
} segue_track_set;

/** Whether a track is among what is followed. */
bool segue_cell_tracks(segue_track_set follow, segue_track track);

/** The name of a track in files. */
const char *segue_cell_track_name(segue_track track);

typedef struct segue_cell {
    char *environment; /* names */
    char *policy;
    uint64_t steps, tasks, runs; /* n, J (0: single tasks) and runs (of each model, if single) */
    segue_regret regret;         /* a task */
    size_t n_models;             /* 0 where tasks have none */
    segue_regret *by_model;      /* n_models; NaN: no task had the model */
    double no_model_left;        /* steps a task at which no model agreed with the rewards */
    double violations, left_out; /* of a learner, a run */
    segue_regret never_best;     /* pulls a task of arms that are best for no model; NaN if there
                                    are no models, or other ones later */
    double *run_regret;          /* runs: a task; NULL for single tasks */
    uint64_t every;              /* tasks a point; 0: nothing was followed */
    size_t n_points;
    double *track[SEGUE_N_TRACKS]; /* runs x n_points; NULL: not followed */
} segue_cell;

typedef struct segue_results {
    char *version;       /* of Segue */
    json_t *experiment;  /* what was run: an experiment file, its model sets written out */
    const char *name;    /* of the experiment */
    const char *title;   /* likewise */
    const char *variant; /* which of its variants; empty: none */
    uint64_t seed;
    size_t n_cells;
    segue_cell *cell;
} segue_results;

/**
 * Results of `experiment` (taken over, also on failure), with `n_cells` empty cells.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_results_create(segue_results **out, json_t *experiment,
                                                   size_t n_cells, segue_error *err);
void segue_results_destroy(segue_results *results);

/** Give a cell memory for its runs, and for its points if `every` is set; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_cell_reserve(segue_cell *cell, segue_track_set follow,
                                                 segue_error *err);

/** The last task that a point covers, counted from 1. */
uint64_t segue_cell_last_task(const segue_cell *cell, size_t point);

/** Mean and error over runs of one point. */
segue_regret segue_cell_mean(const segue_cell *cell, segue_track track, size_t point);

/** The median over runs of one point, and a 95 % band of it that holds for any law: two order
 * statistics (with fewer than six runs, the least and the largest, which is less).  Runs that have
 * no number are left out; all NaN if none has. */
typedef struct segue_median {
    double middle, low, high;
} segue_median;
segue_median segue_cell_median(const segue_cell *cell, segue_track track, size_t point);

/** Half the width of the 95 % band around a cell's mean, or a point's. */
double segue_cell_half_width(const segue_cell *cell, segue_regret regret);

/** The cell of a policy (as typed), n and J; NULL: there is none. */
const segue_cell *segue_results_find(const segue_results *results, const char *policy,
                                     uint64_t steps, uint64_t tasks);

/** The same in one environment. */
const segue_cell *segue_results_find_in(const segue_results *results, const char *environment,
                                        const char *policy, uint64_t steps, uint64_t tasks);

/** All of it as JSON; NULL: out of memory. */
json_t *segue_results_to_json(const segue_results *results);

/** One row a cell, and one a model of it. */
void segue_results_print_csv(const segue_results *results, FILE *out);

/** The first line of a curve. */
#define SEGUE_RESULTS_CURVE_HEADER                                                                 \
    "experiment,version,seed,environment,policy,steps,tasks,runs,track,task,run,value"

/** One row a track, point and run. */
void segue_results_print_curve(const segue_results *results, FILE *out);

/**
 * Read what segue_results_to_json made.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file and field
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_results_read(segue_results **out, const char *path,
                                                 segue_error *err);

#endif
