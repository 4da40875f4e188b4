/* auto.c - choose between tla and tts when a learner is created.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/types_learner.h"

static const learner_method *choose(const segue_learner_config *config)
{
    return config->horizon > 0 ? &segue_learner_tla : &segue_learner_tts;
}

const learner_method segue_learner_auto = {
    .info = {.name = "auto",
             .summary = "tla where the steps of a task are known, else tts",
             .options = segue_types_learner_options,
             .n_options = TYPES_N_OPTIONS,
             .has_types = true,
             .has_posterior = true,
             .takes_costs = true,
             .chooses = true},
    .choose = choose,
};
