/* op_adopt.h - hand a recovered learner to the writer.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATIONS_OWNERSHIP_OP_ADOPT_H
#define SEGUE_SERVICE_ENGINE_OPERATIONS_OWNERSHIP_OP_ADOPT_H

#include "service/engine/service.h"
#include "service/state/recovery/recovery_learner.h"

/** Enqueue the adoption of a learner, damaged or not, that `session` took in `epoch`; `done` is called after
 * it, or after it failed: then the learner is not in the table.  The caller keeps its reference to
 * found->state.  False: out of memory, or the service stops. */
bool segue_op_adopt_push(segue_service *service, const segue_recovery_result *found,
                         const segue_session *session, uint64_t epoch, segue_completion done,
                         void *context);

#endif
