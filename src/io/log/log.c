/* log.c - sum a log into three batches of rewards per task and arm.
 *
 * Reward k of an arm in a task goes to batch k mod 3.  A task has cells up to its highest arm so
 * far, so memory grows with the pairs of task and arm that occur.
 *
 * Consecutive batches need the number of rewards of each arm, which the last row gives: rows are
 * stored, 24 bytes each, and assigned to batches at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log.h"
#include "segue/internal.h"

#include <stdlib.h>
#include <string.h>

/* Grow a list of `size`-byte entries from `count` to `new_count`, with zeros; out of memory returns
 * NULL and leaves the old list. */
static void *grow(void *list, size_t count, size_t new_count, size_t size)
{
    char *grown = realloc(list, new_count * size);
    if (grown)
        memset(grown + count * size, 0, (new_count - count) * size);
    return grown;
}

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the log");
}

/* Find the cell of a task and arm, and grow both lists as needed. */
static segue_status find_cell(segue_log *log, size_t task, size_t arm, log_cell **out,
                              segue_error *err)
{
    if (task >= log->capacity) {
        const size_t capacity = 2 * task + 64;
        log_task *grown = grow(log->tasks, log->capacity, capacity, sizeof *grown);
        if (!grown)
            return no_memory(err);
        log->tasks = grown;
        log->capacity = capacity;
    }
    log_task *entry = &log->tasks[task];
    if (arm >= entry->n_cells) {
        log_cell *grown = grow(entry->cells, entry->n_cells, log->rows.arms.count, sizeof *grown);
        if (!grown)
            return no_memory(err);
        entry->cells = grown;
        entry->n_cells = log->rows.arms.count;
    }
    *out = &entry->cells[arm];
    return SEGUE_OK;
}

static segue_status add_reward(void *context, const log_row *row, segue_error *err)
{
    log_cell *cell = NULL;
    SEGUE_TRY(find_cell(context, row->task, row->arm, &cell, err));
    const uint64_t before = (uint64_t)cell->count[0] + cell->count[1] + cell->count[2];
    cell->sum[before % 3] += row->reward;
    cell->count[before % 3]++;
    cell->graded += row->reward * (1.0 - row->reward);
    return SEGUE_OK;
}

/* ---- consecutive batches ----------------------------------------------------------------- */

/* Append a row to the pending ones. */
static segue_status store_row(segue_log *log, const log_row *row, segue_error *err)
{
    if (log->n_pending == log->pending_capacity) {
        const size_t capacity = 2 * log->pending_capacity + 1024;
        log_pending *grown = realloc(log->pending, capacity * sizeof *grown);
        if (!grown)
            return no_memory(err);
        log->pending = grown;
        log->pending_capacity = capacity;
    }
    log->pending[log->n_pending++] =
        (log_pending){.task = row->task, .arm = row->arm, .reward = row->reward};
    return SEGUE_OK;
}

/* Store a reward, and count it in the last batch, which assign_batches empties into the others. */
static segue_status store_reward(void *context, const log_row *row, segue_error *err)
{
    log_cell *cell = NULL;
    SEGUE_TRY(find_cell(context, row->task, row->arm, &cell, err));
    SEGUE_TRY(store_row(context, row, err));
    cell->count[2]++;
    return SEGUE_OK;
}

/* Move rewards from the last batch to the first two, in the order of rows, until these hold a third
 * each.  The sum of the three counts does not change. */
