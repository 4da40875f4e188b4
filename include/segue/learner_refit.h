/* learner_refit.h - refits in the background: begin, run in any thread, publish.
 *
 * A learner with config.background never fits while a task closes.  Its owner begins a refit when
 * one is due, runs it in any thread, and publishes it.  The state of a learner depends only on the
 * order in which tasks are closed and refits are begun and published, not on when a refit runs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_REFIT_H
#define SEGUE_LEARNER_REFIT_H

#include "segue/learner.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A refit job: a copy of what the learner knows, and its new fit.  Publish or destroy ends it. */
typedef struct segue_refit segue_refit;

/** True if a refit should begin: only with config.background, and not while one is open. */
SEGUE_API bool segue_learner_refit_due(const segue_learner *learner);

/**
 * Begin a refit by copying what the learner knows: quick.  A learner has at most one open refit.  A
 * saved file does not contain it: once loaded, a refit is due again.
 *
 * @retval SEGUE_EDOMAIN  no refit is due
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_refit_begin(segue_learner *learner,
                                                                  segue_refit **out,
                                                                  segue_error *err);

/**
 * Fit the copy: milliseconds, in any thread, while others use the learner and its tasks.
 *
 * @retval SEGUE_ENOMEM  it can be run again
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_refit_run(segue_refit *refit, segue_error *err);

/**
 * Make a refit that was run the shared prior of later tasks, and free it; *refit becomes NULL:
 * quick.  The learner also learns from the tasks that were closed since the refit began; arms that
 * were added since are flat.  On failure the refit and the learner stay as they are.
 *
 * @retval SEGUE_EDOMAIN  it belongs to another learner, was not run, or began before a merge
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_refit_publish(segue_learner *learner,
                                                                    segue_refit **refit,
                                                                    segue_error *err);

/**
 * Refit the types many times in a row: tens of milliseconds.  Useful after a learner has learned from
 * a log, before its types are shown or saved: there are then as few types as explain the tasks.  Later
 * refits go on from there.  Needs no config.background.  Methods that learn no types that way do nothing.
 *
 * @retval SEGUE_EDOMAIN  a refit is open
 * @retval SEGUE_ENOMEM   the learner is as it was
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_refit_fully(segue_learner *learner,
                                                                  segue_error *err);

/** Abandon a refit that is not running; NULL is fine.  A refit is then due again. */
SEGUE_API void segue_refit_destroy(segue_refit *refit);

#ifdef __cplusplus
}
#endif
#endif
