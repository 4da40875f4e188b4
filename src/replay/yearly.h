/* yearly.h - a gain per task as a sum per year.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_YEARLY_H
#define SEGUE_REPLAY_YEARLY_H

#include <stdbool.h>

#include "replay/replay_result.h"

/** True if both factors are known. */
bool segue_yearly_is_known(const segue_yearly *yearly);

/** Return the value of a gain per task, in units of reward, over a year. */
segue_interval segue_yearly_gain(const segue_yearly *yearly, const segue_interval *per_task);

/** Return the gain per year of the candidate to use over ts. */
segue_interval segue_yearly_over_ts(const segue_replay_result *result);

/** Return the same over what the log earned per step: its average reward is taken as known. */
segue_interval segue_yearly_over_log(const segue_replay_result *result);

#define SEGUE_YEARLY_TEXT_SIZE 800

/** Write the gains per year of the candidate to use in one sentence. */
void segue_yearly_describe(const segue_replay_result *result, char out[SEGUE_YEARLY_TEXT_SIZE]);

#endif
