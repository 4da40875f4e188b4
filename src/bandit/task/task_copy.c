/* task_copy.c - copies of a task, which are asked in another thread, and its size.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/task/task.h"
#include "bandit/task/task_struct.h"
#include "core/fail.h"

static void *duplicate(const void *data, size_t size)
{
    void *made = size ? malloc(size) : NULL;
    if (made)
        memcpy(made, data, size);
    return made;
}

static bool copy_arrays(segue_task *copy, const segue_task *task)
{
    const size_t n_arms = task->view.n_arms;
    copy->asked = duplicate(task->asked, n_arms * sizeof *task->asked);
    copy->pulls = duplicate(task->pulls, n_arms * sizeof *task->pulls);
    copy->pending = duplicate(task->pending, n_arms * sizeof *task->pending);
    copy->sum = duplicate(task->sum, n_arms * sizeof *task->sum);
    copy->graded = duplicate(task->graded, n_arms * sizeof *task->graded);
    copy->cost = duplicate(task->cost, n_arms * sizeof *task->cost);
    copy->allowed = duplicate(task->allowed, 2 * n_arms * sizeof *task->allowed);
    copy->precomputed = duplicate(task->precomputed, task->precomputed_size);
    copy->view.state = duplicate(task->view.state, task->state_size);
    if (task->weighs && segue_reward_weights_copy(&copy->weights, &task->weights, NULL) != SEGUE_OK)
        return false;
    return copy->asked && copy->pulls && copy->pending && copy->sum && copy->graded && copy->cost &&
           copy->allowed && (copy->precomputed || !task->precomputed_size) &&
           (copy->view.state || !task->state_size);
}

segue_status segue_task_copy(segue_task **out, const segue_task *task, segue_error *err)
{
    segue_task *copy = malloc(sizeof *copy);
    *out = NULL;
    if (!copy)
        return segue_fail_no_memory(err, "a copy of a task");
    *copy = *task;
    copy->batches = (batches){.kind = SEGUE_BATCHES_NONE};
    copy->owner = NULL;
    copy->weights.weight = NULL;
    if (!copy_arrays(copy, task)) {
        segue_task_destroy(copy);
        return segue_fail_no_memory(err, "a copy of a task");
    }
    copy->view.asked = copy->asked;
    copy->view.pulls = copy->pulls;
    copy->view.sum = copy->sum;
    copy->view.pending = task->view.pending ? copy->pending : NULL;
    copy->view.cost = task->view.cost ? copy->cost : NULL;
    copy->view.option = copy->option;
    copy->view.reward_weight = copy->weighs ? segue_reward_weights_all(&copy->weights) : NULL;
    copy->view.precomputed = copy->precomputed;
    if (task->view.allowed)
        copy->view.allowed = copy->allowed;
    if (task->policy->rebind)
        task->policy->rebind(&copy->view);
    *out = copy;
    return SEGUE_OK;
}

void segue_task_undo_asks(segue_task *task, const segue_task *copy)
{
    const size_t n_arms = task->view.n_arms;
    memcpy(task->asked, copy->asked, n_arms * sizeof *task->asked);
    memcpy(task->pending, copy->pending, n_arms * sizeof *task->pending);
    task->n_pending = copy->n_pending;
    task->view.pending = copy->view.pending ? task->pending : NULL;
    task->view.step = copy->view.step;
    task->view.last_arm = copy->view.last_arm;
    task->switches = copy->switches;
    task->no_model_left = copy->no_model_left;
    task->last_reason = copy->last_reason;
    task->rng = copy->rng;
    if (task->state_size)
        memcpy(task->view.state, copy->view.state, task->state_size);
    if (task->policy->rebind)
        task->policy->rebind(&task->view);
}

void segue_task_fork_stream(segue_task *task, segue_task *copy)
{
    const uint64_t seed = segue_rng_next(&task->rng), run = segue_rng_next(&task->rng) >> 1;
    segue_rng_init(&copy->rng, seed, run, task->view.step, SEGUE_STREAM_POLICY);
}

size_t segue_task_bytes(const segue_task *task)
{
    enum { BLOCKS = 13, OVERHEAD = 16 }; /* allocations, and malloc's overhead per allocation */
    const size_t arm = 2 * sizeof *task->asked + 4 * sizeof *task->sum + 2 * sizeof *task->allowed +
                       (task->weighs ? 2 * sizeof *task->weights.weight : 0);
    return sizeof *task + task->view.n_arms * arm + task->precomputed_size + task->state_size +
           segue_batches_bytes(&task->batches) + (size_t)BLOCKS * OVERHEAD;
}
