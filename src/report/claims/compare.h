/* compare.h - compare regrets of the results, beyond noise.
 *
 * A claim adds all its comparisons to one family, and segue_compare_decide decides them together by
 * Holm's method: the probability that any of them is decided wrongly is at most 5 %.  The outcome of
 * a comparison is 1 if the first regret is above the second, -1 if below, 0 if not decided.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_COMPARE_H
#define SEGUE_REPORT_COMPARE_H

#include "report/claims/claims.h"

/** The probability of a wrong decision in a family. */
#define SEGUE_COMPARE_LEVEL 0.05

#define SEGUE_MAX_COMPARISONS 512

typedef struct segue_comparison {
    double p; /* two-sided, by Student's t */
    int sign; /* of the difference */
    int outcome;
} segue_comparison;

/** The comparisons of one claim.  All zeros: none. */
typedef struct segue_compare_family {
    size_t n, dropped; /* more than fit are dropped, and count as not decided */
    segue_comparison item[SEGUE_MAX_COMPARISONS];
} segue_compare_family;

/** Outcomes: 1, -1 and 0. */
typedef struct segue_compare_counts {
    size_t right, wrong, open;
} segue_compare_counts;

/** Add a comparison of two means over at least `runs` runs each, or of two cells.  The first is the
 * one that is larger if the claim holds. */
void segue_compare_add(segue_compare_family *family, segue_regret a, segue_regret b, uint64_t runs);
void segue_compare_add_cells(segue_compare_family *family, const segue_cell *a,
                             const segue_cell *b);

/** Set the outcomes of all comparisons; add none after this. */
void segue_compare_decide(segue_compare_family *family);

/** Count the outcomes first .. end - 1, or all. */
segue_compare_counts segue_compare_count(const segue_compare_family *family, size_t first,
                                         size_t end);
segue_compare_counts segue_compare_count_all(const segue_compare_family *family);

/** Decide, count and give a finding its verdict: all must be 1 (segue_judge_all). */
void segue_compare_judge(segue_compare_family *family, segue_finding *finding);

/** Return the runs of the cell that has fewer, which gives the wider band. */
uint64_t segue_compare_fewer_runs(const segue_cell *a, const segue_cell *b);

/** The mean of a track over points first .. end - 1, with its standard error over runs. */
segue_regret segue_compare_mean_over(const segue_cell *cell, segue_track track, size_t first,
                                     size_t end);

/** The first point of the last tenth, which has at least one point; and the mean regret over it. */
size_t segue_compare_last_tenth(const segue_cell *cell);
segue_regret segue_compare_final_regret(const segue_cell *cell);

/** The mean regret of a run over the last tenth of its tasks; and its median over runs, of at most
 * 1,000. */
double segue_compare_run_end(const segue_cell *cell, uint64_t run);
double segue_compare_median_end(const segue_cell *cell);

/** Count the runs whose largest error is above eps_j at the last point: the premise of the theorems
 * on umUCB is false there. */
uint64_t segue_compare_runs_outside(const segue_cell *cell);

#endif
