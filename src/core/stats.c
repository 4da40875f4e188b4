/* stats.c - Welford's running moments (1962), their sum (Chan, Golub, LeVeque 1979), quantiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

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

double segue_stats_error(const segue_stats *stats)
{
    return sqrt(segue_stats_variance(stats) / (double)stats->count);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double segue_quantile(double *values, size_t count, double q)
{
    assert(count >= 1 && q >= 0.0 && q <= 1.0);
    qsort(values, count, sizeof *values, ascending);
    const double place = q * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count)
        return values[count - 1];
    return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}
