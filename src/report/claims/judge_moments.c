/* judge_moments.c - verdicts on what the moments are fed with, as functions of numbers alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/claims/judge.h"
#include "segue/internal.h"

#define TENFOLD_RATE 2.24 /* 10^0.35: a rate of 1/sqrt(j), 10^0.5 = 3.16, with room for noise */
#define TENFOLD_SLOW 1.26 /* 10^0.1: slower than this is not falling */
#define MILD         0.25 /* of the regret */

segue_verdict segue_judge_consistent(double early, double late)
{
    if (isnan(early) || isnan(late) || !(late > 0.0))
        return SEGUE_VERDICT_UNCLEAR;
    if (early / late >= TENFOLD_RATE)
        return SEGUE_VERDICT_HOLDS;
    return early / late >= TENFOLD_SLOW ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_FAILS;
}

/* Return P[Binomial(n, 1/2) >= k]. */
static double upper_tail(uint64_t n, uint64_t k)
{
    double term = segue_pow(0.5, (double)n), tail = 0.0; /* term: P[X = i] */
    for (uint64_t i = 0; i <= n; i++) {
        tail += i >= k ? term : 0.0;
        term *= (double)(n - i) / (double)(i + 1);
    }
    return tail;
}

/* Three one-sided sign tests at a third of the level each: rises, falls, larger. */
segue_verdict segue_judge_cause(segue_judge_signs signs)
{
    const double level = SEGUE_COMPARE_LEVEL / 3.0;
    if (upper_tail(signs.runs, signs.runs - signs.rises) < level)
        return SEGUE_VERDICT_FAILS;
    if (!(upper_tail(signs.runs, signs.rises) < level))
        return SEGUE_VERDICT_UNCLEAR;
    return upper_tail(signs.runs, signs.larger) < level ? SEGUE_VERDICT_PARTLY
                                                        : SEGUE_VERDICT_HOLDS;
}

segue_verdict segue_judge_weights(int less, uint64_t runs_above)
{
    if (less <= 0)
        return less < 0 ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_UNCLEAR;
    return runs_above ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
}

segue_verdict segue_judge_mild(double without, double with)
{
    if (isnan(without) || isnan(with))
        return SEGUE_VERDICT_UNCLEAR;
    if (without < MILD && with < MILD)
        return SEGUE_VERDICT_HOLDS;
    return without < MILD || with < MILD ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_FAILS;
}

segue_verdict segue_judge_some(segue_compare_counts counts)
{
    if (counts.right > 0)
        return counts.wrong ? SEGUE_VERDICT_PARTLY : SEGUE_VERDICT_HOLDS;
    return counts.wrong && !counts.open ? SEGUE_VERDICT_FAILS : SEGUE_VERDICT_UNCLEAR;
}
