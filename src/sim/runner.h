/* runner.h - one run of a simulation, task after task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_RUNNER_H
#define SEGUE_SIM_RUNNER_H

#include "segue/simulation.h"

/** A task that has ended. */
typedef struct run_task {
    uint64_t number; /* in its run, counted from 0 */
    size_t model;
    double regret;
    double reward;                /* sum of its rewards */
    const uint64_t *pulls;        /* n_arms; valid during the visit */
    const segue_learner *learner; /* after it has learned from the task; NULL: a policy played */
} run_task;

/** Called after each task; a failure ends the run. */
typedef segue_status (*visit_function)(void *context, const run_task *task, segue_error *err);

/** The totals of a run. */
typedef struct run_totals {
    double regret;        /* average per task */
    double no_model_left; /* average steps per task at which no model agreed */
    double never_best; /* average pulls per task of arms that are best for no model; NaN where tasks
                          have no models, or change them */
    double violations; /* of a learner: tasks without an estimated model nearby */
    double skipped;    /* likewise */
    double n_types,
        no_type; /* of a learner of types, at the end: types, share of tasks that fit none */
} run_totals;

/** Plays runs, one after the other, on one thread. */
typedef struct segue_runner segue_runner;

/**
 * Create a runner for `sim`, which was checked, is of this version's size and must outlive it.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_runner_create(segue_runner **out, const segue_simulation *sim,
                                                  segue_error *err);
void segue_runner_destroy(segue_runner *runner);

/** Return the number of runs; single tasks, `runs` per model, count each. */
uint64_t segue_runner_runs(const segue_simulation *sim);

/**
 * Play run `run`. Of single tasks, run k * runs + r is run r of model k.
 *
 * @retval SEGUE_ENOMEM, SEGUE_ESTOPPED  or the status of `visit`
 */
SEGUE_MUST_CHECK segue_status segue_runner_play(segue_runner *runner, uint64_t run,
                                                run_totals *totals, visit_function visit,
                                                void *context, segue_error *err);

#endif
