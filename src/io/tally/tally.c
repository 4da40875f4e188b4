/* tally.c - count the rewards of a log per task and arm.
 *
 * The reader of logs calls add_row for each row.  A task has cells up to its highest arm so far, so
 * memory grows with the pairs of task and arm that occur, not with rows.  tally_file.c writes and
 * reads files, tally_input.c makes of a tally what other commands read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/tally/tally.h"

#include <stdlib.h>
#include <string.h>

#include "io/tally/tally_internal.h"

void segue_tally_fini(segue_tally *tally)
{
    for (size_t i = 0; i < tally->capacity; i++)
        free(tally->task[i].cell);
    free(tally->task);
    segue_string_table_fini(&tally->tasks);
    segue_string_table_fini(&tally->arms);
    *tally = (segue_tally){.n_rows = 0};
}

/* Make room for a task, and for the first `n_arms` of its arms. */
static segue_status reserve(segue_tally *tally, size_t task, size_t n_arms, segue_error *err)
{
    if (task >= tally->capacity) {
        const size_t capacity = 2 * task + 64;
        tally_task *grown = realloc(tally->task, capacity * sizeof *grown);
        if (!grown)
            return segue_fail_no_memory(err, "the tasks of a tally");
        memset(grown + tally->capacity, 0, (capacity - tally->capacity) * sizeof *grown);
        tally->task = grown;
        tally->capacity = capacity;
    }
    tally_task *entry = &tally->task[task];
    if (n_arms <= entry->n_cells)
        return SEGUE_OK;
    tally_cell *grown = realloc(entry->cell, n_arms * sizeof *grown);
    if (!grown)
        return segue_fail_no_memory(err, "the tasks of a tally");
    memset(grown + entry->n_cells, 0, (n_arms - entry->n_cells) * sizeof *grown);
    entry->cell = grown;
    entry->n_cells = n_arms;
    return SEGUE_OK;
}

segue_status segue_tally_add_cell(segue_tally *tally, size_t task, size_t arm,
                                  const tally_cell *more, segue_error *err)
{
    SEGUE_TRY(reserve(tally, task, arm + 1, err));
    tally_cell *cell = &tally->task[task].cell[arm];
    cell->pulls += more->pulls;
    segue_tally_sum_add(&cell->sum, more->sum);
    segue_tally_sum_add(&cell->square, more->square);
    return SEGUE_OK;
}

static segue_status add_row(void *context, const log_row *row, segue_error *err)
{
    const tally_cell one = {.pulls = 1,
                            .sum = segue_tally_sum_of(row->reward),
                            .square = segue_tally_sum_of(row->reward * row->reward)};
    return segue_tally_add_cell(context, row->task, row->arm, &one, err);
}

segue_status segue_tally_read_log(segue_tally *out, const char *path,
                                  const log_read_options *options, segue_error *err)
{
    log_rows rows = {.n_rows = 0};
    log_read_options part = *options;
    part.one_arm = true;
    part.time = part.probability = false;
    *out = (segue_tally){.lowest = options->lowest, .highest = options->highest};
    const segue_status status = segue_log_rows_read(&rows, path, &part, add_row, out, err);
    if (status == SEGUE_OK) { /* the names move from the rows to the tally */
        out->tasks = rows.tasks;
        out->arms = rows.arms;
        out->n_rows = rows.n_rows;
        out->skipped = rows.skipped;
        out->n_skipped = segue_log_rows_count_skipped(&rows.skipped);
        rows.tasks = rows.arms = (names){.count = 0};
    } else {
        segue_tally_fini(out);
    }
    segue_log_rows_fini(&rows);
    return status;
}

bool segue_tally_is_binary(const segue_tally *tally)
{
    for (size_t task = 0; task < tally->tasks.count; task++)
        for (size_t arm = 0; arm < tally->task[task].n_cells; arm++) {
            const tally_cell *cell = &tally->task[task].cell[arm];
            if (!segue_tally_sum_is_equal(cell->sum, cell->square))
                return false;
        }
    return true;
}
