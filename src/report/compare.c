/* compare.c - comparisons beyond chance, and a tally of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "segue/stats.h"

void segue_claims_append(segue_finding *finding, const char *format, ...)
{
    const size_t used = strlen(finding->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(finding->text + used, sizeof finding->text - used, format, arguments);
    va_end(arguments);
}

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

void segue_compare_count(segue_compare_counts *tally, int comparison)
{
    tally->right += comparison > 0;
    tally->wrong += comparison < 0;
    tally->open += comparison == 0;
}

segue_verdict segue_compare_verdict(const segue_compare_counts *tally)
{
    if (tally->right == 0)
        return tally->wrong ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_UNCLEAR;
    return tally->wrong || tally->open ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
}

segue_regret segue_compare_mean_over(const segue_cell *cell, segue_track track, size_t from,
                                     size_t to)
{
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < cell->runs; run++) {
        segue_stats own = {.count = 0};
        for (size_t p = from; p < to; p++)
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
