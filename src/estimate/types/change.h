/* change.h - detect that the newer tasks have other types than the older ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_TYPES_CHANGE_H
#define SEGUE_ESTIMATE_TYPES_CHANGE_H

#include <stdbool.h>

#include "estimate/types/mixture.h"
#include "estimate/types/task_window.h"
#include "segue/rng.h"

#define MIN_SIDE 8 /* tasks on each side of a change */

/* A possible change, after task number `last`; `now` is the number of the newest task. */
typedef struct segue_change_point {
    uint64_t last, now;
    size_t expected_types; /* as for a fit */
} segue_change_point;

/* Decide if separate types for the tasks up to a cut and after it explain them better than `mix`,
 * which was fitted to all.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_change_detect(bool *has_changed, const mixture *mix,
                                                  const task_window *tasks,
                                                  const segue_change_point *cut, segue_rng *rng,
                                                  segue_error *err);

/* Forget the tasks up to a cut. */
void segue_change_forget(task_window *tasks, const segue_change_point *cut);

#endif
