/* types_verdict.c - one sentence on types that were fitted to a log.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/types_verdict.h"

#include <math.h>
#include <stdio.h>

#include "replay/replay.h"

#define MAX_NO_TYPE 0.5 /* share of tasks that fit no type, above which there are no types */

double segue_types_verdict_spread(const segue_type_arm *arm, double width)
{
    return width * sqrt(arm->mean * (1.0 - arm->mean) / (arm->kappa + 1.0));
}

/* Average over arms the spread of a type. */
static double average_spread(const segue_types *types, size_t type, double width)
{
    const size_t n_arms = segue_types_arms(types);
    double sum = 0.0;
    for (size_t i = 0; i < n_arms; i++) {
        const segue_type_arm arm = segue_types_arm(types, type, i);
        sum += segue_types_verdict_spread(&arm, width);
    }
    return sum / (double)n_arms;
}

/* The tests are in the order of their weight: too few tasks, no types, one type. */
void segue_types_verdict_write(const segue_types *types, const segue_types_fit *fit, double width,
                               char *out)
{
    const size_t size = SEGUE_TYPES_VERDICT_SIZE;
    const size_t count = segue_types_count(types), tasks = segue_types_in_window(types);
    const double no_type = tasks ? fit->size[0] / (double)tasks : 1.0;
    if (count == 0)
        (void)snprintf(out, size, "none: %zu tasks are too few for types; need %d", tasks,
                       SEGUE_MIN_TYPED_TASKS);
    else if (no_type > MAX_NO_TYPE)
        (void)snprintf(out, size, "none: %.0f %% of %zu tasks fit no type: they share none",
                       100.0 * no_type, tasks);
    else if (count == 1)
        (void)snprintf(out, size,
                       "none: only one type; the means of %zu tasks differ by %.2g (standard "
                       "deviation), %.2g %% fit none",
                       tasks, average_spread(types, 1, width), 100.0 * no_type);
    else
        (void)snprintf(out, size, "good: %zu types explain %zu tasks; %.2g %% fit none", count,
                       tasks, 100.0 * no_type);
}
