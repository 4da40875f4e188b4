/* cost.h - estimate how long runs take, for the time left that progress shows.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_COST_H
#define SEGUE_EXPERIMENT_COST_H

#include "experiment/experiment.h"

/** Return the number of tasks of one run: J, or one per model with single tasks. */
double segue_cost_tasks(const segue_simulation *sim);

/** Return the nanoseconds of one run of `tasks` tasks, on the machine of the table. */
double segue_cost_run(const segue_simulation *sim, double tasks);

/** Return the nanoseconds of all runs of an experiment, on that machine. */
double segue_cost_experiment(const segue_experiment *experiment);

#endif
