/* compare.c - compare regrets of the results, beyond noise.
 *
 * Regrets of two cells are treated as independent, although cells of one seed share tasks: where
 * tasks are shared the band is too wide rather than too narrow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/claims/compare.h"

#include <math.h>

#include "segue/stats.h"

/* The band is Student's t at 95 % with runs - 1 degrees of freedom, times the standard error of the
 * difference. */
int segue_compare_regrets(segue_regret a, segue_regret b, uint64_t runs)
{
    const double band = segue_stats_student_95(runs) * sqrt(a.se * a.se + b.se * b.se);
    const double difference = a.mean - b.mean;
    return difference > band ? 1 : difference < -band ? -1 : 0;
}

int segue_compare_cells(const segue_cell *a, const segue_cell *b)
{
    return segue_compare_regrets(a->regret, b->regret, a->runs < b->runs ? a->runs : b->runs);
}

void segue_compare_count(segue_compare_counts *counts, int comparison)
{
    counts->right += comparison > 0;
    counts->wrong += comparison < 0;
    counts->open += comparison == 0;
}

segue_verdict segue_compare_verdict(const segue_compare_counts *counts)
{
    if (counts->right == 0)
        return counts->wrong ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_UNCLEAR;
    return counts->wrong || counts->open ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
}

/* Average over points within a run first: points of one run are not independent, runs are. */
segue_regret segue_compare_mean_over(const segue_cell *cell, segue_track track, size_t first,
                                     size_t end)
{
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < cell->runs; run++) {
        segue_stats own = {.count = 0};
        for (size_t p = first; p < end; p++)
            segue_stats_add(&own, cell->track[track][run * cell->n_points + p]);
        segue_stats_add(&stats, own.mean);
    }
    return (segue_regret){.mean = stats.mean, .se = segue_stats_standard_error(&stats)};
}

size_t segue_compare_last_tenth(const segue_cell *cell)
{
    const size_t tenth = cell->n_points / 10;
    return cell->n_points - (tenth ? tenth : 1);
}

segue_regret segue_compare_final_regret(const segue_cell *cell)
{
    return segue_compare_mean_over(cell, SEGUE_TRACK_REGRET, segue_compare_last_tenth(cell),
                                   cell->n_points);
}

double segue_compare_run_end(const segue_cell *cell, uint64_t run)
{
    const size_t first = segue_compare_last_tenth(cell);
    double sum = 0.0;
    for (size_t p = first; p < cell->n_points; p++)
        sum += cell->track[SEGUE_TRACK_REGRET][run * cell->n_points + p];
    return sum / (double)(cell->n_points - first);
}

double segue_compare_median_end(const segue_cell *cell)
{
    enum { MAX_RUNS = 1000 };
    double ends[MAX_RUNS];
    size_t n = 0;
    for (uint64_t run = 0; run < cell->runs && n < MAX_RUNS; run++)
        ends[n++] = segue_compare_run_end(cell, run);
    return segue_stats_quantile(ends, n, 0.5);
}
