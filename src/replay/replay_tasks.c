/* replay_tasks.c - summaries of the tasks of a log.
 *
 * Averages over tasks weigh every task alike, however many rows it has.  Cost: O(rows + tasks x arms).
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay_tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

double segue_replay_tasks_rows(const segue_history *history, size_t task)
{
    return (double)(history->start[task + 1] - history->start[task]);
}

void segue_replay_tasks_count(const segue_history *history, size_t task, double *sum, double *pulls)
{
    memset(sum, 0, history->n_arms * sizeof *sum);
    memset(pulls, 0, history->n_arms * sizeof *pulls);
    for (size_t i = history->start[task]; i < history->start[task + 1]; i++) {
        sum[history->row[i].arm] += history->row[i].reward;
        pulls[history->row[i].arm] += 1.0;
    }
}

segue_status segue_replay_tasks_init(segue_replay_tasks *out, size_t n_arms, segue_error *err)
{
    double *all = calloc(5 * n_arms, sizeof *all);
    *out = (segue_replay_tasks){.n_arms = n_arms};
    if (!all)
        return segue_fail_no_memory(err, "a summary of tasks");
    out->pulls = all;
    out->mean_sum = all + n_arms;
    out->mean_count = all + 2 * n_arms;
    out->scratch = all + 3 * n_arms;
    return SEGUE_OK;
}

void segue_replay_tasks_fini(segue_replay_tasks *tasks)
{
    free(tasks->pulls);
    *tasks = (segue_replay_tasks){.n_arms = 0};
}

double segue_replay_tasks_add(segue_replay_tasks *tasks, const segue_history *history, size_t task,
                              bool scored)
{
    double *sum = tasks->scratch, *pulls = tasks->scratch + tasks->n_arms, best = 0.0;
    segue_replay_tasks_count(history, task, sum, pulls);
    for (size_t arm = 0; arm < tasks->n_arms; arm++) {
        const double mean = sum[arm] / fmax(pulls[arm], 1.0);
        best = fmax(best, mean);
        tasks->pulls[arm] += pulls[arm];
        tasks->mean_sum[arm] += scored ? mean : 0.0;
        tasks->mean_count[arm] += scored && pulls[arm] > 0.0;
    }
    tasks->n_tasks++;
    return best;
}

size_t segue_replay_tasks_best_arm(const segue_replay_tasks *tasks, double *mean)
{
    size_t best = 0;
    *mean = -1.0; /* below every reward */
    for (size_t arm = 0; arm < tasks->n_arms; arm++) {
        const double count = tasks->mean_count[arm];
        const double average = count > 0.0 ? tasks->mean_sum[arm] / count : -1.0;
        if (average > *mean) {
            best = arm;
            *mean = average;
        }
    }
    return best;
}

size_t segue_replay_tasks_rarest_arm(const segue_replay_tasks *tasks, double *rewards)
{
    size_t rarest = 0;
    for (size_t arm = 1; arm < tasks->n_arms; arm++)
        if (tasks->pulls[arm] < tasks->pulls[rarest])
            rarest = arm;
    *rewards = tasks->pulls[rarest] / (double)tasks->n_tasks;
    return rarest;
}
