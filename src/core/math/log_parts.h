/* log_parts.h - what logarithms share: cut off the exponent, then multiply with a short 1/c.
 *
 * x = 2^k z, and z lies in one of 128 cells, so that |z/c - 1| < 2^-7.3 for the cell's c (Tang 1990).  1/c has 26
 * bits: with z = z_high + z_low, of 26 and 27 bits, both z_high/c - 1 and z_low/c are exact, and so is
 *
 *     x = 2^k c (1 + r),    r = (z_high/c - 1) + z_low/c in two parts.
 *
 * ln x = k ln 2 + ln c + ln(1 + r).  The upper parts of ln 2 and ln c are multiples of 2^-42, so that their sum
 * is exact.  The cell that holds 1 has c = 1: near 1 everything but r is 0, and nothing cancels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_MATH_LOG_PARTS_H
#define SEGUE_CORE_MATH_LOG_PARTS_H

#include "core/math/bits.h"
#include "core/math/log_table.h"

/* x = 2^k z, z in a cell. */
typedef struct log_cut {
    const log_cell *cell;
    int64_t k;
    double z;
} log_cut;

/* ln x = base + base_low + ln(1 + r + r_low). */
typedef struct log_parts {
    double base, base_low, r, r_low;
} log_parts;

/* x > 0, normal. */
static inline log_cut log_cut_of(uint64_t bits)
{
    const uint64_t from_start = bits - LOG_START;
    return (log_cut){.cell = &segue_log_table[(from_start >> 45) % LOG_CELLS],
                     .k = (int64_t)from_start >> BITS_EXPONENT,
                     .z = number_of(bits - (from_start >> BITS_EXPONENT << BITS_EXPONENT))};
}

/* Of z + missing, where |missing| is at most a few units of z's last place. */
static inline log_parts log_parts_of(const log_cut *cut, double missing)
{
    const log_cell cell = *cut->cell;
    const double k = (double)cut->k;
    const double z_high = upper_half(cut->z), z_low = (cut->z - z_high) + missing;
    const two_parts r = sum_of(z_high * cell.inverse - 1.0, z_low * cell.inverse);
    return (log_parts){.base = k * LN2_HIGH + cell.log,
                       .base_low = k * LN2_LOW + cell.log_low,
                       .r = r.high,
                       .r_low = r.low};
}

/* Without r_low, of a normal number: z - c is exact, and c 1/c is 1 to 2^-61, so that r is off by half a unit of
 * its last place, which is at most a quarter of a unit of the logarithm's.  (The cell above that of 1 has its c near its lower
 * end, where the logarithm is below 2^-8.) */
static inline log_parts log_parts_short(const log_cut *cut)
{
    const log_cell *cell = cut->cell;
    const double k = (double)cut->k;
    return (log_parts){.base = k * LN2_HIGH + cell->log,
                       .base_low = k * LN2_LOW + cell->log_low,
                       .r = (cut->z - cell->centre) * cell->inverse};
}

/* Their logarithm, rounded: all other errors are below 1/16 of a unit of its last place. */
static inline double log_rounded(const log_parts *x)
{
    const double r = x->r, square = r * r;
    const double tail = (LOG_SHORT_0 + r * LOG_SHORT_1) +
                        square * ((LOG_SHORT_2 + r * LOG_SHORT_3) + square * LOG_SHORT_4);
    const two_parts sum = sum_of(x->base, r);
    const double low = (sum.low + x->base_low) + (x->r_low - 0.5 * square);
    return sum.high + (low + r * square * tail);
}

/* Their logarithm in two parts, to 2^-68 of it.  With r = r_1 + r_2, r_1 of 26 bits, r_1^2 is exact. */
static inline two_parts log_in_two_parts(const log_parts *x)
{
    const double r = x->r, square = r * r;
    const double tail = (LOG_FULL_0 + r * LOG_FULL_1) +
                        square * ((LOG_FULL_2 + r * LOG_FULL_3) +
                                  square * ((LOG_FULL_4 + r * LOG_FULL_5) + square * LOG_FULL_6));
    const double r_1 = upper_half(r), r_2 = r - r_1;
    const two_parts sum = sum_of(x->base, r), more = sum_of(sum.high, -0.5 * r_1 * r_1);
    const double low = ((sum.low + more.low) + x->base_low) + (x->r_low - r * x->r_low);
    return sum_of(more.high, (low - 0.5 * r_2 * (r + r_1)) + r * square * tail);
}

/* ln x in two parts, x > 0, subnormal or not, finite. */
static inline two_parts log_of(double x)
{
    const uint64_t bits = bits_of(x);
    const log_cut cut = log_cut_of(
        bits >= BITS_MIN_NORMAL ? bits : bits_of(x * 0x1p52) - (UINT64_C(52) << BITS_EXPONENT));
    const log_parts parts = log_parts_of(&cut, 0.0);
    return log_in_two_parts(&parts);
}

#endif
