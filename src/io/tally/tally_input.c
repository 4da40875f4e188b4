/* tally_input.c - a tally as the counts or the rows of a log, for commands that read logs.
 *
 * A tally has no order of rewards.  Given a task and an arm, rewards are exchangeable, so any order is
 * as likely as the logged one.  Of pulls and ones an order is drawn: for batches one reward after the
 * other, without replacement, from a stream named by task and arm; for rows by a shuffle, from a
 * stream named by the task.  Rewards that are not 0 or 1 cannot be
 * drawn, since a tally has their first two moments only.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/tally/tally_internal.h"
#include "segue/rng.h"

/* The rewards of a task and arm, drawn in random order without replacement. */
typedef struct tally_draw {
    segue_rng rng;
    uint64_t left, ones;
} tally_draw;

static tally_draw begin_draw(const tally_cell *cell, uint64_t seed, size_t task, size_t arm)
{
    tally_draw draw = {.left = cell->pulls, .ones = (uint64_t)segue_tally_sum_value(cell->sum)};
    segue_rng_init(&draw.rng, seed, arm, task, SEGUE_STREAM_THINNING);
    return draw;
}

/* Each of the rewards that are left is the next one with the same probability. */
static double next_reward(tally_draw *draw)
{
    const bool is_one = segue_rng_uniform(&draw->rng) * (double)draw->left < (double)draw->ones;
    draw->left--;
    draw->ones -= is_one;
    return is_one ? 1.0 : 0.0;
}

/* ---- names ------------------------------------------------------------------------------- */

static segue_status check(const segue_tally *tally, const char *path, bool binary, segue_error *err)
{
    if (tally->arms.count < SEGUE_MIN_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: there is only one arm, '%.40s'; need at least %d",
                          segue_path_tail(path), tally->arms.name[0], SEGUE_MIN_ARMS);
    if (binary && !segue_tally_is_binary(tally))
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "%s: its rewards are not all %g or %g, and a tally has only their sums and "
            "squares; give the log itself, or use 'segue estimate' with --method em "
            "or types",
            segue_path_tail(path), tally->lowest, tally->highest);
    return SEGUE_OK;
}

/* Move the names to `rows`, and order the arms. */
static segue_status move_names(segue_tally *tally, log_rows *rows, segue_error *err)
{
    *rows = (log_rows){.tasks = tally->tasks, .arms = tally->arms, .n_rows = tally->n_rows};
    rows->skipped.missing[LOG_REWARD] = tally->n_skipped;
    tally->tasks = tally->arms = (names){.count = 0};
    return segue_log_rows_order_arms(rows, err);
}

/* ---- counts ------------------------------------------------------------------------------ */

/* Assign drawn rewards to batches: in turn, or in consecutive thirds. */
static void fill_batches(log_cell *to, tally_draw draw, bool consecutive)
{
    const uint64_t count = draw.left, third = count / 3;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t batch = !consecutive ? k % 3 : k < third ? 0 : k < 2 * third ? 1 : 2;
        to->sum[batch] += next_reward(&draw);
        to->count[batch]++;
    }
}

/* Without views all rewards are in the first batch. */
static void fill_counts(log_cell *to, const tally_cell *from)
{
    to->sum[0] = segue_tally_sum_value(from->sum);
    to->count[0] = (uint32_t)from->pulls;
    to->graded = fmax(0.0, to->sum[0] - segue_tally_sum_value(from->square));
}

static segue_status fill_task(const tally_task *from, size_t number,
                              const tally_log_options *options, log_task *to, segue_error *err)
{
    to->cells = calloc(from->n_cells, sizeof *to->cells);
    if (!to->cells)
        return segue_fail_no_memory(err, "the log");
    to->n_cells = from->n_cells;
    for (size_t arm = 0; arm < from->n_cells; arm++) {
        if (from->cell[arm].pulls > UINT32_MAX)
            return segue_fail(err, SEGUE_EDOMAIN, "%s: a task has more than 2^32 rewards of an arm",
                              segue_path_tail(options->path));
        if (options->views)
            fill_batches(&to->cells[arm], begin_draw(&from->cell[arm], options->seed, number, arm),
                         options->consecutive);
        else
            fill_counts(&to->cells[arm], &from->cell[arm]);
    }
    return SEGUE_OK;
}

