/* maintenance.c - enqueue snapshots, refits, stops of transfer and purges that are due.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/jobs/maintenance.h"

#include <stdlib.h>

#include "service/engine/commit_queue.h"
#include "service/engine/service_internal.h"
#include "service/state/effect/effect.h"

#define MAX_RECOVERY_COST 20000 /* rewards that recovery may have to apply again (learn.h) */

/* After a snapshot that failed, wait until the recovery cost has doubled. */
static bool is_snapshot_due(const learner_state *state)
{
    return state->recovery_cost > MAX_RECOVERY_COST &&
           state->recovery_cost >= 2 * state->recovery_cost_refused && !state->refit;
}

void segue_maintenance_enqueue(segue_service *service, learner_state *state)
{
    if (is_snapshot_due(state)) /* before the refit: during a refit there is none */
        segue_commit_queue_add_job_once(service, state, &op_snapshot);
    if (!state->refit && segue_learner_refit_due(state->learner))
        segue_commit_queue_add_job_once(service, state, &op_refit_begin);
    if (segue_effect_stop_due(state))
        segue_commit_queue_add_job_once(service, state, &op_stop_transfer);
}

void segue_maintenance_enqueue_all(segue_service *service)
{
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; all && i < count; i++) {
        segue_maintenance_enqueue(service, all[i]);
        segue_learner_state_release(all[i]);
    }
    free(all);
    (void)segue_commit_queue_add_job(service, &op_purge, 0, 0);
}
