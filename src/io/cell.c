/* cell.c - one cell of an experiment: its memory, and statistics over its runs.
 *
 * A track is a matrix runs x points.  Means are over runs; the band of a median comes from the
 * binomial distribution of ranks and so holds for any distribution of values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/cell.h"

#include <math.h>
#include <stdlib.h>

#include "segue/internal.h"

#define MAX_MEDIAN_RUNS 1000 /* 0.5^n is still a normal number */

static const char *const track_names[SEGUE_N_TRACKS] = {
    "regret", "complexity", "error", "eps", "resolved", "distance", "fresh_error", "types"};

const char *segue_cell_track_name(segue_track track)
{
    return track_names[track];
}

bool segue_cell_tracks(segue_track_set set, segue_track track)
{
    if (track == SEGUE_TRACK_REGRET)
        return true;
    if (track == SEGUE_TRACK_TYPES)
        return set == SEGUE_TRACK_SET_TYPES;
    return set == SEGUE_TRACK_SET_FRESH ||
           (set == SEGUE_TRACK_SET_MODELS && track != SEGUE_TRACK_FRESH);
}

void segue_cell_fini(segue_cell *cell)
{
    free(cell->environment);
    free(cell->policy);
    free(cell->by_model);
    free(cell->model_tasks);
    free(cell->run_regret);
    for (size_t q = 0; q < SEGUE_N_TRACKS; q++)
        free(cell->track[q]);
}

segue_status segue_cell_reserve(segue_cell *cell, segue_track_set set, segue_error *err)
{
    bool failed = false;
    if (cell->n_models) {
        cell->by_model = calloc(cell->n_models, sizeof *cell->by_model);
        cell->model_tasks = calloc(cell->n_models, sizeof *cell->model_tasks);
        failed |= !cell->by_model || !cell->model_tasks;
    }
    if (cell->tasks) {
        cell->run_regret = calloc(cell->runs, sizeof *cell->run_regret);
        failed |= !cell->run_regret;
    }
    cell->n_points = cell->every ? (size_t)((cell->tasks + cell->every - 1) / cell->every) : 0;
    for (size_t q = 0; q < SEGUE_N_TRACKS && cell->n_points; q++) {
        if (!segue_cell_tracks(set, (segue_track)q))
            continue;
        cell->track[q] = calloc(cell->runs * cell->n_points, sizeof *cell->track[q]);
        failed |= !cell->track[q];
    }
    return failed ? segue_fail_no_memory(err, "the results") : SEGUE_OK;
}

uint64_t segue_cell_count_tasks(const segue_cell *cell)
{
    const uint64_t models = cell->n_models ? cell->n_models : 1;
    return cell->runs * (cell->tasks ? cell->tasks : models);
}

uint64_t segue_cell_last_task(const segue_cell *cell, size_t point)
{
    const uint64_t task = (point + 1) * cell->every;
    return task < cell->tasks ? task : cell->tasks;
}

segue_regret segue_cell_mean(const segue_cell *cell, segue_track track, size_t point)
{
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < cell->runs; run++)
        segue_stats_add(&stats, cell->track[track][run * cell->n_points + point]);
    return segue_summary_regret(&stats);
}

/* Return the largest k for which the k-th smallest and the k-th largest of n values enclose the
 * median with probability 0.95; at least 1. */
static size_t median_rank(size_t n)
{
    double exactly = segue_pow(0.5, (double)n),
           below = exactly; /* P(k - 1 values below the median), P(fewer) */
    size_t k = 1;
    for (;; k++) {
        exactly *= (double)(n - k + 1) / (double)k;
        if (k >= (n + 1) / 2 || 2.0 * (below + exactly) > 0.05)
            return k;
        below += exactly;
    }
}

segue_median segue_cell_median(const segue_cell *cell, segue_track track, size_t point)
{
    double values[MAX_MEDIAN_RUNS];
    size_t n = 0;
    for (uint64_t run = 0; run < cell->runs && n < MAX_MEDIAN_RUNS; run++) {
        const double x = cell->track[track][run * cell->n_points + point];
        if (!isnan(x))
            values[n++] = x;
    }
    if (n == 0)
        return (segue_median){.middle = NAN, .low = NAN, .high = NAN};
    const double middle = segue_stats_quantile(values, n, 0.5); /* sorts them */
    const size_t k = median_rank(n);
    return (segue_median){.middle = middle, .low = values[k - 1], .high = values[n - k]};
}

double segue_cell_half_width(const segue_cell *cell, segue_regret regret)
{
    return segue_stats_student_95(cell->runs) * regret.se;
}
