/* compare.h - how claims are judged: comparisons beyond chance, and a tally of them.
 *
 * Two regrets count as different where their difference is more than its 95 % band.  Of a claim
 * that needs several differences, some of which are less, a part holds; if none can be told, nor
 * can the claim.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_COMPARE_H
#define SEGUE_REPORT_COMPARE_H

#include "report/claims.h"

/** Add to what was found. */
void segue_claims_append(segue_finding *finding, const char *format, ...) SEGUE_PRINTF(2, 3);

/** 1 if a is above b by more than chance, -1 if below, 0 if it cannot be told. */
int segue_compare_regrets(segue_regret a, segue_regret b, uint64_t runs);
int segue_compare_cells(const segue_cell *a, const segue_cell *b);

/** Comparisons that should all come out as claimed. */
typedef struct segue_compare_counts {
    size_t right, wrong, open;
} segue_compare_counts;

void segue_compare_count(segue_compare_counts *tally, int comparison);
segue_verdict segue_compare_verdict(const segue_compare_counts *tally);

/** The mean of a track over points from .. to - 1, one number a run. */
segue_regret segue_compare_mean_over(const segue_cell *cell, segue_track track, size_t from,
                                     size_t to);

/** The first of the last tenth of the points, which are at least one; and the regret over them. */
size_t segue_compare_last_tenth(const segue_cell *cell);
segue_regret segue_compare_final_regret(const segue_cell *cell);

/** The checks of claims_ours.c: claims about our learners, and the paper's open questions. */
void segue_claims_check_probing(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_probing_learned(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_identify_later(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_identify_pays(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_no_identifying(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_transfer(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_sooner(const segue_paper *paper, segue_finding *finding);
void segue_claims_check_learned(const segue_paper *paper, segue_finding *finding);

#endif
