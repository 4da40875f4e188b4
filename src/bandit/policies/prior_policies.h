/* prior_policies.h - the policies of a learner's tasks, which use its shared prior.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_POLICIES_PRIOR_POLICIES_H
#define SEGUE_BANDIT_POLICIES_PRIOR_POLICIES_H

#include "segue/policy.h"

extern const segue_policy segue_policy_tts; /* Thompson sampling */
extern const segue_policy segue_policy_tla; /* look-ahead */

#endif
