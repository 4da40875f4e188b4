/* op_session.h - let the writer serve another session.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATIONS_OWNERSHIP_OP_SESSION_H
#define SEGUE_SERVICE_ENGINE_OPERATIONS_OWNERSHIP_OP_SESSION_H

#include "service/engine/service.h"
#include "store/session/store_session.h"

/** Enqueue the begin of a session, with its number in this process; `clock`: the stored service time,
 * negative without one.  False: out of memory, or the service stops. */
bool segue_op_session_push(segue_service *service, const segue_session *session,
                           unsigned long long number, double clock);

/** The session was ended: forget all learners.  Writer, between two transactions. */
void segue_op_session_lose(segue_service *service);

#endif
