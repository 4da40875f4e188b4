/* wilson.c - Wilson's interval of a share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/wilson.h"

#include <math.h>

#define NORMAL_95 1.959963984540054

void segue_wilson_interval(double won, double count, double *low, double *high)
{
    const double square = NORMAL_95 * NORMAL_95;
    const double centre = (won + 0.5 * square) / (count + square);
    const double within = won * fmax(0.0, count - won) / fmax(count, 1e-300) + 0.25 * square;
    const double half = NORMAL_95 * sqrt(within) / (count + square);
    *low = fmax(0.0, centre - half);
    *high = fmin(1.0, centre + half);
}
