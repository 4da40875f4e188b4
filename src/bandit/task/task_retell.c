/* task_retell.c - a task whose rewards changed after they were given.
 *
 * Policies have states that grow with each reward, and not all of them can take one back: that of
 * exp3 depends on the order, and ucb-test may have committed.  So all rewards are given again, to the
 * state of a new task.  Asks are not made again: their number, those that are pending and the random
 * stream stay.  The task is then as if each reward had come with its new value, at its old place.
 * Cost: that of a tell per reward.  Policies that weigh rewards (la, tts, tla) are cheaper: from its
 * first update on, a new state of theirs is computed from the totals, so that one update is enough.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "bandit/task/task.h"
#include "bandit/task/task_struct.h"

void segue_task_retell(segue_task *task, const segue_given_reward *given, size_t count)
{
    assert(!task->policy->carries); /* its state has rewards of other tasks */
    segue_task_clear_rewards(task);
    for (size_t i = 0; i < count; i++) {
        assert(given[i].arm < task->view.n_arms);
        assert(given[i].reward >= task->lowest && given[i].reward <= task->highest);
        const double x = segue_task_to_unit(task, given[i].reward);
        segue_task_add_reward(task, given[i].arm, x);
        if (task->policy->update && (!task->view.reward_weight || i + 1 == count))
            task->policy->update(&task->view, given[i].arm, x);
    }
}
