/* effect.h - the effect of transfer: tasks with transfer against control tasks of a learner.
 *
 * The reward of a task is its mean reward per step.  The effect is the mean over closed tasks with
 * transfer minus that over closed control tasks; each task with a reward counts once, however long
 * it was.  The interval is a confidence sequence (core/confseq.h).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_EFFECT_H
#define SEGUE_SERVICE_STATE_EFFECT_H

#include "segue/internal.h"
#include "service/state/task_stats.h"

/** Compute the effect of transfer over closed tasks; `range`: of rewards.
 * @retval false  a side has less than two tasks */
bool segue_effect_compute(const task_stats_group *closed, double range, segue_confseq *effect);

#endif
