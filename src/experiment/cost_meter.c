/* cost_meter.c - correct the estimates of cost.c by the times of runs that were played.
 *
 * The table of cost.c is of one machine, and wrong by a factor of two or three for some policies,
 * options and numbers of arms.  The meter compares its estimates with measured CPU times, per
 * policy.  A policy that was not played yet gets the ratio of all others.  Only the progress
 * display depends on it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/cost.h"

#define PRIOR 2e8 /* nanoseconds that count as played with the ratio of all, or as estimated */

void segue_cost_meter_add(segue_cost_meter *meter, const segue_simulation *sim, double tasks,
                          double seconds)
{
    const size_t class = segue_cost_class(sim);
    meter->estimated[class] += segue_cost_run(sim, tasks);
    meter->measured[class] += 1e9 * seconds;
}

/* Return measured by estimated time of all policies. */
static double total_ratio(const segue_cost_meter *meter)
{
    double estimated = PRIOR, measured = PRIOR;
    for (size_t i = 0; i < SEGUE_COST_CLASSES; i++) {
        estimated += meter->estimated[i];
        measured += meter->measured[i];
    }
    return measured / estimated;
}

double segue_cost_meter_run(const segue_cost_meter *meter, const segue_simulation *sim,
                            double tasks)
{
    const size_t class = segue_cost_class(sim);
    const double ratio =
        (meter->measured[class] + PRIOR * total_ratio(meter)) / (meter->estimated[class] + PRIOR);
    return 1e-9 * ratio * segue_cost_run(sim, tasks);
}

double segue_cost_meter_total(const segue_cost_meter *meter)
{
    double measured = 0.0;
    for (size_t i = 0; i < SEGUE_COST_CLASSES; i++)
        measured += meter->measured[i];
    return 1e-9 * measured;
}
