/* compare.h - compare regrets of the results, beyond noise.
 *
 * Two regrets differ if their difference is more than its 95 % band.  A claim that needs several
 * differences holds in part if only some of them are found, and is unclear if none is.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_COMPARE_H
#define SEGUE_REPORT_COMPARE_H

#include "report/claims/claims.h"

/** 1 if a is above b beyond noise, -1 if below, 0 if too close. */
int segue_compare_regrets(segue_regret a, segue_regret b, uint64_t runs);
int segue_compare_cells(const segue_cell *a, const segue_cell *b);

/** Comparisons that should all be 1 if a claim holds. */
typedef struct segue_compare_counts {
    size_t right, wrong, open;
} segue_compare_counts;

void segue_compare_count(segue_compare_counts *counts, int comparison);
segue_verdict segue_compare_verdict(const segue_compare_counts *counts);

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

#endif