static void assign_batches(segue_log *log)
{
    for (size_t i = 0; i < log->n_pending; i++) {
        const log_pending *row = &log->pending[i];
        log_cell *cell = &log->tasks[row->task].cells[row->arm];
        const uint32_t *count = cell->count;
        const uint32_t third = (count[0] + count[1] + count[2]) / 3;
        const size_t batch = count[0] < third ? 0 : count[1] < third ? 1 : 2;
        cell->sum[batch] += row->reward;
        cell->graded += row->reward * (1.0 - row->reward);
        cell->count[2]--;
        cell->count[batch]++;
    }
    free(log->pending);
    log->pending = NULL;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Fill in the counts, and the names in the final order of arms. */
segue_status segue_log_fill_names(segue_log *log, segue_error *err)
{
    const log_rows *rows = &log->rows;
    log->arm_name = calloc(rows->arms.count, sizeof *log->arm_name);
    if (!log->arm_name)
        return no_memory(err);
    log->n_arms = rows->arms.count;
    log->n_tasks = rows->tasks.count;
    log->n_rows = rows->n_rows;
    log->arm_order = rows->arm_order;
    for (size_t i = 0; i < log->n_arms; i++)
        log->arm_name[i] = rows->arms.name[rows->arm_order[i]];
    for (size_t i = 0; i < log->n_tasks; i++)
        log->tasks[i].name = rows->tasks.name[i];
    return SEGUE_OK;
}

static segue_status read_rows(segue_log *out, const char *path, const log_read_options *options,
                              segue_status (*take)(void *, const log_row *, segue_error *),
                              segue_error *err)
{
    *out = (segue_log){.n_arms = 0};
    segue_status status = segue_log_rows_read(&out->rows, path, options, take, out, err);
    if (status == SEGUE_OK)
        status = segue_log_fill_names(out, err);
    if (status != SEGUE_OK)
        segue_log_fini(out);
    return status;
}

segue_status segue_log_read(segue_log *out, const char *path, const log_read_options *options,
                            segue_error *err)
{
    return read_rows(out, path, options, add_reward, err);
}

segue_status segue_log_read_consecutive(segue_log *out, const char *path,
                                        const log_read_options *options, segue_error *err)
{
    SEGUE_TRY(read_rows(out, path, options, store_reward, err));
    assign_batches(out);
    return SEGUE_OK;
}

void segue_log_fini(segue_log *log)
{
    for (size_t i = 0; i < log->capacity; i++)
        free(log->tasks[i].cells);
    free(log->tasks);
    free(log->pending);
    free(log->arm_name);
    segue_log_rows_fini(&log->rows);
    *log = (segue_log){.n_arms = 0};
}

bool segue_log_views(const segue_log *log, size_t task, double *views)
{
    const log_task *entry = &log->tasks[task];
    for (size_t arm = 0; arm < log->n_arms; arm++) {
        const size_t at = log->arm_order[arm];
        for (size_t batch = 0; batch < 3; batch++) {
            if (at >= entry->n_cells || entry->cells[at].count[batch] == 0)
                return false;
            views[batch * log->n_arms + arm] =
                entry->cells[at].sum[batch] / entry->cells[at].count[batch];
        }
    }
    return true;
}

/* Return the rewards of an arm in a task; the arms are in the order of their names. */
static log_cell cell_of(const segue_log *log, size_t task, size_t arm)
{
    const log_task *entry = &log->tasks[task];
    const size_t at = log->arm_order[arm];
    return at < entry->n_cells ? entry->cells[at] : (log_cell){.sum = {0.0}};
}

static double sum_of(const log_cell *cell)
{
    return cell->sum[0] + cell->sum[1] + cell->sum[2];
}

static double pulls_of(const log_cell *cell)
{
    return (double)cell->count[0] + (double)cell->count[1] + (double)cell->count[2];
}

void segue_log_counts(const segue_log *log, size_t task, double *sum, double *pulls)
{
    for (size_t arm = 0; arm < log->n_arms; arm++) {
        const log_cell cell = cell_of(log, task, arm);
        sum[arm] = sum_of(&cell);
        pulls[arm] = pulls_of(&cell);
    }
}

void segue_log_reward_weights(const segue_log *log, segue_dispersion *arm, double *weight)
{
    segue_expected_dispersion expected;
    for (size_t i = 0; i < log->n_arms; i++) {
        arm[i] = (segue_dispersion){.within = 0.0};
        for (size_t task = 0; task < log->n_tasks; task++) {
            const log_cell cell = cell_of(log, task, i);
            segue_dispersion_add(
                &arm[i], segue_dispersion_capped(pulls_of(&cell), sum_of(&cell), cell.graded), 1.0);
        }
    }
    segue_dispersion_expect(arm, log->n_arms, weight, &expected);
    for (size_t i = 0; i < log->n_arms; i++)
        weight[i] = segue_dispersion_weight(weight[i]);
}

void segue_log_weighted_counts(const segue_log *log, size_t task, const double *weight, double *sum,
                               double *pulls)
{
    segue_log_counts(log, task, sum, pulls);
    for (size_t arm = 0; arm < log->n_arms; arm++) {
        sum[arm] *= weight[arm];
        pulls[arm] *= weight[arm];
    }
}
