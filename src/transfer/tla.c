/* tla.c - tLA: look-ahead over learned types.
 *
 * A task pulls the arm whose reward gains most up to the end of the task, so it must know how many
 * steps are left; a guess on the high side is enough.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/policies/prior_policies.h"
#include "transfer/types_learner.h"

const learner_method segue_learner_tla = {
    .info = {.name = "tla",
             .summary = "look-ahead over types learned from tasks",
             .options = segue_types_learner_options,
             .n_options = TYPES_N_OPTIONS,
             .needs_horizon = true,
             .has_types = true,
             .has_posterior = true,
             .takes_costs = true},
    .policy = &segue_policy_tla,
    TYPES_LEARNER_OPERATIONS,
};
