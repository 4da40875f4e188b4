/* rewards.h - reward laws.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_REWARDS_H
#define SEGUE_SIM_REWARDS_H

#include "segue/environment.h"

/** Check that the law exists and that its parameter is in range; @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_rewards_check(const segue_rewards *rewards, segue_error *err);

#endif
