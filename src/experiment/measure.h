/* measure.h - what is followed over the tasks of one run.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_MEASURE_H
#define SEGUE_EXPERIMENT_MEASURE_H

#include "io/results.h"
#include "segue/internal.h"

/** Memory and means to follow a run. */
typedef struct segue_measure {
    segue_track_set track_set;
    const segue_models *truth; /* what estimated models are compared with; NULL: nothing */
    double known;              /* UCB's complexity, by the weights: that of a learner with no
                                  estimate */
    uint64_t every;
    size_t n_points;
    double *out; /* where points go: n_points of each track that is followed, one after the other */
    double sum;  /* of regrets since the last point */
    uint64_t seen; /* tasks since then */
    size_t point;
} segue_measure;

/** @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_measure_init(segue_measure *measure, segue_track_set track_set,
                                                 const segue_simulation *sim, uint64_t every,
                                                 segue_error *err);

/** How many numbers a run leaves. */
size_t segue_measure_size(const segue_measure *measure);

/** The points of the next run go to `out`. */
void segue_measure_begin(segue_measure *measure, double *out);

/** Take in a task, of which `last` tells whether it is the last of its run; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_measure_task(segue_measure *measure, const run_task *task,
                                                 bool last, segue_error *err);

#endif
