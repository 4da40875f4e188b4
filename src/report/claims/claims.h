/* claims.h - the claims of the paper and our own, and what the results say about them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_CLAIMS_H
#define SEGUE_REPORT_CLAIMS_H

#include "report/paper.h"

typedef enum segue_verdict {
    SEGUE_VERDICT_HOLDS,
    SEGUE_VERDICT_PARTLY,
    SEGUE_VERDICT_FAILS,
    SEGUE_VERDICT_UNCLEAR
} segue_verdict;

/** The verdict in words, and as a CSS class of the page. */
const char *segue_claims_verdict_text(segue_verdict verdict);
const char *segue_claims_verdict_class(segue_verdict verdict);

/** A checked claim. */
typedef struct segue_finding {
    const char *id;   /* of the claim; its anchor in the report is claim-ID */
    const char *says; /* the claim */
    bool ours;        /* else the paper's */
    segue_verdict verdict;
    size_t n_comparisons; /* that the verdict rests on; 0: on numbers alone */
    char text[1600];      /* numbers that the verdict rests on */
} segue_finding;

#define SEGUE_MAX_CLAIMS 50

/** Check all claims, in the order of the report; `findings` has SEGUE_MAX_CLAIMS elements. */
void segue_claims_check(const segue_paper *paper, segue_finding *findings, size_t *n_findings);

/** In how many runs and points of tUCB the error of an estimated mean exceeds eps_j; runs and points
 * without an estimate do not count. */
typedef struct segue_premise {
    uint64_t runs, runs_above, runs_above_at_end;
    uint64_t points, points_above;
} segue_premise;

/** Count them in a cell with tracks of error and eps. */
segue_premise segue_claims_premise(const segue_cell *cell);

/** Return the finding of a claim, or NULL. */
const segue_finding *segue_claims_find(const segue_finding *findings, size_t n_findings,
                                       const char *id);

#endif
