/* stats.c - Welford's running moments (1962), their sum (Chan, Golub, LeVeque 1979), quantiles, Student's t.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/math/erf.h"
#include "core/random/beta.h"

#define NORMAL_95 1.95996398454005424

void segue_stats_add(segue_stats *stats, double x)
{
    stats->count++;
    const double step = x - stats->mean;
    stats->mean += step / (double)stats->count;
    stats->squares += step * (x - stats->mean);
}

void segue_stats_merge(segue_stats *stats, const segue_stats *other)
{
    if (other->count == 0)
        return;
    const double n = (double)(stats->count + other->count);
    const double share = (double)other->count / n;
    const double step = other->mean - stats->mean;
    stats->squares += other->squares + step * step * (double)stats->count * share;
    stats->mean += step * share;
    stats->count += other->count;
}

double segue_stats_variance(const segue_stats *stats)
{
    return stats->count < 2 ? NAN : stats->squares / (double)(stats->count - 1);
}

double segue_stats_standard_error(const segue_stats *stats)
{
    return sqrt(segue_stats_variance(stats) / (double)stats->count);
}

/* P(|t| > x) for n degrees of freedom, by the Beta distribution (Abramowitz and Stegun 26.7.1).  The form
 * in which nothing cancels: of the tail where it is small, else of the middle. */
static double student_beyond(double x, uint64_t n)
{
    const double freedom = (double)n, square = x * x, share = freedom / (freedom + square);
    return square > 3.0 ? segue_beta_cdf(share, 0.5 * freedom, 0.5)
                        : 1.0 - segue_beta_cdf(square / (freedom + square), 0.5, 0.5 * freedom);
}

double segue_stats_student_95(uint64_t count)
{
    if (count < 2)
        return NAN;
    if (count > 10000) /* the normal's, to 2e-4 of it */
        return NORMAL_95;
    double low = NORMAL_95, high = 13.0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (student_beyond(middle, count - 1) > 0.05)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double segue_stats_student_p(double t, uint64_t count)
{
    if (count < 2 || isnan(t))
        return NAN;
    if (isinf(t))
        return 0.0;
    if (count > 10000) /* the normal's, to 2e-4 of it */
        return segue_erfc(fabs(t) / sqrt(2.0));
    return student_beyond(fabs(t), count - 1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double segue_stats_quantile(double *values, size_t count, double q)
{
    assert(count >= 1 && q >= 0.0 && q <= 1.0);
    qsort(values, count, sizeof *values, ascending);
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count)
        return values[count - 1];
    return values[below] + (position - (double)below) * (values[below + 1] - values[below]);
}
