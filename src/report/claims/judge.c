/* judge.c - verdicts as functions of numbers alone.
 *
 * Each function can return each of its outcomes; tests/unit/report/test_claims_judge.c has numbers
 * for all of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/claims/judge.h"

#include <math.h>

segue_verdict segue_judge_all(segue_compare_counts counts)
{
    if (counts.right == 0)
        return counts.wrong ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_UNCLEAR;
    return counts.wrong || counts.open ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
}

segue_verdict segue_judge_never(segue_compare_counts counts)
{
    if (counts.wrong)
        return SEGUE_VERDICT_FAILS;
    if (counts.right == 0)
        return SEGUE_VERDICT_UNCLEAR;
    return counts.open ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
}

segue_verdict segue_judge_table(size_t equal, size_t total)
{
    if (total == 0)
        return SEGUE_VERDICT_UNCLEAR;
    return equal == total       ? SEGUE_VERDICT_HOLDS
           : equal + 3 >= total ? SEGUE_VERDICT_PARTLY
                                : SEGUE_VERDICT_FAILS;
}

segue_verdict segue_judge_spectrum(double sigma, double gap)
{
    const bool first = fabs(sigma - 0.0039) < 0.00005, second = fabs(gap - 0.0038) < 0.00005;
    if (isnan(sigma) || isnan(gap))
        return SEGUE_VERDICT_UNCLEAR;
    return first && second   ? SEGUE_VERDICT_HOLDS
           : first || second ? SEGUE_VERDICT_PARTLY
                             : SEGUE_VERDICT_FAILS;
}

/* The order: the larger ratio is expected for the same of the two. */
segue_verdict segue_judge_prediction(const double expected[2], const double seen[2])
{
    bool close = true;
    for (size_t i = 0; i < 2; i++) {
        if (isnan(expected[i]) || isnan(seen[i]))
            return SEGUE_VERDICT_UNCLEAR;
        close = close && fabs(seen[i] / expected[i] - 1.0) < 0.25;
    }
    if ((expected[1] > expected[0]) != (seen[1] > seen[0]))
        return SEGUE_VERDICT_FAILS;
    return close ? SEGUE_VERDICT_HOLDS : SEGUE_VERDICT_PARTLY;
}

segue_verdict segue_judge_start(double excess)
{
    if (isnan(excess))
        return SEGUE_VERDICT_UNCLEAR;
    return fabs(excess) < 0.03   ? SEGUE_VERDICT_HOLDS
           : fabs(excess) < 0.15 ? SEGUE_VERDICT_PARTLY
                                 : SEGUE_VERDICT_FAILS;
}

segue_verdict segue_judge_complexity(int falls, int stays_above, uint64_t runs_outside)
{
    if (falls < 0 || stays_above < 0)
        return SEGUE_VERDICT_FAILS;
    if (falls == 0 || stays_above == 0)
        return SEGUE_VERDICT_UNCLEAR;
    return runs_outside ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
}

segue_verdict segue_judge_bounds(segue_judge_exceeded mucb, segue_judge_exceeded tucb)
{
    if (mucb.checked == 0 || tucb.checked == 0)
        return SEGUE_VERDICT_UNCLEAR;
    return mucb.exceeded   ? SEGUE_VERDICT_FAILS
           : tucb.exceeded ? SEGUE_VERDICT_PARTLY
                           : SEGUE_VERDICT_HOLDS;
}

segue_verdict segue_judge_remark(double from, double needed)
{
    if (isnan(needed))
        return SEGUE_VERDICT_UNCLEAR;
    if (isnan(from))
        return SEGUE_VERDICT_FAILS;
    return from < needed / 2.0 ? SEGUE_VERDICT_HOLDS
           : from < needed     ? SEGUE_VERDICT_PARTLY
                               : SEGUE_VERDICT_FAILS;
}

segue_verdict segue_judge_single_runs(double best, double worst)
{
    if (isnan(best) || isnan(worst))
        return SEGUE_VERDICT_UNCLEAR;
    return worst > 1.25 * best  ? SEGUE_VERDICT_HOLDS
           : worst > 1.1 * best ? SEGUE_VERDICT_PARTLY
                                : SEGUE_VERDICT_FAILS;
}

/* The first half excludes noise at the end of the curve, the fifth noise of its size. */
segue_verdict segue_judge_error(bool early_half, double smallest, double last, double eps)
{
    const bool rises = early_half && last > 1.2 * smallest, above = last > eps;
    if (isnan(smallest) || isnan(last) || isnan(eps))
        return SEGUE_VERDICT_UNCLEAR;
    return rises && above   ? SEGUE_VERDICT_HOLDS
           : rises || above ? SEGUE_VERDICT_PARTLY
                            : SEGUE_VERDICT_FAILS;
}
