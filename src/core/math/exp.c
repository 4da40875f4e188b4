/* exp.c - the exponential function; exp_parts.h has the method.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/math/exp.h"

#include <math.h>

#include "core/math/exp_parts.h"

#define MAX_ABS 700.0 /* up to here results are normal numbers */

double segue_exp(double x)
{
    if (!(fabs(x) <= MAX_ABS))
        return segue_exp_parts(x, 0.0);
    const exp_parts parts = exp_parts_of(x, 0.0);
    return exp_rounded(&parts, number_of(parts.power));
}
