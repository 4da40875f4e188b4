/* compare.c - compare regrets of the results, beyond noise.
 *
 * Regrets of two cells are treated as independent, although cells of one seed share tasks: where
 * tasks are shared the band is too wide rather than too narrow.
 *
 * A claim makes up to dozens of comparisons; at 95 % each, some would be decided wrongly.
 * Holm's method (1979) bounds the probability of any wrong decision: of N p-values in increasing
 * order the k-th is compared with 5 % / (N - k + 1), and the first that is not smaller ends it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/claims/compare.h"

#include <math.h>
#include <stdlib.h>

#include "report/claims/judge.h"
#include "segue/stats.h"

/* Without noise (both standard errors 0) any difference is certain. */
void segue_compare_add(segue_compare_family *family, segue_regret a, segue_regret b, uint64_t runs)
{
    if (family->n == SEGUE_MAX_COMPARISONS) {
        family->dropped++;
        return;
    }
    const double difference = a.mean - b.mean, se = sqrt(a.se * a.se + b.se * b.se);
    const double p = segue_stats_student_p(difference / se, runs);
    segue_comparison *item = &family->item[family->n++];
    item->sign = (difference > 0.0) - (difference < 0.0);
    item->p = isnan(p) ? (se == 0.0 && item->sign ? 0.0 : 1.0) : p;
}

uint64_t segue_compare_fewer_runs(const segue_cell *a, const segue_cell *b)
{
    return a->runs < b->runs ? a->runs : b->runs;
}

void segue_compare_add_cells(segue_compare_family *family, const segue_cell *a, const segue_cell *b)
{
    segue_compare_add(family, a->regret, b->regret, segue_compare_fewer_runs(a, b));
}

static int by_p(const void *a, const void *b)
{
    const segue_comparison *const *x = a, *const *y = b;
    return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

/* Dropped comparisons count in N, so that the level holds with them. Equal p-values share their
 * fate: the later one has the larger threshold. */
void segue_compare_decide(segue_compare_family *family)
{
    segue_comparison *sorted[SEGUE_MAX_COMPARISONS] = {NULL};
    const size_t total = family->n + family->dropped;
    for (size_t i = 0; i < family->n; i++) {
        sorted[i] = &family->item[i];
        sorted[i]->outcome = 0;
    }
    qsort(sorted, family->n, sizeof *sorted, by_p);
    for (size_t i = 0; i < family->n; i++) {
        if (!(sorted[i]->p < SEGUE_COMPARE_LEVEL / (double)(total - i)))
            return;
        sorted[i]->outcome = sorted[i]->sign;
    }
}

segue_compare_counts segue_compare_count(const segue_compare_family *family, size_t first,
                                         size_t end)
{
    segue_compare_counts counts = {.right = 0};
    for (size_t i = first; i < end; i++) {
        const int outcome = family->item[i].outcome;
        counts.right += outcome > 0;
        counts.wrong += outcome < 0;
        counts.open += outcome == 0;
    }
    return counts;
}

segue_compare_counts segue_compare_count_all(const segue_compare_family *family)
{
    segue_compare_counts counts = segue_compare_count(family, 0, family->n);
    counts.open += family->dropped;
    return counts;
}

void segue_compare_judge(segue_compare_family *family, segue_finding *finding)
{
    segue_compare_decide(family);
    finding->n_comparisons = family->n + family->dropped;
    finding->verdict = segue_judge_all(segue_compare_count_all(family));
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

/* An error that is not a number counts as outside: nothing says that it is within eps_j. */
uint64_t segue_compare_runs_outside(const segue_cell *cell)
{
    uint64_t outside = 0;
    for (uint64_t run = 0; run < cell->runs; run++) {
        const size_t last = run * cell->n_points + cell->n_points - 1;
        outside += !(cell->track[SEGUE_TRACK_ERROR][last] <= cell->track[SEGUE_TRACK_EPS][last]);
    }
    return outside;
}
