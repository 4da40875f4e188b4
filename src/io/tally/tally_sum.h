/* tally_sum.h - sums that do not depend on the order of addition.
 *
 * A number x in [0, 1] becomes the integer nearest to x 2^62; integers of 128 bits add exactly, up to
 * 2^66 of them.  Of x >= 2^-10 nothing is lost, since a double has 53 bits; of a smaller one at most
 * 2^-63.  So the sum of n numbers is off by n 2^-63 at most, less than the rounding of one addition
 * of doubles once the sum is above n 2^-10.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TALLY_TALLY_SUM_H
#define SEGUE_IO_TALLY_TALLY_SUM_H

#include <math.h>

#include "io/tally/tally.h"

#define TALLY_BITS 62
#define TALLY_ONE  (UINT64_C(1) << TALLY_BITS)

static inline tally_sum segue_tally_sum_of(double x)
{
    return (tally_sum){.low = (uint64_t)rint(x * (double)TALLY_ONE)};
}

static inline void segue_tally_sum_add(tally_sum *to, tally_sum x)
{
    to->low += x.low;
    to->high += x.high + (to->low < x.low);
}

/* Return `count` times 1. */
static inline tally_sum segue_tally_sum_count(uint64_t count)
{
    return (tally_sum){.low = count << TALLY_BITS, .high = count >> (64 - TALLY_BITS)};
}

static inline bool segue_tally_sum_is_equal(tally_sum a, tally_sum b)
{
    return a.low == b.low && a.high == b.high;
}

static inline bool segue_tally_sum_is_above(tally_sum a, tally_sum b)
{
    return a.high != b.high ? a.high > b.high : a.low > b.low;
}

/* Return the sum as a double; sums of zeros and ones are exact. */
static inline double segue_tally_sum_value(tally_sum x)
{
    return ldexp((double)x.high, 64 - TALLY_BITS) + ldexp((double)x.low, -TALLY_BITS);
}

#endif
