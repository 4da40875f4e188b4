/* yearly.c - a gain per task as a sum per year.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/yearly.h"

#define DAYS 365.0

bool segue_yearly_is_known(const segue_yearly *yearly)
{
    return yearly->value > 0.0 && yearly->tasks_per_day > 0.0;
}

segue_interval segue_yearly_gain(const segue_yearly *yearly, const segue_interval *per_task)
{
    const double factor = DAYS * yearly->tasks_per_day * yearly->value;
    return (segue_interval){.value = factor * per_task->value,
                            .low = factor * per_task->low,
                            .high = factor * per_task->high};
}
