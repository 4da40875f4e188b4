/* op_resign.h - hand all learners back, when the service stops.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATIONS_OWNERSHIP_OP_RESIGN_H
#define SEGUE_SERVICE_ENGINE_OPERATIONS_OWNERSHIP_OP_RESIGN_H

#include "service/engine/service.h"

/** Resign all learners, in transactions of many; what cannot be stored is left to the end of the
 * session.  The writer and the refit worker have ended. */
void segue_op_resign_all(segue_service *service);

#endif
