/* effect.c - the effect of transfer: tasks with transfer against control tasks of a learner.
 *
 * The effect is the difference of two means with its confidence sequence, which is valid at every
 * time it is read: dashboards may watch it.  Callers hold the learner's lock while it is computed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/effect/effect.h"

bool segue_effect_compute(const effect_state *effect, double range, segue_confseq *out)
{
    return segue_trial_interval(&effect->trial, range, out);
}

bool segue_effect_stop_due(const learner_state *state)
{
    const double range = segue_learner_settings_range(&state->settings);
    return segue_learner_settings_terms(&state->settings)->stop_if_harmful &&
           !state->effect.is_stopped &&
           segue_trial_count(&state->effect.trial) > state->stop_refused &&
           segue_effect_state_is_harmful(&state->effect, range);
}
