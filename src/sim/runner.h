/* runner.h - one run of a simulation, task after task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_RUNNER_H
#define SEGUE_SIM_RUNNER_H

#include "segue/simulation.h"

/** A task that was just played. */
typedef struct run_task {
    uint64_t number; /* in its run; 0 is the first */
    size_t model;
    double regret;
    const segue_learner *learner; /* which has learned from it; NULL: a policy played */
} run_task;

/** Called after each task; a failure ends the run. */
typedef segue_status (*visit_function)(void *context, const run_task *task, segue_error *err);

/** What is left of a run. */
typedef struct run_totals {
    double regret;           /* a task, on average */
    double no_model_left;    /* likewise */
    double never_best;       /* pulls of arms that are best for no model, likewise; NaN where tasks
                                have no models, or other ones later */
    double violations;       /* of a learner */
    double excluded;         /* likewise */
    double n_types, no_type; /* of a learner of types, at the end */
} run_totals;

/** What plays runs, one after the other, on one thread. */
typedef struct segue_runner segue_runner;

/**
 * Reserve what the runs of `sim`, which is checked and must outlive the runner, need.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_runner_create(segue_runner **out, const segue_simulation *sim,
                                                  segue_error *err);
void segue_runner_destroy(segue_runner *runner);

/** How many runs a simulation has: those of single tasks, `runs` for each model, count singly. */
uint64_t segue_runner_runs(const segue_simulation *sim);

/**
 * Play run `run`.  Of single tasks, run k * runs + r is run r of model k.
 *
 * @retval SEGUE_ENOMEM  or what `visit` returned
 */
SEGUE_MUST_CHECK segue_status segue_runner_play(segue_runner *runner, uint64_t run,
                                                run_totals *totals, visit_function visit,
                                                void *context, segue_error *err);

#endif
