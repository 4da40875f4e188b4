/* tts.c - tTS: Thompson sampling over learned types.
 *
 * A task draws a type from its posterior, and a mean of every arm from that type; it pulls the best
 * arm of the draw.  It does not need to know how long a task is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/policies/prior_policies.h"
#include "transfer/types_learner.h"

const learner_method segue_learner_tts = {
    .info = {.name = "tts",
             .summary = "Thompson sampling over types learned from tasks; needs no n",
             .options = segue_types_learner_options,
             .n_options = TYPES_N_OPTIONS,
             .has_types = true,
             .has_posterior = true,
             .takes_costs = true},
    .policy = &segue_policy_tts,
    TYPES_LEARNER_OPERATIONS,
};
