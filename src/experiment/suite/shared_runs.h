/* shared_runs.h - runs that cells of several experiments have in common are played once.
 *
 * Two cells are equal if environment, policy with its options, steps, tasks and seed are: then run
 * r of one is run r of the other.  They may differ in runs, and in the tasks per point of their
 * tracks.  The experiments run one after the other; the first that plays a run also computes its numbers
 * for the equal cells of later experiments.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_SUITE_SHARED_RUNS_H
#define SEGUE_EXPERIMENT_SUITE_SHARED_RUNS_H

#include "experiment/schedule.h"

#define SEGUE_MAX_SHARED 16 /* cells of later experiments that one run is computed for */

/** A cell that has an equal one in another experiment. */
typedef struct shared_cell {
    size_t experiment, number; /* of the experiment, and of the cell in it */
    size_t group;              /* equal cells have the same */
    schedule_cell cell;        /* its numbers; rows without `known` are empty */
    bool *known;               /* runs; written and read under checkpoint_lock */
} shared_cell;

struct segue_shared_runs {
    size_t n_cells;
    shared_cell *cells; /* by experiment */
};

/** Find the equal cells of `count` experiments, which must outlive *out; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_shared_runs_create(segue_shared_runs **out,
                                                       segue_experiment *const *experiment,
                                                       size_t count, segue_error *err);
void segue_shared_runs_destroy(segue_shared_runs *shared);

/** Find the cells of later experiments that need run `run` of a cell; `shared` may be NULL.
 * Return how many there are. */
size_t segue_shared_runs_later(const segue_shared_runs *shared, size_t experiment, size_t number,
                               uint64_t run, shared_cell *found[SEGUE_MAX_SHARED]);

/** Return the numbers of a run that an earlier experiment has played; NULL: it is not known. */
const double *segue_shared_runs_find(const segue_shared_runs *shared, size_t experiment,
                                     size_t number, uint64_t run);

/** Test whether an earlier experiment has a cell that is equal, with at least as many runs. */
bool segue_shared_runs_is_repeated(const segue_shared_runs *shared, size_t experiment,
                                   size_t number);

#endif
