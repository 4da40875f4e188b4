/* claims_fixture.h - check a claim on synthetic results.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_CLAIMS_FIXTURE_H
#define SEGUE_TEST_CLAIMS_FIXTURE_H

#include "report/claims/claims_checks.h"
#include "support.h"
#include "synthetic_paper.h"

enum {
    HOLDS = SEGUE_VERDICT_HOLDS,
    PARTLY = SEGUE_VERDICT_PARTLY,
    FAILS = SEGUE_VERDICT_FAILS,
    UNCLEAR = SEGUE_VERDICT_UNCLEAR
};

/* Return the verdict of a claim; the text must be there whatever the verdict is. */
static inline int judged(segue_claims_check_function *check, const segue_paper *paper)
{
    segue_finding finding = {.id = "test"};
    check(paper, &finding);
    assert_true(strlen(finding.text) > 20 && strlen(finding.text) + 1 < sizeof finding.text);
    return (int)finding.verdict;
}

#endif
