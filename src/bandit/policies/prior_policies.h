/* prior_policies.h - policies that go by the prior a task is taught; a learner opens tasks with
 * them. SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_POLICIES_PRIOR_POLICIES_H
#define SEGUE_BANDIT_POLICIES_PRIOR_POLICIES_H

#include "segue/policy.h"

extern const segue_policy segue_policy_tts; /* Thompson sampling */
extern const segue_policy segue_policy_tla; /* look-ahead; without a prior Thompson sampling */

#endif
