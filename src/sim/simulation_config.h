/* simulation_config.h - the task or the learner that a simulation plays with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_SIMULATION_CONFIG_H
#define SEGUE_SIM_SIMULATION_CONFIG_H

#include "segue/simulation.h"

/**
 * Copy a simulation and its environment; fields that older, shorter structs lack are 0.  The copy
 * refers to the copied environment.  Other pointers stay borrowed.
 *
 * @retval SEGUE_EDOMAIN  a size is unknown, or there is no environment
 */
SEGUE_MUST_CHECK segue_status segue_simulation_copy(segue_simulation *out,
                                                    segue_environment *environment,
                                                    const segue_simulation *given,
                                                    segue_error *err);

/** True if pulls or switches cost something. */
static inline bool segue_simulation_has_costs(const segue_simulation *sim)
{
    return sim->cost || sim->switch_cost > 0.0;
}

/** Return the configuration of a task that the policy of `sim` plays. */
segue_task_config segue_simulation_config_task(const segue_simulation *sim);

/** Return the configuration of the learner of run `run`: that of `sim`, completed by the sizes of
 * the environment and the name of the run's random streams. */
segue_learner_config segue_simulation_config_learner(const segue_simulation *sim, uint64_t run);

#endif
