/* task_costs.c - costs of pulls and of switches, as a share of the range of rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/task/task.h"
#include "bandit/task/task_struct.h"
#include "core/fail.h"

static bool is_cost(const segue_task *task, double cost)
{
    return cost >= 0.0 && cost / task->width <= SEGUE_MAX_COST; /* NaN fails too */
}

segue_status segue_task_set_costs(segue_task *task, const double *cost, double switch_cost,
                                  segue_error *err)
{
    const size_t n_arms = task->view.n_arms;
    size_t arm = 0;
    if ((cost || switch_cost > 0.0) && !task->policy->takes_costs)
        return segue_fail(err, SEGUE_EUSAGE, "policy '%s' knows no costs", task->policy->name);
    while (cost && arm < n_arms && is_cost(task, cost[arm]))
        arm++;
    if ((cost && arm < n_arms) || !is_cost(task, switch_cost))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "a cost is %g; need 0 to a million times the range of rewards",
                          cost && arm < n_arms ? cost[arm] : switch_cost);
    for (arm = 0; arm < n_arms; arm++)
        task->cost[arm] = cost ? cost[arm] / task->width : 0.0;
    task->view.switch_cost = switch_cost / task->width;
    task->view.cost = cost || switch_cost > 0.0 ? task->cost : NULL;
    return SEGUE_OK;
}

void segue_task_clear_costs(segue_task *task)
{
    task->view.cost = NULL;
    task->view.switch_cost = 0.0;
}
