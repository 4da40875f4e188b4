/* refit_worker.h - the thread that runs refits.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_REFIT_WORKER_H
#define SEGUE_SERVICE_JOBS_REFIT_WORKER_H

#include "service/engine/service.h"
#include "service/state/learner_state.h"

void segue_refit_worker_enqueue(segue_service *service, learner_state *state);
void *segue_refit_worker_main(void *service);
/* Run a refit, if there is one to run; false: there is none. */
bool segue_refit_worker_run_one(segue_service *service, bool wait);

#endif
