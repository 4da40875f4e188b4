/* reward_part.h - several rewards of one decision: steps of op_tell.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATIONS_REWARD_PART_H
#define SEGUE_SERVICE_ENGINE_OPERATIONS_REWARD_PART_H

#include "service/engine/operation.h"

/* Check that the tell has an event id if its learner needs one, and none if it takes none.  False:
 * it is rejected. */
bool segue_reward_part_check_event(operation *op);

/* Find what the store has of this tell: its part, or else the default reward of the decision. */
SEGUE_MUST_CHECK segue_status segue_reward_part_find(segue_service *service, const operation *op,
                                                     segue_stored_reward *out, bool *found,
                                                     segue_error *err);

/* Store a part of the reward of op->decision, and the reward that it leads to.  op->reward.is_new is
 * false if the store has this tell already, or a default reward. */
SEGUE_MUST_CHECK segue_status segue_reward_part_store(segue_service *service, operation *op,
                                                      task_state *task, segue_error *err);

/* Read the reward of op->decision, for a response: op->reward.value. */
SEGUE_MUST_CHECK segue_status segue_reward_part_read(segue_service *service, operation *op,
                                                     segue_error *err);

#endif
