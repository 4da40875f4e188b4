/* urn_log.c - group the rewards of a log by task and arm.
 *
 * A counting sort over (task, arm): count the rewards of each, turn counts into offsets, and copy
 * the rewards in the order of the rows.  Cost: O(rows + tasks x arms) time; 8 bytes per row and 32
 * per task and arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/urn/urn_log.h"

#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

static segue_status allocate(segue_urn_log *log, size_t n_tasks, size_t n_arms, segue_error *err)
{
    const size_t cells = n_tasks * n_arms;
    *log = (segue_urn_log){.n_tasks = n_tasks, .n_arms = n_arms};
    log->start = calloc(cells + 1, sizeof *log->start);
    log->sum = calloc(cells, sizeof *log->sum);
    log->pulls = calloc(cells, sizeof *log->pulls);
    log->square = calloc(cells, sizeof *log->square);
    if (log->start && log->sum && log->pulls && log->square)
        return SEGUE_OK;
    segue_urn_log_fini(log);
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for the counts of %zu tasks x %zu arms",
                      n_tasks, n_arms);
}

/* Turn pulls into offsets, and allocate the rewards. */
static segue_status allocate_rewards(segue_urn_log *log, segue_error *err)
{
    const size_t cells = log->n_tasks * log->n_arms;
    for (size_t i = 0; i < cells; i++)
        log->start[i + 1] = log->start[i] + (size_t)log->pulls[i];
    log->reward = calloc(log->start[cells] + 1, sizeof *log->reward);
    if (log->reward)
        return SEGUE_OK;
    segue_urn_log_fini(log);
    return segue_fail_no_memory(err, "the rewards of a log");
}

/* Copy the rewards of a task; `used`, n_arms, is scratch. */
static void copy_task(segue_urn_log *log, const segue_history *history, size_t task, size_t *used)
{
    const size_t *start = log->start + task * log->n_arms;
    memset(used, 0, log->n_arms * sizeof *used);
    for (size_t i = history->start[task]; i < history->start[task + 1]; i++) {
        const size_t arm = history->row[i].arm;
        log->reward[start[arm] + used[arm]++] = history->row[i].reward;
    }
}

/* Compute sums and squares from the rewards. */
static void add_up(segue_urn_log *log)
{
    const size_t cells = log->n_tasks * log->n_arms;
    log->binary = true;
    for (size_t cell = 0; cell < cells; cell++) {
        double sum = 0.0, square = 0.0;
        for (size_t i = log->start[cell]; i < log->start[cell + 1]; i++) {
            const double reward = log->reward[i];
            sum += reward;
            square += reward * reward;
            log->binary = log->binary && (reward == 0.0 || reward == 1.0);
        }
        log->sum[cell] = sum;
        log->square[cell] = square;
    }
}

segue_status segue_urn_log_init(segue_urn_log *out, const segue_history *history, segue_error *err)
{
    SEGUE_TRY(allocate(out, history->n_tasks, history->n_arms, err));
    for (size_t task = 0; task < history->n_tasks; task++)
        for (size_t i = history->start[task]; i < history->start[task + 1]; i++)
            out->pulls[task * out->n_arms + history->row[i].arm] += 1.0;
    SEGUE_TRY(allocate_rewards(out, err));
    size_t *used = calloc(out->n_arms, sizeof *used);
    if (!used) {
        segue_urn_log_fini(out);
        return segue_fail_no_memory(err, "the rewards of a log");
    }
    for (size_t task = 0; task < out->n_tasks; task++)
        copy_task(out, history, task, used);
    free(used);
    add_up(out);
    return SEGUE_OK;
}

void segue_urn_log_fini(segue_urn_log *log)
{
    free(log->start);
    free(log->reward);
    free(log->sum);
    free(log->pulls);
    free(log->square);
    *log = (segue_urn_log){.n_tasks = 0};
}

segue_counts segue_urn_log_counts(const segue_urn_log *log)
{
    return (segue_counts){.n_tasks = log->n_tasks,
                          .n_arms = log->n_arms,
                          .sum = log->sum,
                          .pulls = log->pulls,
                          .square = log->binary ? NULL : log->square};
}

double segue_urn_log_rewards_per_cell(const segue_urn_log *log)
{
    const size_t cells = log->n_tasks * log->n_arms;
    return (double)log->start[cells] / (double)cells;
}
