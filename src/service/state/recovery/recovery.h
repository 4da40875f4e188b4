/* recovery.h - rebuild a learner from its snapshot and the event log.
 *
 * A learner is a function of its settings, of the saved learner that it was created from, if any,
 * and of its events in their order: tasks closed, refits
 * begun and published, arms added and retired, transfer stopped and resumed, settings changed.  The
 * learner learns from a task by giving its stored rewards to a fresh task (learn.h).  The service,
 * recovery and the check of a store do the same in the same order, and so compute the same bytes.
 *
 * Where rewards were removed, table base has the snapshot that takes the place of the events before.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_H
#define SEGUE_SERVICE_STATE_RECOVERY_RECOVERY_H

#include <pthread.h>

#include "segue/internal.h"
#include "segue/learner.h"
#include "service/state/effect/effect_state.h"
#include "service/state/model_history.h"
#include "service/state/shadow/shadow_state.h"
#include "service/state/task_stats.h"
#include "store/store.h"

/** Write the content of a snapshot: a learner, its task statistics, the effect of transfer, its
 * model history and its steps of shadow mode.  b->failed: out of memory. */
void segue_recovery_serialize(const segue_learner *learner, const task_stats *counts,
                              const effect_state *effect, const segue_model_history *versions,
                              const shadow_state *shadow, segue_bytes *b);

/** Append the seal: the learner, the event that the snapshot follows, and a checksum. */
void segue_recovery_seal(segue_bytes *b, int64_t learner, uint64_t seq);

/** Read the newest snapshot of a learner, without its seal; *data is the caller's to free, NULL
 * without one.
 *
 * @retval SEGUE_EFILE  its seal is wrong
 * @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_recovery_read_snapshot(segue_store *store, int64_t learner,
                                                           uint64_t *seq, void **data, size_t *size,
                                                           segue_error *err);

/** A recovered learner. */
typedef struct segue_recovered_learner {
    segue_learner *learner;
    task_stats stats;
    effect_state effect;
    segue_model_history versions;
    shadow_state shadow;
    uint64_t seq;           /* the last event it knows */
    uint64_t events;        /* applied */
    uint64_t recovery_cost; /* of these (learn.h) */
    uint64_t n_changes;     /* number of the last change of its settings in these events ... */
    bool paused;            /* ... and whether the last of them paused it */
    bool snapshot_damaged;  /* it could not be used; all events were applied again */
} segue_recovered_learner;

void segue_recovery_fini(segue_recovered_learner *rebuilt);

/** Create the learner of a row as it was before its first event: by its settings, or from the saved
 * learner that it was created from.
 * @retval SEGUE_EFILE, SEGUE_EDOMAIN, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_recovery_create(segue_store *store,
                                                    const segue_stored_learner *row,
                                                    segue_learner **out, segue_error *err);

/**
 * Rebuild the learner of a row: from its newest snapshot, or from its first event, also if the
 * snapshot is damaged.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_recovery_run(segue_store *store,
                                                 const segue_stored_learner *row,
                                                 bool from_snapshot, segue_recovered_learner *out,
                                                 segue_error *err);

/** As it was after event `until`; 0: before its first one. */
SEGUE_MUST_CHECK segue_status segue_recovery_run_until(segue_store *store,
                                                       const segue_stored_learner *row,
                                                       bool from_snapshot, uint64_t until,
                                                       segue_recovered_learner *out,
                                                       segue_error *err);

/** Rebuild it from its first event, and compare with its snapshot on the way.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_recovery_verify(segue_store *store,
                                                    const segue_stored_learner *row,
                                                    segue_recovered_learner *out, segue_error *err);

/** Compare with the bytes of a snapshot, without a seal.
 * @retval SEGUE_EFILE  they differ; the sentence says that the event log does not lead to `what` */
SEGUE_MUST_CHECK segue_status segue_recovery_compare(const segue_recovered_learner *rebuilt,
                                                     const void *data, size_t size,
                                                     const char *what, segue_error *err);

#endif
