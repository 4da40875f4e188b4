/* checkpoint.h - checkpoints of the WAL.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_CHECKPOINT_H
#define SEGUE_SERVICE_JOBS_CHECKPOINT_H

#include "service/engine/service.h"

/* Copy the WAL to the main file, if it is large, or if its file was found to be; or because the
 * disk may be full.  For the thread that writes, outside a transaction. */
void segue_checkpoint_if_due(segue_service *service, bool oversized);
void segue_checkpoint_for_space(segue_service *service);
/* Whether the WAL may grow.  @retval SEGUE_EIO  it may not */
segue_status segue_checkpoint_allow_write(segue_service *service, segue_error *err);
/* Enqueue a checkpoint, if the WAL is too large; from any thread. */
void segue_checkpoint_enqueue(segue_service *service);

#endif
