/* cost.h - estimate how long runs take, for the time left that progress shows.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_COST_H
#define SEGUE_EXPERIMENT_COST_H

#include "experiment/experiment.h"

/** Return the number of tasks of one run: J, or one per model with single tasks. */
double segue_cost_tasks(const segue_simulation *sim);

/** Return the nanoseconds of one run of `tasks` tasks, on the machine of the table. */
double segue_cost_run(const segue_simulation *sim, double tasks);

/** Policies of the table, and one class for all others. */
#define SEGUE_COST_CLASSES 32
size_t segue_cost_class(const segue_simulation *sim);

/** Estimated and measured nanoseconds of played runs, per class.  Zero it at first. */
typedef struct segue_cost_meter {
    double estimated[SEGUE_COST_CLASSES], measured[SEGUE_COST_CLASSES];
} segue_cost_meter;

/** Add a run of `tasks` tasks that took `seconds` of CPU time. */
void segue_cost_meter_add(segue_cost_meter *meter, const segue_simulation *sim, double tasks,
                          double seconds);

/** Return the CPU seconds that a run will take, by what was played. */
double segue_cost_meter_run(const segue_cost_meter *meter, const segue_simulation *sim,
                            double tasks);

/** Return the CPU seconds of all runs that were played. */
double segue_cost_meter_total(const segue_cost_meter *meter);

#endif
