/* claims.h - what the paper says, and what the results say to it.
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

/** In words, and as a class of the page's style. */
const char *segue_claims_verdict_text(segue_verdict verdict);
const char *segue_claims_verdict_class(segue_verdict verdict);

/** A claim that was looked into. */
typedef struct segue_finding {
    const char *id;   /* of the claim, and of its place in the report */
    const char *says; /* the claim */
    bool ours;        /* it is not the paper's */
    segue_verdict verdict;
    char text[1000]; /* what was found */
} segue_finding;

/** Look into all claims, in the order of the report; *count tells how many there are. */
#define SEGUE_MAX_CLAIMS 30
void segue_claims_check(const segue_paper *paper, segue_finding *findings, size_t *count);

/** The finding of a claim. */
const segue_finding *segue_claims_find(const segue_finding *findings, size_t count, const char *id);

#endif
