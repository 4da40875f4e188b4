/* yearly.h - a gain per task as a sum per year.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_YEARLY_H
#define SEGUE_REPLAY_YEARLY_H

#include <stdbool.h>

#include "replay/replay_result.h"

/** Factors from a gain per task to a sum per year; 0: not known. */
typedef struct segue_yearly {
    double value;         /* of one unit of reward, in any currency */
    double tasks_per_day; /* of which a year has 365 */
} segue_yearly;

/** True if both are known. */
bool segue_yearly_is_known(const segue_yearly *yearly);

/** Return the value of a gain per task, in units of reward, over a year. */
segue_interval segue_yearly_gain(const segue_yearly *yearly, const segue_interval *per_task);

#endif
