/* decade.c - powers of ten by the C library's decimal conversions, which round correctly.
 *
 * With 18 digits no number is printed as a power of ten that is above it.  The double next to a negative power of ten
 * may be below it, but counts as the power.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/decade.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double segue_decade_power(int exponent)
{
    char text[16];
    (void)snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

int segue_decade(double x)
{
    char text[40];
    if (x == 0.0 || !isfinite(x))
        return 0;
    (void)snprintf(text, sizeof text, "%.17e", x);
    const int decade = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    return fabs(x) < segue_decade_power(decade + 1) ? decade : decade + 1;
}
