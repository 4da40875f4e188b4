/* urn_task.c - one task of an urn while it is played.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/urn/urn_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

segue_status segue_urn_task_init(segue_urn_task *out, const segue_urn *urn, segue_error *err)
{
    const size_t n_arms = urn->log->n_arms;
    *out = (segue_urn_task){.urn = urn,
                            .theta = calloc(n_arms, sizeof *out->theta),
                            .pulled = calloc(n_arms, sizeof *out->pulled),
                            .rng = calloc(n_arms, sizeof *out->rng)};
    if (out->theta && out->pulled && out->rng)
        return SEGUE_OK;
    segue_urn_task_fini(out);
    return segue_fail_no_memory(err, "a task of the urn");
}

void segue_urn_task_fini(segue_urn_task *task)
{
    free(task->theta);
    free(task->pulled);
    free(task->rng);
    *task = (segue_urn_task){.urn = NULL};
}

void segue_urn_task_begin(segue_urn_task *task, size_t number, uint64_t seed, uint64_t run)
{
    const size_t n_arms = task->urn->log->n_arms;
    task->number = number;
    task->seed = seed;
    task->run = run;
    task->value = 0.0;
    task->n_logged = 0;
    memset(task->pulled, 0, n_arms * sizeof *task->pulled);
    segue_urn_draw_means(task->urn, number, seed, run, task->theta);
    task->best = 0.0;
    for (size_t arm = 0; arm < n_arms; arm++)
        task->best = fmax(task->best, task->theta[arm]);
}

/* Draw a reward after the `logged` rewards of an arm; its stream begins with the first one. */
static double draw(segue_urn_task *task, size_t arm, size_t logged)
{
    if (task->pulled[arm] == logged)
        segue_rng_init(&task->rng[arm], task->seed, task->run, task->number, arm);
    task->value += task->theta[arm];
    return segue_urn_draw_reward(task->urn, task->theta[arm], &task->rng[arm]);
}

double segue_urn_task_pull(segue_urn_task *task, size_t arm)
{
    const segue_urn_log *log = task->urn->log;
    const size_t *start = log->start + task->number * log->n_arms + arm;
    const size_t logged = start[1] - start[0];
    double reward;
    if (task->pulled[arm] < logged) {
        reward = log->reward[start[0] + task->pulled[arm]];
        task->value += reward;
        task->n_logged++;
    } else {
        reward = draw(task, arm, logged);
    }
    task->pulled[arm]++;
    return reward;
}
