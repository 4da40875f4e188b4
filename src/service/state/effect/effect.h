/* effect.h - the effect of transfer: tasks with transfer against control tasks of a learner.
 *
 * The reward of a task is its mean reward per step.  The effect is the mean over closed tasks with
 * transfer minus that over closed control tasks; each task with a reward counts once, however long
 * it was, weighted by the inverse of the probability of its side when it opened.  The interval is a
 * confidence sequence (core/confseq/trial.h).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_EFFECT_H
#define SEGUE_SERVICE_STATE_EFFECT_H

#include "segue/internal.h"
#include "service/state/learner_state.h"

/** Compute the effect of transfer over closed tasks; `range`: of rewards.
 * @retval false  a side has less than two tasks */
bool segue_effect_compute(const effect_state *effect, double range, segue_confseq *out);

/** Return whether transfer harms and is to stop.  Writer, or before it starts. */
bool segue_effect_stop_due(const learner_state *state);

#endif
