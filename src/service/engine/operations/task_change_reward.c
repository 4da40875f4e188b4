/* task_change_reward.c - store one reward and give it to its task.
 *
 * The store has at most one reward per decision: a repeated tell finds it there.  So a reward
 * counts once, also if the service stops between COMMIT and the response.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "service/engine/operations/task_change.h"
#include "service/engine/service_internal.h"

segue_status segue_task_change_store_reward(segue_service *service, operation *op, task_state *task,
                                            bool by_default, segue_error *err)
{
    const segue_stored_reward reward = {.task = task->id,
                                        .number = op->decision.number,
                                        .position = task->staged_rewards,
                                        .arm = op->decision.arm,
                                        .value = op->request.reward,
                                        .created = segue_service_wall_time(service),
                                        .by_default = by_default,
                                        .probability = op->decision.probability,
                                        .shadow = op->decision.shadow};
    op->task = task;
    SEGUE_TRY(segue_store_add_reward(service->store, &reward, &op->reward.is_new, err));
    if (!op->reward.is_new)
        return SEGUE_OK;
    task->staged_rewards++;
    task->staged_total += reward.value;
    const uint64_t last = task->terms.close_after;
    if (last == 0 || task->staged_rewards < last)
        return SEGUE_OK;
    op->reward.closes = true;
    return segue_task_change_store_close(service, op, task, err);
}

/* Show it among the learner's recent rewards. */
static void add_recent(learner_state *state, const task_state *task, const operation *op,
                       double now)
{
    recent_reward *d = segue_recent_rewards_add(&state->recent);
    *d = (recent_reward){.arm = op->decision.arm,
                         .reward = op->request.reward,
                         .time = now,
                         .version = task->version,
                         .control = task->control};
    memcpy(d->task, task->key, strlen(task->key) + 1);
}

segue_status segue_task_change_apply_reward(segue_service *service, operation *op, segue_error *err)
{
    learner_state *state = op->state;
    task_state *task = op->task;
    (void)pthread_mutex_lock(&state->lock);
    segue_learner_state_tell(state, task, op->decision.arm, op->request.reward);
    task->active = segue_service_time(service);
    add_recent(state, task, op, segue_service_wall_time(service));
    (void)pthread_mutex_unlock(&state->lock);
    (void)atomic_fetch_add(&service->metrics.rewards, 1);
    return op->reward.closes ? segue_task_change_apply_close(service, op, err) : SEGUE_OK;
}