segue_status segue_tally_make_log(segue_tally *tally, const tally_log_options *options,
                                  segue_log *out, segue_error *err)
{
    *out = (segue_log){.n_arms = 0};
    SEGUE_TRY(check(tally, options->path, options->views, err));
    const size_t n_tasks = tally->tasks.count;
    out->tasks = calloc(n_tasks, sizeof *out->tasks);
    segue_status status = out->tasks ? SEGUE_OK : segue_fail_no_memory(err, "the tasks of a tally");
    out->capacity = out->tasks ? n_tasks : 0;
    for (size_t i = 0; i < n_tasks && status == SEGUE_OK; i++)
        status = fill_task(&tally->task[i], i, options, &out->tasks[i], err);
    if (status == SEGUE_OK)
        status = move_names(tally, &out->rows, err);
    if (status == SEGUE_OK)
        status = segue_log_fill_names(out, err);
    if (status != SEGUE_OK)
        segue_log_fini(out);
    return status;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Draw `wanted` of the tasks, each set of them with the same probability, and move them and their
 * names to the front. */
static void sample_tasks(segue_tally *tally, size_t wanted, uint64_t seed)
{
    const size_t count = tally->tasks.count;
    size_t n = 0;
    segue_rng rng;
    segue_rng_init(&rng, seed, 0, 0, SEGUE_STREAM_MODEL);
    for (size_t i = 0; i < count; i++) {
        const bool is_drawn = segue_history_draws_task(&rng, count - i, wanted - n);
        if (is_drawn && n < i) {
            const tally_task moved = tally->task[n];
            tally->task[n] = tally->task[i];
            tally->task[i] = moved;
        }
        if (is_drawn)
            tally->tasks.name[n++] = tally->tasks.name[i];
    }
    tally->tasks.count = n;
}

static uint64_t count_rows(const segue_tally *tally)
{
    uint64_t n_rows = 0;
    for (size_t task = 0; task < tally->tasks.count; task++)
        for (size_t arm = 0; arm < tally->task[task].n_cells; arm++)
            n_rows += tally->task[task].cell[arm].pulls;
    return n_rows;
}

/* Append the rows of a task, then shuffle them (Fisher and Yates). */
static void fill_rows(const tally_task *from, size_t task, uint64_t seed, segue_history *out)
{
    segue_logged_reward *row = out->row + out->n_rows;
    size_t count = 0;
    segue_rng rng;
    for (size_t arm = 0; arm < from->n_cells; arm++) {
        const uint64_t ones = (uint64_t)segue_tally_sum_value(from->cell[arm].sum);
        for (uint64_t k = 0; k < from->cell[arm].pulls; k++)
            row[count++] = (segue_logged_reward){
                .task = (uint32_t)task, .arm = (uint32_t)arm, .reward = k < ones ? 1.0 : 0.0};
    }
    out->n_rows += count;
    segue_rng_init(&rng, seed, 0, task, SEGUE_STREAM_THINNING);
    for (size_t left = count; left > 1; left--) {
        const size_t drawn = (size_t)(segue_rng_uniform(&rng) * (double)left);
        const segue_logged_reward moved = row[drawn];
        row[drawn] = row[left - 1];
        row[left - 1] = moved;
    }
}

segue_status segue_tally_make_history(segue_tally *tally, const char *path, uint64_t seed,
                                      segue_history *out, segue_error *err)
{
    *out = (segue_history){.is_tally = true};
    SEGUE_TRY(check(tally, path, true, err));
    if (tally->tasks.count > SEGUE_MAX_PLAYED_TASKS) {
        out->drawn_from = tally->tasks.count;
        sample_tasks(tally, SEGUE_MAX_PLAYED_TASKS, seed);
    }
    const uint64_t n_rows = count_rows(tally);
    out->row = calloc(n_rows, sizeof *out->row);
    if (!out->row)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu rewards", (size_t)n_rows);
    for (size_t i = 0; i < tally->tasks.count; i++)
        fill_rows(&tally->task[i], i, seed, out);
    segue_status status = move_names(tally, &out->rows, err);
    if (status == SEGUE_OK)
        status = segue_history_group(out, err);
    if (status != SEGUE_OK)
        segue_history_fini(out);
    return status;
}
