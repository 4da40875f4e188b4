/* refit_worker.h - the thread that runs refits.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_REFIT_WORKER_H
#define SEGUE_SERVICE_JOBS_REFIT_WORKER_H

#include "service/engine/service.h"
#include "service/state/learner_state.h"

/* Queue the refit of a learner, which was begun: state->refit. */
void segue_refit_worker_enqueue(segue_service *service, learner_state *state);

void *segue_refit_worker_main(void *service);

/* Run the next refit.  With `wait`, wait for one.  False: there is none, or the service stops. */
bool segue_refit_worker_run_one(segue_service *service, bool wait);

#endif
