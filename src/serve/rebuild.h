/* rebuild.h - a learner as a function of its journal.
 *
 * A learner is what its words, and then the events of its journal in their order, make of it: tasks
 * closed, fits begun and published, arms added and retired.  A task is learned from by telling a
 * fresh one the rewards in the order in which they were told.  The service at work, a start, and
 * the check of a store do the same things in the same order, hence come to the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_REBUILD_H
#define SEGUE_SERVE_REBUILD_H

#include <pthread.h>

#include "core/bytes.h"
#include "segue/learner.h"
#include "serve/record.h"
#include "serve/versions.h"
#include "store/store.h"

/**
 * Learn from a task of the store; `lock`, if any, is held only while the learner is touched.
 *
 * @retval SEGUE_EFILE  the store is damaged
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_rebuild_learn(segue_store *store, segue_learner *learner,
                                                  int64_t task, pthread_mutex_t *lock,
                                                  segue_error *err);

/** What a snapshot holds: a learner, what is counted of its tasks, and versions that it had;
 * b->failed: memory ran out. */
void segue_snapshot_put(const segue_learner *learner, const record *counts,
                        const segue_versions *versions, bytes *b);

/** Add to such bytes whose they are, behind which event, and a checksum. */
void segue_snapshot_seal(bytes *b, int64_t learner, uint64_t seq);

/** Read the newest snapshot of a learner, without its seal; *data is the caller's to free, NULL
 * without one.
 *
 * @retval SEGUE_EFILE  its seal is wrong
 * @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_snapshot_read(segue_store *store, int64_t learner,
                                                  uint64_t *seq, void **data, size_t *size,
                                                  segue_error *err);

/** What was rebuilt. */
typedef struct segue_rebuilt {
    segue_learner *learner;
    record record;
    segue_versions versions;
    uint64_t seq;          /* the last event it knows */
    uint64_t events;       /* applied */
    bool snapshot_damaged; /* there is one, and it could not be used */
} segue_rebuilt;

void segue_rebuilt_fini(segue_rebuilt *rebuilt);

/**
 * Rebuild the learner of a row: from its newest snapshot, or from the beginning, also if the
 * snapshot is damaged.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_rebuild(segue_store *store, const segue_stored_learner *row,
                                            bool from_snapshot, segue_rebuilt *out,
                                            segue_error *err);

/** Rebuild it from the beginning, and compare with its snapshot on the way.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_rebuild_past(segue_store *store,
                                                 const segue_stored_learner *row,
                                                 segue_rebuilt *out, segue_error *err);

/** Whether it is the same as the bytes of a snapshot, without a seal.
 * @retval SEGUE_EFILE  they differ; the sentence says that the journal does not lead to `what` */
SEGUE_MUST_CHECK segue_status segue_rebuilt_compare(const segue_rebuilt *rebuilt, const void *data,
                                                    size_t size, const char *what,
                                                    segue_error *err);

#endif
