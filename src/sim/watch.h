/* watch.h - play a task step by step and report the reasons of each step.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_WATCH_H
#define SEGUE_SIM_WATCH_H

#include "segue/simulation.h"

/**
 * Check that the tasks of a watched simulation can be explained.
 * @retval SEGUE_EUSAGE
 */
SEGUE_MUST_CHECK segue_status segue_watch_check(const segue_simulation *sim, segue_error *err);

/**
 * Play an open task in its plain form to its end, and report every step to `watch`.
 * @retval SEGUE_ENOMEM  or the status of `watch`
 */
SEGUE_MUST_CHECK segue_status segue_watch_play(const segue_simulation *sim,
                                               const segue_learner *learner, segue_task *task,
                                               segue_simulated_task *simulated, segue_error *err);

/** Report the posterior of the task that was closed last. */
SEGUE_MUST_CHECK segue_status segue_watch_end(const segue_simulation *sim,
                                              const segue_learner *learner, segue_error *err);

#endif
