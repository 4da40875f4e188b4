/* watch.h - a task played step by step, each told with its reasons.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_WATCH_H
#define SEGUE_SIM_WATCH_H

#include "segue/simulation.h"

/** Whether the simulation's watcher, if it has one, can be told of its tasks.
 * @retval SEGUE_EUSAGE */
SEGUE_MUST_CHECK segue_status segue_watch_check(const segue_simulation *sim, segue_error *err);

/** Play an open task in its plain form to its end, and tell of every step.
 * @retval SEGUE_ENOMEM  or what the watcher returned */
SEGUE_MUST_CHECK segue_status segue_watch_play(const segue_simulation *sim,
                                               const segue_learner *learner, segue_task *task,
                                               segue_simulated_task *simulated, segue_error *err);

/** Tell what the task, which is closed, was taken for. */
SEGUE_MUST_CHECK segue_status segue_watch_end(const segue_simulation *sim,
                                              const segue_learner *learner, segue_error *err);

#endif
