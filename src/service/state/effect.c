/* effect.c - the effect of transfer: tasks with transfer against control tasks of a learner.
 *
 * The effect is the difference of two means with its confidence sequence, which is valid at every
 * time it is read: dashboards may watch it.  Callers hold the learner's lock while it is computed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/effect.h"

bool segue_effect_compute(const task_stats_group *closed, double range, segue_confseq *effect)
{
    const task_stats_side *side = closed->side;
    return segue_confseq_difference(&side[SIDE_TRANSFER].stats, &side[SIDE_CONTROL].stats, range,
                                    effect);
}
