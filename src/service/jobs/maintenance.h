/* maintenance.h - jobs that a learner needs now and then: snapshots, refits, stops of transfer, purges.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_MAINTENANCE_H
#define SEGUE_SERVICE_JOBS_MAINTENANCE_H

#include "service/engine/service.h"
#include "service/state/learner_state.h"

/* Enqueue jobs of a learner that are due but not queued.  Writer, or before it starts. */
void segue_maintenance_enqueue(segue_service *service, learner_state *state);

/* Enqueue jobs of all learners that are due but not queued: never enqueued, or lost with a
 * transaction that was rolled back. */
void segue_maintenance_enqueue_all(segue_service *service);

#endif
