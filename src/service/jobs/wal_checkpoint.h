/* wal_checkpoint.h - checkpoints of the store's write-ahead log (WAL).
 *
 * All functions are the writer's, except segue_wal_checkpoint_enqueue, which is the timer's.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_JOBS_WAL_CHECKPOINT_H
#define SEGUE_SERVICE_JOBS_WAL_CHECKPOINT_H

#include "service/engine/service.h"

/** Checkpoint the WAL if it is due; `oversized`: the file is larger than it should be. */
void segue_wal_checkpoint_if_due(segue_service *service, bool oversized);

/** Checkpoint the WAL because the disk is full: the next transaction can then reuse its space. */
void segue_wal_checkpoint_for_space(segue_service *service);

/** Check that the WAL has not reached --max-wal.  @retval SEGUE_EIO  it has */
SEGUE_MUST_CHECK segue_status segue_wal_checkpoint_allow_write(segue_service *service,
                                                               segue_error *err);

/** Enqueue a checkpoint job if the file is larger than it should be. */
void segue_wal_checkpoint_enqueue(segue_service *service);

#endif
