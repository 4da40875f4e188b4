/* dispersion.c - how much rewards vary, relative to rewards of 0 and 1 with the same mean.
 *
 * Of T rewards x of one task and arm with sum S let Q be the sum of squares, and G = S - Q the sum of
 * x (1 - x).  Q - S^2 / T has expectation (T - 1) v, v being the variance of a reward; G / T has
 * g = p (1 - p) - v.  So
 *
 *     within = S - G - S^2 / T               estimates (T - 1) v
 *     binary = within + (T - 1) G / T        estimates (T - 1) p (1 - p)
 *
 * without bias, whatever the mean, and sums of them over tasks and arms estimate phi by a ratio.
 * Rewards of 0 and 1 have G = 0: both sums have the same bits, and phi is 1 without a test.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/dispersion.h"

#include <math.h>

#define CAP        5.0 /* a cell of many rewards counts as much as CAP + 1 degrees of freedom */
#define ARM_COUNT  8.0 /* rewards by which an arm is shrunk to all arms ... */
#define ALL_COUNT  1.0 /* ... and all arms to 1: a reward at the far end that was not seen yet */
#define MAX_WEIGHT 1e4

segue_dispersion segue_dispersion_of(double pulls, double sum, double graded)
{
    if (pulls < 2.0)
        return (segue_dispersion){.within = 0.0};
    const double within = fmax(0.0, sum - graded - sum * sum / pulls);
    return (segue_dispersion){.within = within,
                              .binary = within + (pulls - 1.0) * graded / pulls,
                              .freedom = pulls - 1.0};
}

segue_dispersion segue_dispersion_capped(double pulls, double sum, double graded)
{
    segue_dispersion capped = {.within = 0.0};
    const segue_dispersion whole = segue_dispersion_of(pulls, sum, graded);
    segue_dispersion_add(&capped, whole, (CAP + 1.0) / (CAP + whole.freedom));
    return capped;
}

void segue_dispersion_add(segue_dispersion *to, segue_dispersion more, double times)
{
    to->within += times * more.within;
    to->binary += times * more.binary;
    to->freedom += times * more.freedom;
}

double segue_dispersion_unit(const segue_dispersion *sums)
{
    return sums->freedom > 0.0 && sums->binary > 0.0 ? fmin(0.25, sums->binary / sums->freedom)
                                                     : 0.25;
}

double segue_dispersion_shrunk(const segue_dispersion *sums, double count, double unit,
                               double expected)
{
    return (sums->within + count * unit * expected) / (sums->binary + count * unit);
}

void segue_dispersion_expect(const segue_dispersion *arm, size_t n_arms, double *expected,
                             segue_expected_dispersion *out)
{
    segue_dispersion all = {.within = 0.0};
    for (size_t i = 0; i < n_arms; i++)
        segue_dispersion_add(&all, arm[i], 1.0);
    out->arm = expected;
    out->unit = segue_dispersion_unit(&all);
    out->all = segue_dispersion_shrunk(&all, ALL_COUNT, out->unit, 1.0);
    for (size_t i = 0; i < n_arms; i++)
        expected[i] = segue_dispersion_shrunk(&arm[i], ARM_COUNT, out->unit, out->all);
}

double segue_dispersion_weight(double dispersion)
{
    return fmin(MAX_WEIGHT, fmax(1.0, 1.0 / dispersion));
}
