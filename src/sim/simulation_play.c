/* simulation_play.c - play one task in its plain form.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "segue/simulation.h"

double segue_simulation_play(segue_task *task, segue_simulated_task *simulated, uint64_t steps)
{
    for (uint64_t t = 0; t < steps; t++) {
        const size_t arm = segue_task_ask(task);
        const segue_status status =
            segue_task_tell(task, arm, segue_simulated_task_reward(simulated, arm), NULL);
        assert(status == SEGUE_OK); /* simulated rewards lie in [0, 1] */
        (void)status;
    }
    return segue_simulated_task_regret(simulated, segue_task_info(task).pulls);
}
