/* samples.c - group the rewards of a log by task and arm: a counting sort.
 *
 * A task that can be played has at least n_arms x min_rewards rows, so cells are counted only for
 * tasks with that many: there are never more cells than rows, however sparse the log is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/samples.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

#define SKIPPED SIZE_MAX /* slot of a skipped task */

typedef struct grouping {
    const segue_logged_reward *rows;
    size_t n_rows, n_tasks, n_arms;
    uint64_t min_rewards;
    size_t *slot; /* n_tasks: index of a task among those that can be played */
} grouping;

/* ---- checks ------------------------------------------------------------------------------ */

static segue_status check_row(const grouping *g, size_t i, segue_error *err)
{
    const segue_logged_reward *row = &g->rows[i];
    if (row->task >= g->n_tasks || row->arm >= g->n_arms)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "row %zu: there is no task %" PRIu32 " with an arm %" PRIu32, i + 1,
                          row->task, row->arm);
    if (!(row->reward >= 0.0 && row->reward <= 1.0))
        return segue_fail(err, SEGUE_EDOMAIN, "row %zu: a reward of %g; need 0 to 1", i + 1,
                          row->reward);
    return SEGUE_OK;
}

static segue_status check(const grouping *g, segue_error *err)
{
    if (g->n_arms < SEGUE_MIN_ARMS || g->n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "logged tasks have %zu arms; need %d to %d",
                          g->n_arms, SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if (g->n_tasks > UINT32_MAX)
        return segue_fail(err, SEGUE_EDOMAIN, "%zu tasks are too many", g->n_tasks);
    if (g->min_rewards < 1 || g->min_rewards > SEGUE_MAX_MIN_REWARDS)
        return segue_fail(err, SEGUE_EDOMAIN, "min_rewards is %" PRIu64 "; need 1 to %" PRIu64,
                          g->min_rewards, SEGUE_MAX_MIN_REWARDS);
    for (size_t i = 0; i < g->n_rows; i++)
        SEGUE_TRY(check_row(g, i, err));
    return SEGUE_OK;
}

/* ---- grouping ---------------------------------------------------------------------------- */

/* Assign a slot to each task with enough rows; returns their number. */
static size_t number_by_rows(grouping *g)
{
    size_t n_slots = 0;
    for (size_t i = 0; i < g->n_rows; i++)
        g->slot[g->rows[i].task]++;
    for (size_t task = 0; task < g->n_tasks; task++)
        g->slot[task] = g->slot[task] >= g->n_arms * g->min_rewards ? n_slots++ : SKIPPED;
    return n_slots;
}

/* Return the cell of a row; SKIPPED: none. */
static size_t cell_of(const grouping *g, size_t i)
{
    const segue_logged_reward *row = &g->rows[i];
    const size_t slot = g->slot[row->task];
    return slot == SKIPPED ? SKIPPED : slot * g->n_arms + row->arm;
}

static void count_cells(const grouping *g, size_t *count)
{
    for (size_t i = 0; i < g->n_rows; i++)
        if (cell_of(g, i) != SKIPPED)
            count[cell_of(g, i)]++;
}

static bool is_full(const grouping *g, const size_t *count)
{
    for (size_t arm = 0; arm < g->n_arms; arm++)
        if (count[arm] < g->min_rewards)
            return false;
    return true;
}

/* Exclude tasks with too few rewards of some arm, and move the counts of the others together;
 * returns the number of these. */
static size_t exclude_incomplete(grouping *g, size_t *count)
{
    size_t n_full = 0;
    for (size_t task = 0; task < g->n_tasks; task++) {
        if (g->slot[task] == SKIPPED)
            continue;
        const size_t *from = count + g->slot[task] * g->n_arms;
        const bool full = is_full(g, from);
        if (full)
            memmove(count + n_full * g->n_arms, from, g->n_arms * sizeof *count);
        g->slot[task] = full ? n_full++ : SKIPPED;
    }
    return n_full;
}

/* Turn counts into the ends of cells; returns the last end. */
static size_t add_up(size_t *count, size_t n_cells)
{
    size_t end = 0;
    for (size_t cell = 0; cell < n_cells; cell++)
        count[cell] = end += count[cell];
    return count[n_cells] = end;
}

/* Store rewards, the last row first: the ends of the cells become their starts. */
static void fill(const grouping *g, segue_samples *out)
{
    for (size_t i = g->n_rows; i-- > 0;)
        if (cell_of(g, i) != SKIPPED)
            out->reward[--out->start[cell_of(g, i)]] = g->rows[i].reward;
    for (size_t cell = 0; cell < out->n_tasks * out->n_arms; cell++) {
        const size_t first = out->start[cell], end = out->start[cell + 1];
        double sum = 0.0;
        for (size_t i = first; i < end; i++)
            sum += out->reward[i];
        out->mean[cell] = sum / (double)(end - first);
    }
}

/* ---- creation ---------------------------------------------------------------------------- */

static segue_status no_memory(const grouping *g, segue_error *err)
{
    return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu rewards", g->n_rows);
}

static segue_status group(grouping *g, segue_samples *out, segue_error *err)
{
    g->slot = calloc(g->n_tasks + 1, sizeof *g->slot);
    if (!g->slot)
        return no_memory(g, err);
    out->start = calloc(number_by_rows(g) * g->n_arms + 1, sizeof *out->start);
    if (!out->start)
        return no_memory(g, err);
    count_cells(g, out->start);
    out->n_arms = g->n_arms;
    out->n_tasks = exclude_incomplete(g, out->start);
    out->n_skipped = g->n_tasks - out->n_tasks;
    if (out->n_tasks == 0)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "none of the %zu tasks has %" PRIu64 " rewards or more of every arm",
                          g->n_tasks, g->min_rewards);
    const size_t n_cells = out->n_tasks * out->n_arms;
    out->reward = calloc(add_up(out->start, n_cells), sizeof *out->reward);
    out->mean = calloc(n_cells, sizeof *out->mean);
    if (!out->reward || !out->mean)
        return no_memory(g, err);
    fill(g, out);
    return SEGUE_OK;
}

segue_status segue_samples_create(segue_samples **out, size_t n_tasks, size_t n_arms,
                                  const segue_logged_reward *rows, size_t n_rows,
                                  uint64_t min_rewards, segue_error *err)
{
    grouping g = {.rows = rows,
                  .n_rows = n_rows,
                  .n_tasks = n_tasks,
                  .n_arms = n_arms,
                  .min_rewards = min_rewards};
    *out = NULL;
    SEGUE_TRY(check(&g, err));
    segue_samples *samples = calloc(1, sizeof *samples);
    const segue_status status = samples ? group(&g, samples, err) : no_memory(&g, err);
    free(g.slot);
    if (status != SEGUE_OK) {
        segue_samples_destroy(samples);
        return status;
    }
    *out = samples;
    return SEGUE_OK;
}

void segue_samples_destroy(segue_samples *samples)
{
    if (!samples)
        return;
    free(samples->start);
    free(samples->reward);
    free(samples->mean);
    free(samples);
}
