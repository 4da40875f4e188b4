/* task_change_reward.c - store one reward and give it to its task.
 *
 * The store has at most one reward per decision: a repeated tell finds it there.  So a reward
 * counts once, also if the service stops between COMMIT and the response.  A learner that takes
 * several per decision corrects the one that it has (reward_part.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "service/engine/operations/task_change/task_change.h"
#include "service/engine/service_internal.h"

/* Write the asks that the reward is stored with. */
static segue_status stage_asks(operation *op, task_state *task, segue_bytes *text, segue_error *err)
{
    (void)pthread_mutex_lock(&op->state->lock);
    op->reward.n_asks =
        segue_ask_log_stage(&task->asks, task->staged_rewards, task->prior_seq, task->draw, text);
    (void)pthread_mutex_unlock(&op->state->lock);
    return text->failed ? segue_fail_no_memory(err, "the asks of a task") : SEGUE_OK;
}

/* A repeated reward stores none. */
static void unstage_asks(const operation *op, task_state *task, bool run_staged)
{
    (void)pthread_mutex_lock(&op->state->lock);
    task->asks.staged -= op->reward.n_asks;
    task->asks.run_staged = run_staged;
    (void)pthread_mutex_unlock(&op->state->lock);
}

static segue_status add_reward(segue_service *service, operation *op, task_state *task,
                               segue_stored_reward *reward, segue_error *err)
{
    segue_bytes text = {.data = NULL};
    const bool run_staged = task->asks.run_staged;
    segue_status status = stage_asks(op, task, &text, err);
    reward->asks = (const char *)text.data;
    if (status == SEGUE_OK)
        status = segue_store_add_reward(service->store, reward, &op->reward.is_new, err);
    if (status != SEGUE_OK || !op->reward.is_new)
        unstage_asks(op, task, run_staged);
    segue_bytes_fini(&text);
    return status;
}

segue_status segue_task_change_store_reward(segue_service *service, operation *op, task_state *task,
                                            bool by_default, segue_error *err)
{
    segue_stored_reward reward = {.task = task->id,
                                  .number = op->decision.number,
                                  .position = task->staged_rewards,
                                  .arm = op->decision.arm,
                                  .value = op->request.reward,
                                  .created = segue_service_wall_time(service),
                                  .by_default = by_default,
                                  .probability = op->decision.probability,
                                  .shadow = op->decision.shadow};
    op->task = task;
    SEGUE_TRY(segue_learner_state_reserve_given(op->state, task, task->staged_rewards + 1,
                                                &op->reward.grows, err));
    SEGUE_TRY(add_reward(service, op, task, &reward, err));
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

segue_status segue_task_change_store_correction(segue_service *service, operation *op,
                                                task_state *task, const segue_stored_reward *reward,
                                                segue_error *err)
{
    op->task = task;
    op->reward.is_new = true;
    op->reward.corrects = true;
    op->reward.position = reward->position;
    task->staged_total += op->reward.value - reward->value;
    return segue_store_set_reward(service->store, reward->task, reward->number, op->reward.value,
                                  err);
}

/* Show it among the learner's recent rewards. */
static void add_recent(learner_state *state, const task_state *task, const operation *op,
                       double now)
{
    recent_reward *d = segue_recent_rewards_add(&state->recent);
    *d = (recent_reward){.arm = op->decision.arm,
                         .reward = op->reward.corrects ? op->reward.value : op->request.reward,
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
    if (op->reward.corrects)
        segue_learner_state_correct(state, task, op->reward.position, op->reward.value);
    else {
        segue_learner_state_tell(state, task, op->decision.arm, op->request.reward);
        segue_learner_state_count_rewarded(state, task, op->decision.number);
    }
    const size_t before = segue_ask_log_bytes(&task->asks);
    segue_ask_log_commit(&task->asks, op->reward.n_asks);
    segue_learner_state_count_asks(state, task, before);
    task->active = segue_service_time(service);
    add_recent(state, task, op, segue_service_wall_time(service));
    (void)pthread_mutex_unlock(&state->lock);
    (void)atomic_fetch_add(&service->metrics.rewards, 1);
    return op->reward.closes ? segue_task_change_apply_close(service, op, err) : SEGUE_OK;
}
