/* measure.h - compute the tracks of a run, task by task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_MEASURE_H
#define SEGUE_EXPERIMENT_MEASURE_H

#include "experiment/measure/fresh_rewards.h"
#include "io/results/results.h"
#include "segue/internal.h"

typedef struct segue_measure {
    segue_track_set track_set;
    const segue_simulation *sim;
    fresh_rewards *fresh;      /* of the current run; NULL: no such track */
    const segue_models *truth; /* the true models; NULL: no comparison */
    double known;              /* UCB's complexity, by the weights: that of a learner with no
                                  estimate */
    uint64_t every;
    size_t n_points;
    double *out;   /* output: n_points per track, track after track */
    double sum;    /* of regrets since the last point */
    uint64_t seen; /* tasks since then */
    size_t point;
} segue_measure;

/** `sim` must outlive the measure; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_measure_init(segue_measure *measure, segue_track_set track_set,
                                                 const segue_simulation *sim, uint64_t every,
                                                 segue_error *err);

/** Return the number of values per run. */
size_t segue_measure_size(const segue_measure *measure);

/** Start a run, whose points go to `out`; segue_measure_end releases its memory.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_measure_begin(segue_measure *measure, uint64_t run, double *out,
                                                  segue_error *err);
void segue_measure_end(segue_measure *measure);

/** Add a task; `last`: the last one of its run; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_measure_task(segue_measure *measure, const run_task *task,
                                                 bool last, segue_error *err);

#endif
