/* recovery.h - a learner as a function of its journal.
 *
 * A learner is what its words, and then the events of its journal in their order, make of it: tasks
 * closed, fits begun and published, arms added and retired.  A task is learned from by telling a
 * fresh one the rewards in the order in which they were told.  The service at work, a start, and
 * the check of a store do the same things in the same order, hence come to the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_H
#define SEGUE_SERVICE_STATE_RECOVERY_H

#include <pthread.h>

#include "segue/internal.h"
#include "segue/learner.h"
#include "service/state/model_history.h"
#include "service/state/task_stats.h"
#include "store/store.h"

/** What a snapshot holds: a learner, what is counted of its tasks, and versions that it had;
 * b->failed: memory ran out. */
void segue_recovery_serialize(const segue_learner *learner, const record *counts,
                              const segue_model_history *versions, segue_bytes *b);

/** Add to such bytes whose they are, behind which event, and a checksum. */
void segue_recovery_seal(segue_bytes *b, int64_t learner, uint64_t seq);

/** Read the newest snapshot of a learner, without its seal; *data is the caller's to free, NULL
 * without one.
 *
 * @retval SEGUE_EFILE  its seal is wrong
 * @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_recovery_read_snapshot(segue_store *store, int64_t learner,
                                                           uint64_t *seq, void **data, size_t *size,
                                                           segue_error *err);

/** What was rebuilt. */
typedef struct segue_recovered_learner {
    segue_learner *learner;
    record record;
    segue_model_history versions;
    uint64_t seq;          /* the last event it knows */
    uint64_t events;       /* applied */
    uint64_t replay_cost;  /* of these (learn.h) */
    bool snapshot_damaged; /* there is one, and it could not be used */
} segue_recovered_learner;

void segue_recovery_fini(segue_recovered_learner *rebuilt);

/**
 * Rebuild the learner of a row: from its newest snapshot, or from the beginning, also if the
 * snapshot is damaged.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_recovery_run(segue_store *store,
                                                 const segue_stored_learner *row,
                                                 bool from_snapshot, segue_recovered_learner *out,
                                                 segue_error *err);

/** Rebuild it from the beginning, and compare with its snapshot on the way.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_recovery_verify(segue_store *store,
                                                    const segue_stored_learner *row,
                                                    segue_recovered_learner *out, segue_error *err);

/** Whether it is the same as the bytes of a snapshot, without a seal.
 * @retval SEGUE_EFILE  they differ; the sentence says that the journal does not lead to `what` */
SEGUE_MUST_CHECK segue_status segue_recovery_compare(const segue_recovered_learner *rebuilt,
                                                     const void *data, size_t size,
                                                     const char *what, segue_error *err);

#endif
