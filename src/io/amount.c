/* amount.c - an amount in a sentence: three digits, and no exponent.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/amount.h"

#include <math.h>
#include <stdio.h>

#include "segue/internal.h"

double segue_amount_round(double x, int digits)
{
    if (x == 0.0)
        return 0.0;
    const double unit = segue_decade_power(segue_decade(x) - digits + 1);
    return unit * rint(x / unit);
}

void segue_amount_format(double x, char out[SEGUE_AMOUNT_SIZE])
{
    const double amount = segue_amount_round(x, 3), size = fabs(amount);
    const int decimals = size < 1.0 ? 3 : size < 10.0 ? 2 : size < 100.0 ? 1 : 0;
    (void)snprintf(out, SEGUE_AMOUNT_SIZE, "%.*f", decimals, amount);
}
