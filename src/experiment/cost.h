/* cost.h - roughly how long a run takes, for the time left that progress shows.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_COST_H
#define SEGUE_EXPERIMENT_COST_H

#include "segue/simulation.h"

/** Nanoseconds of one run of `tasks` tasks, on the machine that the table was measured on. */
double segue_cost_run(const segue_simulation *sim, double tasks);

#endif
