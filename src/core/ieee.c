/* ieee.c - is arithmetic what IEEE 754 says?
 *
 * A library that was linked with -ffast-math may flush subnormal numbers for the whole process; results would then
 * have other bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/ieee.h"

#include <float.h>
#include <stdbool.h>

#include "core/fail.h"

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "doubles are not those of IEEE 754 (binary64)"
#endif
#if FLT_EVAL_METHOD != 0
#error "doubles are computed in another precision; compile with -msse2 -mfpmath=sse"
#endif

segue_status segue_ieee_check(segue_error *err)
{
    volatile double one = 1.0, half = 0x1p-53,
                    smallest = DBL_MIN; /* computed when the program runs */
    const bool is_nearest = one + half == 1.0 && -one - half == -1.0 && one + 1.5 * half > 1.0;
    if (!is_nearest || smallest * 0.5 == 0.0)
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "arithmetic %s; need IEEE 754's default mode: is a library that was linked with "
            "-ffast-math preloaded?",
            is_nearest ? "flushes subnormal numbers" : "does not round to nearest");
    return SEGUE_OK;
}
